/**
 * API keys of a tenant. A key is returned once, when it is created, and stops working everywhere once it is revoked.
 */
import { createRoute } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { forgetAccessFromEnv, tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { ApiKey } from "../../core/ports/tenant-table.ts";
import { raise } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import { type Scope, SCOPES } from "../../core/tenant/keys.ts";
import { projectSchema } from "../../core/task/new-task.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import { findUnboundScope, type KeyBounds, MAX_BOUND, toKeyBounds } from "../../core/tenant/key-bounds.ts";
import { answers, withKey } from "../http/answers.ts";
import { createApiKey } from "./create-key.ts";
import { pageOf } from "../http/schemas.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext, AppEnv } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { readAgentIds } from "../agents/resolve.ts";
import { pageQuery, readPageRequest } from "../http/list-query.ts";
import { getTenant } from "../http/principal.ts";
import {
  findNamedPerson,
  notifyOfBinding,
  toKeyPerson,
  toPersonName,
  writePersonChange,
} from "../people/key-person.ts";
import { unwrap } from "../http/unwrap.ts";

const MAX_AGENT_CHARACTERS = 200;

const time = z.iso.datetime();
const scopes = z
  .array(z.enum(SCOPES))
  .min(1)
  .max(SCOPES.length)
  .refine((given) => new Set(given).size === given.length, "has a scope twice");

const keyRequestSchema = z.strictObject({
  name: z.string().min(1).max(200),
  scopes,
  projects: z
    .array(projectSchema)
    .min(1)
    .max(MAX_BOUND)
    .transform((names) => [...new Set(names)])
    .optional()
    .describe(
      "The key's projects: tasks, files and memory of other projects are 404, lists leave them out, and its new tasks must name one of these. Routes about the whole tenant answer 403.",
    ),
  agents: z
    .array(z.string().min(1).max(MAX_AGENT_CHARACTERS))
    .min(1)
    .max(MAX_BOUND)
    .optional()
    .describe(
      "The agents, by id or name, whose tasks the key may start and direct; `agent_default` is the built-in one. Tasks of other agents can be read and cancelled; anything else is 403.",
    ),
  person: z
    .string()
    .optional()
    .describe("The id of the person whom the key belongs to: its tasks act for that person, who is notified."),
  expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
});

const keySchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    projects: z.array(z.string()).nullable().describe("The key's projects; null if unbound."),
    agents: z.array(z.string()).nullable().describe("The ids of the key's agents; null if unbound."),
    person: z
      .strictObject({ id: z.string(), name: z.string() })
      .nullable()
      .describe("The person whom the key belongs to; null without one."),
    created_at: time,
    created_by: z.string().describe("The key that created this one, or `operator`."),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
  })
  .meta({ id: "Key" });
export const newKeySchema = keySchema
  .extend({ key: z.string().describe("The key itself. It is returned only once.") })
  .meta({ id: "NewKey" });

const admin = [requireScope("admin")];
const shared = { tags: ["Keys"], ...withKey };
const params = z.object({ id: z.string().describe("The key's id, `key_…`") });

/** Answers 404 before the body is read, so that another tenant's id reveals nothing. */
const requireKey: MiddlewareHandler<AppEnv> = async function requireKey(c, next) {
  const id = c.req.param("id") ?? "";
  if (!isId("key", id)) raise("not_found", "There is no such key.");
  unwrap(await databaseFromEnv(c.env).keys.get(getTenant(c), id));
  await next();
};

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "keys.create",
  path: "/v1/keys",
  summary: "Create an API key",
  description:
    "A key can only give scopes that it has. A key that is bound to projects or agents cannot have the scope `admin`.",
  middleware: admin,
  request: {
    body: { required: true, content: { "application/json": { schema: keyRequestSchema.meta({ id: "KeyInput" }) } } },
  },
  responses: answers({ 201: { description: "The key.", json: newKeySchema } }, [413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "keys.list",
  path: "/v1/keys",
  summary: "List API keys, including revoked ones, newest first",
  middleware: admin,
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of keys.", json: pageOf(keySchema) } }, [422]),
});

const bind = createRoute({
  ...shared,
  method: "patch",
  operationId: "keys.update",
  path: "/v1/keys/{id}",
  summary: "Set whom a key belongs to",
  description:
    "Tasks of the key, and sessions that act as it, act for this person from then on, everywhere within three seconds. The person is notified. With `null` the key belongs to nobody. Running tasks keep the person that they began with.",
  middleware: [...admin, requireKey],
  request: {
    params,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({ person: z.string().nullable().describe("The person's id, `per_…`; null: nobody.") })
            .meta({ id: "KeyPersonInput" }),
        },
      },
    },
  },
  responses: answers({ 200: { description: "The key.", json: keySchema } }, [404, 409, 413, 415, 422]),
});

