/** Detects once how this process can isolate programs, and holds what its cages need. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, rmSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CagedProcess, type Isolation, DEFAULT_LIMITS } from "./cage.ts";
import { openCageFolder } from "./folders.ts";
import { getErrorCode } from "./failures.ts";
import { makePipes } from "./pipes.ts";
import { type CageTools, startCaged } from "./start-caged.ts";
import { buildSyscallFilter } from "./syscalls.ts";
import { killOrphanPrograms } from "./users.ts";

const FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin"];
const PROGRAMS = ["bwrap", "setpriv", "prlimit", "perl"] as const;
/** Prints the rights of a caged program (proc_pid_status(5)): it must have no capability and an active system call filter. */
const PROBE = `while read -r name value; do case $name in CapEff:|Seccomp:) echo "$name$value";; esac; done </proc/self/status`;
const PROBE_RESULT = "CapEff:0000000000000000\nSeccomp:2\n";
const PROBE_MS = 10_000;
const MAX_PROBE_RETRIES = 2;
const PROBE_RETRY_MS = 200;
const NO_ISOLATION =
  "Programs are refused because nothing isolates them: {why}. Install the Debian packages bubblewrap and util-linux where the " +
  "sidecar runs and allow it to create user namespaces. If the sidecar has a container to itself, you can set " +
  "OTTO_SCRIPT_ISOLATION=container instead.";

export interface Cages extends CageTools {
  /** Whether the files that cages need still exist. */
  isIntact(): boolean;
  /** Ends the programs that run, and removes the folder. */
  close(): Promise<void>;
}

export interface CageChoice {
  /** The value of OTTO_SCRIPT_ISOLATION. */
  readonly chosen: string | undefined;
  /** Where to search for programs. */
  readonly programFolders?: readonly string[];
  /** Where to create the folder of the cages. */
  readonly parent?: string;
}

let cages: Promise<Cages> | undefined;
let reopening: Promise<Cages> | undefined;

/**
 * Returns the cages of this process and opens them on the first call. Reopens them, once for all concurrent callers, when their folder
 * has been deleted, for example by a cleanup of temporary files. Rejects if the folder cannot be created.
 */
export async function getCages(): Promise<Cages> {
  const current = (await cages?.catch(() => null)) ?? null;
  if (current?.isIntact() === true) return current;
  reopening ??= reopenCages(current).finally(() => {
    reopening = undefined;
  });
  return await reopening;
}

async function reopenCages(before: Cages | null): Promise<Cages> {
  // The folder is incomplete, so remove it and release its lock.
  if (before?.running.size === 0) await before.folder.remove();
  cages = openForProcess();
  return await cages;
}

async function openForProcess(): Promise<Cages> {
  const opened = await openCages({ chosen: process.env["OTTO_SCRIPT_ISOLATION"] });
  if (openedPaths.size === 0) process.once("exit", removeFolders);
  openedPaths.add(opened.folder.path);
  return opened;
}

/** The folders of all cages that this process opened. */
const openedPaths = new Set<string>();

function removeFolders(): void {
  for (const path of openedPaths) rmSync(path, { recursive: true, force: true });
}

/** Closes the cages of this process if they were opened. */
export async function closeCages(): Promise<void> {
  await (await cages)?.close();
}

/** Returns how well programs are isolated here. */
export async function getIsolation(): Promise<Isolation> {
  try {
    return (await getCages()).isolation;
  } catch (error) {
    return reportNoIsolation(`the folder of the cages cannot be created (${getErrorCode(error)})`);
  }
}

