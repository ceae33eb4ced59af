/**
 * The connections of people and of the tenant. A person sees their own and the shared ones; an administrator sees all,
 * changes the shared ones, and ends any. Tokens are never shown.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { raise } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import { iso } from "../../core/base/iso.ts";
import { cutPage, writeCursor } from "../../core/base/page-cursor.ts";
import { type Connection, toConnectionStatus } from "../../core/connections/connection.ts";
import { findAliasProblem } from "../../core/connections/rules.ts";
import type { ConnectionChange, ConnectionQuery } from "../../core/ports/connection-table.ts";
import { answers, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext, AppEnv, MiddlewareContext } from "../http/context.ts";
import { readPageRequest } from "../http/list-query.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getPerson, getTenant, hasScope } from "../http/principal.ts";
import { requirePerson } from "../http/require-person.ts";
import { pageOf } from "../http/schemas.ts";
import { unwrap } from "../http/unwrap.ts";
import { disconnect, requireAdminOfShared } from "./disconnect.ts";
import { createLink } from "./new-link.ts";
import { wakeTasksOf, writeConnectionChange } from "./changes.ts";
import { readConnectionPage } from "./read-page.ts";
import {
  connectionChangeSchema,
  connectionQuery,
  connectionSchema,
  connectUrlSchema,
  newConnectionSchema,
} from "./schemas.ts";
import { toConnectionView } from "./view.ts";

const reads = [requireScope("tasks:read")];
const writes = [requireScope("tasks:write")];
const shared = { tags: ["Connections"], ...withKey };
const params = z.object({ id: z.string().describe("The connection's id, `con_…`") });
const shown = { description: "The connection.", json: connectionSchema };
const NOT_FOUND = "There is no connection with this id.";

/** Answers 404 before the body is read, so that the id of another person or tenant reveals nothing. */
const requireVisible: MiddlewareHandler<AppEnv> = async function requireVisible(c, next) {
  await findVisible(c, c.req.param("id") ?? "");
  await next();
};

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "connections.list",
  path: "/v1/connections",
  summary: "List connections, newest first",
  description:
    "`owner`: `me`, the key's person; `shared`, everyone; `all`, of every person, for administrators. Without it: one's own and the shared ones.",
  middleware: reads,
  request: { query: connectionQuery },
  responses: answers({ 200: { description: "A page of connections.", json: pageOf(connectionSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "connections.get",
  path: "/v1/connections/{id}",
  summary: "Show a connection",
  middleware: reads,
  request: { params },
  responses: answers({ 200: shown }, [404]),
});

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "connections.create",
  path: "/v1/connections",
  summary: "Get a link to connect an account",
  description:
    "The link works once, for 15 minutes. Nothing is stored before it is used. A connection that exists for the same owner, app and alias is reconnected, with the same id. A shared account needs the scope `admin`. 422 for an MCP server with one grant, which an administrator authorizes under MCP servers, and for an app of the catalogue that nobody can connect.",
  middleware: writes,
  request: { body: { required: true, content: { "application/json": { schema: newConnectionSchema } } } },
  responses: answers({ 201: { description: "The link.", json: connectUrlSchema } }, [404, 413, 415, 422]),
});

