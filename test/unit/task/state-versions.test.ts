import { describe, expect, test } from "vitest";
import { UNKNOWN_ACTORS } from "../../../core/connections/actors.ts";
import type { Decision } from "../../../core/task/decision.ts";
import { readState } from "../../../core/task/state-versions.ts";
import { STATE_VERSION, type TaskState } from "../../../core/task/state.ts";
import { getStatus } from "../../../core/task/status.ts";
import { decide, findNextWake } from "../../../core/task/task.ts";
import { OUTSIDE, PRINCIPAL } from "../../../core/provenance/label.ts";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import first from "../__fixtures__/states-v1.json" with { type: "json" };
import second from "../__fixtures__/states-v2.json" with { type: "json" };
import third from "../__fixtures__/states-v3.json" with { type: "json" };
import fourth from "../__fixtures__/states-v4.json" with { type: "json" };
import fifth from "../__fixtures__/states-v5.json" with { type: "json" };
import { answer } from "./world.ts";
import { applyFailure, applyReply, toView, wake } from "./play-task.ts";

/** Releases before the fifth version had the API as their only source, and no deliveries. */
const BY_API_ALONE = { via: { channel: "api", id: null }, deliver: [] };

/** Releases before the sixth version stored no labels, and those before the eighth no people. */
const PRINCIPAL_INPUT = { label: PRINCIPAL, actsFor: null };
const steeredBy = ({ usage }: { readonly usage: { readonly toolCalls: number } }) =>
  usage.toolCalls > 0 ? OUTSIDE : PRINCIPAL;
/** The fields that the sixth and the eighth version added to a state. */
const addedLater = (state: { readonly usage: { readonly toolCalls: number; readonly steps: number } }) => ({
  steeredBy: steeredBy(state),
  isContextCounted: state.usage.steps > 0,
  actors: UNKNOWN_ACTORS,
});

type Name = keyof typeof first;
const NAMES = Object.keys(first) as Name[];

/** The task of a fixture, as its object reads it. */
function read(name: Name): TaskState {
  const { facts, state } = first[name];
  return readState(facts, state);
}

/** A stored call as this release reads it: a keyed one has a lifetime of its key. */
const asRead = <Call extends { readonly effect: string }>(call: Call) =>
  call.effect === "keyed" ? { ...call, keyedForMs: expect.any(Number) } : call;

/** Continues from a state with a model that answers at once and tools that succeed, until the task has ended. */
function finish(from: TaskState): TaskState {
  let state = from;
  let now = 100_000;
  for (let turns = 0; turns < 50 && state.phase.name !== "ended"; turns += 1) {
    const due = findNextWake(state, now);
    if (due === null) throw new Error(`the task waits in ${state.phase.name}`);
    now = Math.max(now, due);
    const decision: Decision = wake(state, `run ${turns}`, now);
    state = decision.state;
    const { work } = decision;
    if (work?.kind === "think") state = applyReply(state, { text: "All done." }, now).state;
    if (work?.kind !== "act") continue;
    const hop = { step: work.step, incarnation: `run ${turns}` };
    for (const { callId } of work.calls) {
      state = decide(
        state,
        { type: "call_settled", ...hop, callId, outcome: confirmedOutcome({}, "done", 1) },
        now,
      ).state;
    }
    state = decide(state, { type: "runner_call_ended", ...hop }, now).state;
  }
  return state;
}

test("a task that the first version stored is read in whatever phase it was", () => {
  const phases = NAMES.map((name) => read(name).phase.name);
  expect([...new Set(phases)].sort()).toEqual([
    "acting",
    "backing_off",
    "ended",
    "held",
    "parked",
    "prepared",
    "ready",
    "thinking",
  ]);
  for (const name of NAMES) {
    const state = read(name);
    expect(state).toMatchObject({
      v: STATE_VERSION,
      permit: null,
      turnedAway: null,
      subtasks: [],
      loaded: [],
      toCancel: [],
    });
    expect(state.facts).toMatchObject({
      key: null,
      depth: 0,
      sources: [],
      skills: [],
      models: [{ name: "gpt-5-mini", windowTokens: 400_000 }],
    });
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    expect(readState(state.facts, state)).toEqual(state);
  }
  expect(Object.keys(read("ready").facts)).not.toContain("model");
});

test.each(NAMES.filter((name) => name !== "held" && name !== "ended"))(
  "a task that was stored while it was %s is finished",
  (name) => {
    const state = finish(read(name));
    expect(toView(state)).toMatchObject({ status: name === "warned" ? "failed" : "completed" });
  },
);

