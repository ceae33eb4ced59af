/** Starts programs in bubblewrap cages or, if the operator chose that, as separate users in this container. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, lchownSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Duplex, PassThrough, type Readable } from "node:stream";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import type { CagedEnd, CagedProcess, CageSpec, Isolation, Mount } from "./cage.ts";
import {
  buildUserArgs,
  buildBubblewrapArgs,
  CAGED_NODE,
  buildOomArgs,
  CONTROL_FD,
  buildGoMessage,
  isEndedFromOutside,
  buildLimitedArgs,
  TMPFS,
  wrapWithEnvironment,
  buildFilterArgs,
} from "./command.ts";
import { prepareInContainer } from "./container.ts";
import { RETRY_SOON, openOrRefuse, refuseCage } from "./failures.ts";
import type { CageFolder } from "./folders.ts";
import { closePipe, type OutputPipe, type TakePipe } from "./pipes.ts";
import { killProcess, killUserProcesses, findDescendants, findUserProcesses } from "./processes.ts";
import { buildFilterInstaller } from "./syscalls.ts";
import { type ClaimedUser, claimUser } from "./users.ts";
import { watchLimits } from "./watch.ts";
import { openProxyMount, routeThroughProxy, type ProxyMount } from "./proxy-mount.ts";

/** The program's three streams come first. */
const [INFO_FD, FILTER_FD] = [3, 4];
/** Maximum time for a cage to end after its first process was killed. */
const END_MS = 2_000;
const KILL_RETRY_MS = 10;
const MAX_INFO_CHARACTERS = 4_096;
const MAX_CONTROL_CHARACTERS = 4_096;

/** Without a network namespace nothing would restrict a program to its hosts. */
export const NO_NETWORK =
  "Programs have no network here: OTTO_SCRIPT_ISOLATION is container, and only a bubblewrap cage can restrict a program to its hosts.";

const NODE: Mount = { from: process.execPath, at: CAGED_NODE, writable: false };

/** Programs, files and state that a sidecar needs for its cages. */
export interface CageTools {
  readonly isolation: Isolation;
  readonly bwrap: string;
  readonly setpriv: string;
  readonly prlimit: string;
  readonly perl: string;
  /** Null if it is missing or does not work here. */
  readonly choom: string | null;
  readonly folder: CageFolder;
  /** The file with the system call filter. */
  readonly filter: string;
  readonly takePipe: TakePipe;
  /** The programs that run. */
  readonly running: Set<CagedProcess>;
  /** Whether this process can start programs as other users. */
  readonly changesUser: boolean;
}

/** The pipes that a program writes to. */
interface Outputs {
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
}

/** A started program. */
interface StartedProgram {
  readonly child: ChildProcess;
  readonly control: Control;
  /** The first of its processes, with which all others end. Null until its pid is known. */
  readonly root: () => number | null;
  /** Paths of its folders in memory, seen from here. Empty until the cage is ready. */
  readonly tmpfs: () => readonly string[];
  /** Writable folders that are not mounts. */
  readonly folders: readonly string[];
  readonly remove: () => Promise<void>;
}

/**
 * Starts a program that shares only its three streams with this process. It sees its mounts and the system's programs (or the container's
 * files where the container is the boundary), but no environment, network or other process. It runs until it exits, is killed, or exceeds
 * a limit; `ended` says which. The caller removes the mounts, and creates writable ones with `tools.folder.make()`.
 *
 * A long-running converter: `startCaged(tools, {argv: ["node", "/app/convert.js"], cwd: "/tmp", env: {}, mounts: [{from:
 * itsFolder, at: "/app", writable: false}], limits: DEFAULT_LIMITS, network: null})`; then write to `stdin`, always read `stdout` and
 * `stderr`, and finally call `kill("…")`. `tools` come from `getCages()`. A failure means that nothing was started: `not_available` without
 * isolation, `rate_limited` if every program user is taken or the machine lacks resources for a moment.
 */
