/** Finds out, once, how this process can shut programs in, and keeps what its cages need. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, rmSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CagedProcess, type Isolation, USUAL_LIMITS } from "./cage.ts";
import { openCageFolder } from "./folders.ts";
import { codeOf } from "./failures.ts";
import { makePipes } from "./pipes.ts";
import { type CageTools, startCaged } from "./start-caged.ts";
import { syscallFilter } from "./syscalls.ts";
import { endForsaken } from "./users.ts";

const FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin"];
const PROGRAMS = ["bwrap", "setpriv", "prlimit", "perl"] as const;
/** Tells what a caged program may do (proc_pid_status(5)): no capability is left, and a filter for system calls is in force. */
const PROBE = `while read -r name value; do case $name in CapEff:|Seccomp:) echo "$name$value";; esac; done </proc/self/status`;
const PROBED = "CapEff:0000000000000000\nSeccomp:2\n";
const PROBE_MS = 10_000;
const PROBES_AGAIN = 2;
const PROBE_AGAIN_MS = 200;
const INSTALL =
  "Programs do not run here, because nothing would shut them in: {why}. Install the Debian packages bubblewrap and " +
  "util-linux where the sidecar runs, and let it make user namespaces; or set OTTO_SCRIPT_ISOLATION=container where the " +
  "sidecar has a container to itself that keeps its programs from everything else.";

export interface Cages extends CageTools {
  /** Whether all that cages need is still there. */
  isWhole(): boolean;
  /** Ends the programs that run, and removes the folder. */
  close(): Promise<void>;
}

export interface CageChoice {
  /** What the operator set as OTTO_SCRIPT_ISOLATION. */
  readonly chosen: string | undefined;
  /** Where programs are looked for. */
  readonly programFolders?: readonly string[];
  /** Where the cages' folder is made. */
  readonly parent?: string;
}

let cages: Promise<Cages> | undefined;
let reopening: Promise<Cages> | undefined;

/**
 * The cages of this process; the first caller has them opened, as the environment says. They are opened again when their folder
 * is gone, as a machine that tidies its temporary files may take it away, once for all that call meanwhile. Rejects where it cannot be made.
 */
export async function theCages(): Promise<Cages> {
  const there = (await cages?.catch(() => null)) ?? null;
  if (there?.isWhole() === true) return there;
  reopening ??= reopen(there).finally(() => {
    reopening = undefined;
  });
  return await reopening;
}

async function reopen(before: Cages | null): Promise<Cages> {
  // Its lock guards nothing any more.
  if (before?.running.size === 0) await before.folder.remove();
  cages = openForProcess();
  return await cages;
}

async function openForProcess(): Promise<Cages> {
  const opened = await openCages({ chosen: process.env["OTTO_SCRIPT_ISOLATION"] });
  if (paths.size === 0) process.once("exit", removeFolders);
  paths.add(opened.folder.path);
  return opened;
}

/** Of all cages that this process opened. */
const paths = new Set<string>();

function removeFolders(): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true });
}

/** Closes the cages of this process, if anybody had them opened. */
export async function closeTheCages(): Promise<void> {
  await (await cages)?.close();
}

/** How well programs are shut in here. */
export async function isolation(): Promise<Isolation> {
  try {
    return (await theCages()).isolation;
  } catch (error) {
    return none(`the folder of the cages cannot be made (${codeOf(error)})`);
  }
}

