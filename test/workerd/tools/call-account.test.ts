/** A tool call over the API acts for the person of its key, also for the task of another. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { toolSourcesFromEnv } from "../../../adapters/env/tool-sources.ts";
import { outsideToolOf } from "../../contracts/tool/tool-sources-suite.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { callTool } from "./client.ts";

const NO_APPS = {
  ok: false,
  error: {
    code: "permission_denied",
    message: "No assigned external apps are connected for this workspace",
    retry: "never",
  },
};

/** A tenant with a tool that acts through an account of an app, and a key of Ana's. */
async function makePeople() {
  const admin = await makeCaller();
  const app = { app: "crm", provider: "oauth", owner: "either", scopes: [] } as const;
  const tool = outsideToolOf("crm_find", { app });
  const published = await toolSourcesFromEnv(env).publish(admin.tenant, { name: "custom", tools: [tool] }, null);
  if (!published.ok) throw new Error(published.error.message);
  const ana: string = (await admin.send("POST", "/v1/people", { name: "Ana", time_zone: "UTC" })).json.id;
  const scopes = ["tasks:read", "tasks:write", "tools:call"];
  const made = await admin.send("POST", "/v1/keys", { name: "Ana's", scopes, person: ana });
  expect(made.status, made.text).toBe(201);
  const { key } = made.json as { readonly key: string };
  return { admin, ana, authorization: `Bearer ${key}` };
}

async function factsAt({ tenant }: Caller, location: string | null) {
  const id = location?.split("/").at(-1) ?? "";
  const facts = await tasksFromEnv(env)(tenant, id).facts();
  if (!facts.ok) throw new Error(facts.error.message);
  return facts.value;
}

test("a call acts for the key's person, with and without a task of another key", async () => {
  const { admin, ana, authorization } = await makePeople();
  const task = await admin.send("POST", "/v1/tasks", { input: "x", hold: true });
  expect(task.json.acts_for).toBeNull();
  for (const more of [{}, { task_id: task.json.id }]) {
    const body = { arguments: {}, ...more };
    const called = await admin.send("POST", "/v1/tools/get_current_datetime/call", body, { authorization });
    expect(called.json.ok, called.text).toBe(true);
    expect((await factsAt(admin, called.headers.get("location"))).actsFor).toEqual({ person: ana });
    const byAdmin = await admin.send("POST", "/v1/tools/get_current_datetime/call", body);
    expect((await factsAt(admin, byAdmin.headers.get("location"))).actsFor ?? null).toBeNull();
  }
});

test("a call of a tool with an app is refused where the tenant connected none, and its ledger says so", async () => {
  const { admin } = await makePeople();
  const task = await admin.send("POST", "/v1/tasks", { input: "x", hold: true });
  for (const more of [{}, { task_id: task.json.id }]) {
    const called = await callTool(admin, "crm_find", { city: "Oslo" }, more);
    expect([called.status, called.json]).toEqual([200, NO_APPS]);
    const { id } = await factsAt(admin, called.headers.get("location"));
    expect((await admin.send("GET", `/v1/tasks/${id}/ledger`)).json.data).toMatchObject([
      { tool: "crm_find", state: "refused", account: null },
    ]);
  }
});