test("a draft task is started, under its own patterns", () => {
  const held = read("held");
  expect(held.facts.tools).toEqual([["read_*"]]);
  expect(read("parked").facts.tools).toEqual([["read_*"]]);
  const started = decide(held, { type: "start", request: null }, 2000);
  expect(getStatus(finish(started.state))).toBe("completed");
});

test("a request that was applied before the release is recognised after it", () => {
  expect(decide(read("ready"), { type: "start", request: "seed-1" }, 3000)).toMatchObject({
    refused: null,
    events: [],
  });
});

test("a question of the first version is answered, and its sleeping task continues to sleep", () => {
  const parked = read("parked");
  const [question] = toView(parked).pending;
  expect(question).toMatchObject({ kind: "question", query: "Which city?" });
  const answered = decide(parked, answer(question?.kind === "question" ? question.id : ""), 5000);
  expect(answered.refused).toBeNull();
  expect(getStatus(answered.state)).toBe("sleeping");
  expect(getStatus(finish(answered.state))).toBe("completed");
});

test("a running model call counts as its reservation, at the price that the task had pinned", () => {
  const again = wake(read("thinking"), "later", 100_000);
  expect(again.work).toMatchObject({ kind: "think", attempt: 2, model: "gpt-5-mini" });
  expect(again.state.usage).toMatchObject({ outputTokens: 8192, estimated: true });
  expect(again.state.usage.costMicros).toBeGreaterThan(8192 * 2);
});

test("a model that fails again after the release follows the rules of this release", () => {
  const next = wake(read("backing_off"), "later", 100_000).state;
  const failed = applyFailure(next, {}, 100_001).state;
  const tries = { failures: 2, firstFailureAt: 1500, rounds: 0, refused: [], cutOffs: 0, empty: 0, overflows: 0 };
  expect(failed.phase).toMatchObject({ name: "backing_off", until: 102_001, tries });
  const refused = applyFailure(next, { retryable: false }, 100_001).state;
  expect(toView(refused)).toMatchObject({ status: "failed", reason: "model_unavailable" });
});

test("running calls are recovered by their effect class", () => {
  const { facts, state } = first.acting;
  const again = wake(
    readState(facts, state, () => 90_000),
    "later",
    100_000,
  );
  expect(again.work).toMatchObject({ kind: "act", calls: [{ mode: "run", attempt: 2 }] });
  expect(again.ledger.find(({ kind }) => kind === "settle")).toMatchObject({ state: "unknown" });
});

test("a warning that was given is not given again", () => {
  const warned = read("warned");
  expect(first.warned.state.warned).toBe(true);
  const { events } = decide(warned, { type: "message", text: "hello", request: null }, 2000);
  expect(events.map(({ type }) => type)).not.toContain("budget.warning");
});

test("a state of a later release is refused, and so is one without a version", () => {
  const { facts, state } = first.ready;
  expect(() => readState(facts, { ...state, v: STATE_VERSION + 1 })).toThrow(`version ${STATE_VERSION + 1}`);
  expect(() => readState(facts, { ...state, v: undefined })).toThrow("version");
});

test.each(Object.keys(second) as (keyof typeof second)[])(
  "a task that the second version stored while it was %s is read as it was, with no tools but the built-in ones",
  (name) => {
    const { facts, state } = second[name];
    const { facts: factsNow, ...now } = readState(facts, state);
    expect(factsNow).toEqual({ ...facts, ...BY_API_ALONE, ...PRINCIPAL_INPUT, sources: [], skills: [] });
    const batch = state.batch.map(asRead);
    expect(now).toEqual({ ...state, v: STATE_VERSION, ...addedLater(state), batch, loaded: [] });
    expect(readState(factsNow, now)).toEqual({ ...now, facts: factsNow });
  },
);

test.each(Object.keys(third) as (keyof typeof third)[])(
  "a task that the third version stored while it was %s is read as it was, and works under no skill",
  (name) => {
    const { facts, state } = third[name];
    const { facts: factsNow, ...now } = readState(facts, state);
    expect(factsNow).toEqual({ ...facts, ...BY_API_ALONE, ...PRINCIPAL_INPUT, skills: [] });
    const batch = state.batch.map((call) => (call.tool === "dispatch_subagent" ? { ...call, dispatches: true } : call));
    const read = { batch: batch.map(asRead), loaded: [] };
    expect(now).toEqual({ ...state, v: STATE_VERSION, ...addedLater(state), ...read });
    expect(readState(factsNow, now)).toEqual({ ...now, facts: factsNow });
  },
);

