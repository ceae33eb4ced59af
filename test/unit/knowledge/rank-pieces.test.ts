import { describe, expect, it } from "vitest";
import { toQueryWords } from "../../../core/knowledge/query-words.ts";
import { fuseRanks } from "../../../core/lib/fuse-ranks.ts";
import { MIN_SCORE, rankBySimilarity, rankPieces } from "../../../core/knowledge/rank-pieces.ts";

describe("the words of a query", () => {
  it.each([
    ["What is the notice period?", "notice period"],
    ["where is getHTTPReply called", "gethttpreply http reply called"],
    ["Kündigungsfrist für Verträge", "kündigungsfrist für verträge"],
    ["通知期", "通知期 通知 知期"],
    ["the of and", "the of and"],
    ["!?…", ""],
    ["a a A b", "b"],
  ])("of %j are %j", (query, words) => {
    expect(toQueryWords(query)).toBe(words);
  });

  it("are limited in number and length", () => {
    expect(toQueryWords(Array.from({ length: 100 }, (_, at) => `w${at}`).join(" ")).split(" ")).toHaveLength(32);
    expect(
      toQueryWords("x".repeat(500))
        .split(" ")
        .every((word) => word.length <= 64),
    ).toBe(true);
  });
});

const listOf = (...ids: string[]) => ids.map((id, rank) => ({ id, score: 0.9 - rank / 10 }));
const pieceOf = (id: string, text: string, place = "") => ({ id, text, place });

describe("the fusion", () => {
  it("adds the reciprocal ranks: first of both lists is 1, and both lists beat one", () => {
    const fused = fuseRanks([listOf("a", "b", "c"), listOf("a", "c", "d")]);
    expect(fused.get("a")).toBeCloseTo(1);
    expect(fused.get("c")).toBeCloseTo((1 / 63 + 1 / 62) / (2 / 61));
    expect(fused.get("b")).toBeLessThan(fused.get("c") ?? 0);
    expect(fused.get("d")).toBeLessThan(fused.get("b") ?? 0);
  });
});

describe("the ranking", () => {
  const candidates = [
    pieceOf("a", "The rent is due on the first of the month."),
    pieceOf("b", "The notice period of this agreement is three months."),
    pieceOf("c", "A period of rain. The notice board was wet."),
    pieceOf("d", "Three months to the end.", "Lease / Notice period"),
    pieceOf("e", "Nothing in common."),
  ];
  const lists = { byVector: listOf("e", "a", "c", "b", "d"), byWords: listOf("c", "b", "d") };

  it("puts words next to each other and words of headings above the same words apart", () => {
    const ids = rankPieces(candidates, "notice period", lists).map(({ piece }) => piece.id);
    expect(ids.indexOf("b")).toBeLessThan(ids.indexOf("c"));
    expect(ids.indexOf("d")).toBeLessThan(ids.indexOf("c"));
  });

  it("counts related words for less than the words", () => {
    const pieces = [
      pieceOf("same", "The car was sold."),
      pieceOf("near", "The vehicle was sold."),
      pieceOf("far", "It rained."),
    ];
    const none = { byVector: [], byWords: [] };
    const ranked = rankPieces(pieces, "car", none, { minScore: 0 });
    expect(ranked.map(({ piece }) => piece.id)).toEqual(["same", "near", "far"]);
    expect(ranked[2]?.score).toBe(0);
  });

  it("drops what is below the cut-off, and gives the score in per cent", () => {
    const ranked = rankPieces(candidates, "notice period", lists);
    expect(ranked.map(({ piece }) => piece.id)).toEqual(expect.arrayContaining(["b", "c", "d"]));
    expect(ranked.every(({ score }) => score <= 1)).toBe(true);
    for (const { score, relevance } of ranked) expect(relevance).toBeCloseTo(score * 100, 1);
    expect(rankPieces(candidates, "zebra", { byVector: [], byWords: [] })).toEqual([]);
    expect(rankPieces([], "notice", lists)).toEqual([]);
    expect(rankPieces(candidates, "!?", { byVector: [], byWords: [] })).toEqual([]);
  });

  it("shows what is near by its meaning alone, and drops what is not", () => {
    const byVector = [
      { id: "e", score: 0.4 },
      { id: "a", score: 0.3 },
    ];
    const ranked = rankPieces(candidates, "zebra", { byVector, byWords: [] });
    expect(ranked.map(({ piece }) => piece.id)).toEqual(["e"]);
    expect(ranked[0]?.score).toBeLessThan(MIN_SCORE);
  });

  it("by vectors alone is that of the similarity", () => {
    const ranked = rankBySimilarity(candidates, listOf("e", "a"), 0.1);
    expect(ranked.map(({ piece, score }) => [piece.id, score])).toEqual([
      ["e", 0.9],
      ["a", 0.8],
    ]);
    expect(rankBySimilarity(candidates, [{ id: "a", score: 0.01 }])).toEqual([]);
  });
});
