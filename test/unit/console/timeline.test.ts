import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StreamEvent } from "../../../web/src/api/stream-event.ts";
import { applyEvents, EMPTY_TIMELINE, isTerminal, markLost } from "../../../web/src/pages/task/timeline/timeline.ts";
import type { Item, Timeline } from "../../../web/src/pages/task/timeline/timeline-items.ts";

const AT = "2026-11-21T10:00:00.000Z";
const CALL = "call_1_1_0";

/** A log: each entry's number is its place. */
function logOf(...entries: readonly (readonly [event: string, data?: object])[]): StreamEvent[] {
  return entries.map(([event, data], at) => ({
    id: String(at + 1),
    event,
    data: { task_id: "task_1", at: AT, ...data },
  }));
}

function delta(text: string, step = 1, attempt = 1): StreamEvent {
  return { id: null, event: "message.delta", data: { task_id: "task_1", at: AT, step, attempt, text } };
}

const read = (...events: readonly StreamEvent[]): Timeline => applyEvents(EMPTY_TIMELINE, events);
const items = ({ steps }: Timeline): Item[] => steps.flatMap((step) => step.items);
const kinds = (timeline: Timeline): string[] => items(timeline).map(({ kind }) => kind);
const only = <Kind extends Item["kind"]>(timeline: Timeline, kind: Kind): Extract<Item, { kind: Kind }>[] =>
  items(timeline).filter((item): item is Extract<Item, { kind: Kind }> => item.kind === kind);

const CREATED = ["task.created", { input: "Do it", project: null }] as const;
const STEP = ["step.started", { step: 1, attempt: 1, final: false, model: "m" }] as const;
const WRITTEN = [
  "message.completed",
  {
    role: "assistant",
    step: 1,
    attempt: 1,
    text: "Hello",
    model: "m",
    input_tokens: 3,
    output_tokens: 2,
    cost_usd: 0.5,
  },
] as const;
const STARTED = [
  "call.started",
  { step: 1, call_id: CALL, tool: "http_request", arguments: { url: "a" }, effect: "once" },
] as const;
const ASKED = [
  "approval.requested",
  { step: 1, call_id: CALL, approval_id: "apr_1", tool: "http_request", arguments: { url: "a" }, reason: "why" },
] as const;

/** One task with a bit of everything. */
const WHOLE = logOf(
  CREATED,
  ["task.started"],
  STEP,
  WRITTEN,
  STARTED,
  ["call.started", { step: 1, call_id: "call_1_1_1", tool: "ask_human", arguments: {}, effect: "none" }],
  ASKED,
  [
    "question.asked",
    {
      step: 1,
      call_id: "call_1_1_1",
      question_id: "qst_1",
      query: "Which?",
      choices: ["a", "b"],
      person: null,
      wait: true,
    },
  ],
  ["task.waiting", { status: "waiting_approval", pending: [] }],
  ["question.answered", { question_id: "qst_1", call_id: "call_1_1_1", query: "Which?", answer: "b", by: "Ana" }],
  [
    "call.completed",
    { step: 1, call_id: "call_1_1_1", tool: "ask_human", ok: true, state: "confirmed", result: "b", duration_ms: 0 },
  ],
  ["task.waiting", { status: "waiting_approval", subtask_id: "task_2", pending: [] }],
  [
    "approval.decided",
    { approval_id: "apr_1", call_id: CALL, decision: "approve", reason: null, by: "Ana", arguments: { url: "b" } },
  ],
  ["task.resumed", { status: "running" }],
  ["message.completed", { role: "user", text: "Hurry" }],
  [
    "call.completed",
    {
      step: 1,
      call_id: CALL,
      tool: "http_request",
      ok: false,
      state: "failed",
      error: { code: "timeout", message: "slow" },
      duration_ms: 7,
    },
  ],
  ["step.completed", { step: 1 }],
  ["step.started", { step: 2, attempt: 1, final: false, model: "m" }],
  ["subtask.created", { step: 2, call_id: "call_1_2_0", subtask_id: "task_2" }],
  ["subtask.ended", { call_id: "call_1_2_0", subtask_id: "task_2", status: "failed", ok: false }],
  ["skill.loaded", { step: 2, call_id: "call_1_2_1", skill: { name: "pdf", hash: "h" } }],
  ["file.attached", { path: "a.md", size: 3, content_type: "text/markdown" }],
  ["budget.warning", { account: "task", kind: "tokens", used: 8, limit: 10 }],
  ["step.started", { step: 2, attempt: 2, final: false, model: "other" }],
  ["tool-data", { anything: 1 }],
  [
    "task.completed",
    {
      status: "completed",
      reason: "iteration_limit",
      output: { text: "Done", files: [{ path: "a.md" }] },
      error: null,
    },
  ],
);

