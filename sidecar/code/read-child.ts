/** The process in the cage: unpacks, lists, parses and cuts the files of one codebase, and writes what it found as files. */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cutChunks, splitLines } from "../../core/codebases/chunks.ts";
import type { CodeFacts, CodeSymbol, IndexedFile } from "../../core/codebases/indexed-file.ts";
import { findLanguage, type Language } from "../../core/codebases/languages.ts";
import { listWords } from "../../core/codebases/names.ts";
import { hasSecretText } from "../../core/codebases/secret-files.ts";
import { openSymbolFinder, type SymbolFinder } from "./find-symbols.ts";
import { type ListedFile, listFiles, noneSkipped, Refused, type Skipped, toRules } from "./list-files.ts";
import { ARCHIVE, FACTS, KNOWN, PARTS, QUESTION, type ReadQuestion, REPOSITORY } from "./places.ts";
import { unzip } from "./unzip.ts";

/** A part ends once it has this many bytes. */
const PART_BYTES = 512 * 1024;

const question = readJson(QUESTION) as ReadQuestion;
const known = new Map(Object.entries(readJson(KNOWN) as Record<string, string>));

try {
  writeFileSync(FACTS, JSON.stringify(await readCodebase()));
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  writeFileSync(FACTS, JSON.stringify(error.refusal));
}

async function readCodebase(): Promise<CodeFacts> {
  const skipped = noneSkipped();
  const rules = toRules(question.denied);
  if (!existsSync(REPOSITORY)) mkdirSync(REPOSITORY);
  if (question.source === "zip") unzip(ARCHIVE, REPOSITORY, rules, skipped);
  const listed = listFiles(REPOSITORY, rules, skipped);
  const finder = question.withSymbols ? await openSymbolFinder() : null;
  const write = openParts();
  const seen = new Set<string>();
  let [unchanged, changed] = [0, 0];
  for (const file of listed) {
    const bytes = readFileSync(join(REPOSITORY, file.path));
    const text = readText(bytes, skipped);
    if (text === null) continue;
    seen.add(file.path);
    const hash = createHash("sha256").update(bytes).digest("hex");
    if (known.get(file.path) === hash) {
      unchanged += 1;
      continue;
    }
    changed += 1;
    write(await readFile(file, hash, text, finder));
  }
  const deleted = [...known.keys()].filter((path) => !seen.has(path));
  return { commit: question.commit, unchanged, changed, deleted, skipped, without_symbols: finder === null };
}

/** Null for a file that is no text, or holds a secret. */
function readText(bytes: Uint8Array, skipped: Skipped): string | null {
  const text = bytes.includes(0) ? null : decode(bytes);
  if (text === null) {
    skipped.binary += 1;
    return null;
  }
  if (!hasSecretText(text)) return text;
  skipped.secret += 1;
  return null;
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function readFile(
  { path, size }: ListedFile,
  hash: string,
  text: string,
  finder: SymbolFinder | null,
): Promise<IndexedFile> {
  const language = findLanguage(path);
  const symbols = await findSymbols(text, language, finder);
  const starts = new Set(symbols.map(({ start_line: line }) => line));
  const chunks = cutChunks(text, starts).map(({ startLine, endLine, text: piece }) => ({
    start_line: startLine,
    end_line: endLine,
    text: piece.toWellFormed(),
    words: [...listWords(piece)],
  }));
  return { path, hash, language: language.name, size, lines: splitLines(text).length, symbols: [...symbols], chunks };
}

async function findSymbols(
  text: string,
  { grammar }: Language,
  finder: SymbolFinder | null,
): Promise<readonly CodeSymbol[]> {
  if (grammar === null || finder === null) return [];
  return (await finder.find(text, grammar)) ?? [];
}

/** Appends files to parts of about `PART_BYTES`. */
function openParts(): (file: IndexedFile) => void {
  mkdirSync(PARTS);
  let [part, bytes] = [0, 0];
  return (file) => {
    const line = `${JSON.stringify(file)}\n`;
    appendFileSync(join(PARTS, `${String(part).padStart(5, "0")}.jsonl`), line);
    bytes += Buffer.byteLength(line);
    if (bytes < PART_BYTES) return;
    [part, bytes] = [part + 1, 0];
  };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
