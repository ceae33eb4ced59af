/** The outage drill's judge finds a task that stood still, tried too much, did something twice or not at all. */
import { expect, test } from "vitest";
import {
  filesOfGoals,
  isAnswered,
  judgeHeldBack,
  judgeOnItsWay,
  judgeTask,
  type OutageEvidence,
  findResumeTime,
} from "../../drill/outages/judge-outage.ts";
import { GOAL_KINDS, type OutageInput, persistedText } from "../../drill/outages/outage-script.ts";
import type { TracedRequest } from "../../drill/task-log.ts";
import type { WireMessage } from "../../mock-servers/model-server.ts";
import type { RecordedRequest } from "../../mock-servers/recorder.ts";

const INPUT: OutageInput = {
  drill: "d",
  kind: "persists",
  goals: 4,
  kinds: GOAL_KINDS,
  paceMs: 0,
  keyed: "http://k",
  unkeyed: "http://u",
};
const OUTAGE = { from: 1_000, back: 11_000 };

function makeRequest(
  step: number,
  at: number,
  lastResult: string | null,
  messages: readonly WireMessage[] = [],
): TracedRequest {
  return { at, wallAt: at, step, body: { messages }, repliedWallAt: at + 1, lastResult };
}

function received(path: string, idempotencyKey: string | null, acted = true): RecordedRequest {
  return { seq: 1, at: 0, method: "POST", path, headers: {}, idempotencyKey, acted, body: "" };
}

/** A task of four goals, a file, a keyed request, an unkeyed one and the time: its keyed request failed at first. */
function good(): OutageEvidence {
  const states = ["confirmed", "failed", "confirmed", "confirmed", "confirmed"];
  const reports = states.map((state): WireMessage => {
    return { role: "tool", content: state === "failed" ? "Error (upstream_failed): …" : "ok" };
  });
  return {
    task: {
      id: "task_1",
      status: "completed",
      reason: null,
      output: { text: persistedText(INPUT), files: [] },
      error: null,
      pending: [],
      parent_id: null,
      input: "",
      usage: { steps: 6, input_tokens: 0, output_tokens: 0 },
    },
    ledger: states.map((state, index) => ({
      call_id: `call_${index}`,
      step: index + 1,
      tool: "",
      effect: "",
      state,
      key: "",
      attempts: 1,
      arguments_hash: "",
    })),
    requests: [1, 2, 3, 4, 5, 6].map((step) => makeRequest(step, step * 100, "ok", step === 6 ? reports : [])),
    seen: [received("/d/keyed/2/3", "call_2"), received("/d/once/3/4", null)],
    files: filesOfGoals(INPUT),
  };
}

function withState(evidence: OutageEvidence, index: number, state: string): OutageEvidence {
  return { ...evidence, ledger: evidence.ledger.map((row, at) => (at === index ? { ...row, state } : row)) };
}

test("a task that reached its goals, one of them at the second try, has no findings", () => {
  expect(judgeTask(INPUT, good())).toEqual([]);
});

test.each<[string, (evidence: OutageEvidence) => OutageEvidence]>([
  ["a task that is not known", (e) => ({ ...e, task: undefined })],
  ["a task that failed", (e) => ({ ...e, task: { ...taskOf(e), status: "failed" } })],
  ["another answer", (e) => ({ ...e, task: { ...taskOf(e), output: { text: "?", files: [] } } })],
  ["a step that was gone back to", (e) => ({ ...e, requests: [makeRequest(7, 50, null), ...e.requests] })],
  ["a request that never happened", (e) => ({ ...e, seen: e.seen.slice(1) })],
  ["a call that failed and happened", (e) => ({ ...e, seen: [...e.seen, received("/d/keyed/2/2", "call_1")] })],
  ["an unkeyed request twice", (e) => ({ ...e, seen: [...e.seen, received("/d/once/3/4", null)] })],
  ["a keyed request under two keys", (e) => ({ ...e, seen: [...e.seen, received("/d/keyed/2/3", "other")] })],
  [
    "a keyed request that happened again after its key was forgotten",
    (e) => ({ ...e, seen: [...e.seen, received("/d/keyed/2/3", "call_2")] }),
  ],
  ["a keyed request without a key", (e) => ({ ...e, seen: [received("/d/keyed/2/3", null), ...e.seen.slice(1)] })],
  ["an unknown outcome that the model was not told of", (e) => withState(e, 3, "unknown")],
  ["a goal that the ledger does not have", (e) => ({ ...e, ledger: e.ledger.slice(0, -1) })],
  ["a goal too many in the ledger", (e) => ({ ...e, ledger: [...e.ledger, ...e.ledger.slice(-1)] })],
  ["a file that holds something else", (e) => ({ ...e, files: { "notes/1.md": "" } })],
  ["a file that is not there", (e) => ({ ...e, files: {} })],
])("%s is found", (_name, spoil) => {
  expect(judgeTask(INPUT, spoil(good()))).not.toEqual([]);
});

test("a keyed request may be repeated under its key", () => {
  const evidence = good();
  expect(
    judgeTask(INPUT, { ...evidence, seen: [...evidence.seen, received("/d/keyed/2/3", "call_2", false)] }),
  ).toEqual([]);
});

test("a task that can do without what is away has to take its steps meanwhile, each of which counts once", () => {
  const steps = (count: number) =>
    Array.from({ length: count }, (_, index) => makeRequest(index + 1, 2_000 + index, "ok"));
  const judged = (all: readonly TracedRequest[]) =>
    judgeOnItsWay("d", { requests: [...all], recorded: [], lastAt: 0 }, OUTAGE, 9);
  expect(judged(steps(9))).toEqual([]);
  expect(judged(steps(8))).not.toEqual([]);
  expect(judged([...steps(8), ...steps(8)])).not.toEqual([]);
  expect(judged([...steps(8), { ...makeRequest(9, 2_500, "ok"), repliedWallAt: null }])).not.toEqual([]);
  expect(judged([...steps(8), makeRequest(9, 11_500, "ok")])).not.toEqual([]);
});

test("a blocked task is found when it sends too many requests", () => {
  const requests = (count: number) => Array.from({ length: count }, () => makeRequest(1, 2_000, null));
  const judged = (count: number) => judgeHeldBack("d", { requests: requests(count), recorded: [], lastAt: 0 }, OUTAGE);
  expect(judged(17)).toEqual([]);
  expect(judged(18)).not.toEqual([]);
});

test("a task continues with the first call that succeeds after the return, not with one that is only tried", () => {
  const before = makeRequest(3, 10_000, "ok");
  const failed = makeRequest(4, 11_100, "Error (upstream_failed): …");
  const open = { ...makeRequest(5, 11_200, "ok"), repliedWallAt: null };
  expect(findResumeTime({ requests: [before, failed, open] }, OUTAGE.back)).toBeNull();
  expect(findResumeTime({ requests: [before, failed, open, makeRequest(5, 12_000, "ok")] }, OUTAGE.back)).toBe(12_000);
});

test("a task has its answer when the model replied to the request after its last goal", () => {
  expect(isAnswered({ requests: [makeRequest(4, 100, "ok")] }, INPUT)).toBe(false);
  expect(isAnswered({ requests: [makeRequest(5, 100, "ok")] }, INPUT)).toBe(true);
  expect(isAnswered({ requests: [{ ...makeRequest(5, 100, "ok"), repliedWallAt: null }] }, INPUT)).toBe(false);
});

function taskOf({ task }: OutageEvidence) {
  if (task === undefined) throw new Error("there is no task");
  return task;
}
