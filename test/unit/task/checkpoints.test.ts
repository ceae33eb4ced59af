/** A model call that was cut off costs its input, the output at its last checkpoint, and 1,024 tokens more. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Reply } from "../../../adapters/model/reply.ts";
import { Tiktoken } from "js-tiktoken/lite";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import o200k from "js-tiktoken/ranks/o200k_base";
import { CHECKPOINT_TOKENS } from "../../../core/task/budget.ts";
import type { Command } from "../../../core/task/commands.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { decide } from "../../../core/task/task.ts";
import { applyFailure, applyReply, startThinking, wake } from "./play-task.ts";
import { factsOf, NO_LIMITS } from "./world.ts";
import { ORDINARY, PROSE } from "../model/token-samples.ts";

const hop = { step: 1, attempt: 1, incarnation: "a" };
const progressed = (outputTokens: number): Command => ({ type: "model_progressed", ...hop, outputTokens });
const written = (state: TaskState, outputTokens: number) => decide(state, progressed(outputTokens), 1).state;
/** The output that a task is charged for once a crash has cut off its model call. */
const chargedAfterCrash = (state: TaskState) => wake(state, "b", 2000).state.usage.outputTokens;

describe("a model call that is cut off", () => {
  test("costs what it had written at its last checkpoint and 1,024 tokens more", () => {
    expect(chargedAfterCrash(startThinking())).toBe(1024);
    expect(chargedAfterCrash(written(startThinking(), 1100))).toBe(2124);
    expect(chargedAfterCrash(written(written(startThinking(), 1100), 5000))).toBe(6024);
    expect(applyFailure(written(startThinking(), 3000), { kind: "cut_off" }).state.usage.outputTokens).toBe(4024);
    expect(decide(written(startThinking(), 3000), { type: "halt", message: "stop" }, 2).state.usage.outputTokens).toBe(
      4024,
    );
  });

  test("never costs more than its reservation", () => {
    expect(chargedAfterCrash(written(startThinking(), 8000))).toBe(8192);
    const facts = { limits: { ...NO_LIMITS, maxTokens: 500 } };
    const { usage } = wake(startThinking(facts), "b", 2000).state;
    expect(usage.inputTokens + usage.outputTokens).toBeLessThanOrEqual(500);
  });

  test("costs its reservation when an earlier release began it, which stored no checkpoint", () => {
    const { phase, ...rest } = startThinking();
    if (phase.name !== "thinking") throw new Error("it thinks");
    const { written: _, ...before } = phase;
    expect(chargedAfterCrash({ ...rest, phase: before })).toBe(8192);
  });

  test("costs its own output only: the next attempt begins at zero", () => {
    const again = wake(written(startThinking(), 3000), "b", 2000).state;
    expect(wake(again, "c", 4000).state.usage.outputTokens).toBe(4024 + 1024);
  });

  test("stores no checkpoint after its reply, and a late checkpoint changes nothing", () => {
    const ended = applyReply(written(startThinking(), 3000), { text: "done" }).state;
    expect(ended.usage.outputTokens).toBe(3);
    expect(decide(ended, progressed(4000), 3).state).toBe(ended);
    const state = written(startThinking(), 3000);
    expect(decide(state, progressed(2000), 3).state).toBe(state);
  });

  test("costs at least what was streamed and at most 1,024 tokens more, wherever it is cut", () => {
    const piece = fc.constantFrom(
      "word ",
      '{"key":',
      " 12345",
      "漢字",
      "\n\n",
      "a longer piece of text that comes at once ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 1, max: 200 }), (pieces, times) => {
        const reply = new Reply("o200k");
        let state = startThinking({ ...factsOf() });
        for (let time = 0; time < times; time += 1) {
          for (const text of pieces) {
            if (time % 3 === 0) reply.addText(text);
            else if (time % 3 === 1) reply.addArguments(text);
            else reply.addThought(text);
            const outputTokens = reply.takeProgress();
            if (outputTokens !== null) state = written(state, outputTokens);
          }
        }
        const most = Math.min(8192, reply.outputTokens + CHECKPOINT_TOKENS);
        expect(chargedAfterCrash(state)).toBeGreaterThanOrEqual(Math.min(8192, Math.floor(reply.outputTokens)));
        expect(chargedAfterCrash(state)).toBeLessThanOrEqual(most);
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ["o200k", o200k],
    ["cl100k", cl100k],
  ] as const)(
    "costs its provider's count in %s, within the error of an estimate, for any output",
    (encoding, ranks) => {
      const tokenizer = new Tiktoken(ranks);
      const kinds = Object.entries({ ...ORDINARY, prose: Object.values(PROSE).join("\n") });
      for (const [kind, text] of kinds) {
        const counted = tokenizer.encode(text, "all").length;
        const reply = new Reply(encoding);
        let state = startThinking();
        let streamed = 0;
        for (; streamed + counted <= 4000; streamed += counted) {
          for (const piece of text.match(/ *[^ ]+/g) ?? []) {
            reply.addText(piece);
            const outputTokens = reply.takeProgress();
            if (outputTokens !== null) state = written(state, outputTokens);
          }
        }
        expect([kind, chargedAfterCrash(state) >= 0.9 * streamed]).toEqual([kind, true]);
      }
    },
  );

  test("is reported once for every 1,024 tokens, and never for a shorter reply", () => {
    const reply = new Reply("o200k");
    const reports: number[] = [];
    for (let at = 0; at < 5000; at += 1) {
      reply.addText(" word");
      const outputTokens = reply.takeProgress();
      if (outputTokens !== null) reports.push(outputTokens);
    }
    expect(reports.length).toBe(Math.floor(reply.outputTokens / 1024));
    const short = new Reply("o200k");
    short.addText(" word".repeat(1000));
    expect(short.takeProgress()).toBeNull();
  });
});
