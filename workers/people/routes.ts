/** People who can be asked or notified. */
import { createRoute } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { raise } from "../../core/base/errors.ts";
import { isId, makeId } from "../../core/base/ids.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import { toFields, personSchema, personSettingSchema, toPersonView } from "../../core/people/person-document.ts";
import type { PersonRecord } from "../../core/people/person.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppEnv, MiddlewareContext } from "../http/context.ts";
import { formatEtag, ifMatchHeader, readIfVersion } from "../http/if-match.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getIdSource } from "../http/new-ids.ts";
import { pageQuery, readPageRequest } from "../http/list-query.ts";
import { getTenant } from "../http/principal.ts";
import { writePersonChange } from "./key-person.ts";
import { unwrap } from "../http/unwrap.ts";

const admin = [requireScope("admin")];
const reads = [requireScope("tasks:read")];
const shared = { tags: ["People"], ...withKey };
const params = z.object({ id: z.string().describe("The person's id, `per_…`") });
const body = {
  required: true,
  content: { "application/json": { schema: personSettingSchema.meta({ id: "PersonInput" }) } },
};
const person = { description: "The person. `ETag` names the version.", json: personSchema };
/** Answers 404 before the body is read, so that another tenant's id reveals nothing. */
const requireRecord: MiddlewareHandler<AppEnv> = async function requireRecord(c, next) {
  await findPerson(c, c.req.param("id") ?? "");
  await next();
};

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "people.create",
  path: "/v1/people",
  summary: "Make a person",
  description:
    "Tasks can ask people: `ask_human` finds a person by name, alias or first name, and sends the question to the person's addresses. People who write to Otto in Slack are added automatically.",
  middleware: admin,
  request: { body },
  responses: answers({ 201: person }, [409, 413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "people.list",
  path: "/v1/people",
  summary: "List people, newest first",
  middleware: reads,
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of people.", json: pageOf(personSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "people.get",
  path: "/v1/people/{id}",
  summary: "Show a person",
  middleware: reads,
  request: { params },
  responses: answers({ 200: person }, [404]),
});

const update = createRoute({
  ...shared,
  method: "put",
  operationId: "people.replace",
  path: "/v1/people/{id}",
  summary: "Replace a person",
  description:
    "Omitted fields get their defaults. With `If-Match`, 409 if the version differs. Open questions keep the addresses that they were sent to. Keys of the person have the new name within three seconds.",
  middleware: [...admin, requireRecord],
  request: { params, body, headers: ifMatchHeader },
  responses: answers({ 200: person }, [404, 409, 413, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "people.delete",
  path: "/v1/people/{id}",
  summary: "Delete a person",
  description:
    "Keys of the person belong to nobody from then on, everywhere within three seconds. If the person writes to Otto in Slack later, a new person is created, without the right to approve.",
  middleware: admin,
  request: { params },
  responses: answers({ 200: { description: "The deleted person.", json: personSchema } }, [404]),
});

export function peopleRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const fields = toFields(c.req.valid("json"));
    const { createdAt, random } = await getIdSource(c, "person");
    const id = makeId("person", createdAt, random);
    const act = await createAuditEntry(c, "person.create", id);
    const made = unwrap(await databaseFromEnv(c.env).people.create(getTenant(c), { id, ...fields }, act));
    return c.json(toPersonView(made), 201, { location: `/v1/people/${id}`, etag: formatEtag(made) });
  });

  app.openapi(list, async (c) => {
    const request = readPageRequest(c.req.valid("query"));
    const { items, next } = unwrap(await databaseFromEnv(c.env).people.page(getTenant(c), request));
    return c.json({ data: items.map(toPersonView), next_cursor: next === null ? null : writeCursor(next) }, 200);
  });

  app.openapi(show, async (c) => {
    const found = await findPerson(c, c.req.valid("param").id);
    return c.json(toPersonView(found), 200, { etag: formatEtag(found) });
  });

  app.openapi(update, async (c) => {
    const { id } = c.req.valid("param");
    const fields = toFields(c.req.valid("json"));
    const ifVersion = readIfVersion(c.req.valid("header")["if-match"]);
    const act = await createAuditEntry(c, "person.update", id);
    const set = await writePersonChange(c, { person: id }, async () =>
      unwrap(await databaseFromEnv(c.env).people.update(getTenant(c), { id, fields, ifVersion }, act)),
    );
    return c.json(toPersonView(set), 200, { etag: formatEtag(set) });
  });

  app.openapi(remove, async (c) => {
    const { id } = await findPerson(c, c.req.valid("param").id);
    const act = await createAuditEntry(c, "person.delete", id);
    const removed = await writePersonChange(c, { person: id }, async () =>
      unwrap(await databaseFromEnv(c.env).people.remove(getTenant(c), id, act)),
    );
    return c.json(toPersonView(removed), 200);
  });
}

async function findPerson(c: MiddlewareContext, id: string): Promise<PersonRecord> {
  if (!isId("person", id)) raise("not_found", "There is no such person.");
  return unwrap(await databaseFromEnv(c.env).people.get(getTenant(c), id));
}
