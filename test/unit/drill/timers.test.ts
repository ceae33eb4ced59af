/** The timer drill's judge finds a timer that went off early, twice or never. */
import { expect, test } from "vitest";
import type { EventBody, PendingBody, TaskBody } from "../../drill/api-client.ts";
import type { TracedRequest } from "../../drill/task-log.ts";
import { judgeExpiry, judgeNaps, judgeShares } from "../../drill/timers/judge-timers.ts";

const START = Date.UTC(2026, 0, 1);
const QUESTION: PendingBody = { kind: "question", id: "q", query: "?", expires_at: iso(3_000) };

function iso(ms: number): string {
  return new Date(START + ms).toISOString();
}

function makeRequest(step: number, ms: number): TracedRequest {
  const body = { messages: [] };
  return { at: ms, wallAt: START + ms, step, body, repliedWallAt: START + ms, lastResult: null };
}

function logOf(...events: readonly (readonly [type: string, data: Record<string, unknown>])[]): EventBody[] {
  return events.map(([type, data], index) => ({ seq: index + 1, type, data }));
}

function ended(text: string): TaskBody {
  return {
    id: "task_1",
    status: "completed",
    reason: null,
    output: { text, files: [] },
    error: null,
    pending: [],
    parent_id: null,
    input: "",
    usage: { steps: 2, input_tokens: 0, output_tokens: 0 },
  };
}

/** One nap of two seconds, from 10 to 2010, and a model that is asked for the second step at `resumedMs`. */
function nap(resumedMs: number) {
  return {
    drill: "d",
    naps: [2],
    task: ended("d has rested"),
    events: logOf(
      ["task.waiting", { at: iso(10) }],
      ["task.resumed", {}],
      ["step.completed", { step: 1 }],
      ["step.completed", { step: 2 }],
    ),
    trace: { requests: [makeRequest(1, 0), makeRequest(2, resumedMs)] },
  };
}

/** A question that expires at 3000, and a model that is asked for the second step at `resumedMs`. */
function question(resumedMs: number, statuses: readonly number[], event: string, text: string) {
  return {
    drill: "d",
    kind: "question" as const,
    pending: QUESTION,
    statuses,
    defaultAnswer: null,
    effects: 0,
    task: ended(`d was told: ${text}`),
    events: logOf([event, {}], ["step.completed", { step: 1 }], ["step.completed", { step: 2 }]),
    trace: { requests: [makeRequest(1, 0), makeRequest(2, resumedMs)] },
  };
}

const UNANSWERED = "Nobody answered in time.";

test("a nap that ends when it is due has no findings, and its lateness is reported", () => {
  expect(judgeNaps(nap(2_010))).toEqual({ lateMs: [0], isAnswered: false, violations: [] });
  expect(judgeNaps(nap(2_700)).lateMs).toEqual([690]);
});

test("a nap that ends a millisecond early is found", () => {
  expect(judgeNaps(nap(2_009)).violations).toEqual(["d: nap 1 of 2 s ended 1 ms early"]);
});

test("reports a nap that ends too early at the model server, even if the log disagrees", () => {
  const given = nap(1_900);
  const events = [{ seq: 1, type: "task.waiting", data: { at: iso(-500) } }, ...given.events.slice(1)];
  expect(judgeNaps({ ...given, events }).violations).toEqual(["d: nap 1 of 2 s ended within 1900 ms"]);
});

test.each([
  ["a nap that nothing followed", { trace: { requests: [makeRequest(1, 0)] } }],
  [
    "a step that was gone back to",
    { trace: { requests: [makeRequest(1, 0), makeRequest(2, 2_010), makeRequest(1, 2_020)] } },
  ],
  ["a step that ended twice", { events: [...nap(2_010).events, ...logOf(["step.completed", { step: 1 }])] }],
  ["a nap that was never begun", { events: nap(2_010).events.slice(1) }],
  ["a nap that ended twice in the log", { events: [...nap(2_010).events, ...logOf(["task.resumed", {}])] }],
  [
    "a wait for the model that never ended in the log",
    { events: [...nap(2_010).events, ...logOf(["task.waiting", { error: { code: "upstream_failed" } }])] },
  ],
  ["another answer", { task: ended("?") }],
])("%s is found", (_name, spoilt) => {
  expect(judgeNaps({ ...nap(2_010), ...spoilt }).violations).not.toEqual([]);
});

test("a question that expires in time, and one that is answered once, have no findings", () => {
  expect(judgeExpiry(question(3_000, [], "question.expired", UNANSWERED))).toEqual({
    lateMs: [0],
    isAnswered: false,
    violations: [],
  });
  const answered = question(900, [200, 409], "question.answered", "by a person");
  expect(judgeExpiry(answered)).toEqual({ lateMs: [], isAnswered: true, violations: [] });
});

test.each([
  ["a question that expires early", question(2_999, [], "question.expired", UNANSWERED)],
  ["an answer that was accepted twice", question(900, [200, 200], "question.answered", "by a person")],
  ["an answer that was accepted and did not count", question(3_000, [200, 409], "question.expired", UNANSWERED)],
  ["an answer of nobody", question(900, [], "question.answered", "by a person")],
  ["a question that did not end", question(3_000, [], "question.asked", UNANSWERED)],
])("%s is found", (_name, given) => {
  expect(judgeExpiry(given).violations).not.toEqual([]);
});

test("unanswered questions and approvals are found, however correct each of them is", () => {
  const answered = { lateMs: [], isAnswered: true, violations: [] };
  const expired = { ...answered, isAnswered: false };
  const some = [expired, answered];
  expect(judgeShares({ questions: some, approvals: some })).toEqual([]);
  expect(judgeShares({ questions: [expired], approvals: some })).toEqual(["none of 1 questions was answered"]);
  expect(judgeShares({ questions: some, approvals: [expired] })).toEqual(["none of 1 approvals was answered"]);
});
