import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shortArguments, toolName, tookMs, keptOutside } from "../../../web/src/pages/task/timeline/call-words.ts";
import { placeBefore } from "../../../web/src/pages/task/timeline/ledger-place.ts";
import {
  groupSteps,
  hasCall,
  summaryOf,
  type StepGroup,
} from "../../../web/src/pages/task/timeline/timeline-groups.ts";
import type { CallItem, Step } from "../../../web/src/pages/task/timeline/timeline-items.ts";
import { readTaskSearch } from "../../../web/src/pages/task/task-search.ts";
import { splitValue } from "../../../web/src/ui/split-value.ts";
import { honestProse, oneLine, visibleText } from "../../../web/src/ui/visible-text.ts";

const AT = "2026-11-21T10:00:00.000Z";
const LATER = "2026-11-21T10:00:02.000Z";

function callOf(step: number, change: Partial<CallItem> = {}): CallItem {
  return {
    kind: "call",
    key: String(step),
    at: AT,
    callId: `call_1_${step}_0`,
    tool: "t",
    arguments: {},
    effect: "none",
    state: "confirmed",
    data: null,
    result: 1,
    error: null,
    endedAt: LATER,
    durationMs: 1,
    isFromOutside: false,
    account: null,
    ...change,
  };
}

function stepsOf(count: number, first = 1): Step[] {
  return Array.from({ length: count }, (_, at) => ({
    step: first + at,
    startedAt: AT,
    completedAt: LATER,
    isFinal: false,
    attempt: 1,
    model: null,
    items: [callOf(first + at, at % 2 === 0 ? {} : { state: "failed" })],
  }));
}

const groups = (steps: readonly Step[], seen = steps.length): StepGroup[] =>
  groupSteps(steps, seen).filter((block) => block.kind === "group");

describe("the steps of a long task", () => {
  test.each([
    [0, []],
    [29, []],
    [30, ["1–20"]],
    [49, ["1–20"]],
    [50, ["1–20", "21–40"]],
    [400, undefined],
  ] as const)("of %d fold so that the last ten stay open", (count, expected) => {
    const folded = groups(stepsOf(count));
    if (expected !== undefined) expect(folded.map(({ from, to }) => `${from}–${to}`)).toEqual(expected);
    expect(groupSteps(stepsOf(count), count).filter(({ kind }) => kind === "step").length).toBeLessThan(30);
  });

  test("omit nothing, in their order, after any earlier arrivals", () => {
    fc.assert(
      fc.property(fc.nat(120), fc.nat(150), fc.boolean(), (count, seen, hasPrelude) => {
        const steps = stepsOf(count, hasPrelude ? 0 : 1);
        const blocks = groupSteps(steps, seen);
        expect(blocks.flatMap((block) => (block.kind === "group" ? block.steps : [block.step]))).toEqual(steps);
      }),
    );
  });

  test("do not fold under a reader who looks at them", () => {
    expect(groups(stepsOf(80), 20)).toEqual([]);
  });

  test("are summed up in the line that replaces them", () => {
    const [group] = groups(stepsOf(30));
    expect(group && summaryOf(group)).toEqual({ calls: 20, failed: 10, durationMs: 2000 });
    expect(group && hasCall(group, "call_1_7_0")).toBe(true);
    expect(group && hasCall(group, "call_1_25_0")).toBe(false);
    expect(group && hasCall(group, undefined)).toBe(false);
  });
});

describe("a call in one line", () => {
  test.each([
    [
      { filename: "a.txt", size: 3, deep: { a: 1 }, list: [1, 2] },
      "filename: a.txt, size: 3, deep: {…}, list: 2 entries",
    ],
    [{ "k\u200bey": "v\u202eal\nue" }, "k⟨U+200B⟩ey: v⟨U+202E⟩al ue"],
    ["not an object", "not an object"],
    [undefined, ""],
    [null, "null"],
    [{}, ""],
  ])("shows %j as %j", (given, expected) => {
    expect(shortArguments(given)).toBe(expected);
  });

  test("stays short for any input", () => {
    const given = { content: "x".repeat(1_000_000), ["k".repeat(100_000)]: 1 };
    expect(shortArguments(given).length).toBeLessThan(250);
    expect(toolName("\u202e".repeat(100_000)).length).toBeLessThan(1000);
    expect(toolName("")).toBe("a tool");
  });

  test("took what the ledger says, or from its beginning to its end where that counts no time of its own", () => {
    expect(tookMs(callOf(1))).toBe(1);
    expect(tookMs(callOf(1, { durationMs: 0 }))).toBe(2000);
    expect(tookMs(callOf(1, { durationMs: null, endedAt: null }))).toBeNull();
  });

  test("has a result elsewhere when it is too large for the log", () => {
    expect(keptOutside({ stored: "results/a", characters: 9 })).toBe(9);
    expect(keptOutside({ cut: "abc", characters: 9 })).toBe(9);
    expect(keptOutside({ characters: 9 })).toBeNull();
    expect(keptOutside("text")).toBeNull();
  });
});

test.each([
  ["call_01a_3_2", "call_01a_3_1"],
  ["call_01a_3_0", "call_01a_2_999999"],
  ["call_01a_0_0", null],
  ["call_1", null],
  ["12", null],
])("the ledger's row of %s comes first after %s", (callId, place) => {
  expect(placeBefore(callId)).toBe(place);
});

test("the address of a task takes what it knows, and nothing else", () => {
  expect(readTaskSearch({ view: "tree", call: "call_1", file: "a/b.md", other: 1 })).toEqual({
    view: "tree",
    call: "call_1",
    file: "a/b.md",
  });
  expect(readTaskSearch({ view: "timeline", call: 7, file: "" })).toEqual({});
});

describe("a text from outside", () => {
  test("marks invisible characters in code", () => {
    expect(visibleText("a\u202eb\u0007c\u001b[31m\r\nd\te")).toBe("a⟨U+202E⟩b⟨U+0007⟩c⟨U+001B⟩[31m\nd\te");
  });

  test("leaves ordinary characters of prose unmarked, and marks deceptive ones", () => {
    expect(honestProse("שלום\u200f 👩‍💻")).toBe("שלום\u200f 👩‍💻");
    expect(honestProse("gpj\u202eexe\u{e0041}\u001b[2J\r\n\t")).toBe("gpj⟨U+202E⟩exe⟨U+E0041⟩⟨U+001B⟩[2J\r\n\t");
  });

  test("is one line of the length that there is room for", () => {
    expect(oneLine("  a\n\tb  ", 10)).toBe("a b");
    expect(oneLine("abcdef", 3)).toBe("abc…");
    expect(oneLine(`${" ".repeat(100)}a`, 3)).toBe("…");
  });
});

test("long texts of a result are rendered separately, the rest as JSON", () => {
  expect(splitValue({ path: "a", content: "one\ntwo" })).toEqual({
    texts: [["content", "one\ntwo"]],
    rest: { path: "a" },
  });
  expect(splitValue({ content: "x".repeat(200) }).rest).toBeNull();
  expect(splitValue([1])).toEqual({ texts: [], rest: [1] });
  expect(splitValue(null)).toEqual({ texts: [], rest: null });
});
