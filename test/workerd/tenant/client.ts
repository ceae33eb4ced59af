/** What the runtime tests of tenancy share: requests through the entry point, tenants of their own, a database that goes away. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, inject, vi } from "vitest";
import { fetchApp } from "../fetch-app.ts";

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request to the Worker's entry point. */
export async function send({ method = "GET", path, key, body, headers = {} }: Call): Promise<Response> {
  const authorization: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  return await fetchApp(`https://otto.test${path}`, {
    method,
    headers: { ...authorization, ...type, ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

export async function sendJson<T>(call: Call): Promise<{ status: number; body: T; headers: Headers }> {
  const response = await send(call);
  return { status: response.status, body: await response.json<T>(), headers: response.headers };
}

export interface TestTenant {
  readonly id: string;
  readonly key: string;
}

export function operatorKey(): string {
  return inject("servers").operatorKey;
}

/** Makes a tenant with the operator key. */
export async function newTenant(name = "Acme"): Promise<TestTenant> {
  const made = await sendJson<{ tenant: { id: string }; key: string }>({
    method: "POST",
    path: "/v1/tenants",
    key: operatorKey(),
    body: { name },
  });
  if (made.status !== 201) throw new Error(`no tenant: ${JSON.stringify(made.body)}`);
  return { id: made.body.tenant.id, key: made.body.key };
}

/** Makes a key of the tenant's with these scopes. */
export async function newKey(
  tenant: TestTenant,
  scopes: readonly string[],
  expiresAt?: string,
): Promise<{ id: string; key: string }> {
  const body = { name: "another", scopes, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) };
  const made = await sendJson<{ id: string; key: string }>({ method: "POST", path: "/v1/keys", key: tenant.key, body });
  if (made.status !== 201) throw new Error(`no key: ${JSON.stringify(made.body)}`);
  return made.body;
}

export function tenantStub(tenant: string) {
  return env.TENANTS.get(env.TENANTS.idFromName(tenant));
}

/** Intercepts database requests: counts its queries, rejects them while `isAway`, and delays them while `hangs`. */
export function watchDatabase(): { queries: number; isAway: boolean; hangs: boolean } {
  const watch = { queries: 0, isAway: false, hangs: false };
  const { databaseEndpoint } = inject("servers");
  const real = globalThis.fetch.bind(globalThis);
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url !== databaseEndpoint) return await real(input, init);
    watch.queries += 1;
    while (watch.hangs) await new Promise((resolve) => setTimeout(resolve, 20));
    if (watch.isAway) throw new TypeError("connection refused");
    return await real(input, init);
  });
  return watch;
}

export interface Problem {
  readonly code: string;
  readonly status: number;
  readonly errors?: readonly { field: string; message: string }[];
}
export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}
export interface Agent {
  readonly id: string;
  readonly version: number;
  readonly name: string;
  readonly created_at: string | null;
}

/** A configuration that fits, with this name. */
export const config = (name: string, more: object = {}) => ({
  name,
  instructions: "Work.",
  tools: ["*"],
  permissions: ["read"],
  ...more,
});

export const makeAgent = (tenant: TestTenant, name: string, headers: Record<string, string> = {}) =>
  sendJson<Agent>({ method: "POST", path: "/v1/agents", key: tenant.key, body: config(name), headers });

/** Reads a list to its end in pages of `limit`. */
export async function readAll<T>(path: string, key: string, limit: number): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const more: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page: { body: Page<T> } = await sendJson<Page<T>>({ path: `${path}?limit=${limit}${more}`, key });
    expect(page.body.data.length).toBeLessThanOrEqual(limit);
    all.push(...page.body.data);
    cursor = page.body.next_cursor;
  }
  return all;
}

/** What a crash does between the end of a request and the storing of its reply: every kept reply of the tenant is lost. */
export async function loseReplies(tenant: string): Promise<void> {
  await runInDurableObject(tenantStub(tenant), (_, state) => {
    state.storage.sql.exec("UPDATE repeats SET done_at = NULL, runner = NULL, status = NULL, headers = NULL");
    state.storage.sql.exec("DELETE FROM replies");
  });
}
