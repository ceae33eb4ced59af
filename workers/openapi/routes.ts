/** Imports an OpenAPI document as a source of tools. Lists and deletes sources of any kind. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { toolSourcesFromEnv } from "../../adapters/env/tool-sources.ts";
import { raise } from "../../core/base/errors.ts";
import { connectSchema, omitClientSecret } from "../../core/openapi/connect.ts";
import { SECURITY_LEVELS } from "../../core/tool/tool.ts";
import { SECRET_NAME } from "../../core/web/secret-references.ts";
import type { SourceRecord } from "../../core/tool/source.ts";
import { answers, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import { meterWork } from "../http/charge-cost.ts";
import type { App, AppContext } from "../http/context.ts";
import { removeImportApp } from "./import-app.ts";
import {
  fetchDocument,
  getImportName,
  getSourceName,
  isImportSource,
  publishImport,
  readImport,
} from "./imported-sources.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { readDocument } from "../http/yaml-text.ts";
import { getTenant } from "../http/principal.ts";
import { readSources } from "../http/tenant-facts.ts";
import { unwrap } from "../http/unwrap.ts";
import { listTools } from "../tools/tenant-tools.ts";

const shared = { tags: ["Tools"], middleware: [requireScope("admin")], ...withKey };
const address = z.url({ protocol: /^https?$/ }).max(4_096);

const importSchema = z
  .strictObject({
    name: z
      .string()
      .max(32)
      .regex(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/, "snake_case, at most 32 characters")
      .optional()
      .describe("The prefix of its tool names, and their toolbox; by default the document's title."),
    openapi: z
      .union([z.record(z.string(), z.json()), z.string().min(1)])
      .optional()
      .describe("The document, as JSON or as YAML text."),
    url: address.optional().describe("The document's address, read now and at each reload."),
    base_url: address.optional().describe("The address of its operations; replaces the document's servers."),
    auth: z
      .record(z.string().max(200), z.string().regex(SECRET_NAME, "must be the name of a secret, e.g. API_KEY"))
      .optional()
      .describe("The secret for each security scheme."),
    connect: connectSchema
      .optional()
      .describe("How people connect their accounts of this API; calls then act through the caller's account."),
    include: z
      .array(z.string().min(1).max(200))
      .max(200)
      .optional()
      .describe("Patterns of tool names; all by default."),
    read_security: z.enum(SECURITY_LEVELS).optional().describe("The level of GET and HEAD; `dangerous` by default."),
    security: z.enum(SECURITY_LEVELS).optional().describe("The level of other methods; `dangerous` by default."),
    replace: z.boolean().optional().describe("Replace the import of the same name."),
  })
  .refine(({ openapi, url }) => (openapi === undefined) !== (url === undefined), {
    error: "must have either openapi or url",
    path: ["openapi"],
  });

const importedSchema = z
  .strictObject({
    source: z.string(),
    tools: z.array(z.string()),
    skipped: z
      .array(z.strictObject({ operation: z.string(), reason: z.string() }))
      .describe("Operations that became no tool, with the reason."),
  })
  .meta({ id: "ToolImport" });

const sourceSchema = z
  .strictObject({
    name: z.string().describe("`custom`, `openapi:<name>` or `mcp:<server>`."),
    version: z.int(),
    hash: z.string().nullable().describe("SHA-256 of its tools; null if it has no tools."),
    tools: z.int(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "ToolSource" });

const deletedSchema = sourceSchema
  .extend({ connections_ended: z.int().min(0).describe("The accounts of its app that were disconnected.") })
  .meta({ id: "DeletedToolSource" });

const sourceParams = z.object({ source: z.string().describe("The source's name, e.g. `openapi:weather`") });

const importRoute = createRoute({
  ...shared,
  method: "post",
  operationId: "tools.import",
  path: "/v1/tools/import",
  summary: "Import an OpenAPI document (3.0 or 3.1) as tools",
  description:
    "Each callable operation becomes a tool `<name>.<operation id>`; `skipped` lists the others with the reason. References inside the document are followed. `POST /v1/tools/{name}/reload` of any of its tools fetches `url` again. Running tasks keep their tools.",
  request: {
    body: { required: true, content: { "application/json": { schema: importSchema.meta({ id: "ToolImportInput" }) } } },
  },
  responses: answers({ 201: { description: "The imported tools.", json: importedSchema } }, [409, 413, 415, 422, 503]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "toolSources.list",
  path: "/v1/tool-sources",
  summary: "List the sources of the tenant's own tools",
  responses: answers({
    200: { description: "All sources, by name.", json: z.strictObject({ data: z.array(sourceSchema) }) },
  }),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "toolSources.delete",
  path: "/v1/tool-sources/{source}",
  summary: "Delete the tools of an import",
  description:
    "Running tasks keep them, but no longer act through accounts that people connected to the import: those are disconnected, and their access is revoked at the provider.",
  request: { params: sourceParams },
  responses: answers({ 200: { description: "The source, without tools.", json: deletedSchema } }, [404, 409]),
});

export function toolImportRoutes(app: App): void {
  app.openapi(importRoute, async (c) => {
    const { name, openapi, url, replace = false, ...asked } = c.req.valid("json");
    const document = unwrap(await readSentDocument(c, openapi, url));
    const options = {
      url: url ?? null,
      baseUrl: asked.base_url ?? null,
      auth: asked.auth ?? {},
      include: asked.include ?? [],
      readSecurity: asked.read_security ?? "dangerous",
      security: asked.security ?? "dangerous",
      ...(asked.connect === undefined ? {} : { connect: omitClientSecret(asked.connect) }),
    } as const;
    const clientSecret = asked.connect?.kind === "oauth2" ? asked.connect.client_secret : undefined;
    const made = unwrap(await readImport(c, document, { ...options, name: name ?? null }));
    const present = await listTools(c, await readSources(c));
    const act = await createAuditEntry(c, "tool.import", getSourceName(made.name));
    // A repeat of a request that was cut off finds its own import.
    const isNew = !replace && c.get("idempotency") === null;
    const secret = clientSecret === undefined ? {} : { clientSecret };
    unwrap(await publishImport(c, made, options, { tools: present, act, isNew, ...secret }));
    const tools = made.tools.map((tool) => tool.name);
    return c.json({ source: getSourceName(made.name), tools, skipped: [...made.skipped] }, 201);
  });

  app.openapi(list, async (c) => {
    const sources = toolSourcesFromEnv(c.env);
    unwrap(await sources.present(getTenant(c)));
    const records = unwrap(await sources.all(getTenant(c)));
    return c.json({ data: records.filter(({ hash }) => hash !== null).map(toSourceView) }, 200);
  });

  app.openapi(remove, async (c) => {
    const { source: name } = c.req.valid("param");
    const sources = toolSourcesFromEnv(c.env);
    const record = unwrap(await sources.all(getTenant(c))).find((one) => one.name === name);
    if (record === undefined || record.hash === null) raise("not_found", "There is no such tool source.");
    if (!isImportSource(name))
      raise("conflict", `${name} is not an import. Delete its tools where they were created.`, { field: "source" });
    const act = await createAuditEntry(c, "tool.delete", name);
    // Before the tools: a deletion that is cut off is repeated, and finds them.
    const ended = unwrap(await removeImportApp(c, getImportName(name)));
    const removed = unwrap(await sources.publish(getTenant(c), { name, tools: [] }, act));
    return c.json({ ...toSourceView(removed), connections_ended: ended }, 200);
  });
}

async function readSentDocument(c: AppContext, openapi: unknown, url: string | undefined) {
  if (typeof openapi === "string")
    return await readDocument(openapi, "openapi", meterWork(c.env, getTenant(c)).giveWay);
  return url === undefined ? ({ ok: true, value: openapi } as const) : await fetchDocument(c, url);
}

function toSourceView({ name, version, hash, tools, updatedAt }: SourceRecord) {
  return { name, version, hash, tools, updated_at: new Date(updatedAt).toISOString() };
}
