import { z } from "zod";
import { defineTool, failure, failWith } from "../define-tool.ts";
import { MAX_PATTERN_CHARACTERS } from "./re2-pattern.ts";
import { compileTextPattern, searchText, type TextMatch } from "./text-search.ts";

/** Characters of one answer, below the threshold from which other results are shortened. */
const MAX_CHARACTERS = 3_500;
const MAX_MATCHES = 100;
/** Of each match, what is shown of it and on either side of it. */
const MATCH_CHARACTERS = 120;
const CONTEXT_CHARACTERS = 60;

export default defineTool({
  name: "expand_result",
  summary: "Read a shortened or earlier result: its text from offset on, or the places that match pattern.",
  toolbox: "files",
  category: "file_ops",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: ["results", "patterns"],
  wholeResult: true,
  input: z.object({
    result_id: z.string().min(1).max(100).describe("call_…"),
    offset: z.int().min(0).default(0).describe("Character to begin at"),
    limit: z.int().min(1).max(MAX_CHARACTERS).default(MAX_CHARACTERS).describe("Characters"),
    pattern: z
      .string()
      .min(1)
      .max(MAX_PATTERN_CHARACTERS)
      .optional()
      .describe("RE2, for single lines; (?i) ignores case"),
  }),
  output: z.object({
    result_id: z.string(),
    total_characters: z.int(),
    offset: z.int(),
    text: z.string().nullable().describe("Null for a search"),
    matches: z
      .array(z.object({ offset: z.int(), match: z.string(), excerpt: z.string() }))
      .nullable()
      .describe("Null without a pattern"),
    next_offset: z.int().nullable().describe("Where to go on; null: this was the end"),
  }),
  async run({ result_id, offset, limit, pattern }, { results, patterns, giveWay }) {
    const compiled = pattern === undefined ? null : compileTextPattern(pattern, patterns);
    if (compiled?.ok === false) return failWith(compiled.error);
    const read = await results.read(result_id);
    if (!read.ok) return read.error.code === "not_found" ? noSuchResult(result_id) : failWith(read.error);
    const whole = read.value;
    const total = whole.length;
    if (offset > 0 && offset >= total) {
      return failure("invalid_input", `The result has ${total} characters: the offset has to be below that.`, {
        field: "offset",
      });
    }
    const about = { result_id, total_characters: total };
    if (compiled === null) {
      const start = outsidePair(whole, offset, -1);
      const end = outsidePair(whole, Math.min(total, start + limit), 1);
      const next_offset = end < total ? end : null;
      return { ...about, offset: start, text: whole.slice(start, end), matches: null, next_offset };
    }
    const found = await searchText(whole, offset, compiled.value, { maxMatches: MAX_MATCHES, giveWay });
    const matches = fitMatches(found.matches.map((match) => excerptOf(whole, match)));
    const isWhole = matches.length === found.matches.length;
    const next_offset = isWhole ? found.next : (found.matches[matches.length - 1]?.end ?? offset);
    return { ...about, offset, text: null, matches, next_offset };
  },
  show({ total_characters: total, offset, text, matches, next_offset: next }) {
    const end = next ?? total;
    const more = next === null ? "the end" : `go on at offset ${next}`;
    if (text !== null) return `[characters ${offset} to ${end} of ${total}; ${more}]\n${text}`;
    const lines = (matches ?? []).map(({ offset: at, excerpt }) => `${at}: ${excerpt}`);
    const head = `[${lines.length} matches in characters ${offset} to ${end} of ${total}; ${more}]`;
    return [head, ...lines].join("\n");
  },
  examples: [
    { note: "the beginning of a result", given: { result_id: "call_01hzy3v7k4m8n2p6q9rstvwxyz_3_0" } },
    {
      note: "the lines of it that tell of errors",
      given: { result_id: "call_01hzy3v7k4m8n2p6q9rstvwxyz_3_0", pattern: "(?i)error|failed" },
    },
  ],
});

/** Returns the first matches that one answer holds. */
function fitMatches<T extends { readonly offset: number; readonly excerpt: string }>(matches: readonly T[]): T[] {
  let left = MAX_CHARACTERS;
  const at = matches.findIndex(({ offset, excerpt }) => (left -= `${offset}: ${excerpt}\n`.length) < 0);
  return at < 0 ? [...matches] : matches.slice(0, at);
}

function noSuchResult(id: string) {
  const message = `There is no result ${JSON.stringify(id)} here. Take the id as the shortened result, or the list of earlier results, writes it.`;
  return failure("not_found", message, { field: "result_id" });
}

/** A match with what stands around it on its line. */
function excerptOf(text: string, { start, end }: TextMatch) {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const found = text.indexOf("\n", end);
  const lineEnd = found < 0 ? text.length : found;
  const from = outsidePair(text, Math.max(lineStart, start - CONTEXT_CHARACTERS), 1);
  const shownEnd = Math.min(end, start + MATCH_CHARACTERS);
  const to = outsidePair(text, Math.min(lineEnd, shownEnd + CONTEXT_CHARACTERS), -1);
  const excerpt = `${from > lineStart ? "…" : ""}${text.slice(from, to)}${to < lineEnd ? "…" : ""}`;
  return { offset: start, match: text.slice(start, outsidePair(text, shownEnd, -1)), excerpt };
}

/** The offset, or its neighbour on the side of `way` when it falls between the halves of a surrogate pair. */
function outsidePair(text: string, offset: number, way: 1 | -1): number {
  const unit = text.charCodeAt(offset);
  const before = text.charCodeAt(offset - 1);
  const isInside = unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
  return isInside ? offset + way : offset;
}
