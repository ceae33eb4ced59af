/**
 * Runs a program on a copy of the files that an agent may see, and brings back what it changed: what the agent's rules
 * admit, all of it or nothing, and only where nobody else has changed the same files meanwhile.
 */
import { asNotSent, type Failure, ok, type Result } from "../base/errors.ts";
import type { FileEntry, FilesPort } from "../ports/files.ts";
import type { ScriptFile, ScriptRequest, ScriptRun, ScriptsPort } from "../ports/scripts.ts";
import type { SandboxRules } from "./rules.ts";
import type { FileChange } from "./file-change.ts";
import { checkListedExtension, isVisibleFile, judgePath, judgeTop, WRITE_DISABLED } from "./path.ts";
import { MAX_WALK_PAGE } from "./write.ts";
import { toStream } from "../base/byte-stream.ts";

/** What goes in. Each file is a request to the store, of which a Worker has 10,000. */
export const MAX_COPIED_FILES = 4_000;
export const MAX_COPIED_BYTES = 268_435_456;
/** What comes back stands in the Worker's memory, which is 128 MB. */
export const MAX_CHANGED_BYTES = 33_554_432;
/** Files up to this size are fetched whole, with one request in the place of three. */
const FETCHED_WHOLE_BYTES = 1_048_576;
/** Of those, how many are fetched before it is their turn: each takes the store's time to answer. A Worker has six connections. */
const FETCHED_AHEAD = 4;
/** Of one segment, in bytes: what the file systems of Linux take. */
const MAX_NAME_BYTES = 255;

/** What a program is given: files and directories, `null` for all that the agent may see, and where it runs. */
export interface CopyScope {
  readonly cwd: string;
  readonly only: readonly string[] | null;
}

/** A program and what it is given. */
export interface CopyRequest
  extends CopyScope,
    Pick<ScriptRequest, "argv" | "env" | "timeoutMs" | "maxOutputBytes" | "network" | "skill"> {
  /** False: what the program changes is dropped. */
  readonly keepsChanges: boolean;
}

