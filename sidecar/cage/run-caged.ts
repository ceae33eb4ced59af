/** Runs a program in a cage on files that it may change, and returns its output and its changes. */
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { CageLimits, Mount } from "./cage.ts";
import { type Changes, findChanges, snapshotFiles } from "./changes.ts";
import { getErrorCode, refuseCage } from "./failures.ts";
import { removeTree } from "./folders.ts";
import { readOutput } from "./output.ts";
import type { ProxyRules } from "./proxy.ts";
import { excludeFromGit, findSkillNames, linkIntoWork, linkSingleSkill } from "./skill-links.ts";
import { type CageTools, NO_NETWORK, startCaged } from "./start-caged.ts";

const WORK = "/work";
const SKILL = "/skill";

/** A file that is already in the work folder or the skill's folder. */
export interface PlacedFile {
  readonly path: string;
  readonly mode?: number | undefined;
}

export interface CagedRunRequest {
  readonly argv: readonly [string, ...string[]];
  /** Inside the work folder; "" is its root. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Contains `work` and `skill`, which are moved away. Written files are moved into its `out`. */
  readonly folder: string;
  readonly work: readonly PlacedFile[];
  readonly skill: readonly PlacedFile[];
  readonly limits: CageLimits;
  readonly network: ProxyRules | null;
  readonly maxOutputBytes: number;
  readonly maxChangedBytes: number;
  readonly maxChangedFiles: number;
  readonly signal: AbortSignal;
}

/** `exitCode` is null if the program was killed. `changes.written` locates each file below the request's folder. */
export interface CagedRun {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly changes: Changes;
}

const DEFAULT_MODE = 0o644;

const ENDED_FROM_OUTSIDE =
  "Something outside the program ended it: another process of its machine, or a lack of memory. None of its changes were applied.";

/**
 * Runs the program. The caller removes the folder. If `startCaged` or the disk fails, nothing ran. `upstream_failed` means that something
 * outside ended the program or removed its files, so its folder holds no valid result.
 */
export async function runCaged(tools: CageTools, request: CagedRunRequest): Promise<Result<CagedRun>> {
  if (tools.isolation.level === "none") return failed("not_available", tools.isolation.reason);
  let own: string | null = null;
  try {
    own = await tools.folder.make();
    placeFiles(own, request);
  } catch (error) {
    if (own !== null) await removeTree(own);
    return refuseCage(error, `The program's files could not be prepared (${getErrorCode(error)}). It was not started.`);
  }
  try {
    const ran = await runInFolder(own, tools, request);
    return ran.ok ? ok({ ...ran.value, changes: moveToOutput(ran.value.changes, request.folder) }) : ran;
  } finally {
    await removeTree(own);
  }
}

/** Moves the request's files into `own`. */
function placeFiles(own: string, { folder, cwd, work, skill }: CagedRunRequest): void {
  for (const name of ["work", "skill"]) {
    if (existsSync(join(folder, name))) move(join(folder, name), join(own, name));
    else mkdirSync(join(own, name), { mode: 0o700 });
  }
  // The working directory may have no files.
  mkdirSync(join(own, "work", cwd), { recursive: true });
  makeRepositoryFolders(join(own, "work"), work);
  for (const { path, mode } of work) chmodSync(join(own, "work", path), mode ?? DEFAULT_MODE);
  makeReadableByAll(join(own, "skill"), skill);
  linkSingleSkill(join(own, "skill"), findSkillNames(skill.map(({ path }) => path)));
}

/** Links the skill that was loaded last into the working directory. Returns the targets of the links by path. */
function linkLastSkill(own: string, { isolation }: CageTools, request: CagedRunRequest): ReadonlyMap<string, string> {
  const name = findSkillNames(request.skill.map(({ path }) => path)).at(-1);
  if (name === undefined) return new Map();
  const folder = join(own, "skill", name);
  const seenAt = isolation.level === "container" ? folder : `${SKILL}/${name}`;
  return linkIntoWork(folder, seenAt, { work: join(own, "work"), cwd: request.cwd });
}

