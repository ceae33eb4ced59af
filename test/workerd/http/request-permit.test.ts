/** The permit of a request: only some requests ask for one, and it is used once and soon. */
import { Hono } from "hono";
import { afterEach, expect, test, vi } from "vitest";
import type { AppContext, AppEnv } from "../../../workers/http/context.ts";
import { takePermit, wakesTask } from "../../../workers/http/request-permit.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Calls `look` with the context of a request. */
async function withRequest<T>(method: string, path: string, look: (c: AppContext) => T): Promise<T> {
  const seen: T[] = [];
  const app = new Hono<AppEnv>();
  app.all("*", (c) => {
    seen.push(look(c));
    return c.body(null);
  });
  await app.request(path, { method });
  return seen[0] as T;
}

test.each([
  ["POST", "/v1/tasks", true],
  ["POST", "/v1/tasks/task_1/start", true],
  ["POST", "/v1/tasks/task_1/questions/qst_1/answer", true],
  ["POST", "/v1/tasks/task_1/approvals/apr_1", true],
  ["GET", "/v1/tasks", false],
  ["POST", "/v1/tasks/task_1/cancel", false],
  ["POST", "/v1/agents", false],
])("%s %s may wake a task: %s", async (method, path, expected) => {
  expect(await withRequest(method, path, wakesTask)).toBe(expected);
});

test("is taken once, with the time that is left of it", async () => {
  vi.useFakeTimers({ now: 10_000 });
  const taken = await withRequest("POST", "/v1/tasks", (c) => {
    c.set("permit", { forMs: 2000, at: 9500 });
    return [takePermit(c), takePermit(c)];
  });
  expect(taken).toEqual([{ forMs: 1500 }, null]);
});

test("is not used by a request that was slower than it lives", async () => {
  vi.useFakeTimers({ now: 10_000 });
  const taken = await withRequest("POST", "/v1/tasks", (c) => {
    c.set("permit", { forMs: 2000, at: 8000 });
    return takePermit(c);
  });
  expect(taken).toBeNull();
});