const update = createRoute({
  ...shared,
  method: "patch",
  operationId: "connections.update",
  path: "/v1/connections/{id}",
  summary: "Change a connection",
  description: "For its owner; a shared one for administrators. Omitted fields stay.",
  middleware: [...writes, requireVisible],
  request: {
    params,
    body: { required: true, content: { "application/json": { schema: connectionChangeSchema } } },
  },
  responses: answers({ 200: shown }, [404, 409, 413, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "connections.revoke",
  path: "/v1/connections/{id}",
  summary: "Disconnect an account",
  description:
    "For its owner and administrators. New calls are refused everywhere within five seconds, the tokens are erased, and Otto revokes them at the app; `revocation` shows how far. That of an MCP server with one grant loses its authorization, and an administrator who reloads the server authorizes Otto again. A revoked connection whose revocation has ended is removed.",
  middleware: [...writes, requireVisible],
  request: { params },
  responses: answers({ 200: { ...shown, description: "The revoked connection." } }, [404, 409]),
});

export function connectionRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const { app: name, owner, ...page } = c.req.valid("query");
    const { after, limit } = readPageRequest(page);
    const query: ConnectionQuery = {
      ...readOwner(c, owner),
      ...(name === undefined ? {} : { app: name }),
      ...(after === null ? {} : { after: after.id }),
      limit: limit + 1,
    };
    const found = unwrap(await readConnectionPage(c, query));
    const { items, next } = cutPage(found, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    const data = items.flatMap((one) => toConnectionView(one, Date.now()) ?? []);
    return c.json({ data, next_cursor: next === null ? null : writeCursor(next) }, 200);
  });

  app.openapi(show, async (c) => c.json(toView(await findVisible(c, c.req.valid("param").id)), 200));

  app.openapi(create, async (c) => {
    const { app: name, owner = "me", alias = null, unattended } = c.req.valid("json");
    if (alias !== null) refuseAlias(alias);
    const { url, expiresAt } = await createLink(c, { name, owner, alias, unattended });
    return c.json({ connect_url: url, expires_at: iso(expiresAt) }, 201);
  });

  app.openapi(update, async (c) => {
    const connection = await findVisible(c, c.req.valid("param").id);
    refuseChange(c, connection);
    const change = readChange(connection, c.req.valid("json"));
    const act = await createAuditEntry(c, "connection.update", connection.id);
    const { id, tenant } = connection;
    const write = async () => await connectionTableFromEnv(c.env, tenant).change(id, change, act);
    const changed = unwrap(await writeConnectionChange(c.env, tenant, write));
    // Tasks may wait for just this.
    if (change.unattended === true || change.isDefault === true) await wakeTasksOf(c.env, changed);
    return c.json(toView(changed), 200);
  });

  app.openapi(remove, async (c) => {
    const connection = await findVisible(c, c.req.valid("param").id);
    const { id, owner } = connection;
    if (owner.kind === "shared") requireAdminOfShared(c);
    const tenant = getTenant(c);
    // A sign-in of a revoked connection is disconnected first.
    if (toConnectionStatus(connection, Date.now()) === "revoked") {
      const act = await createAuditEntry(c, "connection.delete", id);
      const table = connectionTableFromEnv(c.env, tenant);
      const removed = await writeConnectionChange(c.env, tenant, async () => await table.remove(id, act));
      return c.json(toView(unwrap(removed)), 200);
    }
    return c.json(toView(await disconnect(c, connection)), 200);
  });
}

/** Finds a connection that the caller may see: their own, a shared one, or any for an administrator. */
async function findVisible(c: MiddlewareContext, id: string): Promise<Connection> {
  if (!isId("connection", id)) raise("not_found", NOT_FOUND);
  const found = unwrap(await connectionTableFromEnv(c.env, getTenant(c)).find(id));
  const isVisible = found.owner.kind === "shared" || found.owner.id === getPerson(c)?.id || hasScope(c, "admin");
  if (!isVisible || toConnectionStatus(found, Date.now()) === null) raise("not_found", NOT_FOUND);
  return found;
}

function readOwner(
  c: AppContext,
  owner: "me" | "shared" | "all" | undefined,
): Pick<ConnectionQuery, "person" | "all" | "shared"> {
  if (owner === "shared") return { person: null };
  if (owner !== "all") return { person: requirePerson(c).id, shared: owner === undefined };
  if (!hasScope(c, "admin")) raise("forbidden", "Only an administrator lists everyone's connections.");
  return { person: null, all: true };
}

function refuseAlias(alias: string): void {
  const problem = findAliasProblem(alias);
  if (problem !== null) unwrap(problem);
}

/** An administrator sees a person's connection, and may end it, but may not change how it is used. */
function refuseChange(c: AppContext, { owner }: Connection): void {
  if (owner.kind === "shared" && !hasScope(c, "admin"))
    raise("forbidden", "Only an administrator changes a shared connection.");
  if (owner.kind === "person" && owner.id !== getPerson(c)?.id)
    raise("forbidden", `Only ${owner.name} changes this connection.`);
}

function readChange({ owner }: Connection, given: z.infer<typeof connectionChangeSchema>): ConnectionChange {
  const { alias, is_default, unattended, delegate_approvals } = given;
  const personal = { unattended, delegate_approvals };
  for (const [field, value] of Object.entries(personal))
    if (value !== undefined && owner.kind === "shared")
      raise("invalid_input", "A shared connection has no owner who decides this.", { field });
  if (typeof alias === "string") refuseAlias(alias);
  if (Object.values(given).every((value) => value === undefined))
    raise("invalid_input", "Name a field to change: alias, is_default, unattended or delegate_approvals.", {
      field: "body",
    });
  return {
    ...(alias === undefined ? {} : { alias }),
    ...(is_default === undefined ? {} : { isDefault: is_default }),
    ...(unattended === undefined ? {} : { unattended }),
    ...(delegate_approvals === undefined ? {} : { delegates: delegate_approvals }),
  };
}

function toView(connection: Connection) {
  return toConnectionView(connection, Date.now()) ?? raise("not_found", NOT_FOUND);
}