describe("a timeline", () => {
  test("has the steps of the log in their order, each with what came in it", () => {
    const timeline = read(...WHOLE);
    expect(timeline.steps.map(({ step, items: own }) => [step, own.map(({ kind }) => kind)])).toEqual([
      [0, ["input"]],
      [1, ["message", "call", "approval", "call", "question", "wait", "said"]],
      [2, ["subtask", "skill", "file", "budget", "retry", "other", "end"]],
    ]);
    expect(timeline).toMatchObject({ last: WHOLE.length, isOver: true, draft: null });
    expect(timeline.steps[1]).toMatchObject({ startedAt: AT, completedAt: AT, model: "m" });
    expect(timeline.steps[2]).toMatchObject({ attempt: 2, model: "other", completedAt: null });
  });

  test("describes a call's arguments, result and state", () => {
    const [failed, answered] = only(read(...WHOLE), "call");
    expect(failed).toMatchObject({
      tool: "http_request",
      effect: "once",
      state: "failed",
      error: { code: "timeout", message: "slow" },
      durationMs: 7,
    });
    expect(answered).toMatchObject({ state: "confirmed", result: "b", error: null });
  });

  test.each([
    ["outside", true],
    ["tenant", false],
    [undefined, false],
  ])("says of the label %s of an input, a message and a result whether it came from outside: %s", (label, expected) => {
    const ended = { call_id: CALL, tool: "http_request", ok: true, state: "confirmed", result: "b", label };
    const said = { role: "user", text: "Hurry", label };
    const timeline = read(
      ...logOf(
        ["task.created", { input: "a", label }],
        STEP,
        STARTED,
        ["call.completed", ended],
        ["message.completed", said],
      ),
    );
    const [input, call, message] = [only(timeline, "input"), only(timeline, "call"), only(timeline, "said")];
    expect([...input, ...call, ...message].map(({ isFromOutside }) => isFromOutside)).toEqual(Array(3).fill(expected));
  });

  test("lists the decisions of people, and the arguments that they replaced", () => {
    const timeline = read(...WHOLE);
    expect(only(timeline, "question")[0]).toMatchObject({
      outcome: "answered",
      answer: "b",
      by: "Ana",
      choices: ["a", "b"],
    });
    expect(only(timeline, "approval")[0]).toMatchObject({ outcome: "approved", by: "Ana", newArguments: { url: "b" } });
    expect(only(timeline, "call")[0]?.arguments).toEqual({ url: "b" });
  });

  test("lists a wait of the task once, and when it continued", () => {
    expect(only(read(...WHOLE), "wait")).toEqual([
      expect.objectContaining({ status: "waiting_approval", at: AT, resumedAt: AT }),
    ]);
  });

  test.each([
    ["question.expired", { question_id: "qst_1", call_id: CALL }, "expired"],
    [
      "task.cancelled",
      { status: "cancelled", reason: "cancelled", closed: [{ kind: "question", id: "qst_1" }] },
      "closed",
    ],
  ] as const)("closes a question by %s", (event, data, outcome) => {
    const asked = ["question.asked", { call_id: CALL, question_id: "qst_1", query: "?" }] as const;
    expect(only(read(...logOf(CREATED, STEP, asked, [event, data])), "question")[0]?.outcome).toBe(outcome);
  });

  test("separates a notification, which needs no answer, from questions", () => {
    const reported = [
      "question.asked",
      { call_id: CALL, question_id: null, query: "Look", person: "Ana", wait: false },
    ] as const;
    const closing = [
      "task.failed",
      { closed: [{ kind: "question", id: null }], error: { code: "internal", message: "x" } },
    ] as const;
    expect(only(read(...logOf(CREATED, STEP, reported, closing)), "question")[0]).toMatchObject({
      id: null,
      outcome: "open",
    });
  });

  test("marks a call with an unknown outcome, and replaces the mark by a later outcome", () => {
    const unknown = ["call.unknown", { step: 1, call_id: CALL, tool: "http_request" }] as const;
    const log = logOf(STEP, STARTED, unknown, [
      "call.completed",
      { call_id: CALL, ok: true, state: "confirmed", result: 1 },
    ]);
    expect(only(read(...log.slice(0, 3)), "call")[0]?.state).toBe("unknown");
    expect(only(read(...log), "call")).toEqual([expect.objectContaining({ state: "confirmed", result: 1 })]);
  });

  test("shows events of kinds that it does not know, also of names that every object has", () => {
    const odd = ["constructor", "__proto__", "toString", "hasOwnProperty", "later.kind"];
    const timeline = read(...logOf(CREATED, ...odd.map((event) => [event, { a: 1 }] as const)));
    expect(only(timeline, "other").map(({ type }) => type)).toEqual(odd);
    expect(timeline.last).toBe(6);
  });
});

