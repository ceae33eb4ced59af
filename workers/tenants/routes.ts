/** Tenants, for the operator key. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { forgetAccessFromEnv, tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { OPERATOR_TENANT } from "../../core/ports/audit.ts";
import type { Tenant } from "../../core/ports/tenant-table.ts";
import type { NewPerson } from "../../core/ports/person-table.ts";
import { nameSchema, personSettingSchema, toFields } from "../../core/people/person-document.ts";
import { raise } from "../../core/base/errors.ts";
import { isId, makeId } from "../../core/base/ids.ts";
import { SCOPES } from "../../core/tenant/keys.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import { answers, withKey, emptyBody } from "../http/answers.ts";
import { createApiKey, UNBOUND } from "./create-key.ts";
import { pageOf } from "../http/schemas.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { logFailure } from "../http/log.ts";
import { formatReindex, reindexSchema } from "./reindex-view.ts";
import { newKeySchema, toKeyView } from "./key-routes.ts";
import { requireOperator } from "../http/middleware/authenticate.ts";
import { getIdSource } from "../http/new-ids.ts";
import { pageQuery, readPageRequest } from "../http/list-query.ts";
import { unwrap } from "../http/unwrap.ts";
import { releaseBody, releaseTenant, stopBody, stopTenant, switchReply } from "./stop.ts";

const FIRST_KEY_NAME = "first key";
const FIRST_PERSON_NAME = "Owner";
const ADMIN_KEY_NAME = "admin key";

const tenantSchema = z
  .strictObject({ id: z.string(), name: z.string(), created_at: z.iso.datetime() })
  .meta({ id: "Tenant" });
const newTenantSchema = z
  .strictObject({
    tenant: tenantSchema,
    person: z.strictObject({ id: z.string(), name: z.string() }).describe("The first person, whom the key belongs to."),
    key: z.string().describe("A key with every scope. It is returned only once."),
  })
  .meta({ id: "NewTenant" });

const adminKeySchema = z.strictObject({
  name: z.string().min(1).max(200).optional().describe("`admin key` when omitted."),
  expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
});

const shared = { tags: ["Tenants"], middleware: [requireOperator], ...withKey };
const params = z.object({ id: z.string().describe("The tenant's id, `ten_…`") });
const tenant = { description: "The tenant.", json: tenantSchema };

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "tenants.create",
  path: "/v1/tenants",
  summary: "Create a tenant, its first person and its first key (operator key)",
  request: {
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({
              name: z.string().min(1).max(200),
              person: z
                .strictObject({ name: nameSchema })
                .optional()
                .describe(`The first person, who may answer and approve. Named ${FIRST_PERSON_NAME} when omitted.`),
            })
            .meta({ id: "TenantInput" }),
        },
      },
    },
  },
  responses: answers(
    { 201: { description: "The tenant, its first person and its key.", json: newTenantSchema } },
    [413, 415, 422],
  ),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "tenants.list",
  path: "/v1/tenants",
  summary: "List tenants, newest first (operator key)",
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of tenants.", json: pageOf(tenantSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "tenants.get",
  path: "/v1/tenants/{id}",
  summary: "Show a tenant (operator key)",
  request: { params },
  responses: answers({ 200: tenant }, [404]),
});

const erase = createRoute({
  ...shared,
  method: "delete",
  operationId: "tenants.delete",
  path: "/v1/tenants/{id}",
  summary: "Erase a tenant (operator key)",
  description:
    "Its keys can change nothing from then on, and read nothing after three seconds. Its tasks, files and rows are erased in the background, within minutes.",
  request: { params },
  responses: answers({ 200: { description: "The erased tenant.", json: tenantSchema } }, [404]),
});

const stop = createRoute({
  ...shared,
  method: "post",
  operationId: "tenants.stop",
  path: "/v1/tenants/{id}/stop",
  summary: "Stop all tasks of a tenant (operator key)",
  description:
    "Like `POST /v1/kill-switch/stop`, but only the operator can release it. The tenant's own stop is separate. Takes effect at once, even if the database is unavailable (then the reply is 503: repeat the request).",
  request: { params, ...stopBody },
  responses: answers({ 200: switchReply }, [404, 413, 415, 422]),
});

const release = createRoute({
  ...shared,
  method: "post",
  operationId: "tenants.release",
  path: "/v1/tenants/{id}/release",
  summary: "Release a tenant, regardless of who stopped it (operator key)",
  request: { params, ...releaseBody },
  responses: answers({ 200: switchReply }, [404, 413, 415, 422]),
});

const addKey = createRoute({
  ...shared,
  method: "post",
  operationId: "tenants.createKey",
  path: "/v1/tenants/{id}/keys",
  summary: "Create another admin key of a tenant (operator key)",
  description:
    "For a tenant whose keys are lost. The key has every scope. If the tenant's row was lost with the database, it is restored first.",
  request: {
    params,
    body: {
      required: false,
      content: { "application/json": { schema: adminKeySchema.meta({ id: "AdminKeyInput" }) } },
    },
  },
  responses: answers({ 201: { description: "The key.", json: newKeySchema } }, [404, 413, 415, 422]),
});

const startReindex = createRoute({
  ...shared,
  method: "post",
  operationId: "tenants.reindex",
  path: "/v1/tenants/{id}/reindex",
  summary: "Rebuild the database rows of a tenant from its objects (operator key)",
  description:
    "Rebuilds in the background: the tenant, its keys that were ever used, its projects, its schedules, and the index of its tasks. Tasks keep running. It is safe to repeat; a running rebuild continues. Otto also starts it when it detects another database. `not_rebuilt` counts what only the database had.",
  request: { params, body: emptyBody },
  responses: answers({ 202: { description: "It runs.", json: reindexSchema } }, [404, 413, 415, 422]),
});

const showReindex = createRoute({
  ...shared,
  method: "get",
  operationId: "tenants.getReindex",
  path: "/v1/tenants/{id}/reindex",
  summary: "Show the progress of a tenant's rebuild (operator key)",
  request: { params },
  responses: answers({ 200: { description: "The latest rebuild.", json: reindexSchema } }, [404]),
});

export function tenantRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const { name, person: named } = c.req.valid("json");
    const { createdAt, random } = await getIdSource(c, "tenant");
    const made: Tenant = { id: makeId("tenant", createdAt, random), name, createdAt };
    const owner = await createFirstPerson(c, named?.name ?? FIRST_PERSON_NAME);
    const first = await createApiKey(c, {
      tenant: made.id,
      name: FIRST_KEY_NAME,
      scopes: SCOPES,
      expiresAt: null,
      bounds: UNBOUND,
      person: owner.person,
    });
    const act = await createAuditEntry(c, "tenant.create", made.id);
    unwrap(await databaseFromEnv(c.env).tenants.create(made, first.stored, act, owner));
    const person = { id: owner.person.id, name: owner.person.name };
    return c.json({ tenant: toTenantView(made), person, key: first.text }, 201, { location: `/v1/tenants/${made.id}` });
  });

  app.openapi(list, async (c) => {
    const page = unwrap(await databaseFromEnv(c.env).tenants.page(readPageRequest(c.req.valid("query"))));
    return c.json(
      {
        data: page.items.map(toTenantView),
        next_cursor: page.next === null ? null : writeCursor(page.next),
      },
      200,
    );
  });

  app.openapi(show, async (c) => {
    const id = tenantId(c.req.valid("param").id);
    return c.json(toTenantView(unwrap(await databaseFromEnv(c.env).tenants.get(id))), 200);
  });

  app.openapi(erase, async (c) => {
    const id = tenantId(c.req.valid("param").id);
    const act = await createAuditEntry(c, "tenant.erase", id);
    const erased = unwrap(await databaseFromEnv(c.env).tenants.erase(id, act));
    try {
      await tenantsFromEnv(c.env)(id).erase();
    } catch (thrown) {
      // The sweep erases the object again before it purges the rows.
      logFailure({ id: c.get("requestId"), method: c.req.method, path: c.req.path }, thrown);
    }
    forgetAccessFromEnv(c.env, id);
    return c.json(toTenantView(erased), 200);
  });

  app.openapi(stop, async (c) => {
    const { reason } = c.req.valid("json");
    return c.json(await stopTenant(c, await findTarget(c), reason), 200);
  });

  app.openapi(release, async (c) => c.json(await releaseTenant(c, await findTarget(c)), 200));

  app.openapi(addKey, async (c) => {
    const id = tenantId(c.req.valid("param").id);
    const { name = ADMIN_KEY_NAME, expires_at } = c.req.valid("json") ?? {};
    const expiresAt = expires_at == null ? null : Date.parse(expires_at);
    if (expiresAt !== null && expiresAt <= (c.get("idempotency")?.startedAt ?? Date.now()))
      raise("invalid_input", "expires_at: is in the past", { field: "expires_at" });
    unwrap(await tenantsFromEnv(c.env)(id).confirmRow());
    const { text, stored } = await createApiKey(c, {
      tenant: id,
      name,
      scopes: SCOPES,
      expiresAt,
      bounds: UNBOUND,
      person: null,
    });
    const act = await createAuditEntry(c, "key.create", stored.key.id);
    const kept = unwrap(await databaseFromEnv(c.env).keys.create(stored, act));
    return c.json({ ...toKeyView(kept), key: text }, 201);
  });

  app.openapi(startReindex, async (c) => {
    const id = tenantId(c.req.valid("param").id);
    const started = unwrap(await tenantsFromEnv(c.env)(id).startReindex());
    const act = await createAuditEntry(c, "tenant.reindex", id);
    unwrap(await databaseFromEnv(c.env).audit.add(OPERATOR_TENANT, act));
    return c.json(formatReindex(started), 202, { location: `/v1/tenants/${id}/reindex` });
  });

  app.openapi(showReindex, async (c) => {
    const id = tenantId(c.req.valid("param").id);
    const reindex = await tenantsFromEnv(c.env)(id).reindex();
    // An unknown tenant is not found.
    if (reindex === null) unwrap(await databaseFromEnv(c.env).tenants.get(id));
    return c.json(formatReindex(reindex), 200);
  });
}

/** Creates the person whom the first key belongs to, who may do all that a person may. */
async function createFirstPerson(c: AppContext, name: string): Promise<NewPerson> {
  const { createdAt, random } = await getIdSource(c, "person");
  const id = makeId("person", createdAt, random);
  const fields = toFields(personSettingSchema.parse({ name, may_answer: true, may_approve: true }));
  return { person: { id, ...fields }, act: await createAuditEntry(c, "person.create", id) };
}

/**
 * Returns the tenant that the operator names. While the database is unavailable, assumes that it exists, so that the
 * kill switch works.
 */
async function findTarget(c: AppContext) {
  const tenant = tenantId(c.req.param("id") ?? "");
  const found = await databaseFromEnv(c.env).tenants.get(tenant);
  if (!found.ok && found.error.code === "not_found") unwrap(found);
  return { tenant, byOperator: true };
}

/** An invalid tenant id is `not_found`: it names neither a row nor the operator's own object. */
function tenantId(text: string): string {
  return isId("tenant", text) ? text : raise("not_found", "There is no such tenant.");
}

function toTenantView({ id, name, createdAt }: Tenant) {
  return { id, name, created_at: new Date(createdAt).toISOString() };
}
