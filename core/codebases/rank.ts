/** What a query looks for in code, and the order of what it finds. Pure. */
import { NEAR_SIMILARITY } from "../knowledge/near.ts";
import { fuseRanks } from "../lib/fuse-ranks.ts";
import type { SymbolKind } from "./indexed-file.ts";
import { listExtensions } from "./languages.ts";
import { MAX_SHOWN_CHARACTERS } from "./limits.ts";
import { listWords, normalizeName, splitName } from "./names.ts";

/** Words of a query; further ones are ignored. */
const MAX_QUERY_WORDS = 16;
/** A shorter word finds names that it is a part of, and not those that begin with it. */
const MIN_PREFIX_CHARACTERS = 3;
/**
 * Of names: the query is the name, its last part, its beginning. A symbol ranks before a text that has the same words.
 * `fused`: first by names or words, and by vectors too.
 */
const WEIGHTS = {
  exact: 3,
  last: 2,
  prefix: 0.6,
  words: 1.5,
  symbol: 0.4,
  doc: 0.2,
  fused: 2,
  similarity: 0.5,
} as const;
const STOP_WORDS = new Set("a an and are by do does for how in is it of on or the to what where which with".split(" "));

/** `names` are looked for as whole names and as their beginnings, `words` as parts of names and in texts. */
export interface CodeQuery {
  readonly codebases: readonly string[];
  readonly names: readonly string[];
  readonly words: readonly string[];
  /** Null: every file. */
  readonly extensions: readonly string[] | null;
}

interface HitPlace {
  readonly codebase: string;
  readonly path: string;
  readonly language: string;
  readonly startLine: number;
  readonly endLine: number;
  /** The text around it, which begins at line `codeLine`. */
  readonly code: string;
  readonly codeLine: number;
}

export type CodeText = HitPlace & { readonly found: "text"; readonly id: string };

/** A text that vectors found. `similarity`: the cosine. */
export interface NearText {
  readonly text: CodeText;
  readonly similarity: number;
}

/** Hits of each kind arrive best first by the database's own rank. */
export type CodeHit =
  | (HitPlace & {
      readonly found: "symbol";
      readonly name: string;
      readonly kind: SymbolKind;
      readonly signature: string;
      readonly doc: string;
    })
  | (HitPlace & { readonly found: "text" });

export interface RankedHit {
  readonly codebase: string;
  readonly path: string;
  readonly language: string;
  readonly symbol: string | null;
  readonly kind: SymbolKind | null;
  readonly signature: string | null;
  readonly startLine: number;
  readonly endLine: number;
  readonly code: string;
  readonly score: number;
}

/** Null: the query has no word. */
export function parseCodeQuery(query: string, codebases: readonly string[], fileType: string | null): CodeQuery | null {
  const all = listWords(query);
  const words = all.filter((word) => !STOP_WORDS.has(word)).slice(0, MAX_QUERY_WORDS);
  const used = words.length > 0 ? words : all.slice(0, MAX_QUERY_WORDS);
  if (used.length === 0) return null;
  const whole = normalizeName(query);
  const names = [...new Set([whole, ...used])].filter(
    (name) => name.length >= MIN_PREFIX_CHARACTERS && name.length <= 60,
  );
  return { codebases, names, words: used, extensions: fileType === null ? null : listExtensions(fileType) };
}

/**
 * At most `limit`, the best first. `near`: the nearest first. A symbol is as near as the text that it begins in. A text in whose
 * lines a better symbol begins is left out.
 */
export function rankHits(
  hits: readonly CodeHit[],
  near: readonly NearText[],
  query: CodeQuery,
  limit: number,
): readonly RankedHit[] {
  const symbols = hits.filter((hit) => hit.found === "symbol");
  const texts = hits.filter((hit) => hit.found === "text");
  const named = new Set(texts.map(getPlace));
  const alone = near.filter(({ text, similarity }) => similarity >= NEAR_SIMILARITY && !named.has(getPlace(text)));
  const scored = [
    ...scoreList(symbols, near, (hit) => scoreSymbol(hit, query)),
    ...scoreList([...texts, ...alone.map(({ text }) => text)], near, (hit) => scoreText(hit, query), texts.length),
  ];
  const sorted = scored.toSorted((one, other) => other.score - one.score);
  const chosen: typeof scored = [];
  for (const one of sorted) {
    if (chosen.length >= limit) break;
    if (!chosen.some((better) => covers(better.hit, one.hit))) chosen.push(one);
  }
  return chosen.map(({ hit, score }) => toRanked(hit, Math.round(score * 1_000) / 1_000));
}

