/** Calls through accounts in the real runtime: waits for a connection, and accounts that change before the effect. */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import {
  connectionsFromEnv,
  connectionTableFromEnv,
  forgetConnectionsFromEnv,
} from "../../../adapters/env/connections.ts";
import { type Connection, toAccount } from "../../../core/connections/connection.ts";
import type { ConnectionTable, GivenConsent } from "../../../core/ports/connection-table.ts";
import type { TaskEvent } from "../../../core/task/events.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { act } from "../../contracts/database/rows.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { addApp, connect } from "../connections/app-of-tests.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { usesOf } from "../task/account-uses.ts";
import { agentOf, factsOf, ledgerOf, start, taskOf, until } from "../tasks/client.ts";
import { watchDatabase } from "../tenant/client.ts";

const LABEL = "ana@acme.example";
const ASKS = agentOf({ approval: { cautious: "ask" } });
const note = (text = "hi") => ({ name: "test_crm", arguments: { text } });
const completed = ({ status }: TaskView) => status === "completed";
const waits = (kind: string) => (view: TaskView) => view.pending.some((entry) => entry.kind === kind);

/** A tenant with the app `crm` and a person who may connect an account of it. */
interface Office extends Caller {
  readonly ana: string;
  readonly table: ConnectionTable;
  /** Connects Ana's account, or connects it again. */
  connectAna(consent?: Partial<GivenConsent>): Promise<Connection>;
  /** Makes the isolate read the rows again, as the routes that change them do. */
  forget(): void;
}

async function openOffice(): Promise<Office> {
  const caller = await makeCaller();
  const { tenant } = caller;
  await addApp(tenant);
  const ana: string = (await caller.send("POST", "/v1/people", { name: "Ana" })).json.id;
  const forget = () => forgetConnectionsFromEnv(env, tenant);
  const connectAna = async (consent: Partial<GivenConsent> = {}) => {
    const connected = await connect(tenant, ana, { label: LABEL, ...consent });
    forget();
    return connected;
  };
  return { ...caller, ana, table: connectionTableFromEnv(env, tenant), connectAna, forget };
}

/** How the API shows a connection as the account of a call. */
const shown = ({ id, label }: Connection, { ana }: Office) => ({
  connection: id,
  app: "crm",
  provider: "oauth",
  owner: { kind: "person", id: ana, name: "Ana" },
  label,
});

/** What Ana's approval sends. */
const approvalOf = ({ ana }: Office) =>
  ({ decision: "approve", arguments: null, reason: null, by: "Ana", person: ana }) as const;

