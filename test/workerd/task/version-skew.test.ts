/** Objects and runners of different releases: an object that is newer than its runner, and the reverse. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, inject, test, vi } from "vitest";
import { channelsFromEnv } from "../../../adapters/env/channels.ts";
import { stepsFromEnv } from "../../../adapters/env/steps.ts";
import type { Attempt, Delivery } from "../../../core/channels/outbox/delivery.ts";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import { startActors, UNKNOWN_ACTORS } from "../../../core/connections/actors.ts";
import { deriveCallId } from "../../../core/base/ids.ts";
import { JOB_VERSION } from "../../../core/steps/job-version.ts";
import type { LineListener } from "../../../core/steps/lines.ts";
import type { ActLine, EarlierStepsRpc, ThinkLine } from "../../../core/steps/rpc.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { RunnerCall } from "../../../durable-objects/task/runner-call.ts";
import { callsLeft, setRunnerRelease } from "./runner-release.ts";
import { readStored } from "./stored-rows.ts";
import { ask, factsOf, inputOf, ledgerOf, start, stubOf, taskOf, until, waitIdOf } from "../tasks/client.ts";

const url = inject("servers").recorderUrl;
const NEXT = JOB_VERSION + 1;

afterEach(() => setRunnerRelease("present", 0));

const post = (number: number, after_ms = 0) => ({
  name: "test_post",
  arguments: { url, before_ms: 0, after_ms, number },
});

/** How often each call of the task reached the recorder. */
async function postsOf(facts: TaskFacts): Promise<Map<string, number>> {
  const records = await (await fetch(`${url}/records`)).json<{ path: string }[]>();
  const posts = new Map<string, number>();
  for (const { path } of records) {
    const key = /\/posted\/(.+)$/.exec(path)?.[1] ?? "";
    if (key.startsWith(`call_${facts.id.slice(5)}_`)) posts.set(key, (posts.get(key) ?? 0) + 1);
  }
  return posts;
}

async function expectEachOnce(facts: TaskFacts): Promise<void> {
  const posts = await postsOf(facts);
  for (const { key, state, attempts } of await ledgerOf(facts))
    expect([state, attempts, posts.get(key)]).toEqual(["confirmed", 1, 1]);
}

describe("an object that is newer than its runner", () => {
  test.each(["next", "before versions"] as const)(
    "sends each phase again until a runner knows it, and no call is unknown or made twice: %s",
    async (release) => {
      const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
      const facts = factsOf([{ calls: [post(1), post(2)] }, { text: "Done." }]);
      setRunnerRelease(release, 1);
      await start(facts);
      await vi.waitFor(() => expect(callsLeft()).toBe(0), { timeout: 20_000, interval: 5 });
      const view = await until(facts, ({ status }) => status === "completed");
      await expectEachOnce(facts);
      expect(view.usage).toMatchObject({ steps: 2, tool_calls: 2, estimated: false });
      log.mockRestore();
    },
  );

  test.each(["next", "before versions"] as const)(
    "takes the attempts of a refused tool phase back: %s",
    async (release) => {
      const facts = factsOf([{ delayMs: 1500, calls: [post(1), post(2)] }, { text: "Done." }]);
      await start(facts);
      await until(facts, ({ status }) => status === "running");
      await vi.waitFor(async () => expect(await phaseOf(facts)).toBe("thinking"), { timeout: 20_000, interval: 5 });
      setRunnerRelease(release, 2);
      await vi.waitFor(() => expect(callsLeft()).toBe(0), { timeout: 20_000, interval: 5 });
      await until(facts, ({ status }) => status === "completed");
      await expectEachOnce(facts);
    },
  );

  test("reads a refusal of the runner of channels as a reason to try again that counts as no try", async () => {
    const runner = channelsFromEnv(env);
    expect(await runner.send({} as Delivery, {} as Attempt, NEXT)).toMatchObject({ kind: "later", isOurs: true });
    expect(
      await runner.receive("test/x", { id: "a", lane: "a", kind: "x", body: {}, receivedAt: 0 }, null, NEXT),
    ).toMatchObject({
      kind: "later",
    });
    expect(await runner.spread("ten_1", [], NEXT)).toEqual([]);
    expect(await runner.makeTask({} as never, NEXT)).toMatchObject({ error: { code: "upstream_failed" } });
  });
});