test.each(Object.keys(fourth) as (keyof typeof fourth)[])(
  "a task that the fourth version stored while it was %s is read as it was, and delivers nowhere",
  (name) => {
    const { facts, state } = fourth[name];
    const { facts: factsNow, ...now } = readState(facts, state);
    expect(factsNow).toEqual({ ...facts, ...BY_API_ALONE, ...PRINCIPAL_INPUT });
    const batch = state.batch.map(asRead);
    expect(now).toEqual({ ...state, v: STATE_VERSION, ...addedLater(state), batch });
    expect(readState(factsNow, now)).toEqual({ ...now, facts: factsNow });
  },
);

test.each(Object.keys(fifth) as (keyof typeof fifth)[])(
  "a task that the fifth version stored while it was %s is read",
  (name) => {
    const { facts, state } = fifth[name];
    const read = readState(facts, state);
    expect(read).toMatchObject({ v: STATE_VERSION, step: state.step, facts: { id: facts.id, via: facts.via } });
    const isFromOutside = facts.via.channel !== "api";
    expect(read.facts.label).toBe(isFromOutside ? OUTSIDE : PRINCIPAL);
    expect(read.steeredBy).toBe(isFromOutside ? OUTSIDE : steeredBy(state));
    const { facts: factsNow, ...now } = read;
    expect(readState(factsNow, now)).toEqual(read);
  },
);

test("subtasks that the third version was about to create are created, with its tools and no skills", () => {
  const { facts, state } = third.dispatching;
  const { work } = wake(readState(facts, state), "later", 100_000);
  expect(work).toMatchObject({ kind: "dispatch", subtasks: [{ facts: { skills: [], tools: facts.tools } }, {}] });
});

test("an influenced call that the fifth version prepared is marked, unless a person decides on it or it has ended", () => {
  const { facts, state } = fifth.prepared;
  const [first, second] = state.batch;
  const wait = { kind: "approval", id: "apr_1", reason: "", expiresAt: null };
  const batch = [first, { ...second, attempts: 1 }, { ...first, wait }, { ...first, state: "confirmed" }];
  const marks = (by: object, toolCalls: number) =>
    readState({ ...facts, ...by }, { ...state, batch, usage: { ...state.usage, toolCalls } }).batch.map(
      ({ isUnjudged }) => isUnjudged === true,
    );
  expect(marks({}, 4)).toEqual([false, false, false, false]);
  expect(marks({}, 5)).toEqual([true, true, false, false]);
  expect(marks({ via: { channel: "webhook", id: "h" } }, 4)).toEqual([true, true, false, false]);
});

describe("labels of a task that the fifth version stored", () => {
  const { facts, state } = fifth.thinking;
  const readWith = (by: object) => readState({ ...facts, ...by }, state);

  test("of a subtask are outside, because its parent's model wrote the input", () => {
    const child = readWith({ parentId: "task_parent", depth: 1 });
    expect([child.facts.label, child.steeredBy, child.facts.texts]).toEqual([OUTSIDE, OUTSIDE, undefined]);
    expect(readWith({ parentId: "task_parent", kind: "call" }).facts.label).toBe(PRINCIPAL);
  });

  test("of a Slack thread are outside, up to the request", () => {
    const via = { channel: "slack", id: "T1/C1/1.2" };
    const said = { role: "user", content: "> Mallory: send me the list" };
    const answer = { role: "assistant", content: "Here is a page." };
    const request = { role: "user", content: "Sum it up." };
    const thread = readWith({ via, input: [said, answer, request] });
    expect([thread.facts.label, thread.steeredBy]).toEqual([OUTSIDE, OUTSIDE]);
    expect(thread.facts.texts).toEqual([
      { ...said, label: OUTSIDE },
      { ...answer, label: OUTSIDE },
      { ...request, label: PRINCIPAL },
    ]);
    const alone = readWith({ via, input: "Sum it up." });
    expect([alone.facts.label, alone.steeredBy, alone.facts.texts]).toEqual([PRINCIPAL, PRINCIPAL, undefined]);
    const files = "Files that came with this message:\n- slack/Pay Mallory.pdf";
    const steering = (texts: readonly string[], by: object) =>
      readState({ ...facts, ...by }, { ...state, steering: texts }).steering.map(({ content, label, continues }) => [
        content,
        label,
        continues === true,
      ]);
    expect(steering([`Here.\n\n${files}`, files, "Go on."], { via })).toEqual([
      ["Here.", PRINCIPAL, false],
      [`\n\n${files}`, OUTSIDE, true],
      [files, OUTSIDE, false],
      ["Go on.", PRINCIPAL, false],
    ]);
    expect(steering([files], {})).toEqual([[files, PRINCIPAL, false]]);
    const listed = readWith({ input: [said, request] });
    expect([listed.facts.label, listed.facts.texts]).toEqual([PRINCIPAL, undefined]);
  });
});
