/** The sidecar of a system that was started: killed, started again, and what is left of the one that was killed. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive, type RecordedProcess, startTime } from "../../scripts/supervisor/processes.ts";
import { processesBelow } from "../../sidecar/cage/processes.ts";
import { kill, type StartedSystem, until } from "../drill/started-system.ts";
import type { Caller } from "./start-system.ts";

/** A sidecar that was killed, with what it had at that moment. */
export interface DeadSidecar {
  readonly pid: number;
  /** Every process that descended from it. */
  readonly below: readonly RecordedProcess[];
  /** The folder of its cages. */
  readonly cages: readonly string[];
}

/** `folder`: what the system has as TMPDIR, and nobody else. */
export interface SidecarPlace {
  readonly system: StartedSystem;
  readonly folder: string;
  readonly caller: Caller;
}

/** Makes such a folder. Programs of other users pass through it. */
export function makeTemporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "otto-tmp-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** Kills it, and waits until it is dead. */
export async function killSidecar({ system, folder }: SidecarPlace): Promise<DeadSidecar> {
  const pid = system.pidOf("sidecar");
  if (pid === null) throw new Error("there was no sidecar to kill");
  const below = (await processesBelow(pid)).map((one) => ({ pid: one.pid, started: startTime(one.pid) ?? "" }));
  const dead = { pid, below: below.filter(({ started }) => started !== ""), cages: cagesIn(folder) };
  if (!kill(pid)) throw new Error("the sidecar was dead already");
  await until(
    () => system.pidOf("sidecar") !== pid,
    30_000,
    () => "the sidecar does not die",
    1,
  );
  return dead;
}

/** Waits until a sidecar answers that is another one than `dead`. */
export async function untilUp({ system, caller }: SidecarPlace, dead: DeadSidecar | null = null): Promise<void> {
  await until(
    () => ![dead?.pid, null].includes(system.pidOf("sidecar")),
    60_000,
    () => `the sidecar is not started again:\n${system.output()}`,
  );
  // The Worker's own word is good for a second.
  const isUp = async () => (await caller.send("GET", "/health")).json.sidecar === "ok";
  await until(isUp, 60_000, () => `the sidecar is not there:\n${system.output()}`);
}

/** Waits until there is nothing of `dead` any more: no process, no folder of a job, no folder of its cages. */
export async function untilNothingIsLeft({ system, folder }: SidecarPlace, dead: DeadSidecar): Promise<void> {
  const left = () => [
    ...dead.below.filter(isAlive).map(({ pid }) => `${pid} ${commandOf(String(pid))}`),
    ...jobFolders(system),
    ...cagesIn(folder).filter((name) => dead.cages.includes(name)),
  ];
  await until(
    () => left().length === 0,
    30_000,
    () => `there is still ${left().join(", ")}`,
  );
}

/** The folders of jobs under way. */
export function jobFolders({ stateFolder }: StartedSystem): string[] {
  try {
    return readdirSync(join(stateFolder, "sidecar/jobs"));
  } catch {
    return [];
  }
}

/** The processes of this machine with exactly this command. */
export function running(command: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandOf(name) === command)
    .map(Number);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

function cagesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith("otto-cages-"));
}
