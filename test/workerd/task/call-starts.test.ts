/** Twenty calls of one step that cannot be looked up, killed at several moments, cancelled and stopped. */
import { abortAllDurableObjects } from "cloudflare:test";
import { describe, expect, inject, test, vi } from "vitest";
import type { LedgerRow } from "../../../core/task/decision.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { factsOf, ledgerOf, start, taskOf, until } from "../tasks/client.ts";

const url = inject("servers").recorderUrl;
const NUMBERS = Array.from({ length: 20 }, (_, number) => number);

/** A task whose one step posts twenty times. */
const twentyPosts = (before_ms: number, after_ms: number): TaskFacts =>
  factsOf([
    { calls: NUMBERS.map((number) => ({ name: "test_post", arguments: { url, before_ms, after_ms, number } })) },
    { text: "Done." },
  ]);

/** How often each call of the task reached the recorder. */
async function postsOf(facts: TaskFacts): Promise<Map<string, number>> {
  const records = await (await fetch(`${url}/records`)).json<{ path: string }[]>();
  const keys = records.flatMap(({ path }) => path.match(/\/posted\/(.+)$/)?.[1] ?? []);
  const posts = new Map<string, number>();
  for (const key of keys) if (key.startsWith(`call_${facts.id.slice(5)}_`)) posts.set(key, (posts.get(key) ?? 0) + 1);
  return posts;
}

const inState = (rows: readonly LedgerRow[], state: LedgerRow["state"]) => rows.filter((row) => row.state === state);

test("a file is attached, read and searched in the step that writes it, while other calls run", async () => {
  const call = (name: string, given: Record<string, unknown>) => ({ name, arguments: given });
  const facts = factsOf([
    {
      calls: [
        call("write_file", { filename: "a.md", content: "first" }),
        call("attach_file", { filename: "a.md" }),
        call("read_file", { filename: "a.md" }),
        call("write_file", { filename: "a.md", content: "second" }),
        call("read_file", { filename: "a.md" }),
        call("get_current_datetime", {}),
      ],
    },
    { text: "Done." },
  ]);
  await start(facts);
  const view = await until(facts, ({ status }) => status === "completed");
  const page = await taskOf(facts).ledger({ after: null, limit: 10, withResults: true });
  const rows = page.ok ? page.value.rows : [];
  expect(rows.map(({ tool, state, attempts }) => [tool, state, attempts])).toEqual([
    ["write_file", "confirmed", 1],
    ["attach_file", "confirmed", 1],
    ["read_file", "confirmed", 1],
    ["write_file", "confirmed", 1],
    ["read_file", "confirmed", 1],
    ["get_current_datetime", "confirmed", 1],
  ]);
  expect(rows.map(({ content }) => content?.match(/first|second/)?.[0])).toMatchObject({ 2: "first", 4: "second" });
  expect(view.output?.files).toMatchObject([{ path: "a.md" }]);
});

describe("twenty calls that cannot be looked up", () => {
  test.each([
    ["before they leave", 400, 0],
    ["after they left", 0, 400],
  ])("are sent at most once and leave at most five unknown per kill: %s", async (_, before, after) => {
    const facts = twentyPosts(before, after);
    await start(facts);
    let kills = 0;
    for (const attempted of [3, 9, 14]) {
      await vi.waitFor(
        async () => {
          const rows = await ledgerOf(facts);
          expect(rows.filter(({ attempts }) => attempts > 0).length).toBeGreaterThanOrEqual(attempted);
        },
        { timeout: 20_000, interval: 20 },
      );
      await abortAllDurableObjects();
      kills += 1;
      const rows = await ledgerOf(facts);
      // Only calls that may have left when it died can become unknown.
      const begun = rows.filter(({ state, attempts }) => state === "intended" && attempts > 0);
      expect(begun.length).toBeLessThanOrEqual(5);
    }
    await until(facts, ({ status }) => status === "completed");
    const rows = await ledgerOf(facts);
    const posts = await postsOf(facts);
    expect(inState(rows, "unknown").length).toBeLessThanOrEqual(5 * kills);
    expect(inState(rows, "confirmed").length + inState(rows, "unknown").length).toBe(20);
    for (const { key, state } of rows) {
      if (state === "confirmed") expect([key, posts.get(key)]).toEqual([key, 1]);
      else expect(posts.get(key) ?? 0).toBeLessThanOrEqual(1);
    }
  });

  test("end as not done if the task is cancelled before they start", async () => {
    const facts = twentyPosts(0, 600);
    await start(facts);
    await vi.waitFor(async () => expect((await postsOf(facts)).size).toBeGreaterThanOrEqual(5), {
      timeout: 20_000,
      interval: 20,
    });
    await taskOf(facts).cancel("a test");
    const rows = await ledgerOf(facts);
    expect(inState(rows, "unknown").length).toBeLessThanOrEqual(5);
    for (const { attempts, state } of inState(rows, "failed")) expect([attempts, state]).toEqual([0, "failed"]);
    await scheduler.wait(800);
    const posts = await postsOf(facts);
    for (const { key } of inState(rows, "failed")) expect(posts.get(key)).toBeUndefined();
  });

  test("start no more once the tenant stops, and the rest is made after its release", async () => {
    const facts = twentyPosts(0, 500);
    await start(facts);
    await vi.waitFor(async () => expect((await postsOf(facts)).size).toBeGreaterThanOrEqual(1), {
      timeout: 20_000,
      interval: 20,
    });
    await taskOf(facts).halt("stopped by a test");
    const stopped = await ledgerOf(facts);
    expect(stopped.filter(({ attempts }) => attempts > 0).length).toBeLessThanOrEqual(10);
    expect(stopped.filter(({ state, attempts }) => state === "intended" && attempts > 0)).toEqual([]);
    await scheduler.wait(800);
    expect((await postsOf(facts)).size).toBe(stopped.filter(({ attempts }) => attempts > 0).length);
    await taskOf(facts).called();
    await until(facts, ({ status }) => status === "completed");
    expect(inState(await ledgerOf(facts), "confirmed")).toHaveLength(20);
    expect([...(await postsOf(facts)).values()]).toEqual(NUMBERS.map(() => 1));
  });
});