/** `own` is a folder that the program's user can reach. */
async function runInFolder(own: string, tools: CageTools, request: CagedRunRequest): Promise<Result<CagedRun>> {
  const { limits, maxOutputBytes, signal } = request;
  const [workFolder, skillFolder] = [join(own, "work"), join(own, "skill")];
  const before = await snapshotFiles(
    workFolder,
    request.work.map(({ path }) => path),
  );
  const ownLinks = linkLastSkill(own, tools, request);
  const seenAt = tools.isolation.level === "container" ? skillFolder : SKILL;
  const gitEnv = excludeFromGit(
    ownLinks,
    { skillsFolder: skillFolder, seenAt },
    { work: workFolder, cwd: request.cwd },
  );
  const mounts: readonly Mount[] = [
    { from: workFolder, at: WORK, writable: true },
    { from: skillFolder, at: SKILL, writable: false },
  ];
  const cwd = request.cwd === "" ? WORK : `${WORK}/${request.cwd}`;
  const { argv } = request;
  const env = { ...gitEnv, ...request.env };
  const lacksNetwork = request.network !== null && tools.isolation.level === "container";
  const network = lacksNetwork ? null : request.network;
  const folderBefore = lstatSync(workFolder);
  const startedAt = performance.now();
  const started = await startCaged(tools, { argv, cwd, env, mounts, limits, network, stdin: "empty" });
  if (!started.ok) return started;
  const { stdout, stderr, ended } = started.value;
  const cancel = () => void started.value.kill("It was cancelled.");
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const [out, error, end] = await Promise.all([
    readOutput(stdout, maxOutputBytes),
    readOutput(stderr, maxOutputBytes),
    ended,
  ]);
  signal.removeEventListener("abort", cancel);
  const durationMs = Math.round(performance.now() - startedAt);
  const found = lstatSync(workFolder, { throwIfNoEntry: false });
  if (end.endedFromOutside || found?.ino !== folderBefore.ino || found.dev !== folderBefore.dev)
    return failed("upstream_failed", ENDED_FROM_OUTSIDE);
  const changes = await findChanges(workFolder, before, {
    workFiles: limits.workFiles,
    maxBytes: request.maxChangedBytes,
    maxFiles: request.maxChangedFiles,
    ownLinks,
  });
  return ok({
    exitCode: end.exitCode,
    timedOut: end.timedOut,
    stdout: out.text,
    stderr: appendNotes(error.text, [end.killed, lacksNetwork && end.exitCode !== 0 ? NO_NETWORK : null]),
    truncated: out.truncated || error.truncated,
    durationMs,
    changes,
  });
}

/** Appends the sidecar's notes to the program's output. */
function appendNotes(text: string, notes: readonly (string | null)[]): string {
  return notes.reduce((all: string, note) => (note === null ? all : `${all}\n${note}\n`), text);
}

/** Moves written files out of the program's folder, which is removed afterwards. */
function moveToOutput(changes: Changes, folder: string): Changes {
  const out = join(folder, "out");
  mkdirSync(out, { recursive: true });
  const written = changes.written.map((file, index) => {
    const from = join(out, `${index}`);
    move(file.from, from);
    return { ...file, from };
  });
  return { ...changes, written };
}

/** git takes no folder for a repository without these two, and a sandbox stores no empty folders. */
function makeRepositoryFolders(folder: string, files: readonly PlacedFile[]): void {
  for (const { path } of files) {
    if (path !== ".git/HEAD" && !path.endsWith("/.git/HEAD")) continue;
    for (const name of ["objects", "refs"]) mkdirSync(join(folder, dirname(path), name), { recursive: true });
  }
}

/** Copies where the two are on different disks. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
    cpSync(from, to, { recursive: true });
  }
}

/** Lets every user read the skill's files without changing their owner. */
function makeReadableByAll(folder: string, files: readonly PlacedFile[]): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
  for (const { path, mode } of files) chmodSync(join(folder, path), (mode ?? DEFAULT_MODE) | 0o444);
}
