/** A call that asks a person before it does anything, and is made again with the answer. */
import { describe, expect, test } from "vitest";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import type { Decision } from "../../../core/task/decision.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { getStatus } from "../../../core/task/status.ts";
import { decide } from "../../../core/task/task.ts";
import { findTaskOfWait } from "../../../core/base/ids.ts";
import type { Control } from "../../../core/tool/tool.ts";
import { requestCalls, preparedCall, toView, startThinking, wake } from "./play-task.ts";

const asks = (round: number, change: Partial<Extract<Control, { kind: "ask" }>> = {}): Control => ({
  kind: "ask",
  query: `Question ${round}?`,
  person: null,
  choices: null,
  wait: true,
  deadlineSeconds: null,
  defaultAnswer: null,
  state: { round },
  ...change,
});

/** The hop that is under way ends with this control of the step's one call. */
function controlled(state: TaskState, control: Control, now: number): TaskState {
  const { phase, step, batch } = state;
  if (phase.name !== "acting") throw new Error(`the task is ${phase.name}`);
  const outcome = { ...confirmedOutcome(null, "", 1), control };
  const { incarnation } = phase;
  const callId = batch[0]?.id ?? "";
  const settled = decide(state, { type: "call_settled", step, incarnation, callId, outcome }, now);
  return decide(settled.state, { type: "runner_call_ended", step, incarnation }, now).state;
}

function answered(state: TaskState, question: string, text: string, now = 10): Decision {
  return decide(state, { type: "answer", question, answer: text, isChoice: false, by: "ana", request: null }, now);
}

function questionOf(state: TaskState): string {
  const wait = state.batch[0]?.wait;
  if (wait?.kind !== "question") throw new Error("nothing is asked");
  return wait.id;
}

/** A task whose one call, made once at most, asked its first question. */
function asking(): TaskState {
  const state = startThinking();
  return controlled(requestCalls(state, [preparedCall(state, 0, { effect: "once" })]).state, asks(0), 2);
}

describe("a call that asks a person and resumes", () => {
  test("waits, and runs again with its state and the answer, as a first attempt", () => {
    const waiting = asking();
    expect(getStatus(waiting)).toBe("waiting_input");
    expect(toView(waiting).pending).toMatchObject([{ kind: "question", query: "Question 0?" }]);
    const { state, ledger } = answered(waiting, questionOf(waiting), "yes");
    expect(ledger).toEqual([]);
    const again = wake(state, "b", 11);
    expect(again.work).toMatchObject({ kind: "act", calls: [{ mode: "run", attempt: 1 }] });
    expect(again.state.batch[0]).toMatchObject({ resumed: { state: { round: 0 }, answer: "yes", questions: 1 } });
  });

  test("asks again under another id, and the answer to the first counts once", () => {
    const waiting = asking();
    const first = questionOf(waiting);
    const running = wake(answered(waiting, first, "yes").state, "b", 11).state;
    const again = controlled(running, asks(1), 12);
    const second = questionOf(again);
    expect(second).not.toBe(first);
    expect(findTaskOfWait(second)).toBe(again.facts.id);
    expect(findTaskOfWait(first)).toBe(again.facts.id);
    expect(answered(again, first, "yes").refused).toMatchObject({ code: "conflict", details: { by: "ana" } });
    const { state } = answered(again, second, "no");
    expect(state.batch[0]?.resumed).toEqual({ state: { round: 1 }, answer: "no", questions: 2 });
  });

  test("that is cut off after the answer may have happened, as any other of its kind", () => {
    const running = wake(answered(asking(), questionOf(asking()), "yes").state, "b", 11).state;
    const after = wake(running, "c", 20);
    expect(after.ledger).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: "settle", state: "unknown" })]),
    );
  });

  test("resumes without an answer when the question expires", () => {
    const state = startThinking();
    const acting = requestCalls(state, [preparedCall(state, 0, { effect: "none" })]).state;
    const waiting = controlled(acting, asks(0, { deadlineSeconds: 5, defaultAnswer: "the default" }), 2);
    const late = wake(waiting, "b", 6_000);
    expect(late.state.batch[0]?.resumed).toMatchObject({ answer: "the default" });
    const silent = controlled(acting, asks(0, { deadlineSeconds: 5 }), 2);
    expect(wake(silent, "b", 6_000).state.batch[0]?.resumed).toMatchObject({ answer: null });
  });

  test("ends with its task", () => {
    const { state } = decide(asking(), { type: "cancel", by: "ana" }, 20);
    expect(getStatus(state)).toBe("cancelled");
    expect(state.batch[0]?.state).toBe("failed");
  });
});