const revoke = createRoute({
  ...shared,
  method: "delete",
  operationId: "keys.revoke",
  path: "/v1/keys/{id}",
  summary: "Revoke an API key",
  description:
    "The key can change nothing from then on, and reads nothing after three seconds, even if the database is unavailable (then the reply is 503: repeat the request).",
  middleware: admin,
  request: { params },
  responses: answers({ 200: { description: "The revoked key.", json: keySchema } }, [404]),
});

export function keyRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const { name, scopes: given, expires_at, person: of, ...asked } = c.req.valid("json");
    refuseMissing(c, given);
    const bounds = await readBounds(c, asked);
    const unbound = toKeyBounds(bounds) === null ? null : findUnboundScope(given);
    if (unbound !== null) {
      const message = `The scope ${unbound} applies to the whole tenant, so a bound key cannot have it. Omit the scope, or projects and agents.`;
      raise("invalid_input", message, { field: "scopes" });
    }
    const expiresAt = expires_at == null ? null : Date.parse(expires_at);
    if (expiresAt !== null && expiresAt <= (c.get("idempotency")?.startedAt ?? Date.now())) {
      raise("invalid_input", "expires_at: is in the past", { field: "expires_at" });
    }
    const tenant = getTenant(c);
    const owner = of === undefined ? null : unwrap(await findNamedPerson(c.env, tenant, of, "person"));
    const person = owner === null ? null : toKeyPerson(owner);
    const { text, stored } = await createApiKey(c, { tenant, name, scopes: given, expiresAt, bounds, person });
    const act = await createAuditEntry(c, "key.create", stored.key.id);
    const details = owner === null ? {} : { details: { person: owner.id } };
    const kept = unwrap(await databaseFromEnv(c.env).keys.create(stored, { ...act, ...details }));
    if (owner !== null) unwrap(await notifyOfBinding(c, { key: kept, person: owner, at: kept.createdAt }));
    return c.json({ ...toKeyView(kept), key: text }, 201);
  });

  app.openapi(bind, async (c) => {
    const { id } = c.req.valid("param");
    const { person: asked } = c.req.valid("json");
    const tenant = getTenant(c);
    const owner = asked === null ? null : unwrap(await findNamedPerson(c.env, tenant, asked, "person"));
    const act = await createAuditEntry(c, "key.bind", id);
    const { key, boundAt } = await writePersonChange(c, { key: id }, async () =>
      unwrap(await databaseFromEnv(c.env).keys.bind(tenant, id, owner?.id ?? null, act)),
    );
    if (owner !== null) unwrap(await notifyOfBinding(c, { key, person: owner, at: boundAt }));
    return c.json(toKeyView(key), 200);
  });

  app.openapi(list, async (c) => {
    const page = unwrap(await databaseFromEnv(c.env).keys.page(getTenant(c), readPageRequest(c.req.valid("query"))));
    return c.json(
      { data: page.items.map(toKeyView), next_cursor: page.next === null ? null : writeCursor(page.next) },
      200,
    );
  });

  app.openapi(revoke, async (c) => {
    const { id } = c.req.valid("param");
    if (!isId("key", id)) raise("not_found", "There is no such key.");
    const tenant = getTenant(c);
    // The object admits requests, so it is changed first.
    await tenantsFromEnv(c.env)(tenant).revoke(id);
    forgetAccessFromEnv(c.env, tenant);
    const act = await createAuditEntry(c, "key.revoke", id);
    return c.json(toKeyView(unwrap(await databaseFromEnv(c.env).keys.revoke(tenant, id, act))), 200);
  });
}

function refuseMissing(c: AppContext, given: readonly Scope[]): void {
  const principal = c.get("principal");
  const own: readonly Scope[] = principal.kind === "tenant" ? principal.key.scopes : [];
  const missing = given.filter((scope) => !own.includes(scope));
  if (missing.length > 0)
    raise("forbidden", `This key lacks ${missing.join(", ")} so it cannot give it. Use a key with that scope.`, {
      field: "scopes",
    });
}

/** Returns the bounds in their stored form: agents by id. */
async function readBounds(
  c: AppContext,
  {
    projects,
    agents,
  }: { readonly projects?: readonly string[] | undefined; readonly agents?: readonly string[] | undefined },
): Promise<KeyBounds> {
  return { projects: projects ?? null, agents: agents === undefined ? null : await readAgentIds(c, agents, "agents") };
}

export function toKeyView({
  id,
  name,
  scopes: held,
  projects,
  agents,
  person,
  createdAt,
  createdBy,
  expiresAt,
  revokedAt,
}: ApiKey) {
  return {
    id,
    name,
    scopes: held,
    projects: projects === null ? null : [...projects],
    agents: agents === null ? null : [...agents],
    person: toPersonName(person),
    created_at: new Date(createdAt).toISOString(),
    created_by: createdBy,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    revoked_at: revokedAt === null ? null : new Date(revokedAt).toISOString(),
  };
}
