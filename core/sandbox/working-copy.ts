/**
 * Runs a program on a copy of the files that an agent may see, and saves its changes: those that the agent's rules
 * allow, all or none, and only to files that nobody else changed meanwhile.
 */
import { asNotSent, type Failure, ok, type Result } from "../base/errors.ts";
import type { FileEntry, FilesPort } from "../ports/files.ts";
import type { ScriptFile, ScriptRequest, ScriptRun, ScriptsPort } from "../ports/scripts.ts";
import { getProgramRules, type SandboxRules } from "./rules.ts";
import type { FileChange } from "./file-change.ts";
import { findRepository } from "./repository.ts";
import { checkExtension, isVisibleFile, judgeNewPath, judgePath, WRITE_DISABLED } from "./path.ts";
import { MAX_WALK_PAGE } from "./write.ts";
import { toStream } from "../base/byte-stream.ts";

/** Limits of the copy. Each file is a request to the store, and a Worker may make 10,000. */
export const MAX_COPIED_FILES = 4_000;
export const MAX_COPIED_BYTES = 268_435_456;
/** Limit of the changes, which are in the Worker's memory of 128 MB. */
export const MAX_CHANGED_BYTES = 33_554_432;
/** Files up to this size are fetched with one request instead of three. */
const FETCHED_WHOLE_BYTES = 1_048_576;
/** Of those, how many are fetched ahead to hide the store's latency. A Worker has six connections. */
const FETCHED_AHEAD = 4;
/** Limit of one segment in bytes, as in Linux file systems. */
const MAX_NAME_BYTES = 255;

/** The files and directories for a program (`null` for all that the agent may see) and its working directory. */
export interface CopyScope {
  readonly cwd: string;
  readonly only: readonly string[] | null;
}

/** A program and its files. */
export interface CopyRequest
  extends CopyScope,
    Pick<ScriptRequest, "argv" | "env" | "timeoutMs" | "maxOutputBytes" | "network" | "skill"> {
  /** False: the program's changes are discarded. */
  readonly savesChanges: boolean;
}

/** The parts of a call's context that a run needs. */
export interface CopyContext {
  readonly sandbox: SandboxRules;
  /** The agent's permissions; without `write` no changes are saved. */
  readonly permissions: readonly string[];
  /** The idempotency key of the call. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** The copy that a person approved, if any. */
  readonly approvedCopy?: WorkingCopy;
  readonly files: FilesPort;
  readonly scripts: ScriptsPort;
}

export interface ChangedFile {
  readonly path: string;
  readonly change: "written" | "removed";
}

export interface RefusedFile {
  readonly path: string;
  readonly why: string;
}

/** `changed` lists what was saved. `note` says why nothing was saved, and is null otherwise. */
export interface CopyRun {
  readonly run: ScriptRun;
  readonly changed: readonly ChangedFile[];
  readonly refused: readonly RefusedFile[];
  readonly note: string | null;
}

/** The files of the copy by path. `refused` lists what was left out: names too long for a disk, repositories too large. */
export interface WorkingCopy {
  readonly cwd: string;
  readonly entries: ReadonlyMap<string, FileEntry>;
  readonly refused: readonly RefusedFile[];
}

/** Fails only when the program did not run, or when its effect is unknown; `happened` tells which. */
export async function runOnCopy(request: CopyRequest, context: CopyContext): Promise<Result<CopyRun>> {
  const copy = await takeCopy(request, context);
  return copy.ok ? await runCopy(copy.value, request, context) : copy;
}

/** The approved copy, otherwise one of the present files. When it fails, nothing has run. */
export async function takeCopy(
  scope: CopyScope,
  context: Pick<CopyContext, "files" | "sandbox" | "approvedCopy">,
): Promise<Result<WorkingCopy>> {
  return context.approvedCopy === undefined ? await gatherCopy(scope, context) : ok(context.approvedCopy);
}

