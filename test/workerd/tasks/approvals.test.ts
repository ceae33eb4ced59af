import { describe, expect, test } from "vitest";
import type { TaskView } from "../../../core/task/view.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { arrivedAt, post, somewhere } from "../outside.ts";
import { config, loseReplies } from "../tenant/client.ts";

const completed = ({ status }: TaskView) => status === "completed";
const asks = ({ status }: TaskView) => status === "waiting_approval";

/** A task that waits for approval of one POST, and where it is decided. */
async function waiting(caller: Caller, url: string, more: Record<string, unknown> = {}) {
  const { id } = await caller.makeTask([{ calls: [post(url)] }, { text: "Done." }], more);
  const { pending } = await caller.until(id, asks);
  const [approval] = pending;
  if (approval?.kind !== "approval") throw new Error(`no approval: ${JSON.stringify(pending)}`);
  const path = `/v1/tasks/${id}/approvals/${approval.id}`;
  return { id, approval, decide: async (body: unknown) => await caller.send("POST", path, body) };
}

async function onlyRow(caller: Caller, id: string) {
  const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json;
  expect(data).toHaveLength(1);
  return data[0];
}

async function makeAgent(caller: Caller, more: object): Promise<string> {
  const body = config("careful", { permissions: ["read", "network"], allowed_domains: ["*"], ...more });
  const made = await caller.send("POST", "/v1/agents", body);
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

describe("an approval", () => {
  test("lists the call with its exact arguments, and sends nothing before it is given", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const { id, approval } = await waiting(caller, url);
    const row = await onlyRow(caller, id);
    expect(approval).toMatchObject({
      call_id: row.call_id,
      tool: "http_request",
      arguments: { url, method: "POST", body: "hello" },
      arguments_hash: row.arguments_hash,
      reason: expect.stringMatching(/./),
      expires_at: expect.stringMatching(/Z$/),
    });
    expect(approval).not.toHaveProperty("task_id");
    expect([row.state, row.attempts]).toEqual(["intended", 0]);
    expect(await arrivedAt(url)).toEqual([]);
  });

  test("that is given lets the call run once, and is given once", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const { id, decide } = await waiting(caller, url);
    const both = await Promise.all([decide({ decision: "approve" }), decide({ decision: "refuse" })]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const winner = both.find(({ status }) => status === 200);
    expect(winner?.json.id).toBe(id);
    await caller.until(id, completed);
    expectProblem(await decide({ decision: "approve" }), 409);
    const isApproved = winner === both[0];
    expect((await onlyRow(caller, id)).state).toBe(isApproved ? "confirmed" : "refused");
    expect(await arrivedAt(url)).toEqual(isApproved ? ["POST hello"] : []);
  });

  test("with other arguments lets the call run with those and no others", async () => {
    const caller = await makeCaller();
    const [url, other] = [somewhere(), somewhere()];
    const { id, approval, decide } = await waiting(caller, url);
    const edited = { url: other, method: "PUT", body: "mended" };
    expect((await decide({ decision: "approve", arguments: edited })).status).toBe(200);
    await caller.until(id, completed);
    expect([await arrivedAt(url), await arrivedAt(other)]).toEqual([[], ["PUT mended"]]);
    const row = await onlyRow(caller, id);
    expect(row.state).toBe("confirmed");
    expect(row.arguments_hash).not.toBe(approval.arguments_hash);
  });

  test("stays open when what replaces the arguments does not fit, and says which of them", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const { id, approval, decide } = await waiting(caller, url);
    const wrong = { url, method: "SEND", timeout: 0 };
    expectProblem(
      await decide({ decision: "approve", arguments: wrong }),
      422,
      "arguments.method",
      "arguments.timeout",
    );
    expectProblem(await decide({ decision: "approve", arguments: {} }), 422, "arguments.url");
    expectProblem(await decide({ decision: "approve", arguments: { url, colour: 1 } }), 422, "arguments.colour");
    expectProblem(await decide({ decision: "refuse", arguments: { url } }), 422, "arguments");
    expectProblem(await decide({ decision: "refuse", reason: "x".repeat(2001) }), 422, "reason");
    expectProblem(await decide({ decision: "yes" }), 422, "decision");
    expect((await caller.send("GET", `/v1/tasks/${id}`)).json.pending).toEqual([approval]);
    expect((await decide({ decision: "refuse", reason: "x".repeat(2000) })).status).toBe(200);
    await caller.until(id, completed);
    expect(await arrivedAt(url)).toEqual([]);
  });

  test("that is refused gives the model the reason", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const { id, decide } = await waiting(caller, url);
    expect((await decide({ decision: "refuse", reason: "Ask Ana first." })).status).toBe(200);
    await caller.until(id, completed);
    const row = await onlyRow(caller, id);
    expect([row.state, row.attempts, row.result.ok]).toEqual(["refused", 0, false]);
    expect(row.result.error.message).toContain("Ask Ana first.");
    expect(await arrivedAt(url)).toEqual([]);
  });

  test("cannot be turned into a call that policy forbids", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const agent = await makeAgent(caller, { approval: { cautious: "deny", dangerous: "ask" } });
    const { id, approval, decide } = await waiting(caller, url, { agent });
    const answer = await decide({ decision: "approve", arguments: { url, method: "GET" } });
    expectProblem(answer, 403);
    expect(answer.json.code).toBe("blocked_by_policy");
    expect((await caller.send("GET", `/v1/tasks/${id}`)).json.pending).toEqual([approval]);
    expect(await arrivedAt(url)).toEqual([]);
  });

  test("that expires is refused, and cannot be given later", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const agent = await makeAgent(caller, { approval: { expires_s: 1 } });
    const { id, decide } = await waiting(caller, url, { agent });
    await caller.until(id, completed);
    expectProblem(await decide({ decision: "approve" }), 410);
    expect((await onlyRow(caller, id)).state).toBe("refused");
    expect(await arrivedAt(url)).toEqual([]);
  });

  test("of one of several calls is for that call alone", async () => {
    const caller = await makeCaller();
    const urls = [somewhere(), somewhere(), somewhere()];
    const { id } = await caller.makeTask([{ calls: urls.map((url) => post(url)) }, { text: "Done." }]);
    const { pending } = await caller.until(id, asks);
    const [first, second, third] = pending.map((entry) => (entry.kind === "approval" ? entry.id : entry.kind));
    const decide = async (approval: string | undefined, decision: string) =>
      (await caller.send("POST", `/v1/tasks/${id}/approvals/${approval}`, { decision })).status;
    expect(await decide(second, "approve")).toBe(200);
    const left = (await caller.send("GET", `/v1/tasks/${id}`)).json.pending;
    expect(left.map((entry: { id: string }) => entry.id)).toEqual([first, third]);
    expect(await decide(third, "refuse")).toBe(200);
    expect(await decide(first, "approve")).toBe(200);
    await caller.until(id, completed);
    expect(await Promise.all(urls.map(async (url) => (await arrivedAt(url)).length))).toEqual([1, 1, 0]);
  });

  test("that is given again because its answer was lost is given once", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const { id, approval } = await waiting(caller, url);
    const give = async () =>
      await caller.send(
        "POST",
        `/v1/tasks/${id}/approvals/${approval.id}`,
        { decision: "approve" },
        { "idempotency-key": "once" },
      );
    expect((await give()).status).toBe(200);
    await caller.until(id, completed);
    await loseReplies(caller.tenant);
    expect((await give()).status).toBe(200);
    expect(await arrivedAt(url)).toEqual(["POST hello"]);
  });

  test("is found at its own task only, and by its own tenant only", async () => {
    const [caller, stranger] = [await makeCaller(), await makeCaller()];
    const url = somewhere();
    const { id, approval } = await waiting(caller, url);
    const other = await caller.makeTask([], { hold: true });
    const body = { decision: "approve" };
    expectProblem(await caller.send("POST", `/v1/tasks/${other.id}/approvals/${approval.id}`, body), 404);
    expectProblem(await caller.send("POST", `/v1/tasks/${id}/approvals/apr_x`, body), 404);
    expectProblem(await caller.send("POST", `/v1/tasks/${id}/approvals/${approval.call_id}`, body), 404);
    expectProblem(await caller.send("POST", `/v1/tasks/${id}/questions/${approval.id}/answer`, { text: "yes" }), 404);
    expectProblem(await stranger.send("POST", `/v1/tasks/${id}/approvals/${approval.id}`, body), 404);
    const own = await stranger.makeTask([], { hold: true });
    expectProblem(await stranger.send("POST", `/v1/tasks/${own.id}/approvals/${approval.id}`, body), 404);
    expect(await arrivedAt(url)).toEqual([]);
  });
});

