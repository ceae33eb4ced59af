/** Kills the sidecar of a running system, waits for its restart, and checks what the killed one left behind. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive, type RecordedProcess, startTime } from "../../scripts/supervisor/processes.ts";
import { findDescendants } from "../../sidecar/cage/processes.ts";
import { kill, type StartedSystem, until } from "../drill/started-system.ts";
import type { Caller } from "./start-system.ts";

/** A killed sidecar, and what it had at that moment. */
export interface DeadSidecar {
  readonly pid: number;
  /** All its descendant processes. */
  readonly below: readonly RecordedProcess[];
  /** The folder of its cages. */
  readonly cages: readonly string[];
}

/** `folder` is the TMPDIR of this system only. */
export interface SidecarTarget {
  readonly system: StartedSystem;
  readonly folder: string;
  readonly caller: Caller;
}

/** Creates such a folder. Other users can enter it. */
export function makeTemporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "otto-tmp-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** Kills it, and waits until it is dead. */
export async function killSidecar({ system, folder }: SidecarTarget): Promise<DeadSidecar> {
  const pid = system.pidOf("sidecar");
  if (pid === null) throw new Error("there was no sidecar to kill");
  const below = (await findDescendants(pid)).map((one) => ({ pid: one.pid, started: startTime(one.pid) ?? "" }));
  const dead = { pid, below: below.filter(({ started }) => started !== ""), cages: listCages(folder) };
  if (!kill(pid)) throw new Error("the sidecar was dead already");
  await until(
    () => system.pidOf("sidecar") !== pid,
    30_000,
    () => "the sidecar is still alive",
    1,
  );
  return dead;
}

/** Waits until a sidecar other than `dead` answers. */
export async function untilUp({ system, caller }: SidecarTarget, dead: DeadSidecar | null = null): Promise<void> {
  await until(
    () => ![dead?.pid, null].includes(system.pidOf("sidecar")),
    60_000,
    () => `the sidecar was not restarted:\n${system.output()}`,
  );
  // The Worker caches its health for a second.
  const isUp = async () => (await caller.send("GET", "/health")).json.sidecar === "ok";
  await until(isUp, 60_000, () => `the sidecar does not answer:\n${system.output()}`);
}

/** Waits until every process, job folder and cage folder of `dead` is gone. */
export async function untilNothingIsLeft({ system, folder }: SidecarTarget, dead: DeadSidecar): Promise<void> {
  const left = () => [
    ...dead.below.filter(isAlive).map(({ pid }) => `${pid} ${readCommand(String(pid))}`),
    ...jobFolders(system),
    ...listCages(folder).filter((name) => dead.cages.includes(name)),
  ];
  await until(
    () => left().length === 0,
    30_000,
    () => `there is still ${left().join(", ")}`,
  );
}

/** Lists the folders of running jobs. */
export function jobFolders({ stateFolder }: StartedSystem): string[] {
  try {
    return readdirSync(join(stateFolder, "sidecar/jobs"));
  } catch {
    return [];
  }
}

/** Finds the processes of this machine with exactly this command. */
export function running(command: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && readCommand(name) === command)
    .map(Number);
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

function listCages(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith("otto-cages-"));
}
