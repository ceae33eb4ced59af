/** Starts programs in cages of bubblewrap, or, where the operator chose that, as users of their own in this container. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, lchownSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Duplex, PassThrough, type Readable } from "node:stream";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import type { CagedEnd, CagedProcess, CageSpec, Isolation, Mount } from "./cage.ts";
import {
  asUser,
  bubblewrap,
  CAGED_NODE,
  firstToGo,
  GO_FD,
  goWith,
  isEndedFromOutside,
  limited,
  TMPFS,
  withEnvironment,
  withFilter,
} from "./command.ts";
import { inContainer } from "./container.ts";
import { AGAIN, orRefuse, refuseCage } from "./failures.ts";
import type { CageFolder } from "./folders.ts";
import { closePipe, type OutputPipe, type TakePipe } from "./pipes.ts";
import { killIfThere, killProcessesOf, processesBelow, processesOf } from "./processes.ts";
import { filterInstaller } from "./syscalls.ts";
import { type ClaimedUser, claimUser } from "./users.ts";
import { watch } from "./watch.ts";
import { openWayOut, throughProxy, type WayOut } from "./proxy-mount.ts";

/** The program's own three come first. */
const [INFO_FD, FILTER_FD] = [3, 4];
/** How long a cage takes to end at most when the first of its processes was killed. */
const END_MS = 2_000;
const KILL_AGAIN_MS = 10;
const MAX_INFO_CHARACTERS = 4_096;
const MAX_SAID_CHARACTERS = 4_096;

/** Without a network namespace nothing would hold a program to its hosts. */
export const NO_NETWORK =
  "Programs have no network here: OTTO_SCRIPT_ISOLATION is container, and only a cage of bubblewrap holds a program to its hosts.";

const NODE: Mount = { from: process.execPath, at: CAGED_NODE, writable: false };

/** What a sidecar needs for its cages. */
export interface CageTools {
  readonly isolation: Isolation;
  readonly bwrap: string;
  readonly setpriv: string;
  readonly prlimit: string;
  readonly perl: string;
  /** Null: it is not there, or cannot do its work here. */
  readonly choom: string | null;
  readonly folder: CageFolder;
  /** A file with the filter for system calls. */
  readonly filter: string;
  readonly takePipe: TakePipe;
  /** The programs that run. */
  readonly running: Set<CagedProcess>;
  /** Whether this process can change the user of those that it starts. */
  readonly changesUser: boolean;
}

/** What a program writes to. */
interface Outputs {
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
}

/** A program as it was started. */
interface Started {
  readonly child: ChildProcess;
  readonly control: Control;
  /** The first of its processes, whose end is the end of all; null: its number is not known yet. */
  readonly root: () => number | null;
  /** Folders in memory, as they are reached from here; none before the cage is built. */
  readonly tmpfs: () => readonly string[];
  /** Folders that it can write to, beside its mounts. */
  readonly folders: readonly string[];
  readonly remove: () => Promise<void>;
}

/**
 * Starts a program that shares nothing with this process but its three streams: no file but its mounts and the system's
 * programs, no environment, no network, no other process. Where the container is the boundary, it shares that one's files. It lives
 * until it ends, is killed, or exceeds a limit; `ended` says which. Its mounts stay where they are, and the caller removes
 * them; those that it may change are made with `tools.folder.make()`.
 *
 * A converter that stays: `startCaged(tools, {argv: ["node", "/app/convert.js"], cwd: "/tmp", env: {}, mounts: [{from:
 * folderOfIt, at: "/app", writable: false}], limits: USUAL_LIMITS, network: null})`; then write to `stdin`, read `stdout` and
 * `stderr` all the time, and `kill("…")` in the end. `tools` come from `theCages()`. Refused with `not_available` where
 * nothing can shut a program in, and with `rate_limited` where every user for programs is taken, or the machine has none of what a program needs at this moment: nothing was started then.
 */