describe("an object of a release before versions", () => {
  /** Its runner methods, which this release still has. */
  const earlier = () => stepsFromEnv(env) as unknown as EarlierStepsRpc;

  test("sends its model request and makes its calls with this release", async () => {
    const facts = factsOf([{ text: "Hello." }]);
    const content = JSON.stringify({ replies: [{ text: "Hello." }] });
    const think = {
      facts,
      model: "mock-model",
      step: 1,
      attempt: 1,
      final: false,
      repeat: null,
      messages: [{ role: "user", content } as const],
      maxOutputTokens: 100,
      timeoutMs: 10_000,
    };
    const modelPhase = new RunnerCall<ThinkLine>();
    const thinkLines: ThinkLine[] = [];
    for await (const lines of modelPhase.run((listener: LineListener<ThinkLine>) => earlier().think(think, listener)))
      thinkLines.push(...lines);
    expect(thinkLines.at(-1)).toMatchObject({ type: "replied", reply: { text: "Hello." } });

    const given = { value: 1, from_unit: "km", to_unit: "m" };
    const id = deriveCallId(facts.id, 1, 0);
    const call = {
      callId: id,
      key: id,
      tool: "unit_convert",
      arguments: given,
      effect: "none",
      mode: "run",
      attempt: 1,
    } as const;
    const calls = [{ ...call, argumentsHash: await hashArguments("unit_convert", given) }];
    const toolPhase = new RunnerCall<ActLine>();
    const ended: ActLine[] = [];
    const job = { facts, step: 1, calls, timeoutMs: 10_000 };
    for await (const lines of toolPhase.run((listener: LineListener<ActLine>) => earlier().act(job, listener)))
      ended.push(...lines);
    expect(ended).toMatchObject([{ type: "settled", callId: id, outcome: { state: "confirmed" } }]);
  });
});

describe("a Worker of a release before actors", () => {
  const byAna = { actsFor: { person: "per_ana" } };
  const actorsOf = async (facts: TaskFacts) => {
    const actors = await taskOf(facts).actors();
    return actors.ok ? actors.value : null;
  };

  test("creates a task that acts for nobody and whose author is unknown", async () => {
    const { actsFor: _, ...earlier } = factsOf([ask]);
    await start(earlier as TaskFacts);
    expect(await actorsOf(earlier as TaskFacts)).toEqual(UNKNOWN_ACTORS);
  });

  test("sends a message, an answer and a reason without their author, who counts as somebody else", async () => {
    const facts = factsOf([ask, { text: "Done." }], byAna);
    await start(facts);
    const view = await until(facts, ({ status }) => status === "waiting_input");
    expect(await actorsOf(facts)).toEqual(startActors("per_ana", "per_ana"));
    const earlier = taskOf(facts) as unknown as {
      message(text: string, request: string | null, own?: number): Promise<unknown>;
      answer(
        question: string,
        answer: { text: string; isChoice: boolean; by: string },
        request: null,
      ): Promise<unknown>;
    };
    expect(await earlier.message("Hello.", null, 3)).toMatchObject({ ok: true });
    expect(await actorsOf(facts)).toEqual({ ...startActors("per_ana", "per_ana"), hasUnknown: true });
    expect(await earlier.answer(waitIdOf(view), { text: "Rome", isChoice: false, by: "Bo" }, null)).toMatchObject({
      ok: true,
    });
    await until(facts, ({ status }) => status === "completed");
    const log = await taskOf(facts).events(0, 500);
    const events = log.ok ? log.value.events : [];
    expect(
      events.find(({ type, data }) => type === "message.completed" && data["role"] === "user")?.data,
    ).toMatchObject({ text: "Hello.", by: null });
    expect(events.find(({ type }) => type === "question.answered")?.data).toMatchObject({
      by: "Bo",
      by_person_id: null,
    });
  });
});

