/** The message about a connection that does not work: one for each outage, to the person who can act. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import { makeId } from "../../../core/base/ids.ts";
import type { ConnectReason } from "../../../core/connections/account.ts";
import type { OpenWait } from "../../../core/task/open-waits.ts";
import type { NoticeFacts, ReportedNotice } from "../../../core/task/notice.ts";
import type { PendingView } from "../../../core/task/view.ts";
import { OutboxObject, TaskObject } from "../../../workers/index.ts";
import { act, report } from "../../contracts/database/rows.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { addApp, APP, connect, removeApp } from "../connections/app-of-tests.ts";
import type { Caller } from "../http/entry.ts";
import { tenantStub, watchDatabase } from "../tenant/client.ts";
import { runInDurableObject } from "cloudflare:test";
import { newCaller, person, readDeliveries, SOON } from "./inbox/ask-people.ts";
import { sendingsOf } from "./outbox/test-sender.ts";

let caller: Caller;
let tenant: string;
/** The tasks whose wait has ended. */
let settled: Set<string>;

const newTask = () => makeId("task", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
const table = () => connectionTableFromEnv(env, tenant);
const texts = () => sendingsOf(tenant).map(({ delivery }) => String(delivery.content["text"]));

async function untilFannedOut(): Promise<void> {
  await vi.waitFor(async () => {
    const left = await runInDurableObject(tenantStub(tenant), (_, { storage }) =>
      storage.sql.exec("SELECT task, tries FROM notices").toArray(),
    );
    expect(left).toEqual([]);
  }, SOON);
}

interface Asked {
  readonly person?: string | null;
  readonly reason?: ConnectReason;
  readonly at?: number;
  readonly facts?: Partial<NoticeFacts>;
  readonly task?: string;
}

function factsOf(task: string, change: Partial<NoticeFacts>): NoticeFacts {
  const agent = { id: "agent_default", version: 1 };
  const rest = {
    parentId: null,
    isHidden: false,
    project: null,
    via: { channel: "api", id: null },
    deliver: [],
  } as const;
  return { task, rootId: task, agent, ...rest, ...change };
}

async function reportNotice(task: string, waits: readonly OpenWait[], notice: ReportedNotice, facts = {}) {
  const row = { ...report({ task, input: `Report ${task}`, status: "waiting_input" }), waits };
  await tenantsFromEnv(env)(tenant).report({ ...row, news: { facts: factsOf(task, facts), notices: [notice] } });
}

/** A task that waits for the connection of a person, or a shared one (null), and says so. */
async function ask({ person: owner = null, reason = "missing", at = Date.now(), facts = {}, task = newTask() }: Asked) {
  const id = `cnw_${task}`;
  const data = { wait_id: id, call_id: "call_1", tool: "crm_read", app: APP.app, reason, person_id: owner };
  const wait = { id, kind: "connection", app: APP.app, person: null, person_id: owner, since: at } as const;
  const notice = { seq: 1, type: "connection.requested", at: new Date(at).toISOString(), data } as const;
  await reportNotice(task, [wait], notice, facts);
  return task;
}

beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  caller = await newCaller();
  ({ tenant } = caller);
  settled = new Set();
  await addApp(tenant);
  const { view } = TaskObject.prototype;
  vi.spyOn(TaskObject.prototype, "view").mockImplementation(async function (this: TaskObject) {
    const [owner, task = ""] = (this as unknown as { ctx: DurableObjectState }).ctx.id.name?.split("/") ?? [];
    if (owner !== tenant) return await view.call(this);
    if (task === "") return failed("not_found", "There is no such task.");
    const wait = { kind: "connection", id: `cnw_${task}` } as unknown as PendingView;
    return ok({ ...report({ task, input: `Report ${task}` }).view, pending: settled.has(task) ? [] : [wait] });
  });
});

