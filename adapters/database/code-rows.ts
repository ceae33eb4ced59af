/** The rows of indexed files, as statements that add many at once. */
import { type SQL, sql } from "drizzle-orm";
import type { IndexedFile } from "../../core/codebases/indexed-file.ts";
import { getExtension } from "../../core/codebases/languages.ts";
import { listWords, normalizeName, splitName } from "../../core/codebases/names.ts";

interface BuildPlace {
  readonly tenant: string;
  readonly codebase: string;
  readonly build: number;
}

/** Adds files, their symbols and their chunks if `condition` holds. Adding them again changes nothing. */
export function insertFiles(place: BuildPlace, files: readonly IndexedFile[], condition: SQL): readonly SQL[] {
  const own = sql`${place.tenant}, ${place.codebase}`;
  return [
    sql`
      insert into code_files (tenant, codebase, path, build, hash, language, extension, size, lines)
      select ${own}, r.path, ${place.build}, r.hash, r.language, r.extension, r.size, r.lines
      from ${toRecords(files.map(toFileRow))} as r (path text, hash text, language text, extension text, size int, lines int)
      where ${condition} on conflict do nothing`,
    sql`
      insert into code_symbols (tenant, codebase, path, build, ordinal, name, kind, signature, doc, start_line, end_line, calls, terms)
      select ${own}, r.path, ${place.build}, r.ordinal, r.name, r.kind, r.signature, r.doc, r.start_line, r.end_line,
        array(select jsonb_array_elements_text(r.calls)), r.terms::tsvector
      from ${toRecords(files.flatMap((file) => toSymbolRows(file, place.codebase)))} as r (path text, ordinal int, name text,
        kind text, signature text, doc text, start_line int, end_line int, calls jsonb, terms text)
      where ${condition} on conflict do nothing`,
    sql`
      insert into code_chunks (tenant, codebase, path, build, ordinal, start_line, end_line, text, terms)
      select ${own}, r.path, ${place.build}, r.ordinal, r.start_line, r.end_line, r.text, r.terms::tsvector
      from ${toRecords(files.flatMap((file) => toChunkRows(file, place.codebase)))} as r (path text, ordinal int, start_line int,
        end_line int, text text, terms text)
      where ${condition} on conflict do nothing`,
  ];
}

function toRecords(records: readonly object[]): SQL {
  return sql`jsonb_to_recordset(${JSON.stringify(records)}::jsonb)`;
}

function toFileRow({ path, hash, language, size, lines }: IndexedFile) {
  return { path, hash, language, extension: getExtension(path), size, lines };
}

/** A name found whole ranks before one of its parts. */
function toSymbolRows({ path, symbols }: IndexedFile, codebase: string) {
  return symbols.map(({ calls, ...symbol }, ordinal) => {
    const last = symbol.name.slice(symbol.name.lastIndexOf(".") + 1);
    const names = [...new Set([normalizeName(symbol.name), normalizeName(last)])].filter((name) => name !== "");
    const terms = [
      ...names.map((name) => `'n:${name.slice(0, 200)}':1A`),
      ...[...new Set(splitName(symbol.name))].map((part) => `'w:${part.slice(0, 60)}':1C`),
    ];
    return { path, ordinal, ...symbol, calls, terms: [`'c:${codebase}':1D`, ...terms].join(" ") };
  });
}

function toChunkRows({ path, chunks }: IndexedFile, codebase: string) {
  const ofPath = listWords(path);
  return chunks.map(({ words, ...chunk }, ordinal) => ({
    path,
    ordinal,
    ...chunk,
    // Checked again: a word with a quote would end it.
    terms: [`'c:${codebase}'`, ...[...ofPath, ...words].filter(isWord).map((word) => `'w:${word}'`)].join(" "),
  }));
}

function isWord(word: string): boolean {
  return /^[\p{L}\p{N}]+$/u.test(word);
}
