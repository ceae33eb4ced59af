/** API keys of a tenant. A key is shown once, when it is made, and is dead everywhere as soon as it is revoked. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv, tenantsFromEnv } from "../../adapters/from-env.ts";
import type { ApiKey } from "../../core/database.ts";
import { raise } from "../../core/errors.ts";
import { isId } from "../../core/ids.ts";
import { type Scope, SCOPES } from "../../core/keys.ts";
import { writeCursor } from "../../core/page-cursor.ts";
import { answers, withKey } from "../answers.ts";
import { newApiKey } from "../api-key.ts";
import { pageOf } from "../api-schemas.ts";
import { auditEntry } from "../audit-entry.ts";
import type { App, AppContext } from "../context.ts";
import { requireScope } from "../middleware/require-scope.ts";
import { pageQuery, pageRequest, tenantOf, unwrap } from "../task-access.ts";

const time = z.iso.datetime();
const scopes = z
  .array(z.enum(SCOPES))
  .min(1)
  .max(SCOPES.length)
  .refine((given) => new Set(given).size === given.length, "a scope is given twice");

const keyRequestSchema = z.strictObject({
  name: z.string().min(1).max(200),
  scopes,
  expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
});

const keySchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    created_at: time,
    created_by: z.string().describe("The key that made this one, or `operator`."),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
  })
  .meta({ id: "Key" });
const newKeySchema = keySchema
  .extend({ key: z.string().describe("The key itself. It is shown this once.") })
  .meta({ id: "NewKey" });

const admin = [requireScope("admin")];
const shared = { tags: ["Keys"], ...withKey };

const create = createRoute({
  ...shared,
  method: "post",
  path: "/v1/keys",
  summary: "Make an API key",
  description: "A key gives no scope that it lacks itself.",
  middleware: admin,
  request: { body: { required: true, content: { "application/json": { schema: keyRequestSchema } } } },
  responses: answers({ 201: { description: "The key.", json: newKeySchema } }, [413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  path: "/v1/keys",
  summary: "List API keys, revoked ones too, the latest first",
  middleware: admin,
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of keys.", json: pageOf(keySchema) } }, [422]),
});

const revoke = createRoute({
  ...shared,
  method: "delete",
  path: "/v1/keys/{id}",
  summary: "Revoke an API key",
  description: "It holds at once, also while the database is away (which answers 503: send the request again).",
  middleware: admin,
  request: { params: z.object({ id: z.string().describe("The key's id, `key_…`") }) },
  responses: answers({ 200: { description: "The revoked key.", json: keySchema } }, [404]),
});

export function keyRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const { name, scopes: given, expires_at } = c.req.valid("json");
    refuseMissing(c, given);
    const expiresAt = expires_at == null ? null : Date.parse(expires_at);
    if (expiresAt !== null && expiresAt <= (c.get("idempotency")?.startedAt ?? Date.now())) {
      raise("invalid_input", "expires_at: this moment is over", { field: "expires_at" });
    }
    const { text, stored } = await newApiKey(c, { tenant: tenantOf(c), name, scopes: given, expiresAt });
    const act = await auditEntry(c, "key.create", stored.key.id);
    const kept = unwrap(await databaseFromEnv(c.env).keys.create(stored, act));
    return c.json({ ...shownKey(kept), key: text }, 201);
  });

  app.openapi(list, async (c) => {
    const page = unwrap(await databaseFromEnv(c.env).keys.page(tenantOf(c), pageRequest(c.req.valid("query"))));
    return c.json({ data: page.items.map(shownKey), next_cursor: page.next === null ? null : writeCursor(page.next) });
  });

  app.openapi(revoke, async (c) => {
    const { id } = c.req.valid("param");
    if (!isId("key", id)) raise("not_found", "There is no such key.");
    const tenant = tenantOf(c);
    // The object decides who comes in, so it is told first.
    await tenantsFromEnv(c.env)(tenant).revoke(id);
    const act = await auditEntry(c, "key.revoke", id);
    return c.json(shownKey(unwrap(await databaseFromEnv(c.env).keys.revoke(tenant, id, act))));
  });
}

function refuseMissing(c: AppContext, given: readonly Scope[]): void {
  const principal = c.get("principal");
  const own: readonly Scope[] = principal.kind === "tenant" ? principal.key.scopes : [];
  const missing = given.filter((scope) => !own.includes(scope));
  if (missing.length > 0)
    raise("forbidden", `This key lacks ${missing.join(", ")} and cannot give it.`, { field: "scopes" });
}

function shownKey({ id, name, scopes: held, createdAt, createdBy, expiresAt, revokedAt }: ApiKey) {
  return {
    id,
    name,
    scopes: held,
    created_at: new Date(createdAt).toISOString(),
    created_by: createdBy,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    revoked_at: revokedAt === null ? null : new Date(revokedAt).toISOString(),
  };
}