describe("the object of a subtask of a release before actors", () => {
  test("ends without them, and its parent counts an unknown one", async () => {
    const dispatch = { name: "dispatch_subagent", arguments: { task_description: inputOf([ask, { text: "Below." }]) } };
    const facts = factsOf([{ calls: [dispatch] }, { text: "Done." }], { actsFor: { person: "per_ana" } });
    const parent = await start(facts);
    const { pending } = await until(facts, (view) => view.pending.length > 0);
    const id = pending[0]?.task_id ?? "";
    expect(await parent.actors()).toEqual({ ok: true, value: startActors("per_ana", "per_ana") });
    const below = { tenant: facts.tenant, id };
    expect(await taskOf(below).actors()).toEqual({ ok: true, value: startActors("per_ana", "per_ana") });
    const view = await taskOf(below).view();
    if (!view.ok) throw new Error(view.error.message);
    const output = { text: "Below.", files: [] };
    await parent.subtaskEnded({ ...view.value, status: "completed", output, pending: [] });
    expect(await parent.actors()).toEqual({
      ok: true,
      value: { ...startActors("per_ana", "per_ana"), hasUnknown: true },
    });
    await until(facts, ({ status }) => status === "completed");
  });

  test("of this release, they reach its parent", async () => {
    const dispatch = { name: "dispatch_subagent", arguments: { task_description: inputOf([ask, { text: "Below." }]) } };
    const facts = factsOf([{ calls: [dispatch] }, { text: "Done." }], { actsFor: { person: "per_ana" } });
    const parent = await start(facts);
    const { pending } = await until(facts, (view) => view.pending.length > 0);
    const [question] = pending;
    const below = { tenant: facts.tenant, id: question?.task_id ?? "" };
    const answered = { text: "Rome", isChoice: false, by: "Bo", person: "per_bo" };
    const asked = question?.kind === "question" ? question.id : "";
    expect(await taskOf(below).answer(asked, answered, null)).toMatchObject({ ok: true });
    await until(facts, ({ status }) => status === "completed");
    expect(await parent.actors()).toMatchObject({
      ok: true,
      value: { people: ["per_ana", "per_bo"], hasUnknown: false },
    });
  });
});

describe("a runner that outlives its object", () => {
  test.each([
    ["before the calls leave", 400, 0],
    ["after they left", 0, 400],
  ])("makes no effect twice: %s", async (_, before_ms, after_ms) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const numbers = Array.from({ length: 8 }, (_one, number) => number);
    const posts = numbers.map((number) => ({ ...post(number), arguments: { url, before_ms, after_ms, number } }));
    const sends = numbers.map(() => ({ name: "test_send", arguments: { url, before_ms, after_ms } }));
    const facts = factsOf([{ calls: [...posts, ...sends] }, { text: "Done." }]);
    await start(facts);
    for (const attempted of [1, 6]) {
      await vi.waitFor(
        async () => {
          const rows = await ledgerOf(facts);
          expect(rows.filter(({ attempts }) => attempts > 0).length).toBeGreaterThanOrEqual(attempted);
        },
        { timeout: 20_000, interval: 10 },
      );
      // The object alone: its runner continues until it notices.
      await runInDurableObject(stubOf(facts), (_object, state) => state.abort("a test")).catch(() => undefined);
    }
    await until(facts, ({ status }) => status === "completed");
    // What a runner that was left behind still sends has arrived by now.
    await scheduler.wait(1000);
    const records = await (await fetch(`${url}/records`)).json<{ path: string }[]>();
    const times = (key: string) => records.filter(({ path }) => path.endsWith(`/${key}`)).length;
    for (const { key, tool, state } of await ledgerOf(facts)) {
      expect([key, times(key) <= 1]).toEqual([key, true]);
      if (state === "confirmed") expect([key, tool, times(key)]).toEqual([key, tool, 1]);
    }
    vi.restoreAllMocks();
  });
});

async function phaseOf(facts: TaskFacts): Promise<string> {
  return await runInDurableObject(stubOf(facts), (_object, { storage }) => {
    return readStored(storage).state.phase.name;
  });
}
