/** The order of what a search in code finds. */
import { describe, expect, it } from "vitest";
import { type CodeHit, type NearText, parseCodeQuery, rankHits } from "../../../core/codebases/rank.ts";
import { rankPieces } from "../../../core/knowledge/rank-pieces.ts";
import { MAX_SHOWN_CHARACTERS } from "../../../core/codebases/limits.ts";

const CODEBASE = "cdb_1";

function symbol(name: string, more: Partial<Extract<CodeHit, { found: "symbol" }>> = {}): CodeHit {
  const lines = { startLine: 5, endLine: 6, code: "before\nthe line\nafter", codeLine: 4 };
  const place = { codebase: CODEBASE, path: `${name}.ts`, language: "typescript", ...lines };
  return { found: "symbol", ...place, name, kind: "function", signature: `${name}()`, doc: "", ...more };
}

function text(code: string, path = "a.md"): CodeHit {
  return { found: "text", codebase: CODEBASE, path, language: "markdown", startLine: 1, endLine: 9, code, codeLine: 1 };
}

function rank(query: string, hits: readonly CodeHit[], limit = 20, near: readonly NearText[] = []) {
  const parsed = parseCodeQuery(query, [CODEBASE], null);
  return parsed === null ? [] : rankHits(hits, near, parsed, limit);
}

/** A text as vectors find it. */
function near(hit: CodeHit, similarity: number): NearText {
  if (hit.found === "symbol") throw new Error("vectors are of texts");
  return { text: { ...hit, id: hit.path }, similarity };
}

describe("ranks", () => {
  it("put the exact name first, then its last part, its beginning, its parts, and words of a text", () => {
    const worstFirst = [
      text("it will send the mail"),
      symbol("mailOfAllThatSend"),
      symbol("sendMailLater"),
      symbol("Outbox.sendMail"),
      symbol("sendMail"),
    ];
    const found = rank("sendMail", worstFirst).map(({ symbol: name }) => name);
    expect(found).toEqual(["sendMail", "Outbox.sendMail", "sendMailLater", "mailOfAllThatSend", null]);
  });

  it("put first what both words and vectors found, and last a text that only vectors found", () => {
    const [first, second] = [text("the mail was sent", "first.md"), text("the mail was sent", "second.md")];
    const [other, far] = [text("postal delivery", "other.md"), text("the weather", "far.md")];
    const found = rank("mail sent", [first, second], 20, [near(second, 0.6), near(other, 0.5), near(far, 0.2)]);
    expect(found.map(({ path }) => path)).toEqual(["second.md", "first.md", "other.md"]);
    const plain = rank("mail sent", [symbol("mailSentLater"), symbol("mailSentFirst")]);
    expect(plain[0]?.symbol).toBe("mailSentLater");
    const place = { code: "before\nthe line\nafter", codeLine: 4, path: "mailSentFirst.ts" };
    const chunk = near({ ...text("", "mailSentFirst.ts"), ...place }, 0.9);
    expect(rank("mail sent", [symbol("mailSentLater"), symbol("mailSentFirst")], 20, [chunk])[0]?.symbol).toBe(
      "mailSentFirst",
    );
  });

  it.each([
    [0.35, 1],
    [0.349, 0],
  ])("find by its meaning alone a text, and a piece of a document, of similarity %d: %d", (similarity, count) => {
    expect(rank("mail sent", [], 20, [near(text("postal delivery"), similarity)])).toHaveLength(count);
    const piece = { id: "p1", text: "postal delivery", place: "" };
    const lists = { byVector: [{ id: "p1", score: similarity }], byWords: [] };
    // Without a score, the similarity alone decides.
    expect(rankPieces([piece], "mail sent", lists, { minScore: 1 })).toHaveLength(count);
  });

  it("use words of a sentence without its small words", () => {
    expect(parseCodeQuery("where is the mail sent to?", [CODEBASE], "ts")).toMatchObject({
      words: ["mail", "sent"],
      extensions: ["ts"],
    });
    expect(parseCodeQuery("is", [CODEBASE], null)).toMatchObject({ words: ["is"] });
    expect(parseCodeQuery("?! ' |", [CODEBASE], null)).toBeNull();
  });

  it("leave out a text in whose lines a better symbol begins, and no more than asked for", () => {
    const hits = [symbol("sendMail", { path: "a.md" }), text("sendMail"), text("sendMail", "b.md")];
    expect(rank("sendMail", hits).map(({ path }) => path)).toEqual(["a.md", "b.md"]);
    expect(rank("sendMail", hits, 1)).toHaveLength(1);
  });

  it("show the symbol's own lines, and no more than the limit", () => {
    expect(rank("sendMail", [symbol("sendMail")])[0]?.code).toBe("the line\nafter");
    const long = symbol("sendMail", { code: "x".repeat(2_000), codeLine: 5 });
    expect(rank("sendMail", [long])[0]?.code).toHaveLength(MAX_SHOWN_CHARACTERS);
  });
});