export async function startCaged(tools: CageTools, spec: CageSpec): Promise<Result<CagedProcess>> {
  if (tools.isolation.level === "none") return failed("not_available", tools.isolation.reason);
  if (spec.network !== null && tools.isolation.level === "container") return failed("not_available", NO_NETWORK);
  const claimed = tools.changesUser ? await claimProgramUser() : ok(null);
  if (!claimed.ok) return claimed;
  const user = claimed.value;
  const writable = spec.mounts.filter((mount) => mount.writable).map(({ from }) => from);
  let outputs: Outputs | null = null;
  let proxyMount: ProxyMount | null = null;
  try {
    outputs = { stdout: await tools.takePipe(), stderr: await tools.takePipe() };
    if (user !== null) for (const folder of writable) chownTree(folder, user.uid);
    proxyMount =
      spec.network === null ? null : await openProxyMount(tools.folder.path, spec.network, user?.uid ?? null);
    const start = tools.isolation.level === "container" ? startInContainer : startInBubblewrap;
    const wrapped = { ...spec, argv: wrapWithEnvironment(spec.argv) };
    const started = await start(
      tools,
      proxyMount === null ? wrapped : routeThroughProxy(wrapped, proxyMount),
      user,
      outputs,
    );
    for (const { writerFd } of [outputs.stdout, outputs.stderr]) closeSync(writerFd);
    const caged = supervise(spec, { ...started, proxyMount }, outputs, writable, user);
    tools.running.add(caged);
    void caged.ended.then(() => tools.running.delete(caged));
    return ok(caged);
  } catch (error) {
    for (const pipe of Object.values(outputs ?? {}) as readonly OutputPipe[]) closePipe(pipe);
    await proxyMount?.close();
    user?.release();
    return refuseCage(error, `The cage did not start: ${error instanceof Error ? error.message : "no reason"}.`);
  }
}

/** Claims a user that no other program has. */
async function claimProgramUser(): Promise<Result<ClaimedUser>> {
  const user = await openOrRefuse(claimUser, "No user could be locked for the program");
  if (!user.ok) return user;
  return user.value === null ? failed("rate_limited", "All program users are taken.", RETRY_SOON) : ok(user.value);
}

async function startInBubblewrap(
  tools: CageTools,
  spec: CageSpec,
  user: ClaimedUser | null,
  { stdout, stderr }: Outputs,
): Promise<StartedProgram> {
  const [program = "", ...args] = [
    ...buildOomArgs(tools.choom),
    ...buildUserArgs(tools.setpriv, user?.uid ?? null),
    ...buildBubblewrapArgs(tools.bwrap, {
      etc: tools.folder.etc,
      mounts: await tools.folder.makeReachable([NODE, ...spec.mounts]),
      cwd: spec.cwd,
      tmpBytes: spec.limits.tmpBytes,
      infoFd: INFO_FD,
      filterFd: FILTER_FD,
    }),
    ...buildLimitedArgs(tools.prlimit, spec.limits, spec.argv),
  ];
  const filter = openSync(tools.filter, "r");
  try {
    const child = spawn(program, args, {
      env: {},
      cwd: "/",
      stdio: [spec.stdin === "empty" ? "ignore" : "pipe", stdout.writerFd, stderr.writerFd, "pipe", filter, "pipe"],
    });
    const root = readRootPid(child);
    const control = openControl(child, spec.env);
    await waitForSpawn(child);
    // Until it is ready, the first process still sees this machine's folders instead of the cage's.
    const tmpfs = () => (control.isReady() ? TMPFS.map((path) => `/proc/${root() ?? "none"}/root${path}`) : []);
    return { child, control, root, tmpfs, folders: [], remove: () => Promise.resolve() };
  } finally {
    closeSync(filter);
  }
}

async function startInContainer(
  tools: CageTools,
  spec: CageSpec,
  user: ClaimedUser | null,
  { stdout, stderr }: Outputs,
): Promise<StartedProgram> {
  const installer = buildFilterInstaller();
  if (user === null || installer === null) throw new Error("a contained program needs a user and a system call filter");
  const mounts = await tools.folder.makeReachable([NODE, ...spec.mounts]);
  const { argv, env, ownEnv, cwd, tmp, remove } = await prepareInContainer(
    tools.folder.path,
    { ...spec, mounts },
    user.uid,
  );
  const [program = "", ...args] = [
    ...buildOomArgs(tools.choom),
    ...buildUserArgs(tools.setpriv, user.uid),
    ...buildFilterArgs(tools.perl, installer, tools.filter),
    ...buildLimitedArgs(tools.prlimit, spec.limits, argv),
  ];
  const stdin = spec.stdin === "empty" ? "ignore" : "pipe";
  const child = spawn(program, args, {
    env,
    cwd,
    detached: true,
    stdio: [stdin, stdout.writerFd, stderr.writerFd, "ignore", "ignore", "pipe"],
  });
  const control = openControl(child, ownEnv);
  await waitForSpawn(child);
  return { child, control, root: () => child.pid ?? null, tmpfs: () => [], folders: [tmp], remove };
}

async function waitForSpawn(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
}

/** Changes the owner of everything below `path`, so that the program can write to it. */
function chownTree(path: string, uid: number): void {
  lchownSync(path, uid, uid);
  if (!statSync(path).isDirectory()) return;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) chownTree(child, uid);
    else lchownSync(child, uid, uid);
  }
}

