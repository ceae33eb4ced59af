/** Permits that go along with what creates or wakes a task. */
import { afterEach, expect, test, vi } from "vitest";
import { TenantObject } from "../../../durable-objects/tenant/object.ts";
import { type Caller, makeCaller } from "../http/entry.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const done = { text: "Done." };
const question = { calls: [{ name: "ask_human", arguments: { query: "Which city?" } }] };
const isEnded = ({ status }: { status: string }) => status === "completed";

/** Counts the permit requests of tasks: one by one, and for the subtasks of one. */
function watchRequests() {
  const enter = vi.spyOn(TenantObject.prototype, "enter");
  const together = vi.spyOn(TenantObject.prototype, "permitSubtasks");
  return () => ({ enter: enter.mock.calls.length, together: together.mock.calls.length });
}

async function ask(caller: Caller): Promise<string> {
  const { id } = await caller.makeTask([question, done]);
  const { pending } = await caller.until(id, ({ status }) => status === "waiting_input");
  return `/v1/tasks/${id}/questions/${(pending[0] as { id: string }).id}/answer`;
}

test("a new task begins without a request", async () => {
  const caller = await makeCaller();
  const count = watchRequests();
  const { id } = await caller.makeTask([done]);
  await caller.until(id, isEnded);
  expect(count()).toEqual({ enter: 0, together: 0 });
});

test("an answered task resumes without a request", async () => {
  const caller = await makeCaller();
  const path = await ask(caller);
  const count = watchRequests();
  expect((await caller.send("POST", path, { text: "Oslo" })).status).toBe(200);
  await caller.until(path.split("/")[3] ?? "", isEnded);
  expect(count()).toEqual({ enter: 0, together: 0 });
});
