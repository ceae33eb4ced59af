/**
 * Authenticates a request. The tenant comes only from the key, or from the session that acts as a key. One call to
 * the tenant's object validates the key and counts the request. A repeatable request needs a second call, because its
 * body is read only after the key is known to be valid.
 */
import type { MiddlewareHandler } from "hono";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { settingsFromEnv } from "../../../adapters/env/settings.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { OPERATOR_TENANT } from "../../../core/ports/audit.ts";
import { OttoError, raise } from "../../../core/base/errors.ts";
import { addShipped } from "../../../core/tool/shipped-skills.ts";
import { REQUEST_MS } from "../../../core/tenant/cost-rates.ts";
import { hashKey, findKeyOwner, OPERATOR } from "../../../core/tenant/keys.ts";
import type { Admission, KeyRecord, AdmissionRequest, KeyAdmissionRequest } from "../../../core/tenant/rpc.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { findSessionTenant } from "../../../core/tenant/session.ts";
import { toRateHeaders } from "../../../core/tenant/rate-limit.ts";
import { chargeCost, paceRequest } from "../charge-cost.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { refuseForeign } from "../own-origin.ts";
import { problemResponse } from "../problem.ts";
import { readSessionToken } from "../session-cookie.ts";
import { admitSignIn, isSignIn } from "../admit-sign-in.ts";
import { readIdempotentRequest, runOnce } from "./idempotency.ts";

type Admitted = Extract<Admission, { kind: "admitted" | "limited" }>;

/** The operator key, as the object that counts its requests and stores its replies knows it. */
const OPERATOR_KEY: KeyRecord = { id: OPERATOR, tenant: OPERATOR_TENANT, name: OPERATOR, scopes: [], expiresAt: null };

export const authenticate: MiddlewareHandler<AppEnv> = async function authenticate(c, next) {
  if (isSignIn(c)) {
    await admitSignIn(c);
    await next();
    return;
  }
  const admission = await admitRequest(c);
  if (admission.kind === "limited") c.res = createLimitResponse(c, admission.retryAfterMs);
  else {
    const { key } = admission;
    c.set("principal", key.id === OPERATOR ? { kind: "operator" } : { kind: "tenant", tenant: key.tenant, key });
    c.set("session", admission.session);
    c.set("stopped", admission.stopped);
    c.set("agentsStamp", admission.agentsStamp);
    c.set("sources", addShipped(admission.sources));
    if (admission.idempotency === null) await next();
    else await runOnce(c, { tenant: key.tenant, state: admission.idempotency }, next);
  }
  for (const [name, value] of toRateHeaders(admission.rate)) c.res.headers.set(name, value);
};

/**
 * Admits only the operator key. A route about one tenant answers 404 to any other key, so that it reveals no tenants.
 */
export const requireOperator: MiddlewareHandler<AppEnv> = async function requireOperator(c, next) {
  if (c.get("principal").kind !== "operator") {
    if (c.req.param("id") !== undefined) raise("not_found", "There is no such tenant.");
    raise("forbidden", "Only the operator key can manage tenants.");
  }
  await next();
};

/** Authenticates by the request's key, or else by its session cookie. */
async function admitRequest(c: AppContext): Promise<Admitted> {
  const token = c.req.header("authorization") === undefined ? readSessionToken(c) : null;
  if (token !== null) return await admitSession(c, token);
  const key = readBearerToken(c);
  const owner = findKeyOwner(key);
  if (owner === null) refuse();
  return (await admitOnce(c, await createQuestion(c, owner, key))) ?? refuse();
}

type Question = (repeat: AdmissionRequest) => Promise<Admitted | null>;