describe("a streaming message", () => {
  const started = logOf(CREATED, STEP);

  test("grows with each piece, and is replaced by the complete message", () => {
    const writing = read(...started, delta("Hel"), delta("lo"));
    expect(writing.draft).toEqual({ step: 1, attempt: 1, text: "Hello", hasGap: false });
    const written = applyEvents(writing, logOf(CREATED, STEP, WRITTEN));
    expect(written.draft).toBeNull();
    expect(only(written, "message").map(({ text, tokens }) => [text, tokens])).toEqual([["Hello", 5]]);
  });

  test("is dropped when another attempt starts, and so are late pieces of the old one", () => {
    const again = { id: "3", event: "step.started", data: { step: 1, attempt: 2, model: "m" } };
    expect(read(...started, delta("old"), again).draft).toBeNull();
    expect(read(...started, delta("old"), again, delta("more of the old", 1, 1)).draft).toBeNull();
    const timeline = read(...started, delta("old"), again, delta("more of the old", 1, 1), delta("new", 1, 2));
    expect(timeline.draft?.text).toBe("new");
    expect(kinds(timeline)).toEqual(["input", "retry"]);
  });

  test("restarts with the first piece of a later attempt, even before the log lists it", () => {
    expect(read(...started, delta("old"), delta("new", 1, 2)).draft).toMatchObject({ attempt: 2, text: "new" });
  });

  test("is dropped once the message, the step or the task has ended", () => {
    const written = logOf(CREATED, STEP, WRITTEN);
    expect(read(...written, delta("late")).draft).toBeNull();
    expect(read(...logOf(CREATED, STEP, ["step.completed", { step: 1 }]), delta("late")).draft).toBeNull();
    expect(read(...WHOLE, delta("late", 9, 1)).draft).toBeNull();
  });

  test("says that a part was missed while the connection was lost", () => {
    const lost = markLost(read(...started, delta("Hel")));
    expect(applyEvents(lost, [delta("world")]).draft).toEqual({ step: 1, attempt: 1, text: "Helworld", hasGap: true });
    expect(markLost(read(...started)).draft).toBeNull();
  });
});