/** A task for Ana that makes these calls in one step. */
async function begin(office: Office, calls = [note()], change: Partial<TaskFacts> = {}): Promise<TaskFacts> {
  const acts = { tenant: office.tenant, actsFor: { person: office.ana } };
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
    const office = await openOffice();
    const connected = await office.connectAna();
    const account = shown(connected, office);
    const facts = await begin(office);
    await until(facts, completed);
    expect(usesOf(office.tenant)).toEqual([{ text: "hi", account: connected.id, consent: 1 }]);
    const ledger = await office.send("GET", `/v1/tasks/${facts.id}/ledger`);
    expect(ledger.json.data).toMatchObject([{ tool: "test_crm", account }]);
    const trace = await office.send("GET", `/v1/tasks/${facts.id}/trace`);
    expect(trace.json.steps[0].calls).toMatchObject([{ account }]);
    for (const type of ["call.started", "call.completed"])
      expect(await eventsOf(facts, type)).toMatchObject([{ data: { account } }]);
  });

  test("of a tool without an account names none", async () => {
    const office = await openOffice();
    await office.connectAna();
    const facts = await begin(office, [{ name: "get_current_datetime", arguments: {} } as never]);
    await until(facts, completed);
    expect((await office.send("GET", `/v1/tasks/${facts.id}/ledger`)).json.data).toMatchObject([{ account: null }]);
    const [started] = await eventsOf(facts, "call.started");
    expect(Object.keys(started?.data ?? {})).not.toContain("account");
  });

  test("is refused at once where nobody could connect one", async () => {
    const office = await openOffice();
    const facts = await begin(office, [note()], { actsFor: null });
    await until(facts, completed);
    expect(await ledgerOf(facts)).toMatchObject([
      {
        state: "refused",
        result: { error: { message: "No assigned external apps are connected for this workspace" } },
      },
    ]);
  });

  test("waits for one, and runs once after it was connected, however often that is reported", async () => {
    const office = await openOffice();
    const facts = await begin(office);
    const waiting = await until(facts, waits("connection"));
    const wait = waitOf(waiting);
    expect(waiting).toMatchObject({ status: "waiting_input", pending: [{ app: "crm", reason: "missing" }] });
    const inbox = await office.send("GET", `/v1/inbox?kind=connection&person=${office.ana}`);
    expect(inbox.json.data).toMatchObject([
      { pending: { kind: "connection", id: wait, connect_url: expect.stringContaining("/connect/") } },
    ]);
    // The first report comes too early: the task waits again, under another id.
    expect((await taskOf(facts).connected(wait)).ok).toBe(true);
    const again = await until(facts, (view) => waits("connection")(view) && waitOf(view) !== wait);
    const connected = await connect(office.tenant, office.ana, { label: LABEL });
    await abortAllDurableObjects();
    const ready = waitOf(again);
    await Promise.all([wait, ready, ready, "cnw_x"].map(async (id) => await taskOf(facts).connected(id)));
    await until(facts, completed);
    const account = shown(connected, office);
    expect(usesOf(office.tenant)).toEqual([{ text: "hi", account: connected.id, consent: 1 }]);
    expect(await ledgerOf(facts)).toMatchObject([{ attempts: 1, state: "confirmed", account }]);
    expect(await eventsOf(facts, "connection.ready")).toMatchObject([{ data: { wait_id: ready, account } }]);
  });

  test("is not made twice with the same arguments when its approval was for an earlier consent", async () => {
    const office = await openOffice();
    const connected = await office.connectAna();
    valueOf(await office.table.change(connected.id, { delegates: true }, act("connection.update", connected.id)));
    office.forget();
    const facts = await begin(office, [note()], { agent: ASKS });
    const first = (await until(facts, waits("approval"))).pending[0];
    if (first?.kind !== "approval") throw new Error("no approval is asked");
    expect(first).toMatchObject({
      account: shown(connected, office),
      decides: { person_id: office.ana, delegates: true },
    });
    // Reconnected between the request and its decision.
    await office.connectAna({ label: "other@acme.example" });
    const decide = async (approval: string) => await taskOf(facts).decideApproval(approval, approvalOf(office), null);
    expect((await decide(first.id)).ok).toBe(true);
    const isOther = ({ pending }: TaskView) => pending[0]?.kind === "approval" && pending[0].id !== first.id;
    const second = (await until(facts, isOther)).pending[0];
    if (second?.kind !== "approval") throw new Error("no approval is asked");
    expect(second.account?.label).toBe("other@acme.example");
    expect(second.arguments_hash).not.toBe(first.arguments_hash);
    expect(usesOf(office.tenant)).toEqual([]);
    expect(await decide(first.id)).toMatchObject({ error: { code: "gone" } });
    expect((await decide(second.id)).ok).toBe(true);
    await until(facts, completed);
    expect(usesOf(office.tenant)).toEqual([{ text: "hi", account: connected.id, consent: 2 }]);
    expect(await ledgerOf(facts)).toMatchObject([{ attempts: 1, argumentsHash: second.arguments_hash }]);
  });

  test("is refused when the account was disconnected between the approval and the effect", async () => {
    const office = await openOffice();
    const { id } = await office.connectAna();
    const facts = await begin(office, [note()], { agent: ASKS });
    const [open] = (await until(facts, waits("approval"))).pending;
    valueOf(await office.table.revoke(id, act("connection.revoke", id)));
    office.forget();
    await taskOf(facts).decideApproval(open?.kind === "approval" ? open.id : "", approvalOf(office), null);
    await until(facts, completed);
    expect(usesOf(office.tenant)).toEqual([]);
    const message = "The account ana@acme.example was disconnected.";
    expect(await ledgerOf(facts)).toMatchObject([{ state: "refused", result: { error: { message } } }]);
  });

  test("keeps its account when its owner changes the arguments", async () => {
    const office = await openOffice();
    const connected = await office.connectAna();
    const facts = await begin(office, [note()], { agent: ASKS });
    const [open] = (await until(facts, waits("approval"))).pending;
    const given = { ...approvalOf(office), arguments: { text: "ho" } };
    await taskOf(facts).decideApproval(open?.kind === "approval" ? open.id : "", given, null);
    await until(facts, completed);
    expect(usesOf(office.tenant)).toEqual([{ text: "ho", account: connected.id, consent: 1 }]);
  });

  test("asks its owner once another person wrote to the task", async () => {
    const office = await openOffice();
    await office.connectAna();
    const people = [office.ana, "per_bo"];
    const facts = await begin(office, [note()], { actors: { caller: office.ana, people, hasUnknown: false } });
    const [open] = (await until(facts, waits("approval"))).pending;
    expect(open).toMatchObject({ decides: { person_id: office.ana, delegates: false } });
    const decided = await office.send(
      "POST",
      `/v1/tasks/${facts.id}/approvals/${open?.kind === "approval" ? open.id : ""}`,
      {
        decision: "approve",
      },
    );
    expectProblem(decided, 403);
    expect(usesOf(office.tenant)).toEqual([]);
  });
});

