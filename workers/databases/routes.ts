/** Databases that the tenant's agents may query. Administrators only. A DSN is never returned: of it, replies have the host alone. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { checkDatabaseFromEnv, tenantDatabasesFromEnv } from "../../adapters/env/databases.ts";
import { changeLists, hasList, NO_LIST, NO_LISTS, userListsViewShape } from "../../core/base/user-lists.ts";
import { raise } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { iso } from "../../core/base/iso.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import {
  databaseChangeSchema,
  databaseCheckSchema,
  databaseNameSchema,
  databaseSettingsSchema,
  DATABASE_STATUSES,
  judgeCheck,
  newDatabaseSchema,
} from "../../core/databases/database.ts";
import type { DatabaseUpdate, TenantDatabase } from "../../core/ports/tenant-database-table.ts";
import { readListNames, readUsers } from "../agents/user-lists.ts";
import { answers, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { pageQuery, readPageRequest } from "../http/list-query.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getIdSource } from "../http/new-ids.ts";
import { getTenant } from "../http/principal.ts";
import { pageOf } from "../http/schemas.ts";
import { unwrap } from "../http/unwrap.ts";

const time = z.iso.datetime();

const databaseSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    kind: z.enum(["postgres"]),
    host: z.string().nullable().describe("Host and port, without user and password; null: no key opens the address."),
    ...userListsViewShape,
    ...databaseSettingsSchema.shape,
    status: z
      .enum(DATABASE_STATUSES)
      .describe(
        "Only a `ready` one can be queried. `rejected`: its role may write. Another `dsn` makes it `unchecked`.",
      ),
    check: databaseCheckSchema.nullable().describe("What the latest check found; null: never checked."),
    version: z.int(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Database" });

type DatabaseView = z.input<typeof databaseSchema>;

const admin = [requireScope("admin")];
const shared = { tags: ["Databases"], ...withKey };
const params = z.object({ database: z.string().describe("The database's name") });
const oneDatabase = { description: "The database, without its DSN.", json: databaseSchema };

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "databases.create",
  path: "/v1/databases",
  summary: "Add a database that agents may query",
  description:
    "At least one of `agents`, `projects` and `people` says who may use it: each given list must match, and an empty one matches nobody. It can be queried once its check passed.",
  middleware: admin,
  request: {
    body: {
      required: true,
      content: { "application/json": { schema: newDatabaseSchema.meta({ id: "NewDatabaseInput" }) } },
    },
  },
  responses: answers({ 201: oneDatabase }, [409, 413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "databases.list",
  path: "/v1/databases",
  summary: "List databases, newest first",
  middleware: admin,
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of databases.", json: pageOf(databaseSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "databases.get",
  path: "/v1/databases/{database}",
  summary: "Show a database, without its DSN",
  middleware: admin,
  request: { params },
  responses: answers({ 200: oneDatabase }, [404]),
});

const update = createRoute({
  ...shared,
  method: "patch",
  operationId: "databases.update",
  path: "/v1/databases/{database}",
  summary: "Change a database",
  description: "Omitted fields stay. Another `dsn` has to be checked before the next query. Takes effect at once.",
  middleware: admin,
  request: {
    params,
    body: {
      required: true,
      content: { "application/json": { schema: databaseChangeSchema.meta({ id: "DatabaseChangeInput" }) } },
    },
  },
  responses: answers({ 200: oneDatabase }, [404, 409, 413, 415, 422]),
});

const check = createRoute({
  ...shared,
  method: "post",
  operationId: "databases.check",
  path: "/v1/databases/{database}/check",
  summary: "Connect to a database and check its role",
  description:
    "`rejected` for a superuser and for a role that may write, unless `accept_writing_role`; `check.grants` names what it may do.",
  middleware: admin,
  request: { params },
  responses: answers({ 200: oneDatabase }, [404, 409, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "databases.delete",
  path: "/v1/databases/{database}",
  summary: "Delete a database",
  description: "Nothing is changed at the database. Takes effect at once.",
  middleware: admin,
  request: { params },
  responses: answers({ 200: { ...oneDatabase, description: "The deleted database, without its DSN." } }, [404]),
});

export function databaseRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const { name, kind, dsn, agents, projects, people, ...settings } = c.req.valid("json");
    const lists = changeLists(NO_LISTS, await readUsers(c, { agents, projects, people }, NO_LISTS));
    const { createdAt, random } = await getIdSource(c, "database");
    const id = makeId("database", createdAt, random);
    const act = await createAuditEntry(c, "database.create", id);
    const table = tenantDatabasesFromEnv(c.env, getTenant(c));
    const made = unwrap(await table.create({ id, name, kind, dsn, settings, ...lists }, act));
    return c.json(await viewOne(c, made), 201, { location: `/v1/databases/${name}` });
  });

  app.openapi(list, async (c) => {
    const request = readPageRequest(c.req.valid("query"));
    const { items, next } = unwrap(await tenantDatabasesFromEnv(c.env, getTenant(c)).page(request));
    return c.json({ data: await viewAll(c, items), next_cursor: next === null ? null : writeCursor(next) }, 200);
  });

  app.openapi(show, async (c) => c.json(await viewOne(c, await findDatabase(c, c.req.valid("param").database)), 200));

  app.openapi(update, async (c) => {
    const found = await findDatabase(c, c.req.valid("param").database);
    const changed = await readChange(c, found, c.req.valid("json"));
    const act = await createAuditEntry(c, "database.update", found.id);
    return c.json(
      await viewOne(c, unwrap(await tenantDatabasesFromEnv(c.env, getTenant(c)).update(changed, act))),
      200,
    );
  });

  app.openapi(check, async (c) => {
    const tenant = getTenant(c);
    const found = await findDatabase(c, c.req.valid("param").database);
    const seen = unwrap(await checkDatabaseFromEnv(c.env, tenant, found, c.req.raw.signal));
    const act = await createAuditEntry(c, "database.check", found.id);
    const { id, version, settings } = found;
    const judged = { id, version, status: judgeCheck(seen, settings) };
    return c.json(
      await viewOne(c, unwrap(await tenantDatabasesFromEnv(c.env, tenant).saveCheck(judged, seen, act))),
      200,
    );
  });

  app.openapi(remove, async (c) => {
    const found = await findDatabase(c, c.req.valid("param").database);
    // Read before the row is gone.
    const view = await viewOne(c, found);
    const act = await createAuditEntry(c, "database.delete", found.id);
    unwrap(await tenantDatabasesFromEnv(c.env, getTenant(c)).remove(found.name, act));
    return c.json(view, 200);
  });
}

async function findDatabase(c: AppContext, name: string): Promise<TenantDatabase> {
  if (!databaseNameSchema.safeParse(name).success) raise("not_found", "There is no such database.");
  return unwrap(await tenantDatabasesFromEnv(c.env, getTenant(c)).get(name));
}

/** The whole new state. A check of the same address is judged again, because its lists or what it accepts may have changed. */
async function readChange(
  c: AppContext,
  found: TenantDatabase,
  given: z.infer<typeof databaseChangeSchema>,
): Promise<DatabaseUpdate> {
  const { dsn = null, agents, projects, people, schemas = found.settings.schemas, ...changed } = given;
  const change = await readUsers(c, { agents, projects, people }, found);
  const isChange = Object.values(change).some((list) => list !== undefined);
  const lists = changeLists(found, change);
  if (isChange && !hasList(lists)) raise("invalid_input", NO_LIST, { field: "agents" });
  const settings = databaseSettingsSchema.parse({ ...found.settings, ...changed, schemas: schemas ?? undefined });
  const present = dsn === null ? found.check : null;
  return {
    id: found.id,
    ifVersion: found.version,
    settings,
    dsn,
    ...lists,
    check: present,
    status: present === null ? "unchecked" : judgeCheck(present, settings),
  };
}

async function viewOne(c: AppContext, database: TenantDatabase): Promise<DatabaseView> {
  const [view] = await viewAll(c, [database]);
  if (view === undefined) throw new Error("a database is missing in its view");
  return view;
}

/** Databases as replies show them, with the names of their agents and their hosts. */
async function viewAll(c: AppContext, all: readonly TenantDatabase[]): Promise<DatabaseView[]> {
  if (all.length === 0) return [];
  const view = await readListNames(c, all);
  const hosts = unwrap(await tenantDatabasesFromEnv(c.env, getTenant(c)).hosts(all.map(({ id }) => id)));
  return all.map(({ id, name, kind, settings, status, check: found, version, createdAt, updatedAt, ...lists }) => ({
    id,
    name,
    kind,
    host: hosts.get(id) ?? null,
    ...view(lists),
    ...settings,
    status,
    check: found,
    version,
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
  }));
}
