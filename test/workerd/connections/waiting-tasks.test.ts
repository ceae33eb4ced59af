/** A task that waits for an account: who sees the link, and that the account's connection wakes it. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { type Caller, callerOf } from "../http/entry.ts";
import { newBrowser } from "../mcp/consent-client.ts";
import { factsOf, start, until } from "../tasks/client.ts";
import { agree, askLink, begin, connect, type Member, openOffice, readOnly, signInTo } from "./connect-client.ts";

const CALL = { name: "test_crm", arguments: { text: "hi" } };

/** A task that acts for a person, and waits for their account. */
async function park({ tenant, person }: Member, change: object = {}): Promise<{ id: string; wait: string }> {
  const facts = factsOf([{ calls: [CALL] }, { text: "Done." }], { tenant, actsFor: { person }, ...change });
  await start(facts);
  const view = await until(facts, ({ pending }) => pending.some(({ kind }) => kind === "connection"));
  const [wait] = view.pending;
  return { id: facts.id, wait: wait?.kind === "connection" ? wait.id : "" };
}

async function readUrl(reader: Caller, id: string): Promise<string | null> {
  const { json } = await reader.send("GET", `/v1/tasks/${id}`);
  return (json as TaskView).pending.flatMap((one) => (one.kind === "connection" ? [one.connect_url] : []))[0] ?? null;
}

const toPath = (url: string | null) => new URL(url ?? "").pathname;

test("its person gets a new link with each read, in the task, in lists and in the inbox; others get none", async () => {
  const office = await openOffice();
  const [ana, ben] = [await office.add("Ana"), await office.add("Ben")];
  const app = await office.admin.send("POST", "/v1/keys", { name: "app", scopes: ["tasks:read", "people:act"] });
  const { id } = await park(ana);
  const links = [await readUrl(ana, id), await readUrl(ana, id), await readUrl(callerOf(ana.tenant, app.json.key), id)];
  expect(new Set(links.map(toPath)).size).toBe(3);
  const admin = await office.admin.send("POST", "/v1/keys", { name: "admin", scopes: ["tasks:read", "admin"] });
  for (const reader of [ben, callerOf(ana.tenant, admin.json.key)]) expect(await readUrl(reader, id)).toBeNull();
  const console = newBrowser();
  await signInTo(console, office.admin);
  expect((await console.visit(`/v1/tasks/${id}`)).json.pending[0].connect_url).toBeNull();
  const inbox = (await ana.send("GET", "/v1/inbox")).json.data;
  expect(toPath(inbox[0].pending.connect_url)).toMatch(/^\/connect\//);
  expect((await ben.send("GET", "/v1/inbox")).json.data[0].pending.connect_url).toBeNull();
  for (const part of ["trace", "ledger"])
    expect((await ana.send("GET", `/v1/tasks/${id}/${part}`)).text).not.toContain("/connect/");
});

test("the link of the wait connects the account, and the task continues, once", async () => {
  const office = await openOffice();
  const ana = await office.add("Ana");
  const { id } = await park(ana);
  const browser = newBrowser();
  const page = await browser.visit(toPath(await readUrl(ana, id)));
  expect(page.text).toContain("Crm");
  await browser.visit(await agree(await begin(browser, toPath(await readUrl(ana, id))), "ana"));
  const view = await until({ id, tenant: ana.tenant }, ({ status }) => status === "completed");
  expect(view.pending).toEqual([]);
  const { data } = (await ana.send("GET", `/v1/tasks/${id}/ledger`)).json;
  expect(data).toMatchObject([{ state: "confirmed", account: { app: "crm", label: "ana@acme.example" } }]);
});

test("a key wakes it too, and leave to use the account while its owner is away", async () => {
  const field = { name: "key", label: "Key" };
  const office = await openOffice({ kind: "api_key", at: null, fields: [field], header: "x-key" });
  const ana = await office.add("Ana");
  const missing = await park(ana);
  await newBrowser().submit(`${await askLink(ana)}/go`, { "field.key": "k-1" });
  await until({ id: missing.id, tenant: ana.tenant }, ({ status }) => status === "completed");
  const away = await park(ana, { via: { channel: "schedule", id: "sch_1" } });
  const [{ id }] = (await ana.send("GET", "/v1/connections")).json.data;
  expect((await ana.send("PATCH", `/v1/connections/${id}`, { unattended: true })).status).toBe(200);
  await until({ id: away.id, tenant: ana.tenant }, ({ status }) => status === "completed");
});

test("the choice of another account wakes it too", async () => {
  const office = await openOffice();
  const ana = await office.add("Ana");
  await connect(ana, "ana");
  const { id: dead } = await readOnly(ana);
  await connect(ana, "ben", { alias: "other" });
  valueOf(await connectionTableFromEnv(env, ana.tenant).settle(dead, "expired", "It ended."));
  const { id } = await park(ana);
  const { data } = (await ana.send("GET", "/v1/connections")).json;
  const other = data.find((one: { readonly id: string }) => one.id !== dead);
  expect((await ana.send("PATCH", `/v1/connections/${other.id}`, { is_default: true })).status).toBe(200);
  await until({ id, tenant: ana.tenant }, ({ status }) => status === "completed");
  const ledger = (await ana.send("GET", `/v1/tasks/${id}/ledger`)).json.data;
  expect(ledger).toMatchObject([{ state: "confirmed", account: { connection: other.id } }]);
});

test("a list shows a new account at once, also in the isolate that read the list before", async () => {
  const office = await openOffice();
  const ana = await office.add("Ana");
  const count = async () => (await ana.send("GET", "/v1/connections")).json.data.length as number;
  expect([await count(), await count()]).toEqual([0, 0]);
  await connect(ana, "ana");
  expect(await count()).toBe(1);
});
