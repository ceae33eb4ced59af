/** The custom tools of a tenant: HTTP requests with placeholders for arguments. */
import { createRoute } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { toolSourcesFromEnv } from "../../adapters/env/tool-sources.ts";
import { CUSTOM_SOURCE, customToolSchema, parseDefinition } from "../../core/custom-tools/custom-tool.ts";
import { failed, ok, OttoError, raise } from "../../core/base/errors.ts";
import { judgeDefinition } from "../../core/steps/tool-bus.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import type { DefinedTool } from "../../core/tool/source.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf, toolSchema } from "../http/schemas.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext, AppEnv } from "../http/context.ts";
import { changeDefinitions } from "./custom-tools.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getRequestPatterns } from "../http/request-patterns.ts";
import { pageQuery, readPageRequest } from "../http/list-query.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { openBus, toToolView } from "../tools/bus.ts";
import { toolParams } from "../tools/routes.ts";

const admin = [requireScope("admin")];
const shared = { tags: ["Tools"], middleware: admin, ...withKey };

/** Refuses an invalid tool with the errors of the tool bus. */
const requireTool: MiddlewareHandler<AppEnv> = async function requireTool(c, next) {
  unwrap(judgeDefinition(await c.req.json().catch(() => null), getRequestPatterns(c).patterns));
  await next();
};
const body = {
  required: true,
  content: { "application/json": { schema: customToolSchema.meta({ id: "CustomToolInput" }) } },
};

const versionSchema = z
  .strictObject({
    name: z.string(),
    version: z.int(),
    definition: customToolSchema.nullable().describe("Null if this version deleted the tool."),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "ToolVersion" });

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "tools.create",
  path: "/v1/tools",
  middleware: [...admin, requireTool],
  summary: "Register an HTTP tool",
  description:
    "A tool for the tenant's agents only. `{name}` in the path of `request.url` is the required argument of that name. Other arguments go to the query of GET, HEAD and DELETE, or else to the body, unless `request.places` says otherwise. `{{secret.NAME}}` in the address or a header is a secret of the tenant. An argument can neither be part of the host nor refer to a secret. Running tasks keep their tools. 409 if the name is taken, also by a built-in tool.",
  request: { body },
  responses: answers({ 201: { description: "The tool.", json: toolSchema } }, [409, 413, 415, 422]),
});

const update = createRoute({
  ...shared,
  method: "put",
  operationId: "tools.update",
  path: "/v1/tools/{name}",
  middleware: [...admin, requireTool],
  summary: "Create the next version of a custom tool",
  request: { params: toolParams, body },
  responses: answers({ 200: { description: "The tool.", json: toolSchema } }, [404, 409, 413, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "tools.delete",
  path: "/v1/tools/{name}",
  summary: "Delete a custom tool",
  description: "Running tasks keep it. Imported tools are deleted with their source.",
  request: { params: toolParams },
  responses: answers({ 200: { description: "The deleted tool.", json: toolSchema } }, [404, 409]),
});

const versions = createRoute({
  ...shared,
  method: "get",
  operationId: "tools.listVersions",
  path: "/v1/tools/{name}/versions",
  summary: "List the versions of a custom tool, newest first",
  request: { params: toolParams, query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of versions.", json: pageOf(versionSchema) } }, [404, 422]),
});

export function ownToolRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const bus = await openBus(c);
    const tool = unwrap(await bus.register(c.req.valid("json")));
    return c.json(await readToolView(c, tool.name), 201, { location: `/v1/tools/${tool.name}` });
  });

  app.openapi(update, async (c) => {
    const name = await findOwnName(c, c.req.valid("param").name);
    const { definition } = unwrap(judgeDefinition(c.req.valid("json"), getRequestPatterns(c).patterns));
    if (definition.name !== name)
      raise("invalid_input", `name: must be ${name}; a tool cannot be renamed`, { field: "name" });
    const act = await createAuditEntry(c, "tool.update", name);
    unwrap(await changeDefinitions(c, (present) => changeIfPresent(present, name, { name, definition }), act));
    return c.json(await readToolView(c, name), 200);
  });

  app.openapi(remove, async (c) => {
    const name = await findOwnName(c, c.req.valid("param").name);
    const before = await readToolView(c, name);
    const act = await createAuditEntry(c, "tool.delete", name);
    unwrap(await changeDefinitions(c, (present) => changeIfPresent(present, name, { name, definition: null }), act));
    return c.json(before, 200);
  });

  app.openapi(versions, async (c) => {
    const { name } = c.req.valid("param");
    if (!customToolSchema.shape.name.safeParse(name).success) raise("not_found", "There is no such tool.");
    const request = readPageRequest(c.req.valid("query"));
    const page = unwrap(await databaseFromEnv(c.env).toolSources.versions(getTenant(c), name, request));
    const next = page.next === null ? null : writeCursor(page.next);
    return c.json({ data: page.items.map(toVersionView), next_cursor: next }, 200);
  });
}

/** Returns the tenant's name of a tool that it defined. Refuses any other tool. */
async function findOwnName(c: AppContext, given: string): Promise<string> {
  const { tool } = unwrap((await openBus(c)).get(given));
  const source = tool.written?.source;
  if (source === CUSTOM_SOURCE) return tool.name;
  const whose = source === undefined ? "a built-in tool" : `a tool of the source ${source}`;
  return raise("conflict", `${tool.name} is ${whose} and cannot be changed here.`, { field: "name" });
}

function changeIfPresent<T>(present: ReadonlyMap<string, unknown>, name: string, change: T) {
  return present.has(name) ? ok(change) : failed("not_found", `There is no tool named ${name}.`);
}

/** Formats a tool after a change. */
async function readToolView(c: AppContext, name: string) {
  const sources = unwrap(await toolSourcesFromEnv(c.env).present(getTenant(c)));
  const found = (await openBus(c, { sources })).get(name);
  if (!found.ok) throw new OttoError(found.error);
  return toToolView(found.value);
}

function toVersionView({ name, version, definition, createdAt }: DefinedTool) {
  const read = definition === null ? null : parseDefinition(definition);
  return { name, version, definition: read, created_at: new Date(createdAt).toISOString() };
}
