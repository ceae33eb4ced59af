/** Debian's package tools as programs: what is installed, and the installation of what is not. Nothing here asks a question. */
import { spawn } from "node:child_process";
import { accessSync, closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { explainApt, type Present, type SystemPackage, unknownToApt, wantsNewLists } from "./judge-packages.ts";

/** How long each part may take. */
export interface AptLimits {
  /** For what needs the network, together. */
  readonly fetchMs: number;
  /** For unpacking, which is never cut off: after this long it is left to itself. */
  readonly unpackMs: number;
  /** How long apt-get waits for the lock of another one. */
  readonly lockSeconds: number;
  readonly sayEveryMs: number;
}

export interface AptOutside {
  readonly env: NodeJS.ProcessEnv;
  readonly limits: AptLimits;
  readonly say: (line: string) => void;
  /** Gives up. */
  readonly signal: AbortSignal;
}

interface AptEnd {
  /** Null when it was ended, or left to itself. */
  readonly exitCode: number | null;
  readonly output: string;
}

const LOOK_MS = 10_000;
/** Of one connection to a package server. */
const CONNECT_SECONDS = 10;

/** Whether a program is on the PATH of `env`. */
export function hasProgram(env: NodeJS.ProcessEnv, name: string): boolean {
  return (env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}

/** What the machine has of `wanted`. */
export async function lookForPackages(wanted: readonly SystemPackage[], env: NodeJS.ProcessEnv): Promise<Present> {
  const programs = new Set(wanted.flatMap((one) => one.programs).filter((name) => hasProgram(env, name)));
  if (!hasProgram(env, "dpkg-query") || !hasProgram(env, "apt-get")) return { by: "programs", programs };
  const format = "${Package} ${db:Status-Status}\\n";
  const names = wanted.map(({ name }) => name);
  const end = await runQuietly("dpkg-query", ["--show", `--showformat=${format}`, ...names], env, LOOK_MS);
  // It ends with 1 when it does not know one of them, and tells of the others all the same.
  if (end.exitCode !== 0 && end.exitCode !== 1) return { by: "programs", programs };
  const lines = end.output.split("\n").map((line) => line.split(" "));
  return {
    by: "record",
    names: new Set(lines.flatMap(([name = "", status]) => (status === "installed" ? [name] : []))),
  };
}

/** Installs packages as root. Null: all went well, as far as apt-get says; else why not, in a few words. */
export async function installPackages(names: readonly string[], outside: AptOutside): Promise<string | null> {
  const deadline = Date.now() + outside.limits.fetchMs;
  const fetch = (wanted: readonly string[]): Promise<AptEnd> =>
    runApt(["install", "--download-only", ...wanted], deadline - Date.now(), "end", outside);
  let wanted = names;
  let fetched = await fetch(wanted);
  // Without its servers apt-get updates nothing, says so, and ends as if all were well.
  let said = "";
  if (fetched.exitCode !== 0 && wantsNewLists(fetched.output)) {
    const update = await runApt(["update"], deadline - Date.now(), "end", outside);
    if (update.exitCode !== 0) return whyNot(update, outside);
    said = update.output;
    fetched = await fetch(wanted);
  }
  const unknown = unknownToApt(fetched.output);
  if (fetched.exitCode !== 0 && unknown.length > 0) {
    wanted = names.filter((name) => !unknown.includes(name));
    if (wanted.length > 0) fetched = await fetch(wanted);
  }
  if (fetched.exitCode !== 0) return whyNot({ ...fetched, output: said + fetched.output }, outside);
  const unpacked = await runApt(["install", "--no-download", ...wanted], outside.limits.unpackMs, "leave", outside);
  if (unpacked.exitCode !== 0) return whyNot(unpacked, outside);
  return wanted.length === names.length ? null : `this machine's package lists have no ${unknown.join(", ")}`;
}

function whyNot({ exitCode, output }: AptEnd, { signal }: AptOutside): string {
  if (signal.aborted) return "the installation was broken off";
  return exitCode === null ? "installing them took too long" : explainApt(output);
}

/** `late`: what happens to it when the time is up or the caller gives up; dpkg's work is not cut off in the middle. */
function runApt(
  words: readonly string[],
  timeoutMs: number,
  late: "end" | "leave",
  { env, limits, say, signal }: AptOutside,
): Promise<AptEnd> {
  const options = [
    "--assume-yes",
    "--no-install-recommends",
    `--option=DPkg::Lock::Timeout=${limits.lockSeconds}`,
    "--option=Dpkg::Options::=--force-confdef",
    "--option=Dpkg::Options::=--force-confold",
    "--option=Dpkg::Use-Pty=0",
    "--option=Acquire::Retries=1",
    `--option=Acquire::http::Timeout=${CONNECT_SECONDS}`,
    `--option=Acquire::https::Timeout=${CONNECT_SECONDS}`,
  ];
  const file = join(mkdtempSync(join(tmpdir(), "otto-apt-")), "output");
  // Not a pipe: the end of this process would break it, and dpkg's work with it.
  const writing = openSync(file, "a");
  const child = spawn("apt-get", [...options, ...words], {
    env: { ...env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
    stdio: ["ignore", writing, writing],
    // A group of its own: a Ctrl-C at the terminal does not reach dpkg.
    detached: true,
  });
  closeSync(writing);
  const started = Date.now();
  const saying = setInterval(() => {
    const line =
      readFileSync(file, "utf8")
        .trimEnd()
        .split(/[\r\n]/)
        .at(-1) ?? "";
    say(`  … ${Math.round((Date.now() - started) / 1_000)} s  ${line.trim().slice(0, 80)}`);
  }, limits.sayEveryMs);
  return new Promise((settle) => {
    const end = (exitCode: number | null, more = ""): void => {
      clearInterval(saying);
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      const output = readFileSync(file, "utf8");
      rmSync(dirname(file), { recursive: true, force: true });
      settle({ exitCode, output: output + more });
    };
    const giveUp = (): void => {
      child.removeAllListeners();
      if (late === "end") endGroup(child.pid);
      child.unref();
      end(null);
    };
    const timer = setTimeout(giveUp, Math.max(0, timeoutMs));
    child.once("error", (error) => end(null, error.message));
    child.once("close", (exitCode) => end(exitCode));
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}

function runQuietly(
  command: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  timeout: number,
): Promise<AptEnd> {
  const child = spawn(command, words, { env: { ...env, LC_ALL: "C" }, stdio: ["ignore", "pipe", "ignore"], timeout });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((settle) => {
    child.once("error", () => settle({ exitCode: null, output }));
    child.once("close", (exitCode) => settle({ exitCode, output }));
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
