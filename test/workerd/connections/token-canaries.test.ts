/**
 * Credentials of every kind, in an office that connects, calls, refreshes and fails: none of them is found in a log, a prompt,
 * a reply, a stored row or the storage of an object.
 */
import { env } from "cloudflare:workers";
import { expect, inject, test, vi } from "vitest";
import { connectionTableFromEnv, forgetConnectionsFromEnv } from "../../../adapters/env/connections.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { type Caller, callerOf, makeCaller } from "../http/entry.ts";
import { newBrowser } from "../mcp/consent-client.ts";
import { recordsOf, somewhere } from "../outside.ts";
import { stubOf } from "../tasks/client.ts";
import { tenantStub, watchDatabase } from "../tenant/client.ts";
import {
  type Canaries,
  countPrompts,
  expectNowhere,
  readObject,
  readReplies,
  readRows,
  type Texts,
} from "./canary-search.ts";
import { agree, askLink, begin, readTokens } from "./connect-client.ts";

const OAUTH = { type: "oauth2", flows: {} };
const API_KEY = { type: "apiKey", in: "header", name: "x-api-key" };
const BASIC = { type: "http", scheme: "basic" };
const KEY = `canary-api-key-${crypto.randomUUID()}`;
const PASSWORD = `canary-password-${crypto.randomUUID()}`;
const SECRET = `canary-client-secret-${crypto.randomUUID()}`;

/** An API that answers with the headers that it was sent, or breaks the connection off. */
const describeEcho = (server: string, login: object) => ({
  openapi: "3.1.0",
  info: { title: "Echo", version: "1" },
  servers: [{ url: server }],
  paths: { "/echo": { get: { operationId: "echo" } }, "/reset": { get: { operationId: "reset" } } },
  security: [{ login: [] }],
  components: { securitySchemes: { login } },
});

/** A client of the mock app with a secret of its own. */
async function addClient(): Promise<string> {
  const client = {
    id: `client-${crypto.randomUUID()}`,
    secret: SECRET,
    redirects: ["http://otto.test/connect/callback"],
  };
  await fetch(`${inject("servers").oauthApp}/control`, { method: "POST", body: JSON.stringify({ client }) });
  return client.id;
}

interface Office {
  readonly admin: Caller;
  readonly ana: Caller;
  /** Where the echoes of the apps are. */
  readonly echoes: ReadonlyMap<string, string>;
}

async function openOffice(): Promise<Office> {
  const admin = await makeCaller();
  const issuer = inject("servers").oauthApp;
  const oauth = {
    kind: "oauth2",
    issuer,
    client_id: await addClient(),
    client_secret: SECRET,
    scopes: ["read"],
    per: "person",
  };
  const echoes = new Map(["login", "key", "basic"].map((name) => [name, somewhere()] as const));
  const echo = (name: string, scheme: object) => describeEcho(echoes.get(name) ?? "", scheme);
  for (const body of [
    { name: "crm", url: `${issuer}/openapi.json`, connect: oauth },
    { name: "login", openapi: echo("login", OAUTH), connect: oauth },
    { name: "key", openapi: echo("key", API_KEY), connect: { kind: "api_key" } },
    { name: "basic", openapi: echo("basic", BASIC), connect: { kind: "basic" } },
  ]) {
    const made = await admin.send("POST", "/v1/tools/import", { ...body, read_security: "safe" });
    expect(made.status, made.text).toBe(201);
  }
  const { id } = (await admin.send("POST", "/v1/people", { name: "Ana" })).json;
  const scopes = ["tasks:read", "tasks:write", "tools:call"];
  const made = await admin.send("POST", "/v1/keys", { name: "Ana's", scopes, person: id });
  return { admin, ana: callerOf(admin.tenant, made.json.key), echoes };
}

/** Connects every app, with a sign-in that fails before, and a replay of the one that works. */
async function connectAll({ ana }: Office, canaries: Canaries, texts: Texts): Promise<void> {
  for (const app of ["crm", "login"]) {
    for (const isForged of [true, false]) {
      const how = `${app} ${isForged ? "forged" : "good"}`;
      const [browser, path] = [newBrowser(), await askLink(ana, { app })];
      canaries.set(`link of ${how}`, path.split("/").at(-1) ?? "");
      const back = new URL(await agree(await begin(browser, path), "ana"), "http://otto.test");
      canaries.set(`code of ${how}`, back.searchParams.get("code") ?? "");
      canaries.set(`state of ${how}`, back.searchParams.get("state") ?? "");
      if (isForged) back.searchParams.set("code", "canary-code-forged");
      const pages = [
        await browser.visit(back.pathname + back.search),
        await browser.visit(back.pathname + back.search),
      ];
      expect(pages.map(({ status }) => status)).toEqual([isForged ? 400 : 200, 410]);
      texts.set(`pages of ${how}`, pages.map(({ text }) => text).join("\n"));
    }
  }
  for (const [app, form] of [
    ["key", { "field.key": KEY }],
    ["basic", { "field.username": "ana", "field.password": PASSWORD }],
  ] as const) {
    const page = await newBrowser().submit(`${await askLink(ana, { app })}/go`, form);
    expect(page.status, page.text).toBe(200);
    texts.set(`page of ${app}`, page.text);
  }
}

