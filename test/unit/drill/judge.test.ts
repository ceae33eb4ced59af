/** The kill drill's judge finds what it is there to find. */
import { expect, test } from "vitest";
import { type RequestedStep, type Evidence, judge } from "../../drill/judge.ts";
import { planKills } from "../../drill/crashes/kill-plan.ts";
import { seededRandom } from "../../drill/random.ts";
import { type DrillInput, STEPS, getAnswer, getCalls, getExpected } from "../../drill/crashes/script.ts";
import type { WireMessage } from "../../mock-servers/model-server.ts";
import type { RecordedRequest } from "../../mock-servers/recorder.ts";

const INPUT: DrillInput = { drill: "d", kind: "steps", paceMs: 0, keyed: "http://k", unkeyed: "http://u" };

/** A task that went well. Step n is asked for at 100 n and acted on at 100 n + 50. */
function good(): Evidence {
  const steps = Array.from({ length: STEPS }, (_, index) => index + 1);
  const calls = steps.flatMap((step) =>
    getCalls(step, INPUT).map((call, index) => ({ ...call, step, index, id: `call_${step}_${index}` })),
  );
  return {
    expected: getExpected(INPUT),
    task: {
      id: "task_1",
      status: "completed",
      reason: null,
      output: { text: getAnswer(INPUT), files: [] },
      error: null,
      pending: [],
      parent_id: null,
      input: "",
      usage: { steps: STEPS + 1, input_tokens: 0, output_tokens: 0 },
    },
    ledger: calls.map(({ id, step, name, effect }) => ({
      call_id: id,
      step,
      tool: name,
      effect,
      state: "confirmed",
      key: id,
      attempts: 1,
      arguments_hash: "",
    })),
    events: [
      ...steps.flatMap((step) => [
        ...calls
          .filter((call) => call.step === step)
          .map(({ id }) => ({ type: "call.completed", data: { call_id: id } })),
        { type: "step.completed", data: { step } },
      ]),
      { type: "step.completed", data: { step: STEPS + 1 } },
      { type: "task.completed", data: {} },
    ].map((event, index) => ({ ...event, seq: index + 1 })),
    files: getExpected(INPUT).files,
    modelRequests: [...steps, STEPS + 1].map((step) => makeRequest(step, step * 100)),
    recorded: calls.flatMap(({ path, id, step, effect }) =>
      path === null ? [] : [received(path, effect === "none" ? null : id, step * 100 + 50)],
    ),
    kills: [],
  };
}

function makeRequest(step: number, at: number, messages: readonly WireMessage[] = []): RequestedStep {
  return { at, step, body: { messages } };
}

function received(path: string, idempotencyKey: string | null, at: number, acted = true): RecordedRequest {
  return { seq: 1, at, method: "POST", path, headers: {}, idempotencyKey, acted, body: "" };
}

function withLedger(evidence: Evidence, callId: string, state: string): Evidence {
  return { ...evidence, ledger: evidence.ledger.map((row) => (row.call_id === callId ? { ...row, state } : row)) };
}

const KEYED = "/d/keyed/3/0";
const ONCE = "/d/once/5/0";
/** It hits the call of step 5, which is under way from 500 to 600. */
const KILL = { from: 540, at: 560 };

/** The task of `evidence`, its call of step 5 hit by a kill: its outcome is unknown, which the model was told. */
function unknownCall(evidence: Evidence): Evidence {
  const request = makeRequest(STEPS + 1, (STEPS + 1) * 100, [
    { role: "tool", tool_call_id: "call_5_0", content: "Error (outcome_unknown): …" },
  ]);
  const modelRequests = [...evidence.modelRequests.slice(0, -1), request];
  return withLedger({ ...evidence, modelRequests, kills: [KILL] }, "call_5_0", "unknown");
}

const CLEAN = { lost: [], repeatedSteps: [], keyedDuplicates: [], unkeyedDuplicates: [], other: [] };

test("a task that went well has no findings", () => {
  expect(judge(good())).toEqual({ ...CLEAN, unknownSent: 0, unknownUnsent: 0 });
});

test("a repeat of a keyed call within its step and under its key is no finding", () => {
  const evidence = good();
  const repeat = received(KEYED, "call_3_0", 360, false);
  expect(judge({ ...evidence, recorded: [...evidence.recorded, repeat] })).toMatchObject(CLEAN);
});

