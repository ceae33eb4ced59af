/** A tool call over the API acts for the person of its key, also for the task of another, and through their account. */
import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { connect } from "../connections/connect-client.ts";
import { type Answer, type Caller, callerOf, makeCaller } from "../http/entry.ts";
import { callTool } from "./client.ts";

const NO_APPS = {
  ok: false,
  error: {
    code: "permission_denied",
    message: "No assigned external apps are connected for this workspace",
    retry: "never",
  },
};

/** A tenant with an import to which each person connects an account, and a key of Ana's. */
async function makePeople() {
  const admin = await makeCaller();
  const issuer = inject("servers").oauthApp;
  const oauth = { kind: "oauth2", issuer, scopes: ["read", "write"], per: "person" };
  const body = { name: "crm", url: `${issuer}/openapi.json`, connect: oauth, read_security: "safe", security: "safe" };
  const imported = await admin.send("POST", "/v1/tools/import", body);
  expect(imported.status, imported.text).toBe(201);
  const id: string = (await admin.send("POST", "/v1/people", { name: "Ana", time_zone: "UTC" })).json.id;
  const scopes = ["tasks:read", "tasks:write", "tools:call"];
  const made = await admin.send("POST", "/v1/keys", { name: "Ana's", scopes, person: id });
  expect(made.status, made.text).toBe(201);
  return { admin, ana: { ...callerOf(admin.tenant, made.json.key), person: id } };
}

async function factsAt({ tenant }: Caller, { headers }: Answer) {
  const id = headers.get("location")?.split("/").at(-1) ?? "";
  const facts = await tasksFromEnv(env)(tenant, id).facts();
  if (!facts.ok) throw new Error(facts.error.message);
  return facts.value;
}

test("a call acts for the key's person, with and without a task of another key", async () => {
  const { admin, ana } = await makePeople();
  const task = await admin.send("POST", "/v1/tasks", { input: "x", hold: true });
  expect(task.json.acts_for).toBeNull();
  for (const more of [{}, { task_id: task.json.id }]) {
    const called = await callTool(ana, "get_current_datetime", {}, more);
    expect(called.json.ok, called.text).toBe(true);
    expect((await factsAt(admin, called)).actsFor).toEqual({ person: ana.person });
    const byAdmin = await callTool(admin, "get_current_datetime", {}, more);
    expect((await factsAt(admin, byAdmin)).actsFor ?? null).toBeNull();
  }
});

test("a call of a tool with an app is refused where the tenant connected none, and its ledger says so", async () => {
  const { admin } = await makePeople();
  const task = await admin.send("POST", "/v1/tasks", { input: "x", hold: true });
  for (const more of [{}, { task_id: task.json.id }]) {
    const called = await callTool(admin, "crm.list_notes", {}, more);
    expect([called.status, called.json]).toEqual([200, NO_APPS]);
    const { id } = await factsAt(admin, called);
    expect((await admin.send("GET", `/v1/tasks/${id}/ledger`)).json.data).toMatchObject([
      { tool: "crm.list_notes", state: "refused", account: null },
    ]);
  }
});

test.each([false, true])(
  "a call that waits for an account says so; repeated, it gets its result (for a task: %s)",
  async (isForTask) => {
    const { admin, ana } = await makePeople();
    const task = await admin.send("POST", "/v1/tasks", { input: "x", hold: true });
    const more = isForTask ? { task_id: task.json.id } : {};
    const repeat = { "idempotency-key": crypto.randomUUID() };
    const body = { arguments: { text: `of ${repeat["idempotency-key"]}` }, ...more };
    const send = async () => await ana.send("POST", "/v1/tools/crm.add_note/call", body, repeat);
    const waiting = await send();
    const { id } = await factsAt(admin, waiting);
    expect(waiting.json).toMatchObject({
      ok: false,
      error: {
        code: "timeout",
        details: {
          task_id: id,
          status: "waiting_input",
          pending: [{ kind: "connection", app: "crm", reason: "missing", person_id: ana.person }],
        },
      },
    });
    // It still waits, in the same task.
    expect((await send()).json).toEqual(waiting.json);
    expect((await connect(ana, "ana")).status).toBe(200);
    await ana.until(id, ({ status }) => status === "completed");
    const done = await send();
    expect(done.json).toMatchObject({ ok: true, result: { owner: "ana" } });
    expect(done.headers.get("location")).toBe(waiting.headers.get("location"));
    const again = await send();
    expect([again.json, again.headers.get("idempotency-replayed")]).toEqual([done.json, "true"]);
    const texts = (done.json.result.notes as string[]).filter((text) => text === body.arguments.text);
    expect(texts).toHaveLength(1);
    const [{ id: connection }] = (await ana.send("GET", "/v1/connections")).json.data;
    expect((await ana.send("GET", `/v1/tasks/${id}/ledger`)).json.data).toMatchObject([
      { state: "confirmed", attempts: 1, account: { connection, label: "ana@acme.example" } },
    ]);
  },
);