/** What a run is made with, from the context of its call. */
export interface CopyContext {
  readonly sandbox: SandboxRules;
  /** The agent's permissions; without `write` nothing of a run is kept. */
  readonly permissions: readonly string[];
  /** The idempotency key of the call. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** What a person approved, when one did. */
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

/** `changed` is what the sandbox has now. `note` is set when nothing of it was kept, and says why. */
export interface CopyRun {
  readonly run: ScriptRun;
  readonly changed: readonly ChangedFile[];
  readonly refused: readonly RefusedFile[];
  readonly note: string | null;
}

/** The files that go in, by their paths, and what is left out because no disk takes its name. */
export interface WorkingCopy {
  readonly cwd: string;
  readonly entries: ReadonlyMap<string, FileEntry>;
  readonly refused: readonly RefusedFile[];
}

/** Fails only when the program was not run, or when nobody knows what it did. Then `happened` says which. */
export async function runOnCopy(request: CopyRequest, context: CopyContext): Promise<Result<CopyRun>> {
  const copy = await takeCopy(request, context);
  return copy.ok ? await runCopy(copy.value, request, context) : copy;
}

/** The copy that a person approved, else what the sandbox holds now. Nothing has run when it fails. */
export async function takeCopy(
  scope: CopyScope,
  context: Pick<CopyContext, "files" | "sandbox" | "approvedCopy">,
): Promise<Result<WorkingCopy>> {
  return context.approvedCopy === undefined ? await gatherCopy(scope, context) : ok(context.approvedCopy);
}

/** Finds what goes in. Nothing has run when it fails. */
export async function gatherCopy(
  { cwd, only }: CopyScope,
  { files, sandbox }: Pick<CopyContext, "files" | "sandbox">,
): Promise<Result<WorkingCopy>> {
  const directory = judgeTop(cwd, sandbox, "cwd");
  if (!directory.ok) return directory;
  if (directory.value !== "") {
    const listed = await files.list(directory.value);
    if (!listed.ok) return notBegun({ ...listed.error, field: "cwd" });
  }
  const entries = new Map<string, FileEntry>();
  const refused: RefusedFile[] = [];
  let bytes = 0;
  for (const raw of only ?? [""]) {
    const top = judgeTop(raw, sandbox, "files");
    if (!top.ok) return top;
    for await (const found of entriesBelow(files, top.value)) {
      if (!found.ok) return notBegun({ ...found.error, ...(only === null ? {} : { field: "files" }) });
      const entry = found.value;
      if (entries.has(entry.path) || !goesIn(entry.path, sandbox)) continue;
      if (entry.path.split("/").some(isTooLong)) {
        refused.push({ path: entry.path, why: "it was left out: a part of its name is too long for a disk" });
        continue;
      }
      entries.set(entry.path, entry);
      bytes += entry.size;
      if (entries.size > MAX_COPIED_FILES || bytes > MAX_COPIED_BYTES) return notBegun(TOO_MUCH);
    }
  }
  return ok({ cwd: directory.value, entries, refused });
}

/** Runs the program on what was gathered. */
export async function runCopy(copy: WorkingCopy, request: CopyRequest, context: CopyContext): Promise<Result<CopyRun>> {
  const { promise: inUse, resolve: letGo } = Promise.withResolvers<void>();
  try {
    return await runAndKeep(copy, { ...request, inUse }, context);
  } finally {
    letGo();
  }
}

async function runAndKeep(
  { cwd, entries, refused }: WorkingCopy,
  { only: _, keepsChanges, ...program }: CopyRequest & Required<Pick<ScriptRequest, "inUse">>,
  context: CopyContext,
): Promise<Result<CopyRun>> {
  const ran = await context.scripts.run({
    ...program,
    cwd,
    files: scriptFiles([...entries.values()], context.files),
    maxChangedBytes: keepsChanges ? MAX_CHANGED_BYTES : 0,
    signal: context.signal,
  });
  if (!ran.ok) return ran;
  if (!keepsChanges) return ok({ run: ran.value, changed: [], refused, note: null });
  const kept = await keepChanges(ran.value, entries, context);
  const dropped = [...ran.value.refused, ...kept.refused];
  return ok({
    run: ran.value,
    ...kept,
    note: kept.note ?? noteOn(kept.changed, dropped),
    refused: [...refused, ...dropped],
  });
}

/** Brings back what the rules admit. */
async function keepChanges(
  run: ScriptRun,
  entries: WorkingCopy["entries"],
  { files, sandbox, permissions, key }: CopyContext,
): Promise<Omit<CopyRun, "run">> {
  const { changes, refused } = judgeChanged(run, entries, sandbox);
  if (changes.length === 0) return { changed: [], refused, note: null };
  const forbidden = whyReadOnly(sandbox, permissions);
  if (forbidden !== null) {
    return {
      changed: [],
      refused: [...refused, ...changes.map(({ path }) => ({ path, why: forbidden }))],
      note: nothingKept(forbidden),
    };
  }
  const applied = await files.apply(changes, { key });
  if (applied.ok) return { changed: changes.map(changedFile), refused, note: null };
  const { code, message, fields = [] } = applied.error;
  return {
    changed: [],
    refused: [...refused, ...fields.map(({ field, message: why }) => ({ path: field, why }))],
    note: code === "outcome_unknown" ? message : nothingKept(message),
  };
}

/** What came back as changes to the versions that went in, and what may not come back. */
function judgeChanged(
  { written, removed }: ScriptRun,
  entries: WorkingCopy["entries"],
  sandbox: SandboxRules,
): { readonly changes: readonly FileChange[]; readonly refused: readonly RefusedFile[] } {
  const changes = new Map<string, FileChange>();
  const refused: RefusedFile[] = [];
  // Whether anything may be written is asked once, for all of it.
  const rules = { ...sandbox, allowWrite: true };
  for (const { path: raw, bytes, mode } of written) {
    const judged = judgePath(raw, rules, "write");
    const typed = judged.ok ? checkListedExtension(judged.value, rules) : judged;
    if (!judged.ok || !typed.ok) refused.push({ path: raw, why: messageOf(judged.ok ? typed : judged) });
    else if (changes.has(judged.value)) refused.push({ path: raw, why: "another file has the same name in NFC" });
    else
      changes.set(judged.value, {
        kind: "write",
        path: judged.value,
        bytes,
        mode,
        ifVersion: versionOf(entries, judged.value),
      });
  }
  for (const path of removed) {
    if (entries.has(path) && !changes.has(path))
      changes.set(path, { kind: "remove", path, ifVersion: versionOf(entries, path) });
  }
  return { changes: [...changes.values()], refused };
}

function versionOf(entries: WorkingCopy["entries"], path: string): number {
  return entries.get(path)?.version ?? 0;
}

function messageOf(result: Result<unknown>): string {
  return result.ok ? "" : result.error.message;
}

function whyReadOnly(sandbox: SandboxRules, permissions: readonly string[]): string | null {
  if (!sandbox.allowWrite) return WRITE_DISABLED;
  return permissions.includes("write") ? null : "The agent does not have the permission write.";
}

function changedFile({ path, kind }: FileChange): ChangedFile {
  return { path, change: kind === "write" ? "written" : "removed" };
}

/** All that was changed may not come back, be it by its size or one by one. */
function noteOn(changed: readonly ChangedFile[], [first]: readonly RefusedFile[]): string | null {
  return changed.length > 0 || first === undefined ? null : nothingKept(first.why);
}

function nothingKept(why: string): string {
  return `Nothing that the command changed was kept: ${why}`;
}

/** The same files as the tools for text take, by place and by type. */
function goesIn(path: string, rules: SandboxRules): boolean {
  return isVisibleFile(path, rules) && checkListedExtension(path, rules).ok;
}

function isTooLong(segment: string): boolean {
  return new TextEncoder().encode(segment).length > MAX_NAME_BYTES;
}

/** Every file below a directory, or the one file of that path. A failure is the last thing that it yields. */
async function* entriesBelow(files: FilesPort, top: string): AsyncGenerator<Result<FileEntry>> {
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

/** Each file of the version that was found, whatever is written meanwhile. They are opened in their order. */
function scriptFiles(entries: readonly FileEntry[], files: FilesPort): readonly ScriptFile[] {
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

function notBegun(error: Failure): Result<never> {
  return asNotSent(error);
}
