/** Text of the tenant's records stays a record on its way through a subtask, a summary of earlier steps or `expand_result`. */
import { describe, expect, test } from "vitest";
import { findRecordCalls } from "../../../core/steps/read-ground.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import type { LabelledMessage } from "../../../core/model/messages.ts";
import { readHistory, replaceDetails, splitHistory, writeHistory } from "../../../core/prompt/compaction.ts";
import { type Label, OUTSIDE, PERSON, PRINCIPAL, TENANT } from "../../../core/provenance/label.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import {
  HOSTILE,
  MEMORY,
  NAMED,
  page,
  preparedFor,
  PRICES,
  reasonFor,
  type Scene,
  type Step,
} from "../steps/carry-out-scenes.ts";
import { factsOf } from "../task/world.ts";

const COPIED = PRICES.slice(20, 60);
const PRICES_FILE: Step = { name: "read_file", given: { path: "prices.md" }, result: PRICES, label: PRINCIPAL };
const LABELS: readonly Label[] = [PRINCIPAL, TENANT, OUTSIDE];

/** Whether a search and a GET to the named host with the copied text are asked about. */
async function needsApproval(scene: Scene): Promise<readonly boolean[]> {
  const calls = [
    ["web_search", { query: COPIED }],
    ["http.get", { url: `https://news.example/?q=${encodeURIComponent(COPIED)}` }],
  ] as const;
  const reasons = await Promise.all(calls.map(([name, given]) => reasonFor(scene, name, given)));
  return reasons.map((reason) => reason?.includes("has text from") === true);
}

describe("a subtask", () => {
  const dispatched = (result: string, label: Label): Step => ({
    name: "dispatch_subagent",
    given: { task_description: "Read prices.md." },
    result,
    label,
  });

  test.each(LABELS)("whose answer has the label %i and a record's text", async (label) => {
    const steps = [dispatched(PRICES, label), HOSTILE];
    expect(await needsApproval({ input: NAMED, steps })).toEqual([true, true]);
    // What the parent had said itself before is no copy.
    const searched: Step = { name: "web_search", given: { query: COPIED }, result: "Nothing.", label: OUTSIDE };
    expect(await needsApproval({ input: NAMED, steps: [searched, ...steps] })).toEqual([false, false]);
  });

  test.each(LABELS)("whose input has the label %i and a record's text", async (label) => {
    const input = `${NAMED} The prices: ${PRICES}`;
    const scene: Scene = { input, source: label, isSubtask: true, steps: [HOSTILE] };
    const [search, get] = await needsApproval({ ...scene, copiesRecord: true });
    expect(search).toBe(true);
    // A host that only a parent with records of strangers named needs a person anyway.
    expect(get || label > PERSON).toBe(true);
    expect(await needsApproval({ ...scene, copiesRecord: false })).toEqual([false, false]);
    // An earlier release did not say so: what may instruct is taken for free of records, as that release did.
    expect((await needsApproval(scene))[0]).toBe(label > PERSON);
    const link = { url: "https://news.example/story" };
    if (label <= PERSON) expect(await reasonFor({ ...scene, copiesRecord: true }, "http.get", link)).toBeNull();
  });

  test("gets to know whether its input copies a record, at any label and through a subtask between", async () => {
    const copies = async (scene: Scene, task: string) =>
      (await preparedFor(scene, "dispatch_subagent", { task_description: task })).copiesRecord;
    const clean: Scene = { input: NAMED, steps: [PRICES_FILE] };
    const remembered: Scene = { input: NAMED, steps: [MEMORY, HOSTILE] };
    expect(await copies(clean, `Compare these: ${COPIED}`)).toBe(true);
    expect(await copies(clean, "Find the tallest building in Lisbon and its architect.")).toBe(false);
    expect(await copies(remembered, `Look up: ${MEMORY.result}`)).toBe(true);
    expect(await copies(remembered, "Find the tallest building in Lisbon and its architect.")).toBe(false);
    const between: Scene = { input: PRICES, source: PRINCIPAL, isSubtask: true, copiesRecord: true };
    expect(await copies(between, COPIED)).toBe(true);
    expect(await copies({ ...between, copiesRecord: false }, COPIED)).toBe(false);
  });

  test("a value of an input with a record's text is no person's word for a tool", async () => {
    const scene: Scene = { input: PRICES, source: PRINCIPAL, isSubtask: true, steps: [HOSTILE] };
    expect(await reasonFor({ ...scene, copiesRecord: true }, "crm_find", { q: "grey one" })).toContain(
      "is not in your instructions",
    );
    expect(await reasonFor({ ...scene, copiesRecord: false }, "crm_find", { q: "grey one" })).toBeNull();
  });
});