/** Removes what dead sidecars left, and tries a cage by running a program in it. Without one, every program is refused. */
export async function openCages({ chosen, programFolders = FOLDERS, parent }: CageChoice): Promise<Cages> {
  const changesUser = process.getuid?.() === 0;
  if (changesUser) await endForsaken();
  const folder = await openCageFolder(parent);
  const filter = join(folder.path, "filter");
  writeFileSync(filter, syscallFilter(chosen === "container" ? "no_network" : "own_network") ?? "");
  await chmod(filter, 0o644);
  const [bwrap, setpriv, prlimit, perl] = PROGRAMS.map((name) => find(name, programFolders));
  const takePipe = makePipes(folder.path);
  const programs = { bwrap: bwrap ?? "", setpriv: setpriv ?? "", prlimit: prlimit ?? "", perl: perl ?? "" };
  const choom = find("choom", programFolders);
  const tries =
    choom === null ? null : spawnSync(choom, ["-n", "1000", "--", "/bin/true"], { env: {}, timeout: PROBE_MS });
  const running = new Set<CagedProcess>();
  const mayChoose = tries?.status === 0;
  const found = { ...programs, choom: mayChoose ? choom : null, folder, filter, takePipe, changesUser, running };
  const close = async () => {
    await Promise.all([...running].map((caged) => caged.kill("The sidecar is ended.")));
    await folder.remove();
  };
  const isWhole = () => [filter, ...folder.etc.values()].every((path) => existsSync(path));
  const missing = [bwrap === null && "bwrap", setpriv === null && "setpriv", prlimit === null && "prlimit"].filter(
    Boolean,
  );
  const level = await levelOf(found, chosen, missing.join(", "));
  return { ...found, isolation: level, isWhole, close };
}

async function levelOf(
  tools: Omit<CageTools, "isolation">,
  chosen: string | undefined,
  missing: string,
): Promise<Isolation> {
  if (chosen !== undefined && chosen !== "" && chosen !== "container" && chosen !== "bubblewrap")
    return none("OTTO_SCRIPT_ISOLATION is neither bubblewrap nor container");
  if (chosen === "container") return await containerLevel(tools);
  if (syscallFilter() === null) return none(`the system calls of ${process.arch} are not known`);
  if (missing !== "") return none(`there is no ${missing}`);
  const who = tools.changesUser ? "each with a user of its own" : "all with the sidecar's user";
  const level: Isolation = { level: "bubblewrap", reason: `Programs run in cages of bubblewrap, ${who}.` };
  return await tried({ ...tools, isolation: level });
}

async function containerLevel(tools: Omit<CageTools, "isolation">): Promise<Isolation> {
  // The sidecar's own user could read the key of its tokens, and the files of every other program.
  if (!tools.changesUser) return none("OTTO_SCRIPT_ISOLATION=container needs a sidecar that starts as root");
  if (syscallFilter() === null) return none(`the system calls of ${process.arch} are not known`);
  if (tools.setpriv === "" || tools.prlimit === "" || tools.perl === "")
    return none("setpriv, prlimit or perl is missing");
  const level: Isolation = {
    level: "container",
    reason:
      "Programs run as users of their own, without a network, among this container's files, as the operator chose.",
  };
  return await tried({ ...tools, isolation: level });
}

/** What is found counts until the sidecar ends, so a machine that has no process to spare at this moment is asked again. */
async function tried(tools: CageTools): Promise<Isolation> {
  let why = await whyNot(tools);
  for (let again = 0; why !== null && again < PROBES_AGAIN; again += 1) {
    await sleep(PROBE_AGAIN_MS);
    why = await whyNot(tools);
  }
  return why === null ? tools.isolation : none(why);
}

function none(why: string): Isolation {
  return { level: "none", reason: INSTALL.replace("{why}", why) };
}

/** Runs a program. Null: it did what it should. */
async function whyNot(tools: CageTools): Promise<string | null> {
  const started = await startCaged(tools, {
    argv: ["/bin/sh", "-c", PROBE],
    cwd: "/tmp",
    env: {},
    mounts: [],
    limits: { ...USUAL_LIMITS, wallMs: PROBE_MS },
    network: null,
  });
  if (!started.ok) return started.error.message;
  const { stdin, stdout, stderr, ended } = started.value;
  stdin.end();
  const [out, error, { exitCode, killed }] = await Promise.all([text(stdout), text(stderr), ended]);
  if (exitCode === 0 && out === PROBED) return null;
  const said = error.trim().split("\n")[0]?.slice(0, 200) ?? "";
  const [found] = exitCode === 0 ? [`its program has other rights: ${out.trim().replaceAll("\n", ", ")}`] : [said];
  return `a cage was tried and failed (${found || (killed ?? `exit code ${exitCode}, without a word`)})`;
}

function find(name: string, folders: readonly string[]): string | null {
  for (const folder of folders) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // It is in another folder, or nowhere.
    }
  }
  return null;
}
