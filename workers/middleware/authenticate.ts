/**
 * Who asks. The tenant comes from the key and from nowhere else. One hop to the tenant's object answers everything that
 * has to be known before the request runs: the key, its request limit, and what a repeat gets.
 */
import type { MiddlewareHandler } from "hono";
import { databaseFromEnv, settingsFromEnv, tenantsFromEnv } from "../../adapters/from-env.ts";
import { OPERATOR_TENANT } from "../../core/database.ts";
import { OttoError, raise } from "../../core/errors.ts";
import type { IdempotentRequest } from "../../core/tenant/idempotency.ts";
import { withShipped } from "../../core/skills/shipped.ts";
import { hashKey, keyOwner, OPERATOR } from "../../core/keys.ts";
import type { Admission, KeyRecord, TenantRpc } from "../../core/objects.ts";
import { rateHeaders } from "../../core/tenant/rate-limit.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { problemResponse } from "../problem.ts";
import { idempotentRequestOf, runOnce } from "./idempotency.ts";

type Admitted = Extract<Admission, { kind: "admitted" | "limited" }>;

/** The operator key as the object that counts its requests and keeps its replies knows it. */
const OPERATOR_KEY: KeyRecord = { id: OPERATOR, tenant: OPERATOR_TENANT, name: OPERATOR, scopes: [], expiresAt: null };

export const authenticate: MiddlewareHandler<AppEnv> = async function authenticate(c, next) {
  const key = bearerToken(c.req.header("authorization"));
  const owner = keyOwner(key);
  if (owner === null) refuse();
  const idempotency = await idempotentRequestOf(c);
  const admission =
    owner === OPERATOR ? await admitOperator(c, key, idempotency) : await admitTenant(c, owner, key, idempotency);
  if (admission.kind === "limited") c.res = tooMany(c, admission.retryAfterMs);
  else {
    const { key: record } = admission;
    c.set(
      "principal",
      owner === OPERATOR ? { kind: "operator" } : { kind: "tenant", tenant: record.tenant, key: record },
    );
    c.set("stopped", admission.stopped);
    c.set("agentsStamp", admission.agentsStamp);
    c.set("sources", withShipped(admission.sources));
    if (admission.idempotency === null) await next();
    else await runOnce(c, { tenant: record.tenant, state: admission.idempotency }, next);
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

async function admitTenant(
  c: AppContext,
  tenant: string,
  key: string,
  idempotency: IdempotentRequest | null,
): Promise<Admitted> {
  const keyHash = await hashKey(key);
  const known = await ask(c, tenant, { keyHash, keyRecord: null, idempotency });
  if (known.kind === "dead_key") refuse();
  if (known.kind !== "unknown_key") return known;
  const found = await databaseFromEnv(c.env).keys.byHash(tenant, keyHash);
  if (!found.ok) {
    if (found.error.code === "not_found") refuse();
    throw new OttoError(found.error);
  }
  const shown = await ask(c, tenant, { keyHash, keyRecord: found.value, idempotency });
  return shown.kind === "dead_key" || shown.kind === "unknown_key" ? refuse() : shown;
}

async function admitOperator(c: AppContext, key: string, idempotency: IdempotentRequest | null): Promise<Admitted> {
  const keyHash = await hashKey(key);
  const { operatorKeyHash } = settingsFromEnv(c.env);
  if (operatorKeyHash === null || !isSame(keyHash, operatorKeyHash)) refuse();
  const admission = await ask(c, OPERATOR_TENANT, { keyHash, keyRecord: OPERATOR_KEY, idempotency });
  return admission.kind === "dead_key" || admission.kind === "unknown_key" ? refuse() : admission;
}

/** Asks once more when the object was restarted under the first question: what that one began is taken over. */
async function ask(c: AppContext, tenant: string, request: Parameters<TenantRpc["admit"]>[0]): Promise<Admission> {
  try {
    return await tenantsFromEnv(c.env)(tenant).admit(request);
  } catch {
    return await tenantsFromEnv(c.env)(tenant).admit(request);
  }
}

/** The credentials of RFC 6750, section 2.1. */
function bearerToken(header: string | undefined): string {
  return /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1] ?? refuse();
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

function refuse(): never {
  raise("unauthenticated", "Send a valid API key: `Authorization: Bearer otto_…`.");
}
