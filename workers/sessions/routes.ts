/** Who is signed in to the console, and the way to sign them out (docs/decisions/0047-who-is-signed-in.md). */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { raise } from "../../core/base/errors.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import type { SessionLine, SessionFilter } from "../../core/tenant/session.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import { auditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { dropSessionToken } from "../http/session-cookie.ts";
import { pageQuery, pageRequest } from "../http/list-query.ts";
import { tenantOf } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

const time = z.iso.datetime();
const lineSchema = z
  .strictObject({
    id: z.string(),
    key: z.strictObject({ id: z.string(), name: z.string() }).describe("The key that the session acts as."),
    user_agent: z
      .string()
      .describe(
        "How the browser named itself when it signed in, cut to 300 characters. Anybody can write anything here.",
      ),
    is_current: z.boolean().describe("True for the session that asks."),
    created_at: time,
    last_seen_at: time.describe("When it was last in use, to the minute; now, while it follows the live feed."),
    expires_at: time,
  })
  .meta({ id: "SignedIn" });
const endedSchema = z.strictObject({ ended: z.int().describe("How many sessions were ended.") });

const shared = { tags: ["Session"], ...withKey };

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "sessions.list",
  path: "/v1/sessions",
  summary: "List who is signed in, the latest first",
  description: "A key with the scope admin sees every session of the tenant, any other key those that act as itself.",
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of sessions that hold.", json: pageOf(lineSchema) } }, [422]),
});

const endOne = createRoute({
  ...shared,
  method: "delete",
  operationId: "sessions.delete",
  path: "/v1/sessions/{id}",
  summary: "Sign a browser out",
  description:
    "Of those that the list shows. The session is over at once, with the links that it made and the live feed that it follows.",
  request: { params: z.object({ id: z.string().describe("The session's id, `ses_…`") }) },
  responses: answers({ 204: { description: "Signed out." } }, [404]),
});

const endOthers = createRoute({
  ...shared,
  method: "delete",
  operationId: "sessions.deleteOthers",
  path: "/v1/sessions",
  summary: "Sign all other browsers out",
  description: "All that the list shows, but the session that asks. API keys, and links that a key made, stay good.",
  request: { query: z.strictObject({}) },
  responses: answers({ 200: { description: "Signed out.", json: endedSchema } }, [422]),
});

export function sessionsRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const query = { ...seenBy(c), page: pageRequest(c.req.valid("query")) };
    const { items, next } = await tenantsFromEnv(c.env)(tenantOf(c)).listSessions(query);
    const own = c.get("session")?.id;
    const data = items.map((line) => shownLine(line, line.id === own));
    return c.json({ data, next_cursor: next === null ? null : writeCursor(next) }, 200);
  });

  app.openapi(endOne, async (c) => {
    const { id } = c.req.valid("param");
    const tenant = tenantOf(c);
    // Over first, whatever the database says to the audit row.
    const ended = await tenantsFromEnv(c.env)(tenant).endSessions({ ...seenBy(c), id });
    if (ended.length === 0) raise("not_found", "There is no such session, or it is over.");
    if (id === c.get("session")?.id) dropSessionToken(c);
    unwrap(await databaseFromEnv(c.env).audit.add(tenant, await auditEntry(c, "session.end", id)));
    return c.body(null, 204);
  });

  app.openapi(endOthers, async (c) => {
    const tenant = tenantOf(c);
    const seen = seenBy(c);
    const allBut = c.get("session")?.hash ?? null;
    const ended = await tenantsFromEnv(c.env)(tenant).endSessions({ ...seen, allBut });
    const act = await auditEntry(c, "session.end_others", seen.keyId ?? tenant);
    unwrap(await databaseFromEnv(c.env).audit.add(tenant, act));
    return c.json({ ended: ended.length }, 200);
  });
}

/** Whose sessions the asker may see and end. */
function seenBy(c: AppContext): SessionFilter {
  const principal = c.get("principal");
  if (principal.kind === "operator") raise("forbidden", "The operator key makes tenants. Use a key of the tenant.");
  const { id, scopes } = principal.key;
  return { keyId: scopes.includes("admin") ? null : id };
}

function shownLine(line: SessionLine, isCurrent: boolean): z.infer<typeof lineSchema> {
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