/** Visits a link and a return from the app while Postgres is away, which is logged with the address. */
async function failToConnect({ ana }: Office, canaries: Canaries): Promise<void> {
  const [browser, path] = [newBrowser(), await askLink(ana, { app: "crm" })];
  const back = new URL(await agree(await begin(browser, path), "ana"), "http://otto.test");
  for (const name of ["code", "state"]) canaries.set(`${name} of a failure`, back.searchParams.get(name) ?? "");
  const unused = await askLink(ana, { app: "crm" });
  canaries.set("link of a failure", unused.split("/").at(-1) ?? "");
  const database = watchDatabase();
  database.isAway = true;
  for (const address of [unused, back.pathname + back.search])
    expect((await browser.visit(address)).status).toBeGreaterThanOrEqual(500);
  database.isAway = false;
}

async function addTokens({ ana }: Office, canaries: Canaries, when: string): Promise<void> {
  const { data } = (await ana.send("GET", "/v1/connections")).json;
  for (const { id, app } of data as { id: string; app: string }[]) {
    const tokens = await readTokens(ana.tenant, id);
    if (tokens.kind !== "oauth") continue;
    canaries.set(`access token of ${app} ${when}`, tokens.access);
    canaries.set(`refresh token of ${app} ${when}`, tokens.refresh ?? "");
  }
}

/** Ends the lifetime of the access tokens, so that the next call refreshes them. */
async function endTokens({ ana }: Office): Promise<void> {
  const table = connectionTableFromEnv(env, ana.tenant);
  for (const { id, app } of (await ana.send("GET", "/v1/connections")).json.data) {
    const { tokens, version } = valueOf(await table.tokens(id));
    if (tokens.kind !== "oauth") continue;
    expect(valueOf(await table.storeTokens(id, version, { ...tokens, expiresAt: Date.now() + 1 })), app).toBe(true);
  }
  forgetConnectionsFromEnv(env, ana.tenant);
}

/** A task that calls every app in one step, so that the next prompt has all replies. Returns its id. */
async function runTask({ ana }: Office): Promise<string> {
  const names = ["crm.list_notes", "login.echo", "key.echo", "basic.echo", "login.reset"];
  const calls = names.map((name) => ({ name, arguments: {} }));
  const { id } = await ana.makeTask([{ calls }, { text: "Done." }]);
  await ana.until(id, ({ status }) => status === "completed");
  const { data } = (await ana.send("GET", `/v1/tasks/${id}/ledger`)).json;
  const states = (data as { state: string; account: unknown }[]).map(({ state, account }) => [state, account !== null]);
  expect(states.slice(0, 4)).toEqual(names.slice(0, 4).map(() => ["confirmed", true]));
  return id;
}

test("no credential is found outside of its sealed row", { timeout: 120_000 }, async () => {
  const logged: string[] = [];
  for (const method of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, method).mockImplementation((...given) => void logged.push(given.map(String).join(" ")));
  const [canaries, texts]: [Canaries, Texts] = [new Map(), new Map()];
  canaries.set("client secret", SECRET).set("API key", KEY).set("password", PASSWORD);
  canaries.set("basic credential", btoa(`ana:${PASSWORD}`));
  const office = await openOffice();
  const { ana, admin } = office;
  await connectAll(office, canaries, texts);
  await addTokens(office, canaries, "at first");
  const tasks = [await runTask(office)];
  await endTokens(office);
  tasks.push(await runTask(office));
  await addTokens(office, canaries, "refreshed");
  expect(canaries.get("access token of crm refreshed")).not.toBe(canaries.get("access token of crm at first"));
  await failToConnect(office, canaries);
  const called = await ana.send("POST", "/v1/tools/login.echo/call", { arguments: {} });
  texts.set("reply of a call", called.text);
  // The apps did get them: what is searched for is what was used.
  for (const [app, name] of [
    ["login", "access token of login refreshed"],
    ["key", "API key"],
    ["basic", "basic credential"],
  ] as const) {
    const records = JSON.stringify(await recordsOf(`${office.echoes.get(app)}/echo`));
    expect(records, app).toContain(canaries.get(name));
  }
  expect(called.text).toContain("{{connection}}");
  const ids = (await ana.send("GET", "/v1/connections")).json.data.map(({ id }: { id: string }) => id);
  const other = await makeCaller();
  for (const [name, by] of [
    ["the person", ana],
    ["the administrator", admin],
    ["another tenant", other],
  ] as const)
    texts.set(`replies to ${name}`, await readReplies(by, tasks, ids));
  // The apps echoed the credentials, and ledgers and prompts have the echoes.
  expect(texts.get("replies to the person")).toContain("{{connection}}");
  expect(await countPrompts("{{connection}}")).toBeGreaterThan(0);
  texts.set("Postgres", await readRows(ana.tenant));
  texts.set("the tenant's object", await readObject(tenantStub(ana.tenant)));
  for (const id of tasks) texts.set(`the object of ${id}`, await readObject(stubOf({ tenant: ana.tenant, id })));
  texts.set("the log", logged.join("\n"));
  await expectNowhere(canaries, texts);
});
