/** A task's dependencies, and how to interrupt each for a while. */
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelFault } from "../../mock-servers/model-server.ts";
import type { Stage } from "../stage.ts";
import { kill, type Part } from "../started-system.ts";
import { GOAL_KINDS, type GoalKind } from "./outage-script.ts";

export interface Dependency {
  readonly name: string;
  /** The tasks' work during the outage. */
  readonly kinds: readonly GoalKind[];
  /** True if tasks continue without it. */
  readonly isDispensable: boolean;
  /** Interrupts it for this many milliseconds. Returns the number of interruptions. */
  readonly take: (stage: Stage, ms: number) => Promise<number>;
}

/** Pause before a restarted part is killed again. Shorter than any part's start. */
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

/** Throws for an unknown name. */
export function dependencyNamed(name: string): Dependency {
  const found = DEPENDENCIES.find((dependency) => dependency.name === name);
  if (found === undefined)
    throw new Error(`no dependency is named ${name}: ${DEPENDENCIES.map((dependency) => dependency.name).join(", ")}`);
  return found;
}

/** Stops or kills the part and each replacement that the supervisor starts. */
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
    // A part leads a process group, so workerd ends with its host.
    if (pid === null || pid === last || !kill(-pid, signal)) continue;
    taken += 1;
    last = pid;
  }
  if (signal === "SIGSTOP" && last !== null) kill(-last, "SIGCONT");
  return taken;
}

/** Applies a fault to every model request for a while. */
export async function breakModel(stage: Stage, fault: ModelFault, ms: number): Promise<number> {
  const before = stage.hooks;
  stage.hooks = { ...before, modelFault: () => fault };
  await sleep(ms);
  stage.hooks = before;
  await stage.model.comeBack();
  return 1;
}

/** Makes blobs unreadable and unwritable: a file replaces the bucket's folder. */
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

/** Finds miniflare's folder of the bucket's blobs, which exists once a blob was stored. */
function bucketFolder(root: string): string {
  const name = readdirSync(root).find((entry) => existsSync(join(root, entry, "blobs")));
  if (name === undefined) throw new Error(`there is no bucket in ${root}: ${readdirSync(root).join(", ")}`);
  return join(root, name);
}