/** Finds the files of a copy. When it fails, nothing has run. */
export async function gatherCopy(
  { cwd, only }: CopyScope,
  { files, sandbox }: Pick<CopyContext, "files" | "sandbox">,
): Promise<Result<WorkingCopy>> {
  const directory = judgePath(cwd, sandbox, "list", "cwd");
  if (!directory.ok) return directory;
  if (directory.value !== "") {
    const listed = await files.list(directory.value);
    if (!listed.ok) return failNotStarted({ ...listed.error, field: "cwd" });
  }
  const entries = new Map<string, FileEntry>();
  const refused: RefusedFile[] = [];
  const repositories = new Map<string, FileEntry[]>();
  const rules = getProgramRules(sandbox);
  let bytes = 0;
  for (const raw of only ?? [""]) {
    const top = judgePath(raw, sandbox, "list", "files");
    if (!top.ok) return top;
    for await (const found of walkEntries(files, top.value)) {
      if (!found.ok) return failNotStarted({ ...found.error, ...(only === null ? {} : { field: "files" }) });
      const entry = found.value;
      if (entries.has(entry.path) || !isIncluded(entry.path, rules)) continue;
      if (entry.path.split("/").some(isNameTooLong)) {
        refused.push({ path: entry.path, why: "it was left out: a part of its name is too long for a disk" });
        continue;
      }
      const repository = findRepository(entry.path);
      if (repository !== null) {
        const inside = repositories.get(repository) ?? [];
        inside.push(entry);
        repositories.set(repository, inside);
        continue;
      }
      entries.set(entry.path, entry);
      bytes += entry.size;
      if (entries.size > MAX_COPIED_FILES || bytes > MAX_COPIED_BYTES) return failNotStarted(TOO_MUCH);
    }
  }
  // A repository grows unseen, so it never keeps a command from running.
  for (const [path, inside] of repositories) {
    const size = inside.reduce((sum, entry) => sum + entry.size, bytes);
    if (entries.size + inside.length > MAX_COPIED_FILES || size > MAX_COPIED_BYTES) {
      refused.push({ path, why: REPOSITORY_TOO_LARGE });
      continue;
    }
    for (const entry of inside) entries.set(entry.path, entry);
    bytes = size;
  }
  return ok({ cwd: directory.value, entries, refused });
}

/** Runs the program on the copy. */
export async function runCopy(copy: WorkingCopy, request: CopyRequest, context: CopyContext): Promise<Result<CopyRun>> {
  const { promise: inUse, resolve: release } = Promise.withResolvers<void>();
  try {
    return await runAndSave(copy, { ...request, inUse }, context);
  } finally {
    release();
  }
}

async function runAndSave(
  { cwd, entries, refused }: WorkingCopy,
  { only: _, savesChanges, ...program }: CopyRequest & Required<Pick<ScriptRequest, "inUse">>,
  context: CopyContext,
): Promise<Result<CopyRun>> {
  const ran = await context.scripts.run({
    ...program,
    cwd,
    files: toScriptFiles([...entries.values()], context.files),
    maxChangedBytes: savesChanges ? MAX_CHANGED_BYTES : 0,
    signal: context.signal,
  });
  if (!ran.ok) return ran;
  if (!savesChanges) return ok({ run: ran.value, changed: [], refused, note: null });
  const saved = await saveChanges(ran.value, entries, context);
  const dropped = [...ran.value.refused, ...saved.refused];
  return ok({
    run: ran.value,
    ...saved,
    note: saved.note ?? toNote(saved.changed, dropped),
    refused: [...refused, ...dropped],
  });
}

/** Saves the changes that the rules allow. */
async function saveChanges(
  run: ScriptRun,
  entries: WorkingCopy["entries"],
  { files, sandbox, permissions, key }: CopyContext,
): Promise<Omit<CopyRun, "run">> {
  const { changes, refused } = toFileChanges(run, entries, sandbox);
  if (changes.length === 0) return { changed: [], refused, note: null };
  const forbidden = findWriteRefusal(sandbox, permissions);
  if (forbidden !== null) {
    return {
      changed: [],
      refused: [...refused, ...changes.map(({ path }) => ({ path, why: forbidden }))],
      note: formatNothingSaved(forbidden),
    };
  }
  const applied = await files.apply(changes, { key });
  if (applied.ok) return { changed: changes.map(toChangedFile), refused, note: null };
  const { code, message, fields = [] } = applied.error;
  return {
    changed: [],
    refused: [...refused, ...fields.map(({ field, message: why }) => ({ path: field, why }))],
    note: code === "outcome_unknown" ? message : formatNothingSaved(message),
  };
}