/** Asks without the body first, and about a repeat once the caller is known. */
async function admitOnce(c: AppContext, question: Question): Promise<Admitted | null> {
  const admitted = await question({ idempotency: null });
  if (admitted?.kind !== "admitted") return admitted;
  let hasWaited = false;
  if (admitted.key.id !== OPERATOR) {
    hasWaited = await paceRequest(c.env, admitted.key.tenant, c.req);
    chargeCost(c.env, admitted.key.tenant, REQUEST_MS);
  }
  const idempotency = await readIdempotentRequest(c);
  // The key can have been revoked, and the tenant stopped, while the request waited.
  if (idempotency === null && !hasWaited) return admitted;
  const judged = await question({ idempotency, isCounted: true });
  return judged === null ? null : { ...judged, rate: admitted.rate };
}

/** Browsers send the cookie with requests of any page, so the request must come from our own page. */
async function admitSession(c: AppContext, token: string): Promise<Admitted> {
  refuseForeign(c);
  const tenant = findSessionTenant(token);
  if (tenant === null) refuseSession();
  const sessionHash = await sha256Hex(token);
  const question: Question = async (repeat) => {
    const admission = await retryOnce(() => tenantsFromEnv(c.env)(tenant).admitSession({ sessionHash, ...repeat }));
    return admission.kind === "dead_key" || admission.kind === "unknown_key" ? null : admission;
  };
  return (await admitOnce(c, question)) ?? refuseSession();
}

async function createQuestion(c: AppContext, owner: string, key: string): Promise<Question> {
  const keyHash = await hashKey(key);
  if (owner !== OPERATOR) return async (repeat) => await admitKeyHash(c, owner, keyHash, repeat);
  const { operatorKeyHash } = settingsFromEnv(c.env);
  if (operatorKeyHash === null || !isSame(keyHash, operatorKeyHash)) refuse();
  return async (repeat) => await admitWithRecord(c, OPERATOR_TENANT, { keyHash, keyRecord: OPERATOR_KEY, ...repeat });
}

/** Validates a key with the tenant's object; null for an invalid key. */
export async function admitKey(c: AppContext, tenant: string, key: string): Promise<Admitted | null> {
  return await admitKeyHash(c, tenant, await hashKey(key), { idempotency: null });
}

async function admitKeyHash(
  c: AppContext,
  tenant: string,
  keyHash: string,
  repeat: AdmissionRequest,
): Promise<Admitted | null> {
  const known = await retryOnce(() => tenantsFromEnv(c.env)(tenant).admit({ keyHash, keyRecord: null, ...repeat }));
  if (known.kind === "dead_key") return null;
  if (known.kind !== "unknown_key") return known;
  const found = await databaseFromEnv(c.env).keys.findByHash(tenant, keyHash);
  if (!found.ok) {
    if (found.error.code === "not_found") return null;
    throw new OttoError(found.error);
  }
  return await admitWithRecord(c, tenant, { keyHash, keyRecord: found.value, ...repeat });
}

async function admitWithRecord(c: AppContext, tenant: string, request: KeyAdmissionRequest): Promise<Admitted | null> {
  const admission = await retryOnce(() => tenantsFromEnv(c.env)(tenant).admit(request));
  return admission.kind === "dead_key" || admission.kind === "unknown_key" ? null : admission;
}

/** Repeats the call if the object restarted during it. The second call takes over what the first began. */
async function retryOnce(question: () => Promise<Admission>): Promise<Admission> {
  try {
    return await question();
  } catch {
    return await question();
  }
}

/** Reads the credentials of RFC 6750, section 2.1. */
export function readBearerToken(c: AppContext): string {
  return /^Bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? refuse();
}

/** Compares two hashes in constant time. */
function isSame(left: string, right: string): boolean {
  const [a, b] = [new TextEncoder().encode(left), new TextEncoder().encode(right)];
  return a.byteLength === b.byteLength && crypto.subtle.timingSafeEqual(a, b);
}

function createLimitResponse(c: AppContext, retryAfterMs: number): Response {
  const message = "This key has sent too many requests. Wait for the time in Retry-After.";
  return problemResponse({ code: "rate_limited", message, retryAfterMs }, c.get("requestId"));
}

function refuseSession(): never {
  raise("unauthenticated", "Your session has ended. Sign in again.");
}

function refuse(): never {
  raise("unauthenticated", "Send a valid API key: `Authorization: Bearer otto_…`.");
}