describe("one message", () => {
  test("goes to the owner for a hundred tasks, and says how many wait", async () => {
    const ana = await person(caller, "Ana");
    const tasks = Array.from({ length: 100 }, newTask);
    const wait = { kind: "connection", app: APP.app, person: null, person_id: ana.id, since: Date.now() } as const;
    for (const task of tasks)
      await tenantsFromEnv(env)(tenant).report({ ...report({ task }), waits: [{ id: `cnw_${task}`, ...wait }] });
    await Promise.all(tasks.map((task, index) => ask({ person: ana.id, task, at: Date.now() - index })));
    await untilFannedOut();
    await vi.waitFor(() => expect(texts()).toHaveLength(1), SOON);
    expect(texts()[0]).toMatch(/^Otto needs your account of Crm: Report task\\_\w+ and 99 other tasks wait\./);
    const listed = valueOf(await table().ensure({ app: APP.app, person: ana.id, alias: null }, "oauth"));
    expect(listed).toMatchObject({ status: "new", outage: 0, notifiedAt: expect.any(Number) });
    // A later task is of the same outage, wherever its owner is reached by then.
    const moved = { name: "Ana", addresses: ana.addresses, preferred: "email" };
    expect((await caller.send("PUT", `/v1/people/${ana.id}`, moved)).status).toBe(200);
    await ask({ person: ana.id });
    await untilFannedOut();
    expect(texts()).toHaveLength(1);
  });

  test("leaves although the call ends between the outbox and the note", async () => {
    const ana = await person(caller, "Ana");
    const watch = watchDatabase();
    const { put } = OutboxObject.prototype;
    vi.spyOn(OutboxObject.prototype, "put").mockImplementation(async function (this: OutboxObject, deliveries) {
      await put.call(this, deliveries);
      watch.isAway = deliveries.some((one) => one.tenant === tenant);
    });
    const [first, second] = [await ask({ person: ana.id }), await ask({ person: ana.id })];
    await vi.waitFor(() => expect(texts()).toHaveLength(1), SOON);
    vi.mocked(OutboxObject.prototype.put).mockRestore();
    watch.isAway = false;
    await untilFannedOut();
    expect(texts()).toHaveLength(1);
    expect([first, second].some((task) => texts()[0]?.includes(task.slice(5)))).toBe(true);
    expect(
      valueOf(await table().ensure({ app: APP.app, person: ana.id, alias: null }, "oauth")).notifiedAt,
    ).not.toBeNull();
  });

  test("follows each outage, and none while the connection works", async () => {
    const ana = await person(caller, "Ana");
    const { id } = await connect(tenant, ana.id);
    await ask({ person: ana.id, reason: "expired" });
    await untilFannedOut();
    expect(texts()).toEqual([]);
    for (const outage of [1, 2]) {
      expect(valueOf(await table().settle(id, "expired", "refused")).outage).toBe(outage);
      for (let tasks = 0; tasks < 3; tasks += 1) await ask({ person: ana.id, reason: "expired" });
      await untilFannedOut();
      await vi.waitFor(() => expect(texts()).toHaveLength(outage), SOON);
      expect(texts().at(-1)).toMatch(/^Otto can no longer use your account of Crm: .*\.\n\nConnect it again/);
      await connect(tenant, ana.id);
    }
  });

  test("says once per consent that a connection that works permits too little", async () => {
    const ana = await person(caller, "Ana");
    const { id } = await connect(tenant, ana.id, { unattended: false });
    for (let tasks = 0; tasks < 3; tasks += 1) await ask({ person: ana.id, reason: "unattended" });
    await untilFannedOut();
    await vi.waitFor(() => expect(texts()).toHaveLength(1), SOON);
    expect(texts()[0]).toContain("Otto may use your account of Crm only while you are present");
    // It is not the message of an outage, which comes later.
    expect(valueOf(await table().find(id)).notifiedAt).toBeNull();
    valueOf(await table().revoke(id, act("connection.revoke", id)));
    await ask({ person: ana.id, reason: "revoked" });
    await untilFannedOut();
    await vi.waitFor(() => expect(texts()).toHaveLength(2), SOON);
    expect(texts()[1]).toContain("which was disconnected");
  });

  test("about a shared connection goes to who connected it", async () => {
    const ana = await person(caller, "Ana");
    const { id } = await connect(tenant, null, { by: { person: ana.id, name: "Ana" } });
    valueOf(await table().settle(id, "expired", "refused"));
    await ask({ person: null, reason: "expired" });
    await vi.waitFor(() => expect(texts()).toHaveLength(1), SOON);
    expect(texts()[0]).toContain("the shared account of Crm");
    expect(sendingsOf(tenant)[0]?.delivery).toMatchObject({ channel: "slack", to: "T1/UANA", kind: "notification" });
  });

  test("uses the mail address of who has no Slack, and tells nobody else", async () => {
    const address = "ana@acme.example";
    const ana = await person(caller, "Ana", { addresses: [{ kind: "email", address }] });
    await ask({ person: ana.id, facts: { deliver: [{ channel: "slack", to: "T1/C1" }] } });
    await vi.waitFor(() => expect(texts()).toHaveLength(1), SOON);
    expect(sendingsOf(tenant)[0]?.delivery).toMatchObject({ channel: "email", to: address });
    await untilFannedOut();
    expect(texts()).toHaveLength(1);
  });
});

describe("no message", () => {
  test("leaves for a hidden task, a wait that has ended, an app that is gone, or without a person who can act", async () => {
    const ana = await person(caller, "Ana");
    const nobody = await person(caller, "Ben", { addresses: [] });
    await ask({ person: ana.id, facts: { isHidden: true } });
    const ended = newTask();
    settled.add(ended);
    await ask({ person: ana.id, task: ended });
    await ask({ person: nobody.id });
    await ask({ person: "per_01m7xzk2r8v3c5n7q9w1y4t6b8" });
    await ask({ person: null });
    await untilFannedOut();
    await removeApp(tenant);
    await ask({ person: ana.id });
    await untilFannedOut();
    expect(texts()).toEqual([]);
  });

  test("leaves for an account that its owner connects while it is looked up", async () => {
    const ana = await person(caller, "Ana");
    const real = globalThis.fetch.bind(globalThis);
    let isConnected = false;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      if (!isConnected && typeof init?.body === "string" && init.body.includes("insert into entity_connections")) {
        isConnected = true;
        await connect(tenant, ana.id);
      }
      return await real(input, init);
    });
    await ask({ person: ana.id });
    await untilFannedOut();
    expect([isConnected, await readDeliveries(`${tenant}/slack/T1`)]).toEqual([true, []]);
  });

  test("leaves that waits for working hours while the connection is made", async () => {
    const today = (new Date().getUTCDay() + 6) % 7;
    const days = [((today + 3) % 7) + 1];
    const ana = await person(caller, "Ana", {
      addresses: [{ kind: "slack", team: "T1", user: "UANA" }],
      time_zone: "UTC",
      working_hours: { days, from: "09:00", to: "10:00" },
    });
    const task = await ask({ person: ana.id });
    await untilFannedOut();
    const states = async () => (await readDeliveries(`${tenant}/slack/T1`)).map(({ state }) => state);
    expect(await states()).toEqual(["waiting"]);
    const { id } = await connect(tenant, ana.id);
    const data = { wait_id: `cnw_${task}`, call_id: "call_1", app: APP.app, account: { connection: id } };
    await reportNotice(task, [], { seq: 2, type: "connection.ready", at: new Date().toISOString(), data });
    await vi.waitFor(async () => expect(await states()).toEqual(["called_off"]), SOON);
    expect(texts()).toEqual([]);
  });
});
