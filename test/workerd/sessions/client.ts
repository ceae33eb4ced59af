/** What the tests of sessions share: a browser that keeps its cookie, and requests from an address of their own. */
import { expect } from "vitest";
import { fetchApp } from "../fetch-app.ts";
import type { TestTenant } from "../tenant/client.ts";

export const HTTPS = "https://otto.test";
export const HTTP = "http://otto.test:8787";

/** A browser with at most one session: the cookie that it was given, as it sends it back. */
interface Browser {
  readonly cookie: string;
  readonly attributes: string;
  readonly body: unknown;
}

interface Sending {
  readonly method?: string;
  readonly path?: string;
  readonly origin?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

let addresses = 0;

/** From an address of its own each time, so that the tests do not use up each other's tries. */
export async function ask({ method = "GET", path = "/v1/session", origin = HTTPS, body, headers = {} }: Sending) {
  addresses += 1;
  const answer = await fetchApp(`${origin}${path}`, {
    method,
    headers: {
      "cf-connecting-ip": `192.0.2.${addresses % 250}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, json: text === "" ? null : JSON.parse(text) };
}

export async function signIn(body: { key: string } | { link: string }, origin = HTTPS): Promise<Browser> {
  const answer = await ask({ method: "POST", origin, body });
  expect(answer.status, JSON.stringify(answer.json)).toBe(201);
  const set = answer.headers.get("set-cookie") ?? "";
  return { cookie: set.split(";")[0] ?? "", attributes: set.slice(set.indexOf(";")), body: answer.json };
}

export const ours = { "sec-fetch-site": "same-origin" };
export const as = ({ cookie }: Pick<Browser, "cookie">, more: Readonly<Record<string, string>> = ours) => ({
  cookie,
  ...more,
});
export const withKey = (key: string) => ({ authorization: `Bearer ${key}` });

export async function newLink(tenant: TestTenant, body: unknown = {}): Promise<string> {
  const made = await ask({ method: "POST", path: "/v1/session/links", headers: withKey(tenant.key), body });
  expect(made.status, JSON.stringify(made.json)).toBe(201);
  return new URL(made.json.url).hash.slice(1);
}

export async function actions(tenant: TestTenant): Promise<string[]> {
  const { json } = await ask({ path: "/v1/audit", headers: withKey(tenant.key) });
  return json.data.map(({ action }: { action: string }) => action);
}
