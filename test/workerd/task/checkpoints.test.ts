/** A model call that is cut off in the middle of a long reply: what the task's object stored of it, and what it is settled at. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { CHECKPOINT_TOKENS } from "../../../core/task/budget.ts";
import { measureTokens } from "../../../core/model/tokens.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { readStored } from "./stored-rows.ts";
import { factsOf, start, stubOf, taskOf, until } from "../tasks/client.ts";

/** What the mock server writes before it stalls, and the piece of each event. */
const STREAMED_TOKENS = 3_000;
const PIECE = "Each of these words is a part of an answer that nobody reads to its end. ";
const EVENTS = Math.ceil(STREAMED_TOKENS / measureTokens(PIECE));
const LONG_REPLY = {
  parts: [[PIECE, 2 * EVENTS]],
  pieceCharacters: PIECE.length,
  // The first event has the role alone.
  fault: { kind: "hang", afterEvents: 1 + EVENTS },
};

type Thinking = Extract<TaskState["phase"], { name: "thinking" }>;

test("a reply that a kill cuts off after 3,000 tokens costs its input, its last checkpoint and 1,024 tokens", async () => {
  const facts = factsOf([LONG_REPLY]);
  await start(facts);
  const readPhase = async (): Promise<Thinking> =>
    await runInDurableObject(stubOf(facts), (_object, { storage }) => {
      const { phase } = readStored(storage).state;
      if (phase.name !== "thinking") throw new Error(`the task is ${phase.name}`);
      return phase;
    });
  const { written = 0, reserved } = await vi.waitFor(
    async () => {
      const phase = await readPhase();
      expect(phase.written).toBeGreaterThanOrEqual(2 * CHECKPOINT_TOKENS);
      return phase;
    },
    { timeout: 20_000, interval: 20 },
  );
  // The next checkpoint would be past the end of what is written.
  expect(written + CHECKPOINT_TOKENS).toBeGreaterThan(EVENTS * measureTokens(PIECE));
  expect(reserved.outputTokens).toBeGreaterThan(2 * STREAMED_TOKENS);

  await abortAllDurableObjects();
  const settled = await until(facts, ({ usage }) => usage.output_tokens > 0);
  expect(settled.usage).toMatchObject({
    input_tokens: reserved.inputTokens,
    output_tokens: written + CHECKPOINT_TOKENS,
  });
  expect(settled.usage.output_tokens).toBeGreaterThanOrEqual(STREAMED_TOKENS);
  // The next attempt hangs too.
  await taskOf(facts).cancel("a test");
  const { usage } = await until(facts, ({ status }) => status === "cancelled");
  expect(usage.output_tokens).toBeLessThanOrEqual(2 * (written + CHECKPOINT_TOKENS));
});
