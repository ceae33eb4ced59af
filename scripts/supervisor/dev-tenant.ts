/**
 * The tenant of this machine: created once by the API, like any other. Its id and its key are in the state folder. A lost,
 * damaged or revoked key is replaced by another one of the same tenant; another tenant is created only where this
 * system has none.
 */
import { randomUUID } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import { userInfo } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isId } from "../../core/base/ids.ts";
import { findKeyOwner } from "../../core/tenant/keys.ts";
import { CannotRun } from "./cannot-run.ts";
import { type StateFolder, keep, readKept } from "./state-folder.ts";

const GIVE_UP_AFTER_MS = 30_000;
const RETRY_EVERY_MS = 500;
const PAGE_LIMIT = 100;

/** The name that it is found by where its id is lost too. */
const NAME = "local";
const FALLBACK_NAME = "Owner";
/** As `core/people/person-document.ts` accepts names. */
const PERSON_NAME = /^(?=.*\S)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u;

interface Api {
  readonly origin: string;
  readonly operatorKey: string;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** True once the local tenant was created, even if its id or its key is lost by now. */
export function hasDevTenant(state: StateFolder): boolean {
  return existsSync(state.tenantFile) || existsSync(state.devKeyFile);
}

/** The key of the local tenant. Creates a key, and the tenant, where they are missing. Throws `CannotRun`. */
export async function keepDevTenant(state: StateFolder, origin: string, operatorKey: string): Promise<string> {
  const api = { origin, operatorKey };
  const key = readTenantKey(state);
  if (key !== null && (await isAccepted(api, key.text))) {
    keepTenant(state, key.tenant);
    return key.text;
  }
  if (existsSync(state.devKeyFile)) renameSync(state.devKeyFile, `${state.devKeyFile}.unknown`);
  const known = [readTenant(state), key?.tenant ?? null].filter((tenant) => tenant !== null);
  return keepKey(state, await newKey(api, known));
}

/** A text that is no tenant's key is never sent: it may hold bytes that no header takes. */
function readTenantKey(state: StateFolder): { readonly text: string; readonly tenant: string } | null {
  const text = readKept(state.devKeyFile);
  const owner = text === null ? null : findKeyOwner(text);
  return text === null || owner === null || !isId("tenant", owner) ? null : { text, tenant: owner };
}

function readTenant(state: StateFolder): string | null {
  const text = readKept(state.tenantFile);
  return text !== null && isId("tenant", text) ? text : null;
}

function keepTenant(state: StateFolder, tenant: string): void {
  if (readTenant(state) !== tenant) keep(state.tenantFile, tenant);
}

/** The tenant first: with its id, a lost key can be replaced. */
function keepKey(state: StateFolder, key: string): string {
  keepTenant(state, findKeyOwner(key) ?? "");
  return keep(state.devKeyFile, key);
}

/** Only a clear refusal counts: a key is not replaced because the system is busy. */
async function isAccepted({ origin }: Api, key: string): Promise<boolean> {
  return (await tryOnce(`${origin}/v1/tasks?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status !== 401;
}

/** A key of the first of these tenants that exists, else of the one with the name, else of a new one. */
async function newKey(api: Api, known: readonly string[]): Promise<string> {
  for (const tenant of known) {
    const key = await addKey(api, tenant);
    if (key !== null) return key;
  }
  const named = await findTenant(api);
  return (named === null ? null : await addKey(api, named)) ?? (await createTenant(api));
}

/** Null when this system knows no such tenant: it was erased, or is one of another system. */
async function addKey(api: Api, tenant: string): Promise<string | null> {
  const reply = await send(api, `/v1/tenants/${tenant}/keys`, { name: "local key" });
  return reply.status === 404 ? null : readKey(reply);
}

async function createTenant(api: Api): Promise<string> {
  return readKey(await send(api, "/v1/tenants", { name: NAME, person: { name: getUserName() } }));
}

/** The name of the first person: that of the account, if the system has one that a person can have. */
function getUserName(): string {
  try {
    const { username } = userInfo();
    return PERSON_NAME.test(username) ? username : FALLBACK_NAME;
  } catch {
    return FALLBACK_NAME;
  }
}

function readKey(reply: Reply): string {
  const { key } = reply.status === 201 ? (JSON.parse(reply.text) as { key: string }) : { key: "" };
  if (findKeyOwner(key) === null) throw refusal(reply);
  return key;
}

/** The oldest tenant with the name: the first start created it. */
async function findTenant(api: Api): Promise<string | null> {
  let found: string | null = null;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const after = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const reply = await send(api, `/v1/tenants?limit=${PAGE_LIMIT}${after}`);
    if (reply.status !== 200) throw refusal(reply);
    const page = JSON.parse(reply.text) as { data: { id: string; name: string }[]; next_cursor: string | null };
    found = page.data.findLast(({ name }) => name === NAME)?.id ?? found;
    cursor = page.next_cursor;
  }
  return found;
}

/** Sends as the operator, and again while the system cannot answer yet. With a body it is a POST, which is done once. */
async function send({ origin, operatorKey }: Api, path: string, body?: object): Promise<Reply> {
  const headers = { authorization: `Bearer ${operatorKey}` };
  const once = { "content-type": "application/json", "idempotency-key": `dev-tenant-${randomUUID()}` };
  const request: RequestInit =
    body === undefined ? { headers } : { method: "POST", headers: { ...headers, ...once }, body: JSON.stringify(body) };
  const end = Date.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    const reply = await tryOnce(`${origin}${path}`, request);
    const isPassing = reply.status === 0 || reply.status === 429 || reply.status >= 500;
    if (!isPassing) return reply;
    if (Date.now() > end) throw refusal(reply);
    await sleep(RETRY_EVERY_MS);
  }
}

/** Status 0: there was no answer, whose reason is the text. */
async function tryOnce(url: string, request: RequestInit): Promise<Reply> {
  try {
    const response = await fetch(url, request);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return { status: 0, text: String(error) };
  }
}

function refusal({ status, text }: Reply): CannotRun {
  return new CannotRun(`the key of the local tenant could not be created: ${status} ${text.slice(0, 500)}`);
}