function supervise(
  { limits }: CageSpec,
  {
    child,
    control,
    root,
    tmpfs,
    folders,
    remove,
    proxyMount,
  }: StartedProgram & { readonly proxyMount: ProxyMount | null },
  outputs: Outputs,
  writable: readonly string[],
  user: ClaimedUser | null,
): CagedProcess {
  let [killed, timedOut, hasExited]: [string | null, boolean, boolean] = [null, false, false];
  const exited = new AbortController();

  function kill(why: string): Promise<CagedEnd> {
    if (hasExited || killed !== null) return ended;
    killed = why;
    killRoot(performance.now() + END_MS);
    return ended;
  }

  /** The pid is not reused, since bubblewrap waits for the first process. Until bubblewrap reports it, there is nothing to kill. */
  function killRoot(untilMs: number): void {
    const pid = root();
    if (hasExited) return;
    if (pid !== null) killProcess(pid);
    if (performance.now() > untilMs) child.kill("SIGKILL");
    setTimeout(killRoot, KILL_RETRY_MS, untilMs).unref();
  }

  async function cleanUp(exitCode: number | null): Promise<CagedEnd> {
    hasExited = true;
    exited.abort();
    clearTimeout(timer);
    const allEnded = user === null || (await killUserProcesses(user.uid));
    const [readAll] = await Promise.all([control.said(), remove(), proxyMount?.close()]);
    // Never reuse a user who still has processes.
    if (allEnded) user?.release();
    else console.error(`processes of user ${user.uid} cannot be killed`);
    // With a CPU time limit, the kernel's own signal looks like one from outside.
    const endedFromOutside = killed === null && limits.cpuSeconds === null && isEndedFromOutside(readAll, exitCode);
    return { exitCode: killed === null ? exitCode : null, killed, endedFromOutside, timedOut };
  }

  const ended = new Promise<CagedEnd>((resolve) => {
    child.once("exit", (code) => void cleanUp(code).then(resolve));
  });
  const timer = startTimer(limits.wallMs, (why) => {
    timedOut = killed === null && !hasExited;
    void kill(why);
  });
  const processes = async () => {
    if (user !== null) return await findUserProcesses(user.uid);
    const pid = root();
    return pid === null ? [] : await findDescendants(pid);
  };
  void watchLimits(
    { processes, folders: [...writable, ...folders], tmpfs, limits },
    (why) => void kill(why),
    exited.signal,
  );
  // A program may ignore its input, or exit while it is written to.
  const stdin = child.stdin ?? new PassThrough().resume();
  stdin.on("error", () => undefined);
  return { stdin, stdout: outputs.stdout.reader, stderr: outputs.stderr.reader, ended, kill };
}

function startTimer(wallMs: number | null, onTimeout: (why: string) => void): NodeJS.Timeout | undefined {
  if (wallMs === null) return undefined;
  return setTimeout(() => onTimeout(`It took longer than ${wallMs} ms.`), wallMs);
}

/** What the first process of a cage reports. */
interface Control {
  /** Whether it has reported that it runs, which means that the cage is complete. */
  readonly isReady: () => boolean;
  /** Resolves to everything it reported when it ends, or after a time limit. */
  readonly said: () => Promise<string>;
}

/** Answers the first process of a cage once, and collects what it reports. */
function openControl(child: ChildProcess, env: Readonly<Record<string, string>>): Control {
  const control = (child.stdio as readonly unknown[])[CONTROL_FD] as Duplex | null | undefined;
  const { promise: whenEnded, resolve: end } = Promise.withResolvers<void>();
  let text = "";
  control?.on("error", () => undefined);
  control?.once("close", () => end());
  control?.on("data", (chunk: Buffer) => {
    if (text === "") control.end(buildGoMessage(env));
    if (text.length < MAX_CONTROL_CHARACTERS) text += chunk.toString();
  });
  return {
    isReady: () => text !== "",
    async said() {
      await awaitWithin(globalThis, END_MS, whenEnded, undefined);
      control?.destroy();
      return text;
    },
  };
}

/** Reads the host pid of the cage's first process, which bubblewrap reports. */
function readRootPid(child: ChildProcess): () => number | null {
  let [text, pid]: [string, number | null] = ["", null];
  const info = child.stdio[INFO_FD] as Readable | null | undefined;
  info?.on("error", () => undefined);
  info?.on("data", (chunk: Buffer) => {
    if (text.length < MAX_INFO_CHARACTERS) text += chunk.toString();
    const number = /"child-pid"\s*:\s*(\d+)/.exec(text)?.[1];
    if (number !== undefined) pid ??= Number(number);
  });
  return () => pid;
}