/** Removes what killed sidecars left behind, and runs a probe in a cage. If the probe fails, every program is refused. */
export async function openCages({ chosen, programFolders = FOLDERS, parent }: CageChoice): Promise<Cages> {
  const changesUser = process.getuid?.() === 0;
  if (changesUser) await killOrphanPrograms();
  const folder = await openCageFolder(parent);
  const filter = join(folder.path, "filter");
  writeFileSync(filter, buildSyscallFilter(chosen === "container" ? "no_network" : "own_network") ?? "");
  await chmod(filter, 0o644);
  const [bwrap, setpriv, prlimit, perl] = PROGRAMS.map((name) => findProgram(name, programFolders));
  const takePipe = makePipes(folder.path);
  const programs = { bwrap: bwrap ?? "", setpriv: setpriv ?? "", prlimit: prlimit ?? "", perl: perl ?? "" };
  const choom = findProgram("choom", programFolders);
  const choomTrial =
    choom === null ? null : spawnSync(choom, ["-n", "1000", "--", "/bin/true"], { env: {}, timeout: PROBE_MS });
  const running = new Set<CagedProcess>();
  const hasChoom = choomTrial?.status === 0;
  const found = { ...programs, choom: hasChoom ? choom : null, folder, filter, takePipe, changesUser, running };
  const close = async () => {
    await Promise.all([...running].map((caged) => caged.kill("The sidecar is shutting down.")));
    await folder.remove();
  };
  const isIntact = () => [filter, ...folder.etc.values()].every((path) => existsSync(path));
  const missing = [bwrap === null && "bwrap", setpriv === null && "setpriv", prlimit === null && "prlimit"].filter(
    Boolean,
  );
  const level = await findIsolation(found, chosen, missing.join(", "));
  return { ...found, isolation: level, isIntact, close };
}

async function findIsolation(
  tools: Omit<CageTools, "isolation">,
  chosen: string | undefined,
  missing: string,
): Promise<Isolation> {
  if (chosen !== undefined && chosen !== "" && chosen !== "container" && chosen !== "bubblewrap")
    return reportNoIsolation("OTTO_SCRIPT_ISOLATION is neither bubblewrap nor container");
  if (chosen === "container") return await findContainerIsolation(tools);
  if (buildSyscallFilter() === null) return reportNoIsolation(`the system call numbers of ${process.arch} are unknown`);
  if (missing !== "") return reportNoIsolation(`${missing} is missing`);
  const who = tools.changesUser ? "each as a separate user" : "all as the sidecar's user";
  const level: Isolation = { level: "bubblewrap", reason: `Programs run in bubblewrap cages, ${who}.` };
  return await probeWithRetries({ ...tools, isolation: level });
}

async function findContainerIsolation(tools: Omit<CageTools, "isolation">): Promise<Isolation> {
  // Programs that run as the sidecar's user could read its token key and each other's files.
  if (!tools.changesUser)
    return reportNoIsolation("OTTO_SCRIPT_ISOLATION=container requires a sidecar that starts as root");
  if (buildSyscallFilter() === null) return reportNoIsolation(`the system call numbers of ${process.arch} are unknown`);
  if (tools.setpriv === "" || tools.prlimit === "" || tools.perl === "")
    return reportNoIsolation("setpriv, prlimit or perl is missing");
  const level: Isolation = {
    level: "container",
    reason:
      "Programs run as separate users, without a network, and see this container's files, because OTTO_SCRIPT_ISOLATION is container.",
  };
  return await probeWithRetries({ ...tools, isolation: level });
}

/** Retries, because the result holds until the sidecar ends and a machine can lack processes for a moment. */
async function probeWithRetries(tools: CageTools): Promise<Isolation> {
  let why = await probeCage(tools);
  for (let retries = 0; why !== null && retries < MAX_PROBE_RETRIES; retries += 1) {
    await sleep(PROBE_RETRY_MS);
    why = await probeCage(tools);
  }
  return why === null ? tools.isolation : reportNoIsolation(why);
}

function reportNoIsolation(why: string): Isolation {
  return { level: "none", reason: NO_ISOLATION.replace("{why}", why) };
}

/** Runs the probe in a cage. Returns why it failed, or null if it passed. */
async function probeCage(tools: CageTools): Promise<string | null> {
  const started = await startCaged(tools, {
    argv: ["/bin/sh", "-c", PROBE],
    cwd: "/tmp",
    env: {},
    mounts: [],
    limits: { ...DEFAULT_LIMITS, wallMs: PROBE_MS },
    network: null,
  });
  if (!started.ok) return started.error.message;
  const { stdin, stdout, stderr, ended } = started.value;
  stdin.end();
  const [out, error, { exitCode, killed }] = await Promise.all([text(stdout), text(stderr), ended]);
  if (exitCode === 0 && out === PROBE_RESULT) return null;
  const firstLine = error.trim().split("\n")[0]?.slice(0, 200) ?? "";
  const [found] =
    exitCode === 0 ? [`its program has unexpected rights: ${out.trim().replaceAll("\n", ", ")}`] : [firstLine];
  return `the test cage failed (${found || (killed ?? `exit code ${exitCode}, no output`)})`;
}

function findProgram(name: string, folders: readonly string[]): string | null {
  for (const folder of folders) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Try the next folder.
    }
  }
  return null;
}