/** The changes relative to the copied versions, and the ones that are refused. */
function toFileChanges(
  { written, removed }: ScriptRun,
  entries: WorkingCopy["entries"],
  sandbox: SandboxRules,
): { readonly changes: readonly FileChange[]; readonly refused: readonly RefusedFile[] } {
  const changes = new Map<string, FileChange>();
  const refused: RefusedFile[] = [];
  // The permission to write is checked once for all files.
  const rules = { ...getProgramRules(sandbox), allowWrite: true };
  for (const { path: raw, bytes, mode } of written) {
    const form = judgeNewPath(raw.normalize("NFC"));
    const judged = form.ok ? judgePath(form.value, rules, "write") : form;
    const typed = judged.ok ? checkExtension(judged.value, rules) : judged;
    if (!judged.ok || !typed.ok) refused.push({ path: raw, why: getMessage(judged.ok ? typed : judged) });
    else if (changes.has(judged.value)) refused.push({ path: raw, why: "another file has the same name in NFC" });
    else
      changes.set(judged.value, {
        kind: "write",
        path: judged.value,
        bytes,
        mode,
        ifVersion: getVersion(entries, judged.value),
      });
  }
  for (const raw of removed) {
    const path = raw.normalize("NFC");
    if (entries.has(path) && !changes.has(path))
      changes.set(path, { kind: "remove", path, ifVersion: getVersion(entries, path) });
  }
  return { changes: [...changes.values()], refused };
}

function getVersion(entries: WorkingCopy["entries"], path: string): number {
  return entries.get(path)?.version ?? 0;
}

function getMessage(result: Result<unknown>): string {
  return result.ok ? "" : result.error.message;
}

function findWriteRefusal(sandbox: SandboxRules, permissions: readonly string[]): string | null {
  if (!sandbox.allowWrite) return WRITE_DISABLED;
  return permissions.includes("write") ? null : "The agent does not have the permission write.";
}

function toChangedFile({ path, kind }: FileChange): ChangedFile {
  return { path, change: kind === "write" ? "written" : "removed" };
}

/** A note when every change was refused, together or one by one. */
function toNote(changed: readonly ChangedFile[], [first]: readonly RefusedFile[]): string | null {
  return changed.length > 0 || first === undefined ? null : formatNothingSaved(first.why);
}

function formatNothingSaved(why: string): string {
  return `Nothing that the command changed was kept: ${why}`;
}

/** The same files as for text tools, by path and type. */
function isIncluded(path: string, rules: SandboxRules): boolean {
  return isVisibleFile(path, rules) && checkExtension(path, rules).ok;
}

function isNameTooLong(segment: string): boolean {
  return new TextEncoder().encode(segment).length > MAX_NAME_BYTES;
}

/** Every file below a directory, or the one file at that path. A failure ends the sequence. */
async function* walkEntries(files: FilesPort, top: string): AsyncGenerator<Result<FileEntry>> {
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<FilesPort["walk"]>> = await files.walk(top, after, MAX_WALK_PAGE);
    if (!page.ok) {
      yield page.error.code === "not_found" && top !== "" ? await files.stat(top) : page;
      return;
    }
    for (const entry of page.value.files) yield ok(entry);
    after = page.value.next;
    if (after === null) return;
  }
}

/** Each file in the version that was found, despite later writes. They are opened in order. */
function toScriptFiles(entries: readonly FileEntry[], files: FilesPort): readonly ScriptFile[] {
  const fetched = new Map<FileEntry, ReturnType<FilesPort["readEntry"]>>();
  return entries.map((entry, at) => ({
    path: entry.path,
    size: entry.size,
    mode: entry.mode,
    sha256: entry.hash,
    async open() {
      for (const next of entries.slice(at, at + 1 + FETCHED_AHEAD))
        if (next.size <= FETCHED_WHOLE_BYTES && !fetched.has(next)) fetched.set(next, files.readEntry(next));
      const whole = fetched.get(entry);
      fetched.delete(entry);
      if (whole !== undefined) {
        const read = await whole;
        return read.ok ? ok(toStream(read.value)) : read;
      }
      const opened = await files.open(entry.path, entry.version);
      return opened.ok ? ok(opened.value.stream) : opened;
    },
  }));
}

const TOO_MUCH: Failure = {
  code: "too_large",
  message: `A command is given at most ${MAX_COPIED_FILES} files and ${MAX_COPIED_BYTES} bytes. Name the files and directories that it needs in \`files\`.`,
  field: "files",
};

const REPOSITORY_TOO_LARGE = `it was left out: with it there would be more than ${MAX_COPIED_FILES} files or ${MAX_COPIED_BYTES} bytes. Name fewer directories in \`files\`, and pack it with git gc.`;

function failNotStarted(error: Failure): Result<never> {
  return asNotSent(error);
}
