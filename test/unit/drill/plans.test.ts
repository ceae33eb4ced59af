/** A seed makes the same tasks and the same kills again. */
import { expect, test } from "vitest";
import { fromAtOnce } from "../../drill/api-client.ts";
import { answerDelayMs, expectedOfLoad, loadScript, planTasks } from "../../drill/load/load-script.ts";
import { seededRandom } from "../../drill/random.ts";
import { timedKills } from "../../drill/timed-kills.ts";
import type { WireMessage } from "../../mock-servers/model-server.ts";

const REST = { paceMs: [100, 200] as const, keyed: "http://k", unkeyed: "http://u" };
const KILLS = { gapMs: [2_000, 5_000] as const, weights: { workerd: 3, database: 1 } };

function plan(seed: number, count: number) {
  return planTasks(seed, REST).take(count).toArray();
}

test("the tasks of a seed are the same every time, have 5 to 10 steps and hold every kind of effect", () => {
  const tasks = plan(5, 200);
  expect(plan(5, 200)).toEqual(tasks);
  expect(plan(6, 200)).not.toEqual(tasks);
  expect(new Set(tasks.map(({ steps }) => steps))).toEqual(new Set([5, 6, 7, 8, 9, 10]));
  const effects = tasks.flatMap((task) => expectedOfLoad(task).steps.flat()).map(({ effect }) => effect);
  expect(new Set(effects)).toEqual(new Set(["none", "keyed", "once", "file"]));
});

test("a recorder delays its answer to a path by the same time for every request", () => {
  const [delay, ...others] = ["/load1/once/2/0", "/load1/once/2/1", "/load1/once/3/0"].map((p) => answerDelayMs(5, p));
  expect(answerDelayMs(5, "/load1/once/2/0")).toBe(delay);
  expect(others).not.toContain(delay);
  expect(answerDelayMs(6, "/load1/once/2/0")).not.toBe(delay);
});

test("work is taken from a running source for the requested time, a fixed number at once, with results in order", async () => {
  let open = 0;
  let most = 0;
  const results = await fromAtOnce(plan(5, 20).values(), 3, async ({ drill }) => {
    most = Math.max(most, (open += 1));
    await new Promise(setImmediate);
    open -= 1;
    return drill;
  });
  expect(results).toEqual(plan(5, 20).map(({ drill }) => drill));
  expect(most).toBe(3);
});

test("the model of the load drill makes the calls that its tasks are judged by, and then answers", () => {
  const [task] = plan(5, 1);
  if (task === undefined) throw new Error("there is no task");
  const { steps, answer } = expectedOfLoad(task);
  const messages: WireMessage[] = [{ role: "user", content: JSON.stringify(task) }];
  for (const calls of steps) {
    const reply = loadScript(messages);
    expect(reply?.calls).toEqual(calls.map(({ name, arguments: given }) => ({ name, arguments: given })));
    expect(reply?.delayMs).toBeGreaterThanOrEqual(100);
    expect(reply?.delayMs).toBeLessThan(200);
    messages.push({ role: "assistant", content: null });
  }
  expect(loadScript(messages)).toMatchObject({ text: answer });
});

test("the kills of a seed are the same every time, within their gaps and among their targets", () => {
  const kills = (seed: number) => timedKills(KILLS, seededRandom(seed)).take(400).toArray();
  expect(kills(5)).toEqual(kills(5));
  expect(kills(5)).not.toEqual(kills(6));
  expect(kills(5).every(({ gapMs }) => gapMs >= 2_000 && gapMs < 5_000)).toBe(true);
  const hits = kills(5).filter(({ target }) => target === "workerd").length;
  expect(hits).toBeGreaterThan(240);
  expect(new Set(kills(5).map(({ target }) => target))).toEqual(new Set(["workerd", "database"]));
});
