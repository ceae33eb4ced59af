/**
 * Who asks. The tenant comes from the key, or from the session that acts as one, and from nowhere else. One hop to the
 * tenant's object answers everything that has to be known before the request runs: the key, its request limit, and what a
 * repeat gets.
 */
import type { MiddlewareHandler } from "hono";
import { databaseFromEnv, settingsFromEnv, tenantsFromEnv } from "../../adapters/from-env.ts";
import { OPERATOR_TENANT } from "../../core/database.ts";
import { OttoError, raise } from "../../core/errors.ts";
import type { IdempotentRequest } from "../../core/tenant/idempotency.ts";
import { withShipped } from "../../core/skills/shipped.ts";
import { hashKey, keyOwner, OPERATOR } from "../../core/keys.ts";
import type { Admission, KeyRecord, TenantRpc } from "../../core/objects.ts";
import { sha256Hex } from "../../core/sha256.ts";
import { sessionTenant } from "../../core/tenant/session.ts";
import { rateHeaders } from "../../core/tenant/rate-limit.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { refuseForeign } from "../own-origin.ts";
import { problemResponse } from "../problem.ts";
import { sessionToken } from "../session-cookie.ts";
import { idempotentRequestOf, runOnce } from "./idempotency.ts";

type Admitted = Extract<Admission, { kind: "admitted" | "limited" }>;

/** The operator key as the object that counts its requests and keeps its replies knows it. */
const OPERATOR_KEY: KeyRecord = { id: OPERATOR, tenant: OPERATOR_TENANT, name: OPERATOR, scopes: [], expiresAt: null };

/** Where a browser signs in: the one route under `/v1` that needs no key, by POST. */
export const SESSION_PATH = "/v1/session";

export const authenticate: MiddlewareHandler<AppEnv> = async function authenticate(c, next) {
  if (c.req.method === "POST" && c.req.path === SESSION_PATH) {
    await next();
    return;
  }
  const admission = await admitRequest(c);
  if (admission.kind === "limited") c.res = tooMany(c, admission.retryAfterMs);
  else {
    const { key } = admission;
    c.set("principal", key.id === OPERATOR ? { kind: "operator" } : { kind: "tenant", tenant: key.tenant, key });
    c.set("session", admission.session);
    c.set("stopped", admission.stopped);
    c.set("agentsStamp", admission.agentsStamp);
    c.set("sources", withShipped(admission.sources));
    if (admission.idempotency === null) await next();
    else await runOnce(c, { tenant: key.tenant, state: admission.idempotency }, next);
  }
  for (const [name, value] of rateHeaders(admission.rate)) c.res.headers.set(name, value);
};

/** Lets only the operator key through. On a route about one tenant, any other key learns nothing about which there are. */
export const requireOperator: MiddlewareHandler<AppEnv> = async function requireOperator(c, next) {
  if (c.get("principal").kind !== "operator") {
    if (c.req.param("id") !== undefined) raise("not_found", "There is no such tenant.");
    raise("forbidden", "Tenants are made with the operator key.");
  }
  await next();
};

/** By the key that the request names, else by its session's cookie. */
async function admitRequest(c: AppContext): Promise<Admitted> {
  const token = c.req.header("authorization") === undefined ? sessionToken(c) : null;
  if (token !== null) return await admitSession(c, token);
  const key = bearerToken(c);
  const owner = keyOwner(key);
  if (owner === null) refuse();
  const idempotency = await idempotentRequestOf(c);
  if (owner === OPERATOR) return await admitOperator(c, key, idempotency);
  return (await admitKey(c, owner, key, idempotency)) ?? refuse();
}

/** The cookie comes by itself with what any page asks for, so our own page has to have asked. */
async function admitSession(c: AppContext, token: string): Promise<Admitted> {
  refuseForeign(c);
  const tenant = sessionTenant(token);
  if (tenant === null) refuseSession();
  const sessionHash = await sha256Hex(token);
  const request = { sessionHash, idempotency: await idempotentRequestOf(c) };
  const admission = await again(() => tenantsFromEnv(c.env)(tenant).admitSession(request));
  return admission.kind === "dead_key" || admission.kind === "unknown_key" ? refuseSession() : admission;
}

/** What the tenant's object says to a key; null: it is not valid. */
export async function admitKey(
  c: AppContext,
  tenant: string,
  key: string,
  idempotency: IdempotentRequest | null,
): Promise<Admitted | null> {
  const keyHash = await hashKey(key);
  const known = await ask(c, tenant, { keyHash, keyRecord: null, idempotency });
  if (known.kind === "dead_key") return null;
  if (known.kind !== "unknown_key") return known;
  const found = await databaseFromEnv(c.env).keys.byHash(tenant, keyHash);
  if (!found.ok) {
    if (found.error.code === "not_found") return null;
    throw new OttoError(found.error);
  }
  const shown = await ask(c, tenant, { keyHash, keyRecord: found.value, idempotency });
  return shown.kind === "dead_key" || shown.kind === "unknown_key" ? null : shown;
}

async function admitOperator(c: AppContext, key: string, idempotency: IdempotentRequest | null): Promise<Admitted> {
  const keyHash = await hashKey(key);
  const { operatorKeyHash } = settingsFromEnv(c.env);
  if (operatorKeyHash === null || !isSame(keyHash, operatorKeyHash)) refuse();
  const admission = await ask(c, OPERATOR_TENANT, { keyHash, keyRecord: OPERATOR_KEY, idempotency });
  return admission.kind === "dead_key" || admission.kind === "unknown_key" ? refuse() : admission;
}

async function ask(c: AppContext, tenant: string, request: Parameters<TenantRpc["admit"]>[0]): Promise<Admission> {
  return await again(() => tenantsFromEnv(c.env)(tenant).admit(request));
}

/** Asks once more when the object was restarted under the first question: what that one began is taken over. */
async function again(question: () => Promise<Admission>): Promise<Admission> {
  try {
    return await question();
  } catch {
    return await question();
  }
}

/** The credentials of RFC 6750, section 2.1. */
export function bearerToken(c: AppContext): string {
  return /^Bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? refuse();
}

/** Takes the same time wherever two hashes differ. */
function isSame(left: string, right: string): boolean {
  const [a, b] = [new TextEncoder().encode(left), new TextEncoder().encode(right)];
  return a.byteLength === b.byteLength && crypto.subtle.timingSafeEqual(a, b);
}

function tooMany(c: AppContext, retryAfterMs: number): Response {
  const message = "This key has sent too many requests. Wait as long as Retry-After says.";
  return problemResponse({ code: "rate_limited", message, retryAfterMs }, c.get("requestId"));
}

function refuseSession(): never {
  raise("unauthenticated", "Your session is over. Sign in again.");
}

function refuse(): never {
  raise("unauthenticated", "Send a valid API key: `Authorization: Bearer otto_…`.");
}
