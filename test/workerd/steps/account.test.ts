/** Calls through accounts in the real runtime: waits for a connection, and accounts that change before the effect. */
import { abortAllDurableObjects } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { AccountOwner } from "../../../core/connections/account.ts";
import type { TaskEvent } from "../../../core/task/events.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { agentOf, factsOf, ledgerOf, start, taskOf, until } from "../tasks/client.ts";
import { accountsOf, usesOf } from "./test-accounts.ts";

const ANA: AccountOwner = { kind: "person", id: "per_ana", name: "Ana" };
const SHOWN = { connection: "con_ana", app: "crm", provider: "oauth", owner: ANA, label: "con_ana@acme.example" };
const note = (text = "hi") => ({ name: "test_crm", arguments: { text } });
const completed = ({ status }: TaskView) => status === "completed";
const waits = (kind: string) => (view: TaskView) => view.pending.some((entry) => entry.kind === kind);

/** A task for Ana that makes these calls in one step. */
async function begin(caller: Caller, calls = [note()], change: Partial<TaskFacts> = {}): Promise<TaskFacts> {
  const acts = { tenant: caller.tenant, actsFor: { person: "per_ana" } };
  const facts = factsOf([{ calls }, { text: "Done." }], { ...acts, ...change });
  await start(facts);
  return facts;
}

async function eventsOf(facts: TaskFacts, type: string): Promise<TaskEvent[]> {
  const page = await taskOf(facts).events(0, 500);
  return page.ok ? page.value.events.filter((event) => event.type === type) : [];
}

/** The id of the wait for a connection; empty without one. */
function waitOf({ pending }: TaskView): string {
  const open = pending.find(({ kind }) => kind === "connection");
  return open?.kind === "connection" ? open.id : "";
}

const skip = async (caller: Caller, id: string, wait: string, body: object = { decision: "skip" }) =>
  await caller.send("POST", `/v1/tasks/${id}/connections/${wait}`, body);