test.each<[string, keyof typeof CLEAN, (evidence: Evidence) => Evidence]>([
  ["a task that failed", "lost", (e) => ({ ...e, task: { ...e.task, status: "failed" } })],
  ["another answer", "lost", (e) => ({ ...e, task: { ...e.task, output: { text: "?", files: [] } } })],
  [
    "an effect that never happened",
    "lost",
    (e) => ({ ...e, recorded: e.recorded.filter(({ path }) => path !== KEYED) }),
  ],
  ["a call that failed", "lost", (e) => withLedger(e, "call_3_0", "failed")],
  ["a call that the ledger does not know", "lost", (e) => ({ ...e, ledger: e.ledger.slice(1) })],
  ["a file that holds something else", "lost", (e) => ({ ...e, files: { ...e.files, "notes/seven.md": "" } })],
  [
    "a keyed call under two keys",
    "keyedDuplicates",
    (e) => ({ ...e, recorded: [...e.recorded, received(KEYED, "other", 360)] }),
  ],
  [
    "a keyed call without a key",
    "keyedDuplicates",
    (e) => ({ ...e, recorded: [...e.recorded, received(KEYED, null, 360)] }),
  ],
  [
    "a keyed call that happened again after its key was forgotten",
    "keyedDuplicates",
    (e) => ({ ...e, recorded: [...e.recorded, received(KEYED, "call_3_0", 360)] }),
  ],
  [
    "one key for two calls",
    "keyedDuplicates",
    (e) => ({ ...e, recorded: [...e.recorded, received("/d/keyed/11/0", "call_3_0", 1160)] }),
  ],
  [
    "an unkeyed effect twice",
    "unkeyedDuplicates",
    (e) => ({ ...e, recorded: [...e.recorded, received(ONCE, "call_5_0", 560)] }),
  ],
  [
    "a finished step asked for again",
    "repeatedSteps",
    (e) => ({ ...e, modelRequests: [...e.modelRequests, makeRequest(4, 950)] }),
  ],
  [
    "a call of a finished step sent again",
    "repeatedSteps",
    (e) => ({ ...e, recorded: [...e.recorded, received(KEYED, "call_3_0", 450)] }),
  ],
  ["a gap in the log", "other", (e) => ({ ...e, events: e.events.filter(({ seq }) => seq !== 9) })],
  [
    "a step that completed twice",
    "other",
    (e) => ({ ...e, events: [...e.events, { seq: e.events.length + 1, type: "step.completed", data: { step: 2 } }] }),
  ],
  [
    "an unknown outcome that the model was not told of",
    "other",
    (e) => withLedger({ ...e, kills: [KILL] }, "call_5_0", "unknown"),
  ],
  ["an unknown outcome of a task that nothing was killed under", "other", (e) => ({ ...unknownCall(e), kills: [] })],
  [
    "an unknown outcome of a call that was over when something was killed",
    "other",
    (e) => ({ ...unknownCall(e), kills: [{ from: 601, at: 640 }] }),
  ],
  [
    "an unknown outcome of a call that was begun after the kill",
    "other",
    (e) => ({ ...unknownCall(e), kills: [{ from: 460, at: 499 }] }),
  ],
])("%s is found", (_name, list, spoil) => {
  expect(judge(spoil(good()))[list]).not.toEqual([]);
});

test("an unknown outcome is allowed if the model got it and a kill hit the call, and is counted by whether it was sent", () => {
  const evidence = unknownCall(good());
  expect(judge(evidence)).toEqual({ ...CLEAN, unknownSent: 1, unknownUnsent: 0 });
  const unsent = { ...evidence, recorded: evidence.recorded.filter(({ path }) => path !== ONCE) };
  expect(judge(unsent)).toEqual({ ...CLEAN, unknownSent: 0, unknownUnsent: 1 });
});

test("a plan is the same for the same seed, and has the requested length", () => {
  const plan = (kills: number | null) => planKills({ short: false, kills, random: seededRandom(42) });
  expect(plan(null)).toEqual(plan(null));
  expect(plan(7)).toHaveLength(7);
  expect(plan(null).length).toBeGreaterThan(100);
});
