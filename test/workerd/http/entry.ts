/** The Worker as a caller meets it: HTTP requests to its front door, with the key of a tenant that the test makes. */
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { makeId } from "../../../core/base/ids.ts";
import { hashKey, createKey, type Scope, SCOPES } from "../../../core/tenant/keys.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { fetchApp } from "../fetch-app.ts";

const ORIGIN = "http://otto.test";

/** An answer, read. `json` is what the body says when it is JSON, else null. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the answer holds
  readonly json: any;
}

/** A tenant with one key. */
export interface Caller {
  readonly tenant: string;
  readonly key: string;
  /** Sends a request; an object becomes a JSON body, text is sent as it is. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Makes a task whose model answers by `replies`, one a step. */
  makeTask(replies: readonly unknown[], more?: Record<string, unknown>): Promise<TaskView>;
  /** Reads a task until it is as wanted. */
  until(id: string, wanted: (view: TaskView) => boolean): Promise<TaskView>;
}

/** A request without any key. */
export async function knock(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetchApp(`${ORIGIN}${path}`, { ...init, method });
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "") && text !== "";
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null };
}

/** An open answer, for streams. */
export async function open(caller: Caller, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return await fetchApp(`${ORIGIN}${path}`, { headers: { authorization: `Bearer ${caller.key}`, ...headers } });
}

/** Makes a tenant with a key of these scopes. */
export async function makeCaller(scopes: readonly Scope[] = SCOPES): Promise<Caller> {
  const now = Date.now();
  const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const tenant = makeId("tenant", now, random(10));
  const key = createKey(tenant, random(64));
  const record = {
    id: makeId("key", now, random(10)),
    tenant,
    name: "test",
    scopes,
    expiresAt: null,
    projects: null,
    agents: null,
    person: null,
    createdAt: now,
    createdBy: "operator",
    revokedAt: null,
  };
  const act = {
    id: makeId("audit", now, random(10)),
    at: now,
    actor: "operator",
    action: "tenant.create" as const,
    target: tenant,
    requestId: "req_test",
  };
  const made = await databaseFromEnv(env).tenants.create(
    { id: tenant, name: "test", createdAt: now },
    { key: record, hash: await hashKey(key) },
    act,
  );
  if (!made.ok) throw new Error(made.error.message);
  return callerOf(tenant, key);
}

/** The same requests with another key of the tenant. */
export function callerOf(tenant: string, key: string): Caller {
  const send: Caller["send"] = async (method, path, body, headers = {}) => {
    const isRaw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    return await knock(method, path, {
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    });
  };
  return {
    tenant,
    key,
    send,
    async makeTask(replies, more = {}) {
      const answer = await send("POST", "/v1/tasks", { input: JSON.stringify({ replies }), ...more });
      expect(answer.status, answer.text).toBe(201);
      return answer.json;
    },
    async until(id, wanted) {
      return await vi.waitFor(
        async () => {
          const view = (await send("GET", `/v1/tasks/${id}`)).json;
          if (!wanted(view)) throw new Error(`not yet: ${JSON.stringify(view)}`);
          return view;
        },
        { timeout: 20_000, interval: 25 },
      );
    },
  };
}

/** Expects a problem of this status that names these fields. */
export function expectProblem(answer: Answer, status: number, ...fields: string[]): void {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.json).toMatchObject({ status, request_id: answer.headers.get("x-request-id") });
  for (const name of ["type", "title", "detail", "code"]) expect(answer.json[name]).toEqual(expect.any(String));
  const named = (answer.json.errors ?? []).map(({ field }: { field: string }) => field);
  expect(named).toEqual(expect.arrayContaining(fields));
}