export async function startCaged(tools: CageTools, spec: CageSpec): Promise<Result<CagedProcess>> {
  if (tools.isolation.level === "none") return failed("not_available", tools.isolation.reason);
  if (spec.network !== null && tools.isolation.level === "container") return failed("not_available", NO_NETWORK);
  const claimed = tools.changesUser ? await claim() : ok(null);
  if (!claimed.ok) return claimed;
  const user = claimed.value;
  const writable = spec.mounts.filter((mount) => mount.writable).map(({ from }) => from);
  let outputs: Outputs | null = null;
  let wayOut: WayOut | null = null;
  try {
    outputs = { stdout: await tools.takePipe(), stderr: await tools.takePipe() };
    if (user !== null) for (const folder of writable) give(folder, user.uid);
    wayOut = spec.network === null ? null : await openWayOut(tools.folder.path, spec.network, user?.uid ?? null);
    const start = tools.isolation.level === "container" ? startInContainer : startInBubblewrap;
    const whole = { ...spec, argv: withEnvironment(spec.argv) };
    const started = await start(tools, wayOut === null ? whole : throughProxy(whole, wayOut), user, outputs);
    for (const { writerFd } of [outputs.stdout, outputs.stderr]) closeSync(writerFd);
    const caged = follow(spec, { ...started, wayOut }, outputs, writable, user);
    tools.running.add(caged);
    void caged.ended.then(() => tools.running.delete(caged));
    return ok(caged);
  } catch (error) {
    for (const pipe of Object.values(outputs ?? {}) as readonly OutputPipe[]) closePipe(pipe);
    await wayOut?.close();
    user?.release();
    return refuseCage(error, `The cage did not start: ${error instanceof Error ? error.message : "no reason"}.`);
  }
}

/** A user that no other program has. */
async function claim(): Promise<Result<ClaimedUser>> {
  const user = await orRefuse(claimUser, "No user can be locked for the program");
  if (!user.ok) return user;
  return user.value === null ? failed("rate_limited", "All users for programs are taken.", AGAIN) : ok(user.value);
}

async function startInBubblewrap(
  tools: CageTools,
  spec: CageSpec,
  user: ClaimedUser | null,
  { stdout, stderr }: Outputs,
): Promise<Started> {
  const [program = "", ...args] = [
    ...firstToGo(tools.choom),
    ...asUser(tools.setpriv, user?.uid ?? null),
    ...bubblewrap(tools.bwrap, {
      etc: tools.folder.etc,
      mounts: await tools.folder.reachable([NODE, ...spec.mounts]),
      cwd: spec.cwd,
      tmpBytes: spec.limits.tmpBytes,
      infoFd: INFO_FD,
      filterFd: FILTER_FD,
    }),
    ...limited(tools.prlimit, spec.limits, spec.argv),
  ];
  const filter = openSync(tools.filter, "r");
  try {
    const child = spawn(program, args, {
      env: {},
      cwd: "/",
      stdio: [spec.stdin === "empty" ? "ignore" : "pipe", stdout.writerFd, stderr.writerFd, "pipe", filter, "pipe"],
    });
    const root = rootOf(child);
    const control = letGo(child, spec.env);
    await untilSpawned(child);
    // Until then the first process still sees the folders of this machine, and what stands in those is not the cage's.
    const tmpfs = () => (control.hasBegun() ? TMPFS.map((path) => `/proc/${root() ?? "none"}/root${path}`) : []);
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
): Promise<Started> {
  const installer = filterInstaller();
  if (user === null || installer === null) throw new Error("a program needs a user and a filter of its own");
  const mounts = await tools.folder.reachable([NODE, ...spec.mounts]);
  const { argv, env, ownEnv, cwd, tmp, remove } = await inContainer(tools.folder.path, { ...spec, mounts }, user.uid);
  const [program = "", ...args] = [
    ...firstToGo(tools.choom),
    ...asUser(tools.setpriv, user.uid),
    ...withFilter(tools.perl, installer, tools.filter),
    ...limited(tools.prlimit, spec.limits, argv),
  ];
  const stdin = spec.stdin === "empty" ? "ignore" : "pipe";
  const child = spawn(program, args, {
    env,
    cwd,
    detached: true,
    stdio: [stdin, stdout.writerFd, stderr.writerFd, "ignore", "ignore", "pipe"],
  });
  const control = letGo(child, ownEnv);
  await untilSpawned(child);
  return { child, control, root: () => child.pid ?? null, tmpfs: () => [], folders: [tmp], remove };
}

async function untilSpawned(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
}

/** All below becomes the user's, so that the program can change it. */
function give(path: string, uid: number): void {
  lchownSync(path, uid, uid);
  if (!statSync(path).isDirectory()) return;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) give(child, uid);
    else lchownSync(child, uid, uid);
  }
}

