/** Runs that an event begins: one attempt of a long model call, and one more when the object dies during it. */
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import type { TaskFacts } from "../../../core/task/state.ts";
import { alarmOf, ask, factsOf, start, stubOf, taskOf, until, untilBegun } from "../tasks/client.ts";

/** Longer than two settings of the guard. */
const LONG_MS = 2500;
const long = { text: "Done.", delayMs: LONG_MS };

async function attemptsOf(facts: TaskFacts): Promise<unknown[]> {
  const page = await taskOf(facts).events(0, 500);
  if (!page.ok) throw new Error(page.error.message);
  return page.value.events.filter(({ type }) => type === "step.started").map(({ data }) => data["attempt"]);
}

describe("a run", () => {
  test("begins with the creation, without waiting for an alarm", async () => {
    const facts = factsOf([long]);
    await start(facts);
    // In the row of the creation: the phase that follows it, a permit or the model call.
    const alarm = await alarmOf(facts);
    expect(alarm).toBeGreaterThan(Date.now());
    await untilBegun(facts, 1);
    expect(await alarmOf(facts)).toBe(alarm);
    await until(facts, ({ status }) => status === "completed");
  });

  test("makes one attempt of a model call that outlasts its guard", async () => {
    const facts = factsOf([long]);
    await start(facts);
    await until(facts, ({ status }) => status === "completed");
    expect(await attemptsOf(facts)).toEqual([1]);
    await vi.waitFor(async () => expect(await alarmOf(facts)).toBeNull(), { timeout: 20_000 });
  });

  test("is continued by its guard when the object dies, as the next attempt", async () => {
    const facts = factsOf([long]);
    await start(facts);
    await untilBegun(facts, 1);
    await runInDurableObject(stubOf(facts), (_, state) => state.abort("a test")).catch(() => undefined);
    await until(facts, ({ status }) => status === "completed");
    expect(await attemptsOf(facts)).toEqual([1, 2]);
  });

  test("begins with an answer, and once for two answers", async () => {
    const facts = factsOf([ask, long]);
    await start(facts);
    const { pending } = await until(facts, ({ status }) => status === "waiting_input");
    const [question] = pending.map((one) => (one.kind === "question" ? one.id : ""));
    const answer = async () =>
      await taskOf(facts).answer(question ?? "", { text: "Rome", isChoice: false, by: "a test" }, null);
    const answers = await Promise.all([answer(), answer()]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    await until(facts, ({ status }) => status === "completed");
    expect(await attemptsOf(facts)).toEqual([1, 1]);
  });

  test("does not begin while the alarm of a failed one is delayed", async () => {
    const facts = factsOf([ask, { text: "Done." }]);
    await start(facts);
    const { pending } = await until(facts, ({ status }) => status === "waiting_input");
    const [question] = pending.map((one) => (one.kind === "question" ? one.id : ""));
    const failedAt = Date.now();
    await runInDurableObject(stubOf(facts), (object) => {
      const { engine } = object as unknown as { engine: { alarm: { retryLater(...given: unknown[]): void } } };
      const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
      engine.alarm.retryLater("a test", new Error("a test"), () => undefined);
      log.mockRestore();
    });
    await taskOf(facts).answer(question ?? "", { text: "Rome", isChoice: false, by: "a test" }, null);
    await until(facts, ({ status }) => status === "completed");
    expect(Date.now() - failedAt).toBeGreaterThanOrEqual(1000);
  });

  test("leaves no alarm in an object whose task was erased", async () => {
    const facts = factsOf([{ text: "Done." }]);
    await start(facts);
    await until(facts, ({ status }) => status === "completed");
    await vi.waitFor(async () => expect(await taskOf(facts).erase()).toEqual({ ok: true, value: undefined }));
    // The alarm fired while the erasure removed it.
    await runInDurableObject(
      stubOf(facts),
      async (object) => await (object as DurableObject & { alarm(): Promise<void> }).alarm(),
    );
    expect(await alarmOf(facts)).toBeNull();
  });
});