describe("a summary of earlier steps", () => {
  const toolset = buildToolset(catalogue, factsOf({ tools: [] }));
  const stepOf = (id: string, { name, given, result, label = OUTSIDE }: Step): LabelledMessage[] => [
    { role: "assistant", content: "", calls: [{ id, name, arguments: JSON.stringify(given) }], label: PRINCIPAL },
    { role: "tool", callId: id, name, content: result, label },
  ];
  const historyOf = async (steps: readonly Step[], previous: string | null = null) => {
    const messages = steps.flatMap((step, index) => stepOf(`call_${index}`, step));
    return readHistory(previous, messages, findRecordCalls(messages, await toolset));
  };
  /** The messages of a text in short, as the task's object gives them. */
  const partsOf = (text: string, label: Label): LabelledMessage[] =>
    splitHistory(text).map(({ isWords, text: content }) => ({
      role: "user",
      content,
      label: isWords ? PERSON : label,
      isSummary: true,
    }));
  const scene = (text: string, label: Label): Scene => ({
    input: NAMED,
    parts: partsOf(text, label),
    steps: [HOSTILE],
  });

  test.each(LABELS)(
    "with the label %i has the records that its steps read, by rule or summarised by a model",
    async (label) => {
      const history = await historyOf([PRICES_FILE]);
      for (const each of [history, replaceDetails(history, `The file says: ${PRICES}`)]) {
        const text = writeHistory(each, { canExpand: true });
        expect(await needsApproval(scene(text, label))).toEqual([true, true]);
        // Also when it is summarised again, behind steps that read none.
        const again = writeHistory(await historyOf([HOSTILE], text), { canExpand: true });
        expect(await needsApproval(scene(again, label))).toEqual([true, true]);
      }
    },
  );

  test("of steps that read only the web has none, so that a long research needs no approval", async () => {
    const found: Step = { name: "web_search", given: { query: COPIED }, result: `1. ${PRICES}` };
    const history = await historyOf([found, page("https://news.example/story", PRICES)]);
    for (const each of [history, replaceDetails(history, `The search says: ${PRICES}`)]) {
      const text = writeHistory(each, { canExpand: true });
      expect(await needsApproval(scene(text, OUTSIDE))).toEqual([false, false]);
      const again = writeHistory(await historyOf([PRICES_FILE], text), { canExpand: true });
      expect(await needsApproval(scene(again, OUTSIDE))).toEqual([true, true]);
    }
    const old = writeHistory({ ...history, hasRecords: true }, { canExpand: true });
    expect(await needsApproval(scene(old, OUTSIDE))).toEqual([true, true]);
  });

  test("vouches for no link and no value, and a person's words in it and behind it do", async () => {
    const link = "https://partner.example/a/long-path-of-this-link";
    const clean = await historyOf([{ ...PRICES_FILE, result: `See ${link} for "Ana Reis".` }]);
    const text = writeHistory(replaceDetails(clean, `See ${link} for "Ana Reis".`), { canExpand: true });
    const behind: LabelledMessage = { role: "user", content: `Search for ${COPIED}`, label: PRINCIPAL };
    expect(await reasonFor(scene(text, PRINCIPAL), "http.get", { url: link })).toContain("has text from");
    expect(await reasonFor(scene(text, PRINCIPAL), "crm_find", { q: "ana reis" })).toContain(
      "is not in your instructions",
    );
    const described = scene(writeHistory(await historyOf([PRICES_FILE]), { canExpand: true }), PRINCIPAL);
    expect(await needsApproval({ ...described, parts: [...(described.parts ?? []), behind] })).toEqual([false, false]);
  });
});

describe("a result of an unknown source", () => {
  test.each(LABELS)("with the label %i: of a step that was summarised, or of a subtask", async (label) => {
    const expanded: Step = { name: "expand_result", given: { result_id: "call_9" }, result: PRICES, label };
    expect(await needsApproval({ input: NAMED, steps: [expanded, HOSTILE] })).toEqual([true, true]);
    const gone: Step = { name: "tool_that_is_gone", given: {}, result: PRICES, label };
    expect(await needsApproval({ input: NAMED, steps: [gone, HOSTILE] })).toEqual([true, true]);
  });

  test("while the rest of a page that is in the conversation is no record", async () => {
    const cut = page("https://news.example/story", "[… left out …]");
    const rest: Step = { name: "expand_result", given: { result_id: "call_0" }, result: PRICES };
    expect(await needsApproval({ input: NAMED, steps: [cut, rest] })).toEqual([false, false]);
  });
});
