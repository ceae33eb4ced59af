/** Lists and ends sign-ins to the console (docs/decisions/0047-who-is-signed-in.md). */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { forgetAccessFromEnv, tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { raise } from "../../core/base/errors.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import type { SessionLine, SessionFilter } from "../../core/tenant/session.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { deleteSessionToken } from "../http/session-cookie.ts";
import { pageQuery, readPageRequest } from "../http/list-query.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

const time = z.iso.datetime();
const lineSchema = z
  .strictObject({
    id: z.string(),
    key: z.strictObject({ id: z.string(), name: z.string() }).describe("The key that the session acts as."),
    user_agent: z.string().describe("The browser's user agent at sign-in, cut to 300 characters. It is unverified."),
    is_current: z.boolean().describe("True for the session of this request."),
    created_at: time,
    last_seen_at: time.describe("When it was last used, to the minute; now, while it follows the live feed."),
    expires_at: time,
  })
  .meta({ id: "SignedIn" });
const endedSchema = z.strictObject({ ended: z.int().describe("Number of sessions that were ended.") });

const shared = { tags: ["Session"], ...withKey };

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "sessions.list",
  path: "/v1/sessions",
  summary: "List sessions, newest first",
  description: "A key with the scope admin sees every session of the tenant, any other key its own.",
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of active sessions.", json: pageOf(lineSchema) } }, [422]),
});

const endOne = createRoute({
  ...shared,
  method: "delete",
  operationId: "sessions.delete",
  path: "/v1/sessions/{id}",
  summary: "Sign a browser out",
  description:
    "Ends a session of the list, with its links and its live feed. It can change nothing from then on, and reads nothing after three seconds.",
  request: { params: z.object({ id: z.string().describe("The session's id, `ses_…`") }) },
  responses: answers({ 204: { description: "Signed out." } }, [404]),
});

const endOthers = createRoute({
  ...shared,
  method: "delete",
  operationId: "sessions.deleteOthers",
  path: "/v1/sessions",
  summary: "Sign all other browsers out",
  description: "Ends every session of the list except that of this request. API keys, and links of a key, stay valid.",
  request: { query: z.strictObject({}) },
  responses: answers({ 200: { description: "Signed out.", json: endedSchema } }, [422]),
});

export function sessionsRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const query = { ...getVisible(c), page: readPageRequest(c.req.valid("query")) };
    const { items, next } = await tenantsFromEnv(c.env)(getTenant(c)).listSessions(query);
    const own = c.get("session")?.id;
    const data = items.map((line) => toSessionView(line, line.id === own));
    return c.json({ data, next_cursor: next === null ? null : writeCursor(next) }, 200);
  });

  app.openapi(endOne, async (c) => {
    const { id } = c.req.valid("param");
    const tenant = getTenant(c);
    // End the session first, even if the audit row fails.
    const ended = await tenantsFromEnv(c.env)(tenant).endSessions({ ...getVisible(c), id });
    forgetAccessFromEnv(c.env, tenant);
    if (ended.length === 0) raise("not_found", "There is no such session, or it has ended.");
    if (id === c.get("session")?.id) deleteSessionToken(c);
    unwrap(await databaseFromEnv(c.env).audit.add(tenant, await createAuditEntry(c, "session.end", id)));
    return c.body(null, 204);
  });

  app.openapi(endOthers, async (c) => {
    const tenant = getTenant(c);
    const seen = getVisible(c);
    const allBut = c.get("session")?.hash ?? null;
    const ended = await tenantsFromEnv(c.env)(tenant).endSessions({ ...seen, allBut });
    forgetAccessFromEnv(c.env, tenant);
    const act = await createAuditEntry(c, "session.end_others", seen.keyId ?? tenant);
    unwrap(await databaseFromEnv(c.env).audit.add(tenant, act));
    return c.json({ ended: ended.length }, 200);
  });
}

/** Returns which sessions the caller may see and end. */
function getVisible(c: AppContext): SessionFilter {
  const principal = c.get("principal");
  if (principal.kind === "operator") raise("forbidden", "The operator key makes tenants. Use a key of the tenant.");
  const { id, scopes } = principal.key;
  return { keyId: scopes.includes("admin") ? null : id };
}

function toSessionView(line: SessionLine, isCurrent: boolean): z.infer<typeof lineSchema> {
  const { id, key, userAgent, begunAt, seenAt, expiresAt } = line;
  return {
    id,
    key,
    user_agent: userAgent,
    is_current: isCurrent,
    created_at: new Date(begunAt).toISOString(),
    last_seen_at: new Date(seenAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
}
