/** Permits that go along with what creates or wakes a task. */
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { CallBudget, NO_RUN_DEPTH } from "../../../core/base/call-budget.ts";
import { TaskRelations } from "../../../durable-objects/task/relations.ts";
import { TaskObject } from "../../../durable-objects/task/object.ts";
import { TenantObject } from "../../../durable-objects/tenant/object.ts";
import { SHORT_PERMIT_MS } from "../../../core/task/short-permit.ts";
import { StepRunner } from "../../../workers/steps.ts";
import { addressee } from "../../contracts/channels/mail/suite.ts";
import { arrivedMail } from "../channels/mail/server.ts";
import { TenantSlots } from "../../../durable-objects/tenant/slots.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { factsOf, inputOf } from "../tasks/client.ts";

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

test("a started draft begins without a request", async () => {
  const caller = await makeCaller();
  const { id } = await caller.makeTask([done], { hold: true });
  const count = watchRequests();
  expect((await caller.send("POST", `/v1/tasks/${id}/start`)).status).toBe(200);
  await caller.until(id, isEnded);
  expect(count()).toEqual({ enter: 0, together: 0 });
});

test("subtasks get their permits by one request, and their parent resumes under the last one's", async () => {
  const caller = await makeCaller();
  const part = { name: "dispatch_subagent", arguments: { task_description: inputOf([done]) } };
  const count = watchRequests();
  const { id } = await caller.makeTask([{ calls: [part, part, part] }, done]);
  await caller.until(id, isEnded);
  expect(count()).toEqual({ enter: 0, together: 1 });
});

test("a subtask that is enrolled slowly requests its own", async () => {
  const caller = await makeCaller();
  const { enroll } = TaskObject.prototype;
  vi.spyOn(TaskObject.prototype, "enroll").mockImplementation(async function (this: TaskObject, subtask) {
    await scheduler.wait(SHORT_PERMIT_MS + 200);
    return await enroll.call(this, subtask);
  });
  const part = (replies: readonly unknown[]) => ({
    name: "dispatch_subagent",
    arguments: { task_description: inputOf(replies) },
  });
  const count = watchRequests();
  const { id } = await caller.makeTask([{ calls: [part([{ calls: [part([done])] }, done])] }, done]);
  await caller.until(id, isEnded);
  expect(count()).toEqual({ enter: 1, together: 2 });
});

test("a task whose budget is limited requests its permits", async () => {
  const caller = await makeCaller();
  expect((await caller.send("PUT", "/v1/budgets/tenant", { max_tokens: 1_000_000, period: "day" })).status).toBe(200);
  const count = watchRequests();
  const { id } = await caller.makeTask([done]);
  await caller.until(id, isEnded);
  expect(count()).toEqual({ enter: 1, together: 0 });
});

test("what a task uses under one counts in the tenant's budgets while it runs", async () => {
  const caller = await makeCaller();
  const usage = { input: 1000, output: 20 };
  const { id } = await caller.makeTask([{ ...question, usage }, done]);
  await caller.until(id, ({ status }) => status === "waiting_input");
  await vi.waitFor(async () => {
    const { data } = (await caller.send("GET", "/v1/budgets")).json;
    expect(data).toContainEqual(
      expect.objectContaining({ account: "tenant", used: expect.objectContaining({ tokens: 1020 }) }),
    );
  });
});

test("a stop that follows at once halts a task that its tenant never admitted by request", async () => {
  const caller = await makeCaller();
  const { id } = await caller.makeTask([{ text: "Late.", delayMs: 20_000 }]);
  expect((await caller.send("POST", "/v1/kill-switch/stop", { reason: "A test." })).status).toBe(200);
  const view = await caller.until(id, ({ status }) => status === "sleeping");
  expect(view.status).toBe("sleeping");
  const held = await caller.send("POST", "/v1/tasks", { input: "x" });
  expect(held.status).toBe(409);
});