describe("a call over the API that needs an approval", () => {
  const call = async (caller: Caller, url: string, more: object = {}, headers: Record<string, string> = {}) =>
    await caller.send("POST", "/v1/tools/http_request/call", { arguments: post(url).arguments, ...more }, headers);

  test("names at once the task that approves it, runs there, and has its result there", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const { status, json } = await call(caller, url);
    expect([status, json.ok, json.error.code, json.error.retry]).toEqual([200, false, "needs_approval", "later"]);
    const { approval_id, task_id, expires_at } = json.error.details;
    expect(expires_at).toMatch(/Z$/);
    expect(await arrivedAt(url)).toEqual([]);
    const hidden = (await caller.send("GET", `/v1/tasks/${task_id}`)).json;
    expect([hidden.status, hidden.pending[0].id]).toEqual(["waiting_approval", approval_id]);
    const path = `/v1/tasks/${task_id}/approvals/${approval_id}`;
    expect((await caller.send("POST", path, { decision: "approve" })).status).toBe(200);
    await caller.until(task_id, completed);
    expect(await arrivedAt(url)).toEqual(["POST hello"]);
    expect(await onlyRow(caller, task_id)).toMatchObject({ state: "confirmed", result: { ok: true } });
    expectProblem(await caller.send("POST", path, { decision: "approve" }), 409);
  });

  test("returns the same answer for a repeat under its key", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const headers = { "idempotency-key": "once" };
    const first = await call(caller, url, {}, headers);
    await loseReplies(caller.tenant);
    const again = await call(caller, url, {}, headers);
    expect(again.text).toBe(first.text);
    const { approval_id, task_id } = first.json.error.details;
    await caller.send("POST", `/v1/tasks/${task_id}/approvals/${approval_id}`, { decision: "approve" });
    await caller.until(task_id, completed);
    await loseReplies(caller.tenant);
    expect((await call(caller, url, {}, headers)).json).toMatchObject({ ok: true, result: { status_code: 200 } });
    expect(await arrivedAt(url)).toEqual(["POST hello"]);
  });

  test("is cancelled with the task that it was made for", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const task = await caller.makeTask([], { hold: true });
    const { approval_id, task_id } = (await call(caller, url, { task_id: task.id })).json.error.details;
    await caller.send("POST", `/v1/tasks/${task.id}/cancel`);
    await caller.until(task_id, ({ status }) => status === "cancelled");
    expectProblem(
      await caller.send("POST", `/v1/tasks/${task_id}/approvals/${approval_id}`, { decision: "approve" }),
      410,
    );
    expect(await arrivedAt(url)).toEqual([]);
  });
});
