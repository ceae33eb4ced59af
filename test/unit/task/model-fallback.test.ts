import { describe, expect, test } from "vitest";
import { planNextTry } from "../../../core/task/model-retry.ts";
import type { ModelFailure } from "../../../core/ports/model.ts";
import type { ModelTries, TaskState } from "../../../core/task/state.ts";
import { findNextWake } from "../../../core/task/task.ts";
import { requestCalls, applyFailure, preparedCall, applyReply, toView, startThinking, wake } from "./play-task.ts";

const MODELS = [10, 1, 2].map((price, at) => ({
  name: `m${at}`,
  price: { inputPerMillion: price, outputPerMillion: price },
  windowTokens: 128_000,
}));
const BUSY = { kind: "unavailable", retryable: true } as const;
const NO = { kind: "refused", retryable: false } as const;

/** The models that are asked in turn while each try fails as said, and how long each was waited for. */
function play(failures: readonly (typeof BUSY | typeof NO)[], models = MODELS.length) {
  let state = startThinking({ models: MODELS.slice(0, models) });
  let now = 0;
  const tries: [model: string, afterMs: number][] = [];
  for (const failure of failures) {
    const failed = applyFailure(state, failure, now).state;
    const at = findNextWake(failed, now);
    if (failed.phase.name === "ended" || at === null) {
      state = failed;
      break;
    }
    const next = wake(failed, "a", at);
    tries.push([next.work?.kind === "think" ? next.work.model : "none", at - now]);
    [state, now] = [next.state, at];
  }
  return { tries, state, now };
}

describe("the next model", () => {
  test.each([
    [
      "one that refuses the request gives way at once",
      [NO, NO],
      [
        ["m1", 0],
        ["m2", 0],
      ],
    ],
    ["one that fails is asked once more after a second", [BUSY], [["m0", 1000]]],
    [
      "one that fails twice in a row gives way at once",
      [BUSY, BUSY],
      [
        ["m0", 1000],
        ["m1", 0],
      ],
    ],
    [
      "the next one has two tries of its own",
      [BUSY, BUSY, BUSY, BUSY],
      [
        ["m0", 1000],
        ["m1", 0],
        ["m1", 1000],
        ["m2", 0],
      ],
    ],
    [
      "after all have failed, the first is retried after a pause",
      [BUSY, BUSY, BUSY, BUSY, BUSY, BUSY, BUSY],
      [
        ["m0", 1000],
        ["m1", 0],
        ["m1", 1000],
        ["m2", 0],
        ["m2", 1000],
        ["m0", 1000],
        ["m0", 1000],
      ],
    ],
    [
      "one that refused is left out when the rest go round",
      [NO, BUSY, BUSY, BUSY, BUSY, BUSY],
      [
        ["m1", 0],
        ["m1", 1000],
        ["m2", 0],
        ["m2", 1000],
        ["m1", 1000],
        ["m1", 1000],
      ],
    ],
    [
      "the last one that has not refused is tried alone",
      [NO, NO, BUSY, BUSY, BUSY],
      [
        ["m1", 0],
        ["m2", 0],
        ["m2", 1000],
        ["m2", 2000],
        ["m2", 4000],
      ],
    ],
  ] as const)("%s", (_, failures, expected) => {
    expect(play(failures).tries).toEqual(expected);
  });

  test("no fallback when all have refused: the task ends with the last one's words", () => {
    const { state, tries } = play([NO, NO, NO]);
    expect(tries).toHaveLength(2);
    expect(toView(state)).toMatchObject({
      status: "failed",
      reason: "model_unavailable",
      error: { message: "the server is on fire" },
    });
  });

  test.each([1, 2, 3])("pauses grow from 1 s to 30 s between rounds of %d, and end after 30 minutes", (models) => {
    const { state, tries, now } = play(
      Array.from({ length: 1000 }, () => BUSY),
      models,
    );
    const pauses = tries.map(([, pause]) => pause).filter((pause) => pause > 0);
    expect([Math.min(...pauses), Math.max(...pauses)]).toEqual([1000, 30_000]);
    expect(toView(state)).toMatchObject({ status: "failed", reason: "model_unavailable" });
    expect(now).toBeGreaterThan(28 * 60_000);
    expect(now).toBeLessThanOrEqual(30 * 60_000);
    expect(new Set(tries.map(([model]) => model)).size).toBe(models);
  });

  test("waits for the time that the provider requests, but not before it calls a fallback", () => {
    const tries: ModelTries = {
      failures: 0,
      firstFailureAt: null,
      rounds: 0,
      refused: [],
      cutOffs: 0,
      empty: 0,
      overflows: 0,
    };
    const failure: ModelFailure = { kind: "rate_limited", retryable: true, retryAfterMs: 9000, message: "slow down" };
    const first = planNextTry(failure, tries, { model: 0, models: 2 }, 100);
    expect(first).toMatchObject({ model: 0, until: 9100 });
    expect(planNextTry(failure, first?.tries ?? tries, { model: 0, models: 2 }, 9100)).toMatchObject({
      model: 1,
      until: 9100,
    });
    const long = { ...failure, retryAfterMs: 31 * 60_000 };
    expect(planNextTry(long, tries, { model: 0, models: 1 }, 100)).toBeNull();
  });
});

describe("a fallback", () => {
  /** A task whose second model is asked at the first step. */
  function fallen(): TaskState {
    return wake(applyFailure(startThinking({ models: MODELS }), NO, 0).state, "a", 0).state;
  }

  test("is paid at its own price, and named in what watchers read", () => {
    const { state, spent, events } = applyReply(fallen(), { text: "done" }, 1);
    expect(spent).toMatchObject([{ model: "m1", costMicros: 10 }]);
    expect(state.usage.costMicros).toBe(10);
    expect(events.find(({ type }) => type === "message.completed")?.data).toMatchObject({
      model: "m1",
      cost_usd: 0.00001,
    });
  });

  test("is reserved at its own price, and a call of it that was cut off costs that", () => {
    const { state, spent } = applyFailure(fallen(), { kind: "cut_off", retryable: true }, 1);
    const { inputTokens = 0, outputTokens = 0 } = spent[0] ?? {};
    expect(spent).toMatchObject([{ model: "m1", estimated: true, costMicros: inputTokens + outputTokens }]);
    expect(state.usage.costMicros).toBe(inputTokens + outputTokens);
  });

  test("is used for five minutes, then a step calls the first model again", () => {
    const call = preparedCall(startThinking(), 0, {
      outcome: { state: "confirmed", result: { ok: true, result: 1 }, content: "", control: null, durationMs: 1 },
    });
    const ready = requestCalls(fallen(), [call], 1).state;
    expect(wake(ready, "b", 299_999).work).toMatchObject({ kind: "think", model: "m1", step: 2 });
    const back = wake(ready, "b", 300_000);
    expect(back.work).toMatchObject({ kind: "think", model: "m0", step: 2 });
    expect(back.state.phase).toMatchObject({ tries: { refused: [], failures: 0 } });
  });
});
