import { describe, expect, it } from "vitest";
import { contentSchema, identityHashOf, type Memory, scopeOfTask, summaryIdOf } from "../../../core/memory/memory.ts";
import { rank } from "../../../core/memory/rank.ts";
import { wordsOf, wordSetOf } from "../../../core/memory/words.ts";
import { TENANT } from "../../../core/provenance/label.ts";

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
    expect(wordsOf(text)).toEqual(words);
  });

  it("are each once in a set, and no more than two thousand of one text", () => {
    expect(wordSetOf(["a b a", "B c"])).toEqual(["a", "b", "c"]);
    expect(wordsOf("x ".repeat(5_000))).toHaveLength(2_000);
  });
});

describe("a content's hash", () => {
  it("is that of the text byte for byte, with its white space and the composition of its letters", async () => {
    const hashOf = (content: string) => identityHashOf({ id: "mem_1", kind: "note", label: TENANT, content });
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

it("a summary's id is its task's, and a task sees its project and the tenant's own", () => {
  expect(summaryIdOf("task_01m7xzk2r8v3000000000000ab")).toBe("mem_01m7xzk2r8v3000000000000ab");
  expect(scopeOfTask(null)).toEqual([null]);
  expect(scopeOfTask("a")).toEqual([null, "a"]);
});

it("a content is counted in characters, not in halves of them", () => {
  expect(contentSchema.safeParse("🦦".repeat(4_000)).success).toBe(true);
  const refused = contentSchema.safeParse("🦦".repeat(4_001));
  expect(refused.error?.issues[0]?.message).toBe("holds 4001 characters; the limit is 4000");
});

describe("the rank of what was found", () => {
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
  const ids = (...given: Parameters<typeof rank>) => rank(...given).map((hit) => hit.memory.id);

  it("is by similarity, and later before earlier where that is equal", () => {
    const found = [
      { memory: memory("low"), similarity: 0.3 },
      { memory: memory("old", [], 1), similarity: 0.5 },
      { memory: memory("new", [], 2), similarity: 0.5 },
    ];
    expect(ids(found, "query", RULES)).toEqual(["new", "old", "low"]);
  });

  it("rises with each tag whose words all stand in the query, three at most, and not over 1", () => {
    const found = [
      { memory: memory("none", ["other"]), similarity: 0.4 },
      { memory: memory("half", ["release notes"]), similarity: 0.4 },
      { memory: memory("one", ["DEPLOY", "notes of May"]), similarity: 0.35 },
      { memory: memory("many", ["deploy", "release", "plan", "on", "friday"]), similarity: 0.3 },
      { memory: memory("sure", ["deploy"]), similarity: 0.98 },
    ];
    const hits = rank(found, "Deploy plan: release on Friday", RULES);
    expect(hits.map((hit) => [hit.memory.id, Number(hit.score.toFixed(2)), hit.matchedTags.length])).toEqual([
      ["sure", 1, 1],
      ["many", 0.6, 5],
      ["one", 0.45, 1],
      ["half", 0.4, 0],
      ["none", 0.4, 0],
    ]);
  });

  it("ends where the score is below the cut-off, and after as many as are asked for", () => {
    const found = [0.9, 0.2, 0.19, -0.5].map((similarity, index) => ({ memory: memory(`m${index}`), similarity }));
    expect(ids(found, "q", RULES)).toEqual(["m0", "m1"]);
    expect(ids(found, "q", { ...RULES, limit: 1 })).toEqual(["m0"]);
    expect(ids(found, "q", { ...RULES, minScore: -1 })).toHaveLength(4);
  });

  it("counts a tag without a word, or a tag of signs, for nothing", () => {
    const [hit] = rank([{ memory: memory("m", ["!!!", "🦦"]), similarity: 0.5 }], "!!! 🦦", RULES);
    expect(hit).toMatchObject({ score: 0.5, matchedTags: [] });
  });

  it("keeps a similarity in its range that arithmetic moved out of it", () => {
    const [hit] = rank([{ memory: memory("m"), similarity: 1.000_02 }], "q", RULES);
    expect(hit).toMatchObject({ similarity: 1, score: 1 });
  });
});