describe("a call through an account", () => {
  test("runs through the caller's own, which the ledger, the trace and the events name", async () => {
    const caller = await makeCaller();
    accountsOf(caller.tenant).set("con_ana", ANA);
    const facts = await begin(caller);
    await until(facts, completed);
    expect(usesOf(caller.tenant)).toEqual([{ text: "hi", account: "con_ana", consent: 1 }]);
    const ledger = await caller.send("GET", `/v1/tasks/${facts.id}/ledger`);
    expect(ledger.json.data).toMatchObject([{ tool: "test_crm", account: SHOWN }]);
    const trace = await caller.send("GET", `/v1/tasks/${facts.id}/trace`);
    expect(trace.json.steps[0].calls).toMatchObject([{ account: SHOWN }]);
    for (const type of ["call.started", "call.completed"])
      expect(await eventsOf(facts, type)).toMatchObject([{ data: { account: SHOWN } }]);
  });

  test("of a tool without an account names none", async () => {
    const caller = await makeCaller();
    const facts = await begin(caller, [{ name: "get_current_datetime", arguments: {} } as never]);
    await until(facts, completed);
    expect((await caller.send("GET", `/v1/tasks/${facts.id}/ledger`)).json.data).toMatchObject([{ account: null }]);
    const [started] = await eventsOf(facts, "call.started");
    expect(Object.keys(started?.data ?? {})).not.toContain("account");
    expect(accountsOf(caller.tenant).reads).toEqual([]);
  });

  test("is refused at once where nobody could connect one", async () => {
    const caller = await makeCaller();
    const facts = await begin(caller, [note()], { actsFor: null });
    await until(facts, completed);
    expect(await ledgerOf(facts)).toMatchObject([
      {
        state: "refused",
        result: { error: { message: "No assigned external apps are connected for this workspace" } },
      },
    ]);
  });

  test("waits for one, and runs once after it was connected, whatever reports it and how often", async () => {
    const caller = await makeCaller();
    const facts = await begin(caller);
    const waiting = await until(facts, waits("connection"));
    const wait = waitOf(waiting);
    expect(waiting).toMatchObject({ status: "waiting_input", pending: [{ app: "crm", reason: "missing" }] });
    const inbox = await caller.send("GET", "/v1/inbox?kind=connection&person=per_ana");
    expect(inbox.json.data).toMatchObject([{ pending: { kind: "connection", id: wait, connect_url: null } }]);
    // The first report comes too early: the task waits again, under another id.
    expect((await taskOf(facts).connected(wait)).ok).toBe(true);
    const again = await until(facts, (view) => waits("connection")(view) && waitOf(view) !== wait);
    accountsOf(caller.tenant).set("con_ana", ANA);
    await abortAllDurableObjects();
    const ready = waitOf(again);
    await Promise.all([wait, ready, ready, "cnw_x"].map(async (id) => await taskOf(facts).connected(id)));
    await until(facts, completed);
    expect(usesOf(caller.tenant)).toEqual([{ text: "hi", account: "con_ana", consent: 1 }]);
    expect(await ledgerOf(facts)).toMatchObject([{ attempts: 1, state: "confirmed", account: SHOWN }]);
    expect(await eventsOf(facts, "connection.ready")).toMatchObject([{ data: { wait_id: ready, account: SHOWN } }]);
  });

  test("is not made twice with the same arguments when its approval was for an earlier consent", async () => {
    const caller = await makeCaller();
    const accounts = accountsOf(caller.tenant);
    accounts.set("con_ana", ANA, { delegates: true });
    const agent = agentOf({ approval: { cautious: "ask" } });
    const facts = await begin(caller, [note()], { agent });
    const first = (await until(facts, waits("approval"))).pending[0];
    if (first?.kind !== "approval") throw new Error("no approval is asked");
    expect(first).toMatchObject({ account: SHOWN, decides: { person_id: "per_ana", delegates: true } });
    // Reconnected between the request and its decision.
    accounts.set("con_ana", ANA, { consent: 2, label: "other@acme.example" });
    const decide = async (approval: string) =>
      await taskOf(facts).decideApproval(
        approval,
        { decision: "approve", arguments: null, reason: null, by: "Ana", person: "per_ana" },
        null,
      );
    expect((await decide(first.id)).ok).toBe(true);
    const isOther = ({ pending }: TaskView) => pending[0]?.kind === "approval" && pending[0].id !== first.id;
    const second = (await until(facts, isOther)).pending[0];
    if (second?.kind !== "approval") throw new Error("no approval is asked");
    expect(second.account?.label).toBe("other@acme.example");
    expect(second.arguments_hash).not.toBe(first.arguments_hash);
    expect(usesOf(caller.tenant)).toEqual([]);
    expect(await decide(first.id)).toMatchObject({ error: { code: "gone" } });
    expect((await decide(second.id)).ok).toBe(true);
    await until(facts, completed);
    expect(usesOf(caller.tenant)).toEqual([{ text: "hi", account: "con_ana", consent: 2 }]);
    expect(await ledgerOf(facts)).toMatchObject([{ attempts: 1, argumentsHash: second.arguments_hash }]);
  });

  test("is refused when the account was disconnected between the approval and the effect", async () => {
    const caller = await makeCaller();
    const accounts = accountsOf(caller.tenant);
    accounts.set("con_ana", ANA);
    const facts = await begin(caller, [note()], { agent: agentOf({ approval: { cautious: "ask" } }) });
    const [open] = (await until(facts, waits("approval"))).pending;
    accounts.set("con_ana", ANA, { status: "revoked" });
    const decision = { decision: "approve", arguments: null, reason: null, by: "Ana", person: "per_ana" } as const;
    await taskOf(facts).decideApproval(open?.kind === "approval" ? open.id : "", decision, null);
    await until(facts, completed);
    expect(usesOf(caller.tenant)).toEqual([]);
    const message = "The account con_ana@acme.example was disconnected.";
    expect(await ledgerOf(facts)).toMatchObject([{ state: "refused", result: { error: { message } } }]);
  });

  test("keeps its account when its owner changes the arguments", async () => {
    const caller = await makeCaller();
    accountsOf(caller.tenant).set("con_ana", ANA);
    const facts = await begin(caller, [note()], { agent: agentOf({ approval: { cautious: "ask" } }) });
    const [open] = (await until(facts, waits("approval"))).pending;
    const given = {
      decision: "approve",
      arguments: { text: "ho" },
      reason: null,
      by: "Ana",
      person: "per_ana",
    } as const;
    await taskOf(facts).decideApproval(open?.kind === "approval" ? open.id : "", given, null);
    await until(facts, completed);
    expect(usesOf(caller.tenant)).toEqual([{ text: "ho", account: "con_ana", consent: 1 }]);
  });

  test("asks its owner once another person wrote to the task", async () => {
    const caller = await makeCaller();
    accountsOf(caller.tenant).set("con_ana", ANA);
    const facts = await begin(caller, [note()], {
      actors: { caller: "per_ana", people: ["per_ana", "per_bo"], hasUnknown: false },
    });
    const [open] = (await until(facts, waits("approval"))).pending;
    expect(open).toMatchObject({ decides: { person_id: "per_ana", delegates: false } });
    const decided = await caller.send(
      "POST",
      `/v1/tasks/${facts.id}/approvals/${open?.kind === "approval" ? open.id : ""}`,
      {
        decision: "approve",
      },
    );
    expectProblem(decided, 403);
    expect(usesOf(caller.tenant)).toEqual([]);
  });
});

describe("continuing without an account", () => {
  test("settles the call once; later decisions are told why not", async () => {
    const caller = await makeCaller();
    const facts = await begin(caller);
    const id = waitOf(await until(facts, waits("connection")));
    expectProblem(await skip(caller, facts.id, id, { decision: "connect" }), 422, "decision");
    expectProblem(await skip(caller, facts.id, id.replace("cnw_", "cnw_x")), 404);
    expectProblem(await skip(await makeCaller(), facts.id, id), 404);
    const skipped = await skip(caller, facts.id, id);
    expect([skipped.status, skipped.json.id]).toEqual([200, facts.id]);
    expectProblem(await skip(caller, facts.id, id), 409);
    await until(facts, completed);
    const message = "A person decided to continue without crm.";
    expect(await ledgerOf(facts)).toMatchObject([
      { state: "refused", attempts: 0, result: { error: { code: "permission_denied", message } } },
    ]);
    expect(usesOf(caller.tenant)).toEqual([]);
  });

  test("is too late for a wait that ended with its task", async () => {
    const caller = await makeCaller();
    const facts = await begin(caller);
    const wait = waitOf(await until(facts, waits("connection")));
    await taskOf(facts).cancel("Bo");
    expectProblem(await skip(caller, facts.id, wait), 410);
  });
});
