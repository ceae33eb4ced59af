/**
 * Authenticates a request. The tenant comes only from the key, or from the session that acts as a key.
 *
 * - A read of a caller that this isolate admitted in the last seconds needs no call of the tenant's object
 *   (`core/tenant/access-cache.ts`).
 * - Any other request is admitted by one call, which validates the key, counts the request, and judges a repeat.
 * - A repeatable request of a caller that is not cached needs a second call, because its body is read only after the key
 *   is known to be valid.
 */
import type { MiddlewareHandler } from "hono";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { settingsFromEnv } from "../../../adapters/env/settings.ts";
import { accessFromEnv, tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { OPERATOR_TENANT } from "../../../core/ports/audit.ts";
import { OttoError, raise } from "../../../core/base/errors.ts";
import { REQUEST_MS } from "../../../core/tenant/cost-rates.ts";
import { hashKey, findKeyOwner, OPERATOR } from "../../../core/tenant/keys.ts";
import type { CachedRead } from "../../../core/tenant/access-cache.ts";
import type { IdempotentRequest } from "../../../core/tenant/idempotency.ts";
import type { Admission, KeyRecord, AdmissionRequest, KeyAdmissionRequest } from "../../../core/tenant/rpc.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { findSessionTenant } from "../../../core/tenant/session.ts";
import { toRateHeaders } from "../../../core/tenant/rate-limit.ts";
import { chargeCost, paceRequest } from "../charge-cost.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { refuseForeign } from "../own-origin.ts";
import { problemResponse } from "../problem.ts";
import { wakesTask } from "../request-permit.ts";
import { readSessionToken } from "../session-cookie.ts";
import { admitSignIn, isSignIn } from "../admit-sign-in.ts";
import { readIdempotentRequest, runOnce } from "./idempotency.ts";

type Allowed = Extract<Admission, { kind: "admitted" }>;
type Admitted = Allowed | Extract<Admission, { kind: "limited" }>;

/** A read that was admitted from the cache; the admission of any other request. */
type Entered = (CachedRead & { readonly kind: "cached" }) | Admitted;

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
    if (admission.kind === "admitted") {
      const { stopped, agentsStamp, appsStamp, sources, permit } = admission;
      const facts = { stopped, agentsStamp, sources };
      c.set("tenantFacts", appsStamp === undefined ? facts : { ...facts, appsStamp });
      if (permit !== undefined) c.set("permit", { ...permit, at: Date.now() });
    } else c.set("validUntil", admission.validUntil);
    if (admission.kind === "cached" || admission.idempotency === null) await next();
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
async function admitRequest(c: AppContext): Promise<Entered> {
  const token = c.req.header("authorization") === undefined ? readSessionToken(c) : null;
  if (token !== null) return await admitSession(c, token);
  const key = readBearerToken(c);
  const owner = findKeyOwner(key);
  if (owner === null) refuse();
  return (await admitCaller(c, await createKeyCredential(c, owner, key))) ?? refuse();
}

/** A key or a session, by the hash of its text, and how the tenant's object is asked about it. */
interface Credential {
  readonly tenant: string;
  readonly name: string;
  readonly ask: (request: AdmissionRequest) => Promise<Admitted | null>;
}

/** Admits a read of a cached caller without the tenant's object. A cached caller is paced before the object is asked. */
async function admitCaller(c: AppContext, credential: Credential): Promise<Entered | null> {
  const access = accessFromEnv(c.env);
  const known = access.find(credential.name, Date.now());
  if (known === null) return await admitUnknown(c, credential);
  const hasWaited = await pace(c, known.key);
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  // The key can have been revoked while the request waited.
  const read = isRead && !hasWaited ? access.takeRead(credential.name, Date.now()) : null;
  return read === null ? await admitKnown(c, credential) : { ...read, kind: "cached" };
}

/** One call for everything. A request with a bad body counts like any other. */
async function admitKnown(c: AppContext, credential: Credential): Promise<Admitted | null> {
  let idempotency: IdempotentRequest | null;
  try {
    idempotency = await readIdempotentRequest(c);
  } catch (thrown) {
    const counted = await ask(c, credential, { idempotency: null });
    if (counted?.kind !== "admitted") return counted;
    throw thrown;
  }
  return await ask(c, credential, { idempotency, wakesTask: wakesTask(c) });
}

/** Asks without the body first, and about a repeat once the caller is known. */
async function admitUnknown(c: AppContext, credential: Credential): Promise<Admitted | null> {
  const isRepeatable = c.req.header("idempotency-key") !== undefined;
  const admitted = await ask(c, credential, { idempotency: null, wakesTask: !isRepeatable && wakesTask(c) });
  if (admitted?.kind !== "admitted") return admitted;
  const hasWaited = await pace(c, admitted.key);
  const idempotency = await readIdempotentRequest(c);
  // The key can have been revoked, and the tenant stopped, while the request waited.
  if (idempotency === null && !hasWaited) return admitted;
  const judged = await credential.ask({ idempotency, isCounted: true, wakesTask: wakesTask(c) });
  if (judged === null) accessFromEnv(c.env).forget(credential.name);
  return judged === null ? null : { ...judged, rate: admitted.rate };
}

/** Asks the tenant's object, and caches a caller that it admits. */
async function ask(c: AppContext, credential: Credential, request: AdmissionRequest): Promise<Admitted | null> {
  const access = accessFromEnv(c.env);
  const question = access.begin(credential.tenant, credential.name, Date.now());
  let admitted: Admitted | null = null;
  try {
    admitted = await credential.ask({ ...request, reads: question.reads });
  } finally {
    if (admitted?.kind !== "admitted") access.endWithout(question);
  }
  if (admitted?.kind !== "admitted") return admitted;
  return { ...admitted, rate: access.storeAdmission(question, admitted, Date.now()) };
}

/** Returns true if the request waited for its tenant's pace. The operator has none. */
async function pace(c: AppContext, key: KeyRecord): Promise<boolean> {
  if (key.id === OPERATOR) return false;
  const hasWaited = await paceRequest(c.env, key.tenant, c.req);
  chargeCost(c.env, key.tenant, REQUEST_MS);
  return hasWaited;
}

/** Browsers send the cookie with requests of any page, so the request must come from our own page. */
async function admitSession(c: AppContext, token: string): Promise<Entered> {
  refuseForeign(c);
  const tenant = findSessionTenant(token);
  if (tenant === null) refuseSession();
  const sessionHash = await sha256Hex(token);
  const askTenant: Credential["ask"] = async (request) => {
    const admission = await retryOnce(() => tenantsFromEnv(c.env)(tenant).admitSession({ sessionHash, ...request }));
    return admission.kind === "dead_key" || admission.kind === "unknown_key" ? null : admission;
  };
  return (
    (await admitCaller(c, { tenant, name: `session ${tenant} ${sessionHash}`, ask: askTenant })) ?? refuseSession()
  );
}

async function createKeyCredential(c: AppContext, owner: string, key: string): Promise<Credential> {
  const keyHash = await hashKey(key);
  const name = `key ${owner} ${keyHash}`;
  if (owner !== OPERATOR)
    return { tenant: owner, name, ask: async (request) => await admitKeyHash(c, owner, keyHash, request) };
  const { operatorKeyHash } = settingsFromEnv(c.env);
  if (operatorKeyHash === null || !isSame(keyHash, operatorKeyHash)) refuse();
  const known = { keyHash, keyRecord: OPERATOR_KEY };
  const ask = async (request: AdmissionRequest) => await admitWithRecord(c, OPERATOR_TENANT, { ...known, ...request });
  return { tenant: OPERATOR_TENANT, name, ask };
}

/** Validates a key with the tenant's object; null for an invalid key. */
export async function admitKey(c: AppContext, tenant: string, key: string): Promise<Admitted | null> {
  return await admitKeyHash(c, tenant, await hashKey(key), { idempotency: null });
}

async function admitKeyHash(
  c: AppContext,
  tenant: string,
  keyHash: string,
  request: AdmissionRequest,
): Promise<Admitted | null> {
  const known = await retryOnce(() => tenantsFromEnv(c.env)(tenant).admit({ keyHash, keyRecord: null, ...request }));
  if (known.kind === "dead_key") return null;
  if (known.kind !== "unknown_key") return known;
  const { personsStamp } = known;
  const found = await databaseFromEnv(c.env).keys.findByHash(tenant, keyHash);
  if (!found.ok) {
    if (found.error.code === "not_found") return null;
    throw new OttoError(found.error);
  }
  const stamp = personsStamp === undefined ? {} : { personsStamp };
  return await admitWithRecord(c, tenant, { keyHash, keyRecord: found.value, ...stamp, ...request });
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
  return findBearerToken(c) ?? refuse();
}

/** Null for a request without such credentials. */
export function findBearerToken(c: AppContext): string | null {
  return /^Bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? null;
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
