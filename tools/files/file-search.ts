/**
 * Searches the files that an agent may see, line by line. Files are read ahead, several at a time, and looked through in the
 * order of their paths; the search ends early when it has enough, or no more time.
 *
 * Left out are files over 2 MB, files that their mode lets nobody read, types that the agent's list of extensions does not
 * hold, and binary files: those with a NUL among their first 8,000 bytes. Other bytes that are no UTF-8 are read as U+FFFD.
 */
import type { YieldTurn } from "../../core/base/turns.ts";
import type { Failure, Result } from "../../core/base/errors.ts";
import type { FileEntry, FilesPort } from "../../core/ports/files.ts";
import { readAhead } from "../../core/base/read-ahead.ts";
import { isReadable } from "../../core/sandbox/file-mode.ts";
import { type CompiledGlob, matchesGlob } from "../../core/sandbox/glob.ts";
import { checkExtension } from "../../core/sandbox/path.ts";
import { MAX_TEXT_BYTES } from "../../core/sandbox/text-file.ts";
import type { SandboxRules } from "../../core/sandbox/rules.ts";
import type { ShownRows } from "../../core/tool/tool.ts";
import { findLines, type LinePattern, SearchTime } from "./line-search.ts";
import { type VisibleFile, visibleFiles } from "./visible-files.ts";

/** Files that are read at once. Six of a Worker's requests wait for their headers at a time; the rest of these wait for bodies. */
const READS_AT_ONCE = 16;
/** Bytes that are read at once, so that five searches beside each other fit into a Worker's 128 MB. */
const BYTES_AT_ONCE = 4_194_304;
/** Files that one search reads: a Worker makes at most 10,000 requests to the store for all calls of a step. */
const MAX_FILES_READ = 5_000;
/** Characters of all lines of one answer. */
const MAX_CHARACTERS = 1_000_000;
/** Where a NUL makes a file a binary one. */
const BINARY_BYTES = 8_000;

const utf8 = new TextDecoder();

/** What is searched for, and where. Without a glob, in every file. */
export interface FileSearch {
  readonly pattern: LinePattern;
  readonly top: string;
  readonly glob: CompiledGlob | null;
  readonly maxMatches: number;
  readonly timeoutMs: number;
}

/** A line that matches. */
export interface FileMatch {
  readonly file: string;
  readonly lineNumber: number;
  readonly line: string;
}

/** Files that were left out, by why. */
export interface Skipped {
  binary: number;
  too_large: number;
  unreadable: number;
}

/** What a search found. `truncated`: it ended early, for enough matches, time or files. */
export interface FileSearchResult {
  readonly matches: readonly FileMatch[];
  readonly truncated: boolean;
  readonly filesSearched: number;
  readonly skipped: Readonly<Skipped>;
}

/** What a search works with. */
export interface SearchContext {
  readonly files: FilesPort;
  readonly sandbox: SandboxRules;
  readonly signal: AbortSignal;
  readonly giveWay: YieldTurn;
}

/** Runs a search. `not_found` when there is nothing at `top`. */
export async function searchFiles(search: FileSearch, context: SearchContext): Promise<Result<FileSearchResult>> {
  const { files, signal, giveWay } = context;
  const deadline = Date.now() + search.timeoutMs;
  const time = new SearchTime(() => signal.aborted || Date.now() >= deadline, giveWay);
  const chosen = new ChosenFiles(search, context);
  const matches: FileMatch[] = [];
  let characters = 0;
  let filesSearched = 0;
  const end = (truncated: boolean): Result<FileSearchResult> => {
    if (chosen.failure !== null) return { ok: false, error: chosen.failure };
    const shown = matches.slice(0, search.maxMatches);
    return { ok: true, value: { matches: shown, truncated, filesSearched, skipped: chosen.skipped } };
  };
  const ahead = {
    most: READS_AT_ONCE,
    maxWeight: BYTES_AT_ONCE,
    weigh: (entry: FileEntry) => entry.size,
    run: (entry: FileEntry) => files.readEntry(entry),
  };
  for await (const { item: entry, out: read, waited } of readAhead(chosen, ahead)) {
    if (waited) time.rest();
    if (!read.ok) return read;
    if (isBinary(read.value)) {
      chosen.skipped.binary += 1;
      continue;
    }
    filesSearched += 1;
    // One more than is given: whether there are more is part of the answer.
    const most = search.maxMatches + 1 - matches.length;
    const found = await findLines(utf8.decode(read.value), search.pattern, most, time);
    for (const { number, text } of found.lines) {
      matches.push({ file: entry.path, lineNumber: number, line: text });
      characters += text.length;
    }
    if (found.isCut || matches.length > search.maxMatches || characters > MAX_CHARACTERS) return end(true);
    if (!(await time.take(0))) return end(true);
  }
  return end(chosen.isCut);
}

/** The files of a search, counting those that are left out. */
class ChosenFiles implements AsyncIterable<FileEntry> {
  readonly skipped: Skipped = { binary: 0, too_large: 0, unreadable: 0 };
  /** Why the files could not be listed. */
  failure: Failure | null = null;
  /** There were more files than one search reads. */
  isCut = false;
  readonly #search: FileSearch;
  readonly #context: SearchContext;

  constructor(search: FileSearch, context: SearchContext) {
    this.#search = search;
    this.#context = context;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FileEntry> {
    const { files, sandbox } = this.#context;
    let count = 0;
    for await (const file of visibleFiles(files, this.#search.top, sandbox)) {
      if (!file.ok) {
        this.failure = file.error;
        return;
      }
      if (!this.#isChosen(file.value)) continue;
      if (count === MAX_FILES_READ) {
        this.isCut = true;
        return;
      }
      count += 1;
      yield file.value.entry;
    }
  }

  #isChosen({ entry, segments }: VisibleFile): boolean {
    const { glob } = this.#search;
    if (glob !== null && !matchesGlob(segments, glob)) return false;
    if (!checkExtension(entry.path, this.#context.sandbox).ok) return false;
    if (entry.size > MAX_TEXT_BYTES) this.skipped.too_large += 1;
    else if (!isReadable(entry)) this.skipped.unreadable += 1;
    return entry.size <= MAX_TEXT_BYTES && isReadable(entry);
  }
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_BYTES).includes(0);
}

/** What a reader has to know of a search beside its matches; empty when it went through everything. */
export function searchNotes(truncated: boolean, { binary, too_large, unreadable }: Skipped): string[] {
  const kinds = [
    [binary, "binary"],
    [too_large, "larger than 2 MB"],
    [unreadable, "not readable"],
  ] as const;
  const left = kinds.filter(([count]) => count > 0).map(([count, why]) => `${count} ${why}`);
  return [
    ...(truncated ? ["… The search ended early: there may be more. Narrow the path or the pattern."] : []),
    ...(left.length > 0 ? [`Files left out: ${left.join(", ")}.`] : []),
  ];
}

/** Formats the lines that a search found, and its notes after them. */
export function toSearchRows(rows: readonly string[], notes: readonly string[]): ShownRows {
  return { rows, ...(notes.length === 0 ? {} : { tail: notes.join("\n") }) };
}