describe("continuing without an account", () => {
  test("settles the call once; later decisions are told why not", async () => {
    const office = await openOffice();
    const facts = await begin(office);
    const id = waitOf(await until(facts, waits("connection")));
    expectProblem(await skip(office, facts.id, id, { decision: "connect" }), 422, "decision");
    expectProblem(await skip(office, facts.id, id.replace("cnw_", "cnw_x")), 404);
    expectProblem(await skip(await makeCaller(), facts.id, id), 404);
    const skipped = await skip(office, facts.id, id);
    expect([skipped.status, skipped.json.id]).toEqual([200, facts.id]);
    expectProblem(await skip(office, facts.id, id), 409);
    await until(facts, completed);
    const message = "A person decided to continue without crm.";
    expect(await ledgerOf(facts)).toMatchObject([
      { state: "refused", attempts: 0, result: { error: { code: "permission_denied", message } } },
    ]);
    expect(usesOf(office.tenant)).toEqual([]);
  });

  test("is too late for a wait that ended with its task", async () => {
    const office = await openOffice();
    const facts = await begin(office);
    const wait = waitOf(await until(facts, waits("connection")));
    await taskOf(facts).cancel("Bo");
    expectProblem(await skip(office, facts.id, wait), 410);
  });
});

test("while Postgres is away, a call continues with what is known of its account, and fails where nothing is", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const office = await openOffice();
  const connected = await office.connectAna();
  const ask = async (text: string) => {
    const facts = await begin(office, [note(text)], { agent: ASKS });
    const [open] = (await until(facts, waits("approval"))).pending;
    return async () => {
      expect(
        (await taskOf(facts).decideApproval(open?.kind === "approval" ? open.id : "", approvalOf(office), null)).ok,
      ).toBe(true);
      await until(facts, completed);
      return await ledgerOf(facts);
    };
  };
  const [approveWarm, approveCold] = [await ask("warm"), await ask("cold")];
  const database = watchDatabase();
  database.isAway = true;
  expect(await approveWarm()).toMatchObject([{ state: "confirmed" }]);
  office.forget();
  const message = "Otto cannot check the account now. Try again later.";
  expect(await approveCold()).toMatchObject([{ state: "refused", result: { error: { message, retry: "later" } } }]);
  expect(usesOf(office.tenant)).toEqual([{ text: "warm", account: connected.id, consent: 1 }]);
  database.isAway = false;
  // After a failed read, the isolate reads nothing for two seconds; other tests share it.
  const isRead = async () => (await connectionsFromEnv(env, office.tenant).current(toAccount(connected), false)).ok;
  await vi.waitFor(async () => expect(await isRead()).toBe(true), { timeout: 10_000, interval: 100 });
});
