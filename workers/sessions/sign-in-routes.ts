/** Signs a person in to the console by a key, or by a link that is valid once (docs/decisions/0044-sessions.md). */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { publicUrlFromEnv } from "../../adapters/env/deployment.ts";
import { sealingFromEnv } from "../../adapters/env/secrets.ts";
import { forgetAccessFromEnv, tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { type ErrorCode, ok, OttoError, raise, type Result } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { hashKey, findKeyOwner, OPERATOR, SCOPES } from "../../core/tenant/keys.ts";
import type { KeyRecord } from "../../core/tenant/rpc.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import {
  cutUserAgent,
  LINK_LIFETIME_S,
  findLinkTenant,
  createLinkToken,
  createSessionToken,
  MAX_LINK_LIFETIME_S,
  findSessionTenant,
  TOKEN_BYTES,
} from "../../core/tenant/session.ts";
import { answers, openAnswers, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { admitKey, readBearerToken } from "../http/middleware/authenticate.ts";
import { getIdSource } from "../http/new-ids.ts";
import { SESSION_PATH } from "../http/admit-sign-in.ts";
import { deleteSessionToken, setSessionToken, readSessionToken } from "../http/session-cookie.ts";
import { isSignedInElsewhere } from "../http/signed-in-elsewhere.ts";
import { getTenant } from "../http/principal.ts";
import { toPersonName } from "../people/key-person.ts";
import { unwrap } from "../http/unwrap.ts";

/** Random bytes of an id. */
const ID_BYTES = 10;

const signInSchema = z
  .strictObject({
    key: z.string().trim().min(1).max(300).optional().describe("An API key, `otto_…`."),
    link: z.string().trim().min(1).max(300).optional().describe("The token of a link: the part after its `#`."),
  })
  .refine(({ key, link }) => (key === undefined) !== (link === undefined), "must have either key or link")
  .meta({ id: "SignIn" });

const named = z.strictObject({ id: z.string(), name: z.string() });
const sessionSchema = z
  .strictObject({
    tenant: named,
    key: named.describe("The key that the session acts as."),
    person: named.nullable().describe("The person of the key, for whom the session acts; null without one."),
    scopes: z.array(z.enum(SCOPES)),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: "Session" });
const linkRequestSchema = z.strictObject({
  expires_in_s: z
    .int()
    .min(1)
    .max(MAX_LINK_LIFETIME_S)
    .optional()
    .describe("How long the link is valid; 900 by default."),
});
const linkSchema = z
  .strictObject({
    url: z.url().describe("Open it in a browser. It is returned only once."),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: "SignInLink" });

const tags = ["Session"];

const begin = createRoute({
  tags,
  method: "post",
  operationId: "session.create",
  path: SESSION_PATH,
  summary: "Sign a browser in",
  description:
    "Signs in with an API key, or with the token of a link, which is valid once. The reply sets a cookie that acts as the key for 12 hours, but not longer than the key; scripts cannot read it. The browser's earlier session ends. A link cannot sign in a browser that is signed in to another tenant. At most 60 attempts per minute and address.",
  request: { body: { required: true, content: { "application/json": { schema: signInSchema } } } },
  responses: openAnswers(
    { 201: { description: "The session.", json: sessionSchema } },
    [401, 403, 409, 410, 413, 415, 422, 429, 503],
  ),
});

const show = createRoute({
  tags,
  ...withKey,
  method: "get",
  operationId: "session.get",
  path: SESSION_PATH,
  summary: "Show who is signed in",
  description: "Shows the session of the cookie. A request with a key has none.",
  responses: answers({ 200: { description: "The session.", json: sessionSchema } }, [404]),
});

const end = createRoute({
  tags,
  ...withKey,
  method: "delete",
  operationId: "session.delete",
  path: SESSION_PATH,
  summary: "Sign out",
  description: "Ends the session and its links.",
  responses: answers({ 204: { description: "Signed out." } }, [404]),
});

const makeLink = createRoute({
  tags,
  ...withKey,
  method: "post",
  operationId: "session.createLink",
  path: `${SESSION_PATH}/links`,
  summary: "Create a link that signs a browser in, once",
  description:
    "The browser acts as the key that created the link. A sign-in by a session's link does not last longer than that session.",
  request: {
    body: {
      required: false,
      content: { "application/json": { schema: linkRequestSchema.meta({ id: "SignInLinkInput" }) } },
    },
  },
  responses: answers({ 201: { description: "The link.", json: linkSchema } }, [413, 415, 422]),
});

export function sessionRoutes(app: App): void {
  app.openapi(begin, async (c) => {
    const asked = c.req.valid("json");
    const { tenant, by, refusal } = await (asked.key === undefined
      ? readLink(c, asked.link ?? "")
      : readKey(c, asked.key));
    const name = await tenantName(c, tenant, refusal);
    const token = createSessionToken(tenant, randomBytes(TOKEN_BYTES));
    // Lists show the id, which reveals nothing about the token.
    const now = Date.now();
    const [id, hash] = [makeId("session", now, randomBytes(ID_BYTES)), await sha256Hex(token)];
    const userAgent = cutUserAgent(c.req.header("user-agent") ?? "");
    const object = tenantsFromEnv(c.env)(tenant);
    const { key, expiresAt } = unwrap(await object.beginSession({ id, hash, tenantName: name, userAgent }, by));
    // An older session may have been ended to make room.
    forgetAccessFromEnv(c.env, tenant);
    c.set("principal", { kind: "tenant", tenant, key });
    const begun = await databaseFromEnv(c.env).audit.add(tenant, await createAuditEntry(c, "session.begin", id));
    const noted = begun.ok ? await endEarlier(c) : begun;
    if (!noted.ok) {
      await object.endSessions({ hash });
      throw new OttoError(noted.error);
    }
    setSessionToken(c, token, expiresAt - now);
    return c.json(toSessionView(key, name, expiresAt), 201);
  });

  app.openapi(show, (c) => {
    const { tenantName, expiresAt } = requireSession(c);
    const principal = c.get("principal");
    if (principal.kind === "operator") return raise("not_found", NO_SESSION);
    return c.json(toSessionView(principal.key, tenantName, expiresAt), 200);
  });

  app.openapi(end, async (c) => {
    const { id, hash } = requireSession(c);
    const tenant = getTenant(c);
    // End the session first, even if the audit row fails.
    await tenantsFromEnv(c.env)(tenant).endSessions({ hash });
    forgetAccessFromEnv(c.env, tenant);
    deleteSessionToken(c);
    unwrap(await databaseFromEnv(c.env).audit.add(tenant, await createAuditEntry(c, "session.end", id)));
    return c.body(null, 204);
  });

  app.openapi(makeLink, async (c) => {
    const tenant = getTenant(c);
    const session = c.get("session");
    const { createdAt, random } = await getIdSource(c, "sign-in link");
    const secret = await sealingFromEnv(c.env).derive(random, `sign-in link of ${tenant}`, TOKEN_BYTES);
    const token = createLinkToken(tenant, secret);
    const [id, hash] = [makeId("signInLink", createdAt, random), await sha256Hex(token)];
    const asked = createdAt + (c.req.valid("json").expires_in_s ?? LINK_LIFETIME_S) * 1000;
    const expiresAt = Math.min(asked, getKeyExpiry(c), session?.expiresAt ?? Infinity);
    const act = await createAuditEntry(c, "session.link", id);
    unwrap(await databaseFromEnv(c.env).audit.add(tenant, act));
    const by = session === null ? { keyHash: await hashKey(readBearerToken(c)) } : { sessionHash: session.hash };
    unwrap(await tenantsFromEnv(c.env)(tenant).keepLink({ id, hash, expiresAt }, by));
    const origin = publicUrlFromEnv(c.env) ?? new URL(c.req.url).origin;
    // The part after the # reaches no server and no log.
    return c.json({ url: `${origin}/sign-in#${token}`, expires_at: new Date(expiresAt).toISOString() }, 201);
  });
}

const NO_SESSION = "There is no session: this request used a key.";
const LINK_EXPIRED = "This link was used before or has expired. Create another one.";
const INVALID_KEY = "This API key is not valid: it was mistyped, revoked, or has expired. Use another key.";

/**
 * Ends the browser's earlier session: a browser has one session, regardless of its key. Fails if the audit log does.
 */
async function endEarlier(c: AppContext): Promise<Result<void>> {
  const token = readSessionToken(c);
  const tenant = token === null ? null : findSessionTenant(token);
  if (token === null || tenant === null) return ok(undefined);
  const [ended] = await tenantsFromEnv(c.env)(tenant).endSessions({ hash: await sha256Hex(token) });
  forgetAccessFromEnv(c.env, tenant);
  if (ended === undefined) return ok(undefined);
  const act = { ...(await createAuditEntry(c, "session.end", ended.id)), actor: ended.keyId };
  return await databaseFromEnv(c.env).audit.add(tenant, act);
}

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** The owner of a credential, how the session starts, and the refusal for an unknown tenant. */
interface Credential {
  readonly tenant: string;
  readonly by: { readonly keyHash: string } | { readonly linkHash: string };
  readonly refusal: readonly [ErrorCode, string];
}

async function readKey(c: AppContext, key: string): Promise<Credential> {
  const tenant = findKeyOwner(key) ?? raise("unauthenticated", INVALID_KEY);
  if (tenant === OPERATOR) raise("forbidden", "The operator key makes tenants. Sign in with a key of a tenant.");
  const admission = await admitKey(c, tenant, key);
  if (admission === null) raise("unauthenticated", INVALID_KEY);
  if (admission.kind === "limited") {
    const { retryAfterMs } = admission;
    raise("rate_limited", "This key has sent too many requests. Wait for the time in Retry-After.", { retryAfterMs });
  }
  return { tenant, by: { keyHash: await hashKey(key) }, refusal: ["unauthenticated", INVALID_KEY] };
}

async function readLink(c: AppContext, token: string): Promise<Credential> {
  const tenant = findLinkTenant(token) ?? raise("unauthenticated", "This is not a link of Otto. Copy the whole link.");
  await refuseWhileElsewhere(c, tenant);
  return { tenant, by: { linkHash: await sha256Hex(token) }, refusal: ["gone", LINK_EXPIRED] };
}

/**
 * Refuses a link for a browser that is signed in to another tenant: its sender could otherwise move the person's
 * browser to the sender's tenant and read what is typed there. A key is typed by the person, so it may move the
 * browser.
 */
async function refuseWhileElsewhere(c: AppContext, tenant: string): Promise<void> {
  if (await isSignedInElsewhere(c, tenant))
    raise("conflict", "This browser is signed in to another tenant. Sign out there, then open the link again.");
}

/** Read before the link is used up: without the database nobody can sign in, and the link stays valid. */
async function tenantName(c: AppContext, tenant: string, [code, message]: Credential["refusal"]): Promise<string> {
  const found = await databaseFromEnv(c.env).tenants.get(tenant);
  if (!found.ok && found.error.code === "not_found") raise(code, message);
  return unwrap(found).name;
}

function requireSession(c: AppContext) {
  return c.get("session") ?? raise("not_found", NO_SESSION);
}

function getKeyExpiry(c: AppContext): number {
  const principal = c.get("principal");
  return principal.kind === "operator" ? Infinity : (principal.key.expiresAt ?? Infinity);
}

function toSessionView(key: KeyRecord, tenantName: string, expiresAt: number): z.infer<typeof sessionSchema> {
  return {
    tenant: { id: key.tenant, name: tenantName },
    key: { id: key.id, name: key.name },
    person: toPersonName(key.person ?? null),
    scopes: [...key.scopes],
    expires_at: new Date(expiresAt).toISOString(),
  };
}
