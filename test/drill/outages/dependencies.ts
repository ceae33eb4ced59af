/** What a task needs, and how each is taken away for a while and given back. */
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelFault } from "../../mock-servers/model-server.ts";
import type { Stage } from "../stage.ts";
import { kill, type Part } from "../started-system.ts";
import { GOAL_KINDS, type GoalKind } from "./outage-script.ts";

export interface Dependency {
  readonly name: string;
  /** What the tasks do meanwhile. */
  readonly kinds: readonly GoalKind[];
  /** True when the tasks go on while it is away. */
  readonly isDispensable: boolean;
  /** Takes it away for so many milliseconds and gives it back. Gives how often it was taken. */
  readonly take: (stage: Stage, ms: number) => Promise<number>;
}

/** How soon a part that came back is taken again. No part is ready as soon as this after its start. */
const LOOK_EVERY_MS = 5;

const ALL = { kinds: GOAL_KINDS, isDispensable: false } as const;

export const DEPENDENCIES: readonly Dependency[] = [
  {
    ...ALL,
    name: "database hanging",
    isDispensable: true,
    take: (stage, ms) => holdPart(stage, "database", "SIGSTOP", ms),
  },
  {
    ...ALL,
    name: "database killed",
    isDispensable: true,
    take: (stage, ms) => holdPart(stage, "database", "SIGKILL", ms),
  },
  {
    ...ALL,
    name: "model refusing",
    async take({ model }, ms) {
      await model.goAway();
      await sleep(ms);
      await model.comeBack();
      return 1;
    },
  },
  { ...ALL, name: "model hanging", take: (stage, ms) => breakModel(stage, { kind: "hang" }, ms) },
  { ...ALL, name: "model 503", take: (stage, ms) => breakModel(stage, { kind: "status", status: 503 }, ms) },
  { ...ALL, name: "sidecar hanging", take: (stage, ms) => holdPart(stage, "sidecar", "SIGSTOP", ms) },
  { ...ALL, name: "sidecar killed", take: (stage, ms) => holdPart(stage, "sidecar", "SIGKILL", ms) },
  { ...ALL, name: "file store", kinds: ["file"], take: breakFiles },
  { ...ALL, name: "runtime killed", take: (stage, ms) => holdPart(stage, "runtime", "SIGKILL", ms) },
];

/** Throws when there is none of that name. */
export function dependencyNamed(name: string): Dependency {
  const found = DEPENDENCIES.find((dependency) => dependency.name === name);
  if (found === undefined)
    throw new Error(`no dependency is named ${name}: ${DEPENDENCIES.map((dependency) => dependency.name).join(", ")}`);
  return found;
}

/** The part is stopped or killed, and so is each that the supervisor starts in its place. */
export async function holdPart(
  { system }: Stage,
  part: Part,
  signal: "SIGSTOP" | "SIGKILL",
  ms: number,
): Promise<number> {
  let taken = 0;
  let last: number | null = null;
  for (const end = performance.now() + ms; performance.now() < end; await sleep(LOOK_EVERY_MS)) {
    const pid = system.pidOf(part);
    // A part is the leader of a group: workerd goes with its host.
    if (pid === null || pid === last || !kill(-pid, signal)) continue;
    taken += 1;
    last = pid;
  }
  if (signal === "SIGSTOP" && last !== null) kill(-last, "SIGCONT");
  return taken;
}

/** The model does this to every request for so long. */
export async function breakModel(stage: Stage, fault: ModelFault, ms: number): Promise<number> {
  const before = stage.hooks;
  stage.hooks = { ...before, modelFault: () => fault };
  await sleep(ms);
  stage.hooks = before;
  await stage.model.comeBack();
  return 1;
}

/** Blobs can be neither written nor read: a plain file stands where the bucket's folder was. */
async function breakFiles({ system }: Stage, ms: number): Promise<number> {
  const folder = bucketFolder(join(system.stateFolder, "runtime", "r2"));
  const aside = `${folder}.aside`;
  renameSync(folder, aside);
  writeFileSync(folder, "");
  await sleep(ms);
  rmSync(folder);
  renameSync(aside, folder);
  return 1;
}

/** The folder that miniflare made for the bucket's blobs. It is there once something was stored. */
function bucketFolder(root: string): string {
  const name = readdirSync(root).find((entry) => existsSync(join(root, entry, "blobs")));
  if (name === undefined) throw new Error(`there is no bucket in ${root}: ${readdirSync(root).join(", ")}`);
  return join(root, name);
}