/** `listed`: how many of the hits, from the first, names or words found. */
function scoreList<Hit extends CodeHit>(
  hits: readonly Hit[],
  near: readonly NearText[],
  score: (hit: Hit) => number,
  listed = hits.length,
): readonly { readonly hit: CodeHit; readonly score: number }[] {
  const numbered = hits.map((hit, index) => ({ hit, id: String(index) }));
  const byPlace = Map.groupBy(numbered, ({ hit }) => getPlace(hit));
  const byVector = near.map(({ text, similarity }) => ({ similarity, of: byPlace.get(getPlace(text)) ?? [] }));
  const fused = fuseRanks([numbered.slice(0, listed), byVector.flatMap(({ of }) => of)]);
  const similarities = new Map(byVector.flatMap(({ of, similarity }) => of.map(({ id }) => [id, similarity] as const)));
  return numbered.map(({ hit, id }) => ({
    hit,
    score:
      score(hit) + (fused.get(id) ?? 0) * WEIGHTS.fused + Math.max(0, similarities.get(id) ?? 0) * WEIGHTS.similarity,
  }));
}

/** The chunk of a hit: two of one file may begin in the same line. */
function getPlace({ codebase, path, codeLine, code }: HitPlace): string {
  return [codebase, path, codeLine, code].join("\0");
}

function scoreSymbol({ name, doc, signature }: Extract<CodeHit, { found: "symbol" }>, query: CodeQuery): number {
  const [whole = ""] = query.names;
  const full = normalizeName(name);
  const last = getLast(name);
  const parts = new Set(splitName(name));
  const share = countShare(query.words, (word) => parts.has(word) || last === word);
  const inText = new Set(listWords(`${doc} ${signature}`));
  return (
    WEIGHTS.symbol +
    share * WEIGHTS.words +
    countShare(query.words, (word) => inText.has(word)) * WEIGHTS.doc +
    (whole !== "" && full === whole ? WEIGHTS.exact : query.names.includes(last) ? WEIGHTS.last : 0) +
    countBeginning(last, query.names) * WEIGHTS.prefix
  );
}

function scoreText({ code, path }: CodeHit, query: CodeQuery): number {
  const words = new Set([...listWords(code), ...listWords(path)]);
  return countShare(query.words, (word) => words.has(word)) * WEIGHTS.words;
}

/** True if a hit is a symbol with exactly the name that the query is. */
export function isNamed(hits: readonly CodeHit[], query: string): boolean {
  const whole = normalizeName(query);
  if (/\s/.test(query.trim())) return false;
  return hits.some((hit) => hit.found === "symbol" && [normalizeName(hit.name), getLast(hit.name)].includes(whole));
}

function getLast(name: string): string {
  return normalizeName(name.slice(name.lastIndexOf(".") + 1));
}

/** How much of the longest wanted name the name begins with: 1 for all of it. */
function countBeginning(name: string, names: readonly string[]): number {
  const longest = Math.max(1, ...names.map(({ length }) => length));
  return Math.max(0, ...names.filter((one) => name.startsWith(one)).map(({ length }) => length)) / longest;
}

function countShare(words: readonly string[], isFound: (word: string) => boolean): number {
  return words.length === 0 ? 0 : words.filter(isFound).length / words.length;
}

function covers(better: CodeHit, other: CodeHit): boolean {
  if (better.codebase !== other.codebase || better.path !== other.path || other.found === "symbol") return false;
  return better.startLine >= other.startLine && better.startLine <= other.endLine;
}

function toRanked(hit: CodeHit, score: number): RankedHit {
  const { codebase, path, language, startLine, endLine } = hit;
  const isSymbol = hit.found === "symbol";
  return {
    codebase,
    path,
    language,
    symbol: isSymbol ? hit.name : null,
    kind: isSymbol ? hit.kind : null,
    signature: isSymbol ? hit.signature : null,
    startLine,
    endLine,
    code: cutCode(hit),
    score,
  };
}

/** The lines of the hit, as far as its text has them. */
function cutCode({ code, codeLine, startLine, endLine }: HitPlace): string {
  const lines = code.split("\n").slice(Math.max(0, startLine - codeLine), endLine - codeLine + 1);
  return lines.join("\n").slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();
}