describe("a log that comes in any way", () => {
  const pieces = [...WHOLE.slice(0, 3), delta("Hel"), delta("lo"), ...WHOLE.slice(3)];

  test("gives the same timeline however it is divided", () => {
    const once = read(...pieces);
    fc.assert(
      fc.property(fc.array(fc.nat(pieces.length)), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), pieces.length];
        const parts = places.slice(1).map((place, at) => pieces.slice(places[at], place));
        expect(parts.reduce(applyEvents, EMPTY_TIMELINE)).toEqual(once);
      }),
    );
  });

  test("gives the same timeline when connections were lost and events came twice", () => {
    const once = read(...WHOLE);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(WHOLE.length), fc.nat(WHOLE.length))), (repeats) => {
        let timeline = EMPTY_TIMELINE;
        for (const [to, back] of repeats) {
          // A connection begins at or before the place that is known, and brings everything from there on.
          const from = Math.max(0, timeline.last - back);
          timeline = markLost(applyEvents(timeline, WHOLE.slice(from, Math.max(from, to))));
        }
        expect(applyEvents(timeline, WHOLE.slice(timeline.last))).toEqual(once);
      }),
    );
  });

  test("changes nothing of a timeline that was given away", () => {
    const before = read(...WHOLE.slice(0, 8));
    const kept = structuredClone(before);
    applyEvents(before, [...WHOLE.slice(8), delta("x", 3, 1)]);
    expect(before).toEqual(kept);
  });

  test("survives data of any shape, and stays in order", () => {
    const names = [
      ...new Set([
        ...WHOLE.map(({ event }) => event),
        "message.delta",
        "question.expired",
        "approval.expired",
        "call.unknown",
      ]),
    ];
    const odd = fc.oneof(fc.jsonValue(), fc.constantFrom("apr_1", "qst_1", CALL, "task_2", -1, Infinity, "9999-99-99"));
    const data = fc.oneof(
      odd,
      fc.dictionary(
        fc.constantFrom(
          "step",
          "attempt",
          "call_id",
          "question_id",
          "approval_id",
          "at",
          "text",
          "role",
          "error",
          "output",
          "closed",
          "input",
          "skills",
          "choices",
          "arguments",
          "status",
          "subtask_id",
          "until",
        ),
        odd,
      ),
    );
    const event = fc.record({
      id: fc.oneof(fc.constant(null), fc.nat(50).map(String), fc.constantFrom("", "x", "1e3", "-1", "1.5")),
      event: fc.constantFrom(...names),
      data,
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const timeline = read(...events);
        expect(Number.isSafeInteger(timeline.last)).toBe(true);
        const keys = items(timeline).map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        for (const { at } of items(timeline)) if (at !== null) expect(Number.isNaN(Date.parse(at))).toBe(false);
      }),
    );
  });

  test("reads two thousand events in a moment", () => {
    const steps = Array.from({ length: 400 }, (_, at) => {
      const id = `call_1_${at + 1}_0`;
      return [
        ["step.started", { step: at + 1, attempt: 1 }],
        ["message.completed", { role: "assistant", step: at + 1, text: "x" }],
        ["call.started", { step: at + 1, call_id: id, tool: "t", arguments: {} }],
        ["call.completed", { step: at + 1, call_id: id, ok: true, state: "confirmed", result: 1 }],
        ["step.completed", { step: at + 1 }],
      ] as const;
    }).flat();
    const timeline = read(...logOf(CREATED, ...steps));
    expect(timeline.last).toBe(2001);
    expect(only(timeline, "call").every(({ state }) => state === "confirmed")).toBe(true);
  });
});

test.each([
  ["task.completed", true],
  ["task.failed", true],
  ["task.cancelled", true],
  ["task.waiting", false],
  ["message.delta", false],
])("%s ends the log: %s", (event, ends) => {
  expect(isTerminal({ event })).toBe(ends);
});
