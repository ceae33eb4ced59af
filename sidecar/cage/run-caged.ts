/** Runs a program in a cage to its end, on files that it may change, and tells what it said and what it changed. */
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { CageLimits, Mount } from "./cage.ts";
import { type Changes, changesIn, filesBefore } from "./changes.ts";
import { codeOf, refuseCage } from "./failures.ts";
import { removeTree } from "./folders.ts";
import { readOutput } from "./output.ts";
import type { ProxyRules } from "./proxy.ts";
import { type CageTools, NO_NETWORK, startCaged } from "./start-caged.ts";

const WORK = "/work";
const SKILL = "/skill";

/** A file of the work folder or of the skill, which stands where it should already. */
export interface LaidOut {
  readonly path: string;
  readonly mode?: number | undefined;
}

export interface CagedRunRequest {
  readonly argv: readonly [string, ...string[]];
  /** Inside the work folder; "" is its root. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where `work` and `skill` stand. They are taken from there, and what was written is put into `out` beside them. */
  readonly folder: string;
  readonly work: readonly LaidOut[];
  readonly skill: readonly LaidOut[];
  readonly limits: CageLimits;
  readonly network: ProxyRules | null;
  readonly maxOutputBytes: number;
  readonly maxChangedBytes: number;
  readonly maxChangedFiles: number;
  readonly signal: AbortSignal;
}

/** `exitCode` null: the program was killed. `changes.written` says where each file is: below the request's folder. */
export interface CagedRun {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly changes: Changes;
}

const USUAL_MODE = 0o644;

const ENDED_FROM_OUTSIDE =
  "The program was ended from outside: by another process of the machine that runs it, or for lack of memory there. None of its changes were applied.";

/**
 * Runs it. The caller removes the folder. Failures are those of `startCaged`, or of the disk before: then nothing ran. And
 * `upstream_failed`: something outside ended the program or removed its files, so what is in its folder is nobody's result.
 */
export async function runCaged(tools: CageTools, request: CagedRunRequest): Promise<Result<CagedRun>> {
  if (tools.isolation.level === "none") return failed("not_available", tools.isolation.reason);
  let own: string | null = null;
  try {
    own = await tools.folder.make();
    layOut(own, request);
  } catch (error) {
    if (own !== null) await removeTree(own);
    return refuseCage(error, `The program's files could not be laid out (${codeOf(error)}). It was not started.`);
  }
  try {
    const ran = await runIn(own, tools, request);
    return ran.ok ? ok({ ...ran.value, changes: bringOut(ran.value.changes, request.folder) }) : ran;
  } finally {
    await removeTree(own);
  }
}

/** Puts the request's files into `own`. */
function layOut(own: string, { folder, cwd, work, skill }: CagedRunRequest): void {
  for (const name of ["work", "skill"]) {
    if (existsSync(join(folder, name))) move(join(folder, name), join(own, name));
    else mkdirSync(join(own, name), { mode: 0o700 });
  }
  // A directory of a sandbox can be there without a file in it.
  mkdirSync(join(own, "work", cwd), { recursive: true });
  for (const { path, mode } of work) chmodSync(join(own, "work", path), mode ?? USUAL_MODE);
  letRead(join(own, "skill"), skill);
}

/** `own`: a folder that the program's user reaches. */
async function runIn(own: string, tools: CageTools, request: CagedRunRequest): Promise<Result<CagedRun>> {
  const { limits, maxOutputBytes, signal } = request;
  const [workFolder, skillFolder] = [join(own, "work"), join(own, "skill")];
  const before = await filesBefore(
    workFolder,
    request.work.map(({ path }) => path),
  );
  const mounts: readonly Mount[] = [
    { from: workFolder, at: WORK, writable: true },
    { from: skillFolder, at: SKILL, writable: false },
  ];
  const cwd = request.cwd === "" ? WORK : `${WORK}/${request.cwd}`;
  const { argv, env } = request;
  const lacksNetwork = request.network !== null && tools.isolation.level === "container";
  const network = lacksNetwork ? null : request.network;
  const place = lstatSync(workFolder);
  const startedAt = performance.now();
  const started = await startCaged(tools, { argv, cwd, env, mounts, limits, network, stdin: "empty" });
  if (!started.ok) return started;
  const { stdout, stderr, ended } = started.value;
  const giveUp = () => void started.value.kill("It was given up.");
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  const [out, error, end] = await Promise.all([
    readOutput(stdout, maxOutputBytes),
    readOutput(stderr, maxOutputBytes),
    ended,
  ]);
  signal.removeEventListener("abort", giveUp);
  const durationMs = Math.round(performance.now() - startedAt);
  const found = lstatSync(workFolder, { throwIfNoEntry: false });
  if (end.endedFromOutside || found?.ino !== place.ino || found.dev !== place.dev)
    return failed("upstream_failed", ENDED_FROM_OUTSIDE);
  const changes = await changesIn(workFolder, before, {
    workFiles: limits.workFiles,
    maxBytes: request.maxChangedBytes,
    maxFiles: request.maxChangedFiles,
  });
  return ok({
    exitCode: end.exitCode,
    timedOut: end.timedOut,
    stdout: out.text,
    stderr: withNotes(error.text, [end.killed, lacksNetwork && end.exitCode !== 0 ? NO_NETWORK : null]),
    truncated: out.truncated || error.truncated,
    durationMs,
    changes,
  });
}

/** What a program wrote, with what this side has to say after it. */
function withNotes(text: string, notes: readonly (string | null)[]): string {
  return notes.reduce((all: string, note) => (note === null ? all : `${all}\n${note}\n`), text);
}

/** Puts what was written where it stays when the program's folder is gone. */
function bringOut(changes: Changes, folder: string): Changes {
  const out = join(folder, "out");
  mkdirSync(out, { recursive: true });
  const written = changes.written.map((file, index) => {
    const from = join(out, `${index}`);
    move(file.from, from);
    return { ...file, from };
  });
  return { ...changes, written };
}

/** The two can be on different disks. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
    cpSync(from, to, { recursive: true });
  }
}

/** The skill's files keep their owner, and everybody may read them. */
function letRead(folder: string, files: readonly LaidOut[]): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
  for (const { path, mode } of files) chmodSync(join(folder, path), (mode ?? USUAL_MODE) | 0o444);
}