function follow(
  { limits }: CageSpec,
  { child, control, root, tmpfs, folders, remove, wayOut }: Started & { readonly wayOut: WayOut | null },
  outputs: Outputs,
  writable: readonly string[],
  user: ClaimedUser | null,
): CagedProcess {
  let [killed, timedOut, isOver]: [string | null, boolean, boolean] = [null, false, false];
  const over = new AbortController();

  function kill(why: string): Promise<CagedEnd> {
    if (isOver || killed !== null) return ended;
    killed = why;
    killRoot(performance.now() + END_MS);
    return ended;
  }

  /** bubblewrap waits for the first process, so its number is no other's; before bubblewrap told it, there is nothing to end. */
  function killRoot(untilMs: number): void {
    const pid = root();
    if (isOver) return;
    if (pid !== null) killIfThere(pid);
    if (performance.now() > untilMs) child.kill("SIGKILL");
    setTimeout(killRoot, KILL_AGAIN_MS, untilMs).unref();
  }

  async function clear(exitCode: number | null): Promise<CagedEnd> {
    isOver = true;
    over.abort();
    clearTimeout(timer);
    const areGone = user === null || (await killProcessesOf(user.uid));
    const [said] = await Promise.all([control.said(), remove(), wayOut?.close()]);
    // A user of whom something is left is given to no other program.
    if (areGone) user?.release();
    else console.error(`processes of the user ${user.uid} do not end`);
    // A program whose time of the processor is limited is ended by the kernel for that.
    const endedFromOutside = killed === null && limits.cpuSeconds === null && isEndedFromOutside(said, exitCode);
    return { exitCode: killed === null ? exitCode : null, killed, endedFromOutside, timedOut };
  }

  const ended = new Promise<CagedEnd>((resolve) => {
    child.once("exit", (code) => void clear(code).then(resolve));
  });
  const timer = startTimer(limits.wallMs, (why) => {
    timedOut = killed === null && !isOver;
    void kill(why);
  });
  const processes = async () => {
    if (user !== null) return await processesOf(user.uid);
    const pid = root();
    return pid === null ? [] : await processesBelow(pid);
  };
  void watch({ processes, folders: [...writable, ...folders], tmpfs, limits }, (why) => void kill(why), over.signal);
  // A program need not read, and can end while it is written to.
  const stdin = child.stdin ?? new PassThrough().resume();
  stdin.on("error", () => undefined);
  return { stdin, stdout: outputs.stdout.reader, stderr: outputs.stderr.reader, ended, kill };
}

function startTimer(wallMs: number | null, tell: (why: string) => void): NodeJS.Timeout | undefined {
  if (wallMs === null) return undefined;
  return setTimeout(() => tell(`It took longer than ${wallMs} ms.`), wallMs);
}

/** What the first process of a cage says to this one. */
interface Control {
  /** It has said that it is there: the cage is built around it. */
  readonly hasBegun: () => boolean;
  /** All that it said; resolves when it has ended, or some time after it should have. */
  readonly said: () => Promise<string>;
}

/** Answers the first process of a cage, once, and hears what it says. */
function letGo(child: ChildProcess, env: Readonly<Record<string, string>>): Control {
  const control = (child.stdio as readonly unknown[])[GO_FD] as Duplex | null | undefined;
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  let text = "";
  control?.on("error", () => undefined);
  control?.once("close", () => end());
  control?.on("data", (chunk: Buffer) => {
    if (text === "") control.end(goWith(env));
    if (text.length < MAX_SAID_CHARACTERS) text += chunk.toString();
  });
  return {
    hasBegun: () => text !== "",
    async said() {
      await awaitWithin(globalThis, END_MS, isOver, undefined);
      control?.destroy();
      return text;
    },
  };
}

/** The number that the first process of the cage has here, as bubblewrap tells it. */
function rootOf(child: ChildProcess): () => number | null {
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
