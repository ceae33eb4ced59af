import { describe, expect, it } from "vitest";
import {
  contentSchema,
  getIdentityHash,
  type Memory,
  getTaskScope,
  getSummaryId,
} from "../../../core/memory/memory.ts";
import { rankHits } from "../../../core/memory/rank.ts";
import { splitWords, listWords } from "../../../core/memory/words.ts";
import { OUTSIDE, TENANT } from "../../../core/provenance/label.ts";

describe("the words of a text", () => {
  it.each([
    ["Deploy the API, twice!", ["deploy", "the", "api", "twice"]],
    ["release-notes v2.1", ["release", "notes", "v2", "1"]],
    ["ＦＵＬＬ width ﬁle", ["full", "width", "file"]],
    ["cafe\u0301 Ünï", ["café", "ünï"]],
    ["会議 は 三時", ["会議", "は", "三時"]],
    ["🦦 --- !!!", []],
    ["", []],
  ])("of %j are %j", (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it("are unique in a list, and at most two thousand of one text", () => {
    expect(listWords(["a b a", "B c"])).toEqual(["a", "b", "c"]);
    expect(splitWords("x ".repeat(5_000))).toHaveLength(2_000);
  });
});

describe("a content's hash", () => {
  it("is of the exact bytes, with white space and composed letters", async () => {
    const hashOf = (content: string) => getIdentityHash({ id: "mem_1", kind: "note", label: TENANT, content });
    const one = await hashOf("Café at nine.\nBring tea.");
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(await hashOf("Café at nine.\nBring tea.")).toBe(one);
    const others = [
      "Cafe\u0301 at nine.\nBring tea.",
      "Café at nine. Bring tea.",
      "Café at nine.\r\nBring tea.",
      "café",
    ];
    for (const other of others) expect(await hashOf(other)).not.toBe(one);
  });
});

it("a summary's id derives from its task, and a task sees its project and the tenant's own memories", () => {
  expect(getSummaryId("task_01m7xzk2r8v3000000000000ab")).toBe("mem_01m7xzk2r8v3000000000000ab");
  expect(getTaskScope(null)).toEqual([null]);
  expect(getTaskScope("a")).toEqual([null, "a"]);
});

it("content is counted in characters, not surrogates", () => {
  expect(contentSchema.safeParse("🦦".repeat(4_000)).success).toBe(true);
  const refused = contentSchema.safeParse("🦦".repeat(4_001));
  expect(refused.error?.issues[0]?.message).toBe("has 4001 characters; the limit is 4000");
});

describe("the ranking of results", () => {
  const memory = (id: string, tags: readonly string[] = [], updatedAt = 0): Memory => ({
    id,
    project: null,
    kind: "note",
    label: TENANT,
    content: id,
    tags,
    sourceTask: null,
    author: "a",
    createdAt: 0,
    updatedAt,
    embeddedBy: "m",
  });
  const RULES = { tagBoost: 0.1, minScore: 0.2, limit: 10 };
  const ids = (...given: Parameters<typeof rankHits>) => rankHits(...given).map((hit) => hit.memory.id);

  it("is by similarity, then by time, the later first", () => {
    const found = [
      { memory: memory("low"), similarity: 0.3 },
      { memory: memory("old", [], 1), similarity: 0.5 },
      { memory: memory("new", [], 2), similarity: 0.5 },
    ];
    expect(ids(found, "query", RULES)).toEqual(["new", "old", "low"]);
  });

  it("rises with each tag whose words all occur in the query, for three at most, and up to 1", () => {
    const found = [
      { memory: memory("none", ["other"]), similarity: 0.4 },
      { memory: memory("half", ["release notes"]), similarity: 0.4 },
      { memory: memory("one", ["DEPLOY", "notes of May"]), similarity: 0.35 },
      { memory: memory("many", ["deploy", "release", "plan", "on", "friday"]), similarity: 0.3 },
      { memory: memory("sure", ["deploy"]), similarity: 0.98 },
    ];
    const hits = rankHits(found, "Deploy plan: release on Friday", RULES);
    expect(hits.map((hit) => [hit.memory.id, Number(hit.score.toFixed(2)), hit.matchedTags.length])).toEqual([
      ["sure", 1, 1],
      ["many", 0.6, 5],
      ["one", 0.45, 1],
      ["half", 0.4, 0],
      ["none", 0.4, 0],
    ]);
  });

  it("puts facts above summaries and claims from outside, however near those are", () => {
    const found = [
      { memory: { ...memory("summary", ["deploy"]), kind: "summary" as const }, similarity: 0.9 },
      { memory: { ...memory("claim"), label: OUTSIDE }, similarity: 0.95 },
      { memory: { ...memory("far summary"), kind: "summary" as const }, similarity: 0.3 },
      { memory: memory("far fact"), similarity: 0.25 },
      { memory: memory("near fact"), similarity: 0.8 },
    ];
    expect(ids(found, "when do we deploy", RULES)).toEqual([
      "near fact",
      "far fact",
      "summary",
      "claim",
      "far summary",
    ]);
    expect(ids(found, "when do we deploy", { ...RULES, limit: 2 })).toEqual(["near fact", "far fact"]);
  });

  it("finds a memory by a tag alone, unless tags add nothing", () => {
    const found = [
      { memory: memory("tagged", ["Deploy"]), similarity: -0.2 },
      { memory: memory("other", ["plan b"]), similarity: 0.1 },
    ];
    expect(ids(found, "deploy plan", RULES)).toEqual(["tagged"]);
    expect(ids(found, "deploy plan", { ...RULES, tagBoost: 0 })).toEqual([]);
  });

  it("ends at the cut-off, and at the limit", () => {
    const found = [0.9, 0.2, 0.19, -0.5].map((similarity, index) => ({ memory: memory(`m${index}`), similarity }));
    expect(ids(found, "q", RULES)).toEqual(["m0", "m1"]);
    expect(ids(found, "q", { ...RULES, limit: 1 })).toEqual(["m0"]);
    expect(ids(found, "q", { ...RULES, minScore: -1 })).toHaveLength(4);
  });

  it("ignores a tag without words", () => {
    const [hit] = rankHits([{ memory: memory("m", ["!!!", "🦦"]), similarity: 0.5 }], "!!! 🦦", RULES);
    expect(hit).toMatchObject({ score: 0.5, matchedTags: [] });
  });

  it("keeps a similarity in range despite rounding", () => {
    const [hit] = rankHits([{ memory: memory("m"), similarity: 1.000_02 }], "q", RULES);
    expect(hit).toMatchObject({ similarity: 1, score: 1 });
  });
});