test("an approval whose new arguments were checked slowly wakes its task without a permit: a stop in between holds", async () => {
  const caller = await makeCaller();
  const mail = { to: addressee(), subject: "Hello", body: "<p>Hello</p>" };
  const { id } = await caller.makeTask([{ calls: [{ name: "send_email", arguments: mail }] }, done]);
  const { pending } = await caller.until(id, ({ status }) => status === "waiting_approval");
  const path = `/v1/tasks/${id}/approvals/${(pending[0] as { id: string }).id}`;

  const real = StepRunner.prototype.reviseCall;
  const check = vi.spyOn(StepRunner.prototype, "reviseCall").mockImplementation(async function (this: StepRunner, job) {
    await scheduler.wait(SHORT_PERMIT_MS + 200);
    return await real.call(this, job);
  });
  const decided = caller.send("POST", path, { decision: "approve", arguments: { ...mail, subject: "Goodbye" } });
  await vi.waitFor(() => expect(check).toHaveBeenCalled());
  expect((await caller.send("POST", "/v1/kill-switch/stop", { reason: "A test." })).status).toBe(200);
  expect((await decided).status).toBe(200);
  await caller.until(id, ({ status }) => status === "sleeping");
  expect(await arrivedMail(mail.to)).toEqual([]);
});

test("a key that may not wake tasks reserves no slot", async () => {
  const caller = await makeCaller(["tasks:read"]);
  const reserve = vi.spyOn(TenantSlots.prototype, "permitNew");
  expect((await caller.send("POST", "/v1/tasks", { input: "x" })).status).toBe(403);
  expect(reserve).not.toHaveBeenCalled();
});

test("an answer to a stopped tenant's task wakes it without a permit: it waits for the release", async () => {
  const caller = await makeCaller();
  const path = await ask(caller);
  const id = path.split("/")[3] ?? "";
  const release = await stopTenant(caller);
  const count = watchRequests();
  expect((await caller.send("POST", path, { text: "Oslo" })).status).toBe(200);
  await caller.until(id, ({ status }) => status === "sleeping");
  // It asked its tenant.
  expect(count().enter).toBe(1);
  await release();
  await caller.until(id, isEnded);
});

test("a stopped and an erased tenant permit no subtasks", async () => {
  const caller = await makeCaller();
  const tenant = tenantsFromEnv(env)(caller.tenant);
  expect(await tenant.permitSubtasks(null, 2)).toEqual({ forMs: SHORT_PERMIT_MS });
  const release = await stopTenant(caller);
  expect(await tenant.permitSubtasks(null, 2)).toBeNull();
  await release();
  expect(await tenant.permitSubtasks(null, 2)).toEqual({ forMs: SHORT_PERMIT_MS });
  await tenant.erase();
  expect(await tenant.permitSubtasks(null, 2)).toBeNull();
});

test("a run that has no call left for one request leaves the permits to its subtasks", async () => {
  const caller = await makeCaller();
  const count = watchRequests();
  const facts = factsOf([done], { tenant: caller.tenant });
  const subtask = (callId: string) => ({ callId, facts: { ...factsOf([done]), tenant: caller.tenant, depth: 1 } });
  const dispatchWithin = async (most: number) => {
    const calls = new CallBudget(most);
    const relations = new TaskRelations(
      env,
      (made) => calls.count(made),
      () => NO_RUN_DEPTH,
    );
    const work = { kind: "dispatch", step: 1, subtasks: [subtask("a"), subtask("b")] } as const;
    for await (const made of relations.dispatch(work, () => ({ task_description: facts.input }), calls))
      expect(made.map(({ type }) => type)).toEqual(["subtask_opened", "subtask_opened"]);
    return calls.getRoom();
  };
  // Two calls stay for the reports to the parent and the tenant.
  expect(await dispatchWithin(4)).toBe(2);
  expect(count().together).toBe(0);
  expect(await dispatchWithin(5)).toBe(2);
  expect(count().together).toBe(1);
});

/** Stops the caller's tenant, and returns what releases it. */
async function stopTenant(caller: Caller): Promise<() => Promise<void>> {
  const send = async (what: string, body: object) =>
    expect((await caller.send("POST", `/v1/kill-switch/${what}`, body)).status).toBe(200);
  await send("stop", { reason: "A test." });
  return async () => await send("release", {});
}
