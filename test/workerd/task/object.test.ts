import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { describe, expect, inject, test, vi } from "vitest";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import type { TaskEngine } from "../../../durable-objects/task/engine.ts";
import {
  alarmOf,
  ask,
  factsOf,
  ledgerOf,
  start,
  stubOf,
  taskOf,
  until,
  untilBegun,
  waitIdOf,
} from "../tasks/client.ts";

describe("a task object", () => {
  test("runs a task to its end through the step runner, with real tools", async () => {
    const facts = factsOf([
      { calls: [{ name: "write_file", arguments: { filename: "a.md", content: "hello" } }] },
      { calls: [{ name: "read_file", arguments: { filename: "a.md" } }] },
      { text: "It says hello." },
    ]);
    const task = await start(facts);
    const view = await until(facts, ({ status }) => status === "completed");
    expect(view).toMatchObject({ output: { text: "It says hello." }, usage: { steps: 3, tool_calls: 2 } });
    const ledger = await task.ledger({ after: null, limit: 500, withResults: true });
    expect(ledger.ok && ledger.value.rows.map((row) => [row.tool, row.effect, row.state])).toEqual([
      ["write_file", "keyed", "confirmed"],
      ["read_file", "none", "confirmed"],
    ]);
    await vi.waitFor(async () => expect(await alarmOf(facts)).toBeNull(), { timeout: 20_000 });
  });

  test("arms no alarm while it waits for an answer, and takes the first answer only", async () => {
    const facts = factsOf([ask, { text: "Thank you." }]);
    const task = await start(facts);
    const waiting = await until(facts, ({ status }) => status === "waiting_input");
    await vi.waitFor(async () => expect(await alarmOf(facts)).toBeNull(), { timeout: 20_000 });
    const answers = await Promise.all(
      ["Lisbon", "Porto"].map(
        async (text) => await task.answer(waitIdOf(waiting), { text, isChoice: false, by: "ana" }, null),
      ),
    );
    expect(answers.map((answer) => (answer.ok ? "ok" : answer.error.code)).sort()).toEqual(["conflict", "ok"]);
    await until(facts, ({ status }) => status === "completed");
  });

  test("takes up a step that was cut off, under a new attempt and with nothing done twice", async () => {
    const facts = factsOf([
      { calls: [{ name: "write_file", arguments: { filename: "a.md", content: "once" } }] },
      { text: "late", delayMs: 2000 },
    ]);
    await start(facts);
    await untilBegun(facts, 2);
    await abortAllDurableObjects();
    const view = await until(facts, ({ status }) => status === "completed");
    expect(view).toMatchObject({ output: { text: "late" }, usage: { steps: 2, tool_calls: 1, estimated: true } });
    const page = await taskOf(facts).events(0, 500);
    const started = page.ok
      ? page.value.events
          .filter(({ type }) => type === "step.started")
          .map(({ data }) => [data["step"], data["attempt"]])
      : [];
    expect(started).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
    ]);
  });

  test("retains its question across a crash", async () => {
    const facts = factsOf([ask, { text: "Thank you." }]);
    await start(facts);
    const before = await until(facts, ({ status }) => status === "waiting_input");
    await abortAllDurableObjects();
    const after = await until(facts, ({ status }) => status === "waiting_input");
    expect(after.pending).toEqual(before.pending);
    await taskOf(facts).answer(waitIdOf(after), { text: "Lisbon", isChoice: false, by: "ana" }, null);
    await until(facts, ({ status }) => status === "completed");
  });

  test("looks up whether a call happened before it is made again, and makes it exactly once", async () => {
    const url = inject("servers").recorderUrl;
    const sentFor = async (key: string | undefined) => {
      const records = await (await fetch(`${url}/records`)).json<{ path: string }[]>();
      return records.filter(({ path }) => path.endsWith(`/sent/${key}`));
    };
    for (const timing of [{ before_ms: 3000 }, { after_ms: 3000 }]) {
      const facts = factsOf([{ calls: [{ name: "test_send", arguments: { url, ...timing } }] }, { text: "Sent." }]);
      const task = await start(facts);
      // It is under way; where that comes before the pause, it has been sent too.
      await vi.waitFor(
        async () => {
          const [begun] = await ledgerOf(facts);
          expect(begun).toMatchObject({ state: "intended", attempts: 1 });
          if ("after_ms" in timing) expect(await sentFor(begun?.key)).toHaveLength(1);
        },
        { timeout: 20_000, interval: 25 },
      );
      await abortAllDurableObjects();
      await until(facts, ({ status }) => status === "completed");
      const page = await taskOf(facts).ledger({ after: null, limit: 10, withResults: true });
      const [row] = page.ok ? page.value.rows : [];
      const sent = "after_ms" in timing ? "before" : "now";
      expect(row).toMatchObject({ effect: "probe", state: "confirmed", attempts: 2, result: { result: { sent } } });
      expect(await sentFor(row?.key)).toHaveLength(1);
      void task;
    }
  });

  test("is not stuck when a decision cannot be stored: the alarm takes it up again", async () => {
    const facts = factsOf([
      { calls: [{ name: "write_file", arguments: { filename: "a.md", content: "x" } }] },
      { text: "Done." },
    ]);
    await taskOf(facts).create({ facts, hold: true, call: null });
    await runInDurableObject(stubOf(facts), async (object) => {
      const { store } = object as unknown as { store: { append: (...given: unknown[]) => unknown } };
      const append = store.append.bind(store);
      let calls = 0;
      store.append = (...given) => {
        calls += 1;
        if (calls === 3) throw new Error("the disk said no");
        return append(...given);
      };
    });
    await taskOf(facts).start(null);
    const view = await until(facts, ({ status }) => status === "completed");
    expect(view).toMatchObject({ output: { text: "Done." }, usage: { tool_calls: 1 } });
  });

  test("continues after its alarm was lost when it is poked, although its object believes the alarm is set", async () => {
    const facts = factsOf([{ calls: [{ name: "wait", arguments: { seconds: 4 } }] }, { text: "Done." }]);
    const task = await start(facts);
    await until(facts, ({ status }) => status === "sleeping");
    const wakeAt = await runInDurableObject(stubOf(facts), async (object, { storage }) => {
      const { engine } = object as unknown as { engine: TaskEngine };
      // Whatever would set the alarm again has then been done.
      await engine.waitForRun();
      await engine.report();
      const at = await storage.getAlarm();
      await storage.deleteAlarm();
      return at ?? 0;
    });
    await scheduler.wait(wakeAt - Date.now() + 200);
    expect(await task.view()).toMatchObject({ ok: true, value: { status: "sleeping" } });
    await task.poke();
    await until(facts, ({ status }) => status === "completed");
  });

  test("applies a request once, however often it is sent", async () => {
    const facts = factsOf([ask, { text: "Thank you." }]);
    const task = await start(facts);
    const waiting = await until(facts, ({ status }) => status === "waiting_input");
    const question = waitIdOf(waiting);
    const given = { text: "Lisbon", isChoice: false, by: "ana" };
    const answers = [await task.answer(question, given, "seed"), await task.answer(question, given, "seed")];
    expect(answers.map(({ ok }) => ok)).toEqual([true, true]);
    expect(await task.answer(question, given, "another")).toMatchObject({ ok: false, error: { code: "conflict" } });
  });

  test("cancels and erases the hidden tasks that it adopted", async () => {
    const facts = factsOf([ask]);
    const hidden = factsOf([ask], { kind: "agent", parentId: facts.id, rootId: facts.id });
    const task = await start(facts);
    await task.adopt(hidden.id);
    await start(hidden);
    await until(hidden, ({ status }) => status === "waiting_input");
    await until(facts, ({ status }) => status === "waiting_input");
    await task.cancel("ana");
    await until(hidden, ({ status }) => status === "cancelled");
    await task.erase();
    expect(await taskOf(hidden).view()).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("removes a hidden call when it has ended", async () => {
    const facts = factsOf([ask]);
    const task = await start(facts);
    const hidden = factsOf([], { kind: "call", parentId: facts.id, rootId: facts.id });
    const call = {
      id: `call_${hidden.id.slice(5)}_1_0`,
      tool: "get_current_datetime",
      arguments: { timezone: "UTC" },
      argumentsHash: await hashArguments("get_current_datetime", { timezone: "UTC" }),
      effect: "none" as const,
      approval: null,
      outcome: null,
    };
    await task.adopt(hidden.id);
    await taskOf(hidden).create({ facts: hidden, hold: false, call });
    await until(hidden, ({ status }) => status === "completed");
    await vi.waitFor(
      async () =>
        await runInDurableObject(stubOf(facts), (object) => {
          const { store } = object as unknown as { store: { load(): { state: { adopted: string[] } } } };
          expect(store.load().state.adopted).toEqual([]);
        }),
      { timeout: 20_000 },
    );
  });

  test("stops a model call in the middle when it is cancelled", async () => {
    const facts = factsOf([{ text: "too late", delayMs: 20_000 }]);
    const task = await start(facts);
    await until(facts, ({ status }) => status === "running");
    expect(await task.cancel("ana")).toMatchObject({ ok: true, value: { status: "cancelled", reason: "cancelled" } });
    expect(await task.message("hello?", null)).toMatchObject({ ok: false, error: { code: "conflict" } });
    await vi.waitFor(async () => expect(await alarmOf(facts)).toBeNull(), { timeout: 20_000 });
  });

  test("numbers its events without a gap and ends the log with the end", async () => {
    const facts = factsOf([{ text: "Done." }]);
    await start(facts);
    await until(facts, ({ status }) => status === "completed");
    const page = await taskOf(facts).events(0, 500);
    if (!page.ok) throw new Error(page.error.message);
    expect(page.value.events.map(({ seq }) => seq)).toEqual(page.value.events.map((_, index) => index + 1));
    expect(page.value.done).toBe(true);
    expect(page.value.events.at(-1)?.type).toBe("task.completed");
  });

  test("is created once, however often it is requested", async () => {
    const facts = factsOf([ask]);
    await start(facts);
    await start(facts);
    const page = await taskOf(facts).events(0, 500);
    expect(page.ok && page.value.events.filter(({ type }) => type === "task.created")).toHaveLength(1);
  });

  test("is erased only when it has ended, and then is not found", async () => {
    const facts = factsOf([ask]);
    const task = await start(facts);
    await until(facts, ({ status }) => status === "waiting_input");
    expect(await task.erase()).toMatchObject({ ok: false, error: { code: "conflict" } });
    await task.cancel("ana");
    expect(await task.erase()).toMatchObject({ ok: true });
    expect(await task.view()).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await task.erase()).toMatchObject({ ok: false, error: { code: "not_found" } });
  });
});
