/** Tasks that each earlier version stored, in each kind of wait: this release finishes them. */
import { describe, expect, test } from "vitest";
import { isOnlyActor, UNKNOWN_ACTORS } from "../../../core/connections/actors.ts";
import type { Command } from "../../../core/task/commands.ts";
import type { Work } from "../../../core/task/decision.ts";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import { readState } from "../../../core/task/state-versions.ts";
import { STATE_VERSION, type BatchCall, type TaskState } from "../../../core/task/state.ts";
import { decide, findNextWake } from "../../../core/task/task.ts";
import first from "../__fixtures__/states-v1.json" with { type: "json" };
import second from "../__fixtures__/states-v2.json" with { type: "json" };
import third from "../__fixtures__/states-v3.json" with { type: "json" };
import fourth from "../__fixtures__/states-v4.json" with { type: "json" };
import fifth from "../__fixtures__/states-v5.json" with { type: "json" };
import sixth from "../__fixtures__/states-v6.json" with { type: "json" };
import seventh from "../__fixtures__/states-v7.json" with { type: "json" };
import { answer } from "./world.ts";
import { applyReply, createEnding, toView, wake } from "./play-task.ts";

type Stored = Readonly<Record<string, { readonly facts: unknown; readonly state: { readonly v: number } }>>;

const VERSIONS: readonly Stored[] = [first, second, third, fourth, fifth, sixth, seventh];
const TASKS = VERSIONS.flatMap((tasks, index) =>
  Object.entries(tasks).map(([name, { facts, state }]) => ({ version: index + 1, name, facts, state })),
);
const BY_ANA = { by: "ana", request: null } as const;
const APPROVED = { decision: "approve", revised: null, reason: null } as const;

/** What ends the wait of a call; null if only time does. */
function endWait({ id, wait }: BatchCall): Command | null {
  switch (wait?.kind) {
    case "question":
      return answer(wait.id);
    case "approval":
      return { type: "approval_decided", approval: wait.id, ...APPROVED, ...BY_ANA };
    case "unknown":
      return { type: "unknown_decided", callId: id, decision: "done", ...BY_ANA };
    case "subtask":
      return wait.opened ? { type: "subtask_ended", ending: createEnding(wait.id) } : null;
    default:
      return null;
  }
}

/** What the runner and the subtasks' objects report of a work. */
function reportsOf(work: Work, incarnation: string): Command[] {
  if (work.kind === "dispatch") return work.subtasks.map(({ callId }): Command => ({ type: "subtask_opened", callId }));
  if (work.kind !== "act") return [];
  const ref = { step: work.step, incarnation };
  const lines = work.calls.map(({ callId, mode }): Command => {
    if (mode === "bind") return { type: "call_bound", ...ref, callId, arguments: {}, files: [] };
    return { type: "call_settled", ...ref, callId, outcome: confirmedOutcome({}, "done", 1) };
  });
  return [...lines, { type: "runner_call_ended", ...ref }];
}

/** Continues with people who answer, a model that answers at once and tools that succeed, until the task has ended. */
function finish(from: TaskState): TaskState {
  let state = from;
  const apply = (command: Command, now: number) => {
    const decision = decide(state, command, now);
    expect(decision.refused).toBeNull();
    state = decision.state;
  };
  for (let turn = 0, now = 5000; turn < 50 && state.phase.name !== "ended"; turn += 1) {
    if (state.phase.name === "held") apply({ type: "start", request: null }, now);
    for (const command of state.batch.flatMap((call) => endWait(call) ?? [])) apply(command, now);
    const due = findNextWake(state, now);
    if (due === null) continue;
    now = Math.max(now, due);
    const { state: woken, work } = wake(state, `run ${turn}`, now);
    state = woken;
    if (work?.kind === "think") state = applyReply(state, { text: "All done." }, now).state;
    else if (work !== null) for (const command of reportsOf(work, `run ${turn}`)) apply(command, now);
  }
  return state;
}

test("a fixture stores every kind of wait", () => {
  const kinds = Object.values(seventh).flatMap(({ state }) => state.batch.map((call) => call.wait?.kind));
  expect(new Set(kinds.filter((kind) => kind !== undefined))).toEqual(
    new Set(["question", "approval", "unknown", "subtask", "sleep"]),
  );
});

test("every earlier version has a fixture", () => {
  for (const { version, state } of TASKS) expect(state.v).toBe(version);
  expect(VERSIONS.length).toBeGreaterThanOrEqual(STATE_VERSION - 1);
});

test.each(TASKS.filter(({ version }) => version === 6 || version === 7))(
  "a task that version $version stored is read as it was, with unknown actors: $name",
  ({ facts, state }) => {
    const { facts: factsNow, ...now } = readState(facts, state);
    expect(factsNow).toEqual({ ...(facts as object), actsFor: null });
    expect(now).toEqual({ ...state, v: STATE_VERSION, actors: UNKNOWN_ACTORS });
  },
);

test("an unknown actor of an earlier version stays, also for the subtasks that it was about to create", () => {
  const { facts, state } = seventh.dispatching;
  const read = readState(facts, state);
  const { work } = wake(read, "later", 5000);
  expect(work).toMatchObject({
    kind: "dispatch",
    subtasks: [{ facts: { actsFor: null, actors: UNKNOWN_ACTORS } }, {}],
  });
  const by = { person: "per_ana", name: "Ana" };
  const sent = decide(read, { type: "message", text: "Go on.", request: null, by }, 5000);
  expect(isOnlyActor(sent.state.actors, "per_ana")).toBe(false);
});

describe.each(TASKS)("a task that version $version stored: $name", ({ name, facts, state }) => {
  test("is read and finished", () => {
    const read = readState(facts, state);
    expect(read.v).toBe(STATE_VERSION);
    const { facts: factsNow, ...stateNow } = read;
    expect(readState(factsNow, stateNow)).toEqual(read);
    const ended = finish(read);
    const status = name === "warned" ? "failed" : name === "cancelled" ? "cancelled" : "completed";
    expect(toView(ended).status).toBe(status);
  });
});
