/** A fake reader of codebases: files in memory, found by their text and by the functions that their lines name. */
import { ok, type Result } from "../../core/base/errors.ts";
import { sha256HexSync } from "../../core/base/sha256-sync.ts";
import { cutChunks, splitLines } from "../../core/codebases/chunks.ts";
import type { CodeSymbol, IndexedFile } from "../../core/codebases/indexed-file.ts";
import { findLanguage } from "../../core/codebases/languages.ts";
import { listWords } from "../../core/codebases/names.ts";
import type { CodeReader, ReadCodebase } from "../../core/ports/codebases.ts";

const FUNCTION = /(?:function|def|func) ([A-Za-z_]+)/;
const NONE_SKIPPED = { binary: 0, too_large: 0, ignored: 0, denied: 0, secret: 0, link: 0 };

export interface FakeCodeReader extends CodeReader {
  /** By path. Tests change it. */
  readonly files: Map<string, string>;
  /** The failure of the next reads; null: none. */
  fails: Extract<Result<never>, { ok: false }> | null;
  /** The number of parts after which the connection breaks; null: never. */
  breaksAfter: number | null;
}

/** One file in each part. */
export function fakeCodeReader(files: Readonly<Record<string, string>> = {}): FakeCodeReader {
  const reader: FakeCodeReader = {
    files: new Map(Object.entries(files)),
    fails: null,
    breaksAfter: null,
    async read({ known }): Promise<Result<ReadCodebase>> {
      await Promise.resolve();
      if (reader.fails !== null) return reader.fails;
      const all = [...reader.files]
        .map(([path, text]) => indexText(path, text))
        .toSorted((a, b) => (a.path < b.path ? -1 : 1));
      const changed = all.filter(({ path, hash }) => known.get(path) !== hash);
      const deleted = [...known.keys()].filter((path) => !reader.files.has(path));
      const counts = { unchanged: all.length - changed.length, changed: changed.length };
      const facts = { commit: null, ...counts, deleted, skipped: NONE_SKIPPED, without_symbols: false };
      return ok({ facts, parts: streamParts(changed, reader.breaksAfter) });
    },
  };
  return reader;
}

async function* streamParts(files: readonly IndexedFile[], breaksAfter: number | null) {
  for (const [index, file] of files.entries()) {
    if (index === breaksAfter) throw new Error("the connection broke");
    yield await Promise.resolve([file]);
  }
}

export function indexText(path: string, text: string): IndexedFile {
  const symbols = splitLines(text).flatMap((line, index): CodeSymbol[] => {
    const name = FUNCTION.exec(line)?.[1];
    const at = { start_line: index + 1, end_line: index + 1 };
    return name === undefined ? [] : [{ name, kind: "function", signature: line.trim(), doc: "", ...at, calls: [] }];
  });
  const starts = new Set(symbols.map(({ start_line: line }) => line));
  return {
    path,
    hash: sha256HexSync(text),
    language: findLanguage(path).name,
    size: new TextEncoder().encode(text).length,
    lines: splitLines(text).length,
    symbols,
    chunks: cutChunks(text, starts).map(({ startLine, endLine, text: piece }) => ({
      start_line: startLine,
      end_line: endLine,
      text: piece,
      words: [...listWords(piece)],
    })),
  };
}
