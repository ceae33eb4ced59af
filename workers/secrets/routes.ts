/**
 * Secrets of a tenant. Tools refer to them as `{{secret.NAME}}`, and the egress module inserts the values. No route
 * returns a value, or anything derived from it.
 */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { endMcpProcessesFromEnv } from "../../adapters/env/mcp.ts";
import { forgetSecretsFromEnv, sealSecretFromEnv } from "../../adapters/env/secrets.ts";
import type { Secret } from "../../core/ports/secret-table.ts";
import { raise } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import { SECRET_METHODS } from "../../core/secrets/secret-use.ts";
import { secretNameSchema, secretSettingSchema } from "../../core/secrets/tenant-secret.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getIdSource } from "../http/new-ids.ts";
import { readAgentIds } from "../agents/resolve.ts";
import { pageQuery, readPageRequest } from "../http/list-query.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

const time = z.iso.datetime();
type SecretMethod = (typeof SECRET_METHODS)[number];

const newSecretSchema = secretSettingSchema.extend({ name: secretNameSchema });

const secretSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    hosts: z.array(z.string()),
    agents: z
      .array(z.string())
      .nullable()
      .describe(
        "Ids of the agents that may use it; null for every agent that a person created, and the built-in one except in tasks from hooks and mail.",
      ),
    methods: z
      .array(z.enum(SECRET_METHODS))
      .nullable()
      .describe("Methods of the requests that may carry it; null for all."),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Secret" });

const admin = [requireScope("admin")];
const shared = { tags: ["Secrets"], ...withKey };
const params = z.object({ secret: z.string().describe("The secret's name") });
const secret = { description: "The secret, without its value.", json: secretSchema };

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "secrets.create",
  path: "/v1/secrets",
  summary: "Make a secret",
  description:
    "Tools refer to it as `{{secret.NAME}}` in the path and query of a URL, in the value of a header and in a body. The value is inserted when the request is sent, only for these hosts, agents and methods, over https (or to an address of OTTO_EGRESS_ALLOW), and removed from replies. No endpoint returns it.",
  middleware: admin,
  request: {
    body: {
      required: true,
      content: { "application/json": { schema: newSecretSchema.meta({ id: "NewSecretInput" }) } },
    },
  },
  responses: answers({ 201: secret }, [409, 413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "secrets.list",
  path: "/v1/secrets",
  summary: "List secrets, newest first",
  middleware: admin,
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of secrets.", json: pageOf(secretSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "secrets.get",
  path: "/v1/secrets/{secret}",
  summary: "Show a secret, without its value",
  middleware: admin,
  request: { params },
  responses: answers({ 200: secret }, [404]),
});

const update = createRoute({
  ...shared,
  method: "put",
  operationId: "secrets.replace",
  path: "/v1/secrets/{secret}",
  summary: "Replace a secret",
  description:
    "Value and bindings together, so that a caller cannot bind an unknown value to other hosts, agents or methods; an omitted binding is removed. Takes effect everywhere within 5 seconds. The tenant's MCP server processes are stopped, and restarted by their next call.",
  middleware: admin,
  request: {
    params,
    body: {
      required: true,
      content: { "application/json": { schema: secretSettingSchema.meta({ id: "SecretInput" }) } },
    },
  },
  responses: answers({ 200: secret }, [404, 413, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "secrets.delete",
  path: "/v1/secrets/{secret}",
  summary: "Delete a secret",
  description:
    "Takes effect everywhere within 5 seconds, or within 10 minutes while the database is unavailable. The tenant's MCP server processes are stopped, and restarted by their next call.",
  middleware: admin,
  request: { params },
  responses: answers({ 200: { description: "The deleted secret, without its value.", json: secretSchema } }, [404]),
});

export function secretRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const { name, value, hosts, ...bound } = c.req.valid("json");
    const tenant = getTenant(c);
    const setting = { name, hosts, ...(await readBindings(c, bound)) };
    const { createdAt, random } = await getIdSource(c, "secret");
    const id = makeId("secret", createdAt, random);
    const sealed = await sealSecretFromEnv(c.env, tenant, { name, value });
    const act = await createAuditEntry(c, "secret.create", id);
    const made = unwrap(await databaseFromEnv(c.env).secrets.create(tenant, { ...setting, id, sealed }, act));
    forgetSecretsFromEnv(c.env, tenant);
    return c.json(toSecretView(made), 201, { location: `/v1/secrets/${name}` });
  });

  app.openapi(list, async (c) => {
    const request = readPageRequest(c.req.valid("query"));
    const { items, next } = unwrap(await databaseFromEnv(c.env).secrets.page(getTenant(c), request));
    return c.json({ data: items.map(toSecretView), next_cursor: next === null ? null : writeCursor(next) }, 200);
  });

  app.openapi(show, async (c) => {
    return c.json(toSecretView(await findSecret(c, c.req.valid("param").secret)), 200);
  });

  app.openapi(update, async (c) => {
    const { value, hosts, ...bound } = c.req.valid("json");
    const tenant = getTenant(c);
    const { id, name } = await findSecret(c, c.req.valid("param").secret);
    const setting = { name, hosts, ...(await readBindings(c, bound)) };
    const sealed = await sealSecretFromEnv(c.env, tenant, { name, value });
    const act = await createAuditEntry(c, "secret.update", id);
    const set = unwrap(await databaseFromEnv(c.env).secrets.update(tenant, { ...setting, sealed }, act));
    forgetSecretsFromEnv(c.env, tenant);
    await endMcpProcessesFromEnv(c.env, tenant, null);
    return c.json(toSecretView(set), 200);
  });

  app.openapi(remove, async (c) => {
    const tenant = getTenant(c);
    const { id, name } = await findSecret(c, c.req.valid("param").secret);
    const act = await createAuditEntry(c, "secret.delete", id);
    const gone = unwrap(await databaseFromEnv(c.env).secrets.remove(tenant, name, act));
    forgetSecretsFromEnv(c.env, tenant);
    await endMcpProcessesFromEnv(c.env, tenant, null);
    return c.json(toSecretView(gone), 200);
  });
}

async function findSecret(c: AppContext, name: string): Promise<Secret> {
  if (!secretNameSchema.safeParse(name).success) raise("not_found", "There is no such secret.");
  return unwrap(await databaseFromEnv(c.env).secrets.get(getTenant(c), name));
}

/** Returns the bindings in their stored form: agents by id. `invalid_input` names an unknown agent. */
async function readBindings(
  c: AppContext,
  {
    agents,
    methods,
  }: { readonly agents?: readonly string[] | undefined; readonly methods?: SecretMethod[] | undefined },
): Promise<Pick<Secret, "agents" | "methods">> {
  return { agents: agents === undefined ? null : await readAgentIds(c, agents, "agents"), methods: methods ?? null };
}

function toSecretView({ id, name, hosts, agents, methods, createdAt, updatedAt }: Secret) {
  return {
    id,
    name,
    hosts: [...hosts],
    agents: agents === null ? null : [...agents],
    // The schema accepted every stored value.
    methods: methods === null ? null : (methods as SecretMethod[]),
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}
