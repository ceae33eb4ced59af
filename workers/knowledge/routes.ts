/** The documents that agents search: add, list, replace, read again and delete. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { acceptDepsFromEnv } from "../../adapters/env/knowledge.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { raise } from "../../core/base/errors.ts";
import { toHex } from "../../core/base/hex.ts";
import { isId, makeId } from "../../core/base/ids.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import { acceptDocument, acceptVersion, deleteDocument, readOriginal } from "../../core/knowledge/accept.ts";
import { INGEST_STATES, type KnowledgeDocument } from "../../core/knowledge/document.ts";
import { projectSchema } from "../../core/task/new-task.ts";
import { checkProject } from "../../core/tenant/key-bounds.ts";
import { answers, withKey } from "../http/answers.ts";
import { getActorId, createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { optionalQuery, pageQuery, readPageRequest } from "../http/list-query.ts";
import { getBounds } from "../http/middleware/key-bounds.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getIdSource } from "../http/new-ids.ts";
import { getTenant } from "../http/principal.ts";
import { pageOf } from "../http/schemas.ts";
import { getKeyScope, readProjectScope } from "../http/project-scope.ts";
import { unwrap } from "../http/unwrap.ts";
import { refuseInvalid } from "../http/validation.ts";
import {
  documentChangeSchema,
  type GivenDocument,
  isForm,
  newDocumentSchema,
  readGivenForm,
  readGivenJson,
} from "./given.ts";
import { documentSchema, toDocumentView } from "./view.ts";

const TOKEN_BYTES = 8;
const NO_DOCUMENT = "There is no such document.";
const FORM = {
  type: "object" as const,
  properties: {
    file: { type: "string" as const, format: "binary" },
    title: { type: "string" as const },
    tags: { type: "string" as const, description: "Separated by commas" },
    project: { type: "string" as const },
  },
  required: ["file"],
};
const HOW =
  "Send a form with the part `file`, or JSON with `url`, `text`, or `task_id` and `path`. At most 50 MB and 5,000 pieces. It is read in the background: `status` says how far it is.";

const shared = { tags: ["Knowledge"], ...withKey };
const reads = [requireScope("tasks:read")];
const writes = [requireScope("knowledge:write")];
const params = z.object({ id: z.string().describe("The document's id, `doc_…`") });
const document = { description: "The document.", json: documentSchema };
const accepted = { 202: { description: "It was accepted, and is read soon.", json: documentSchema } };

const add = createRoute({
  ...shared,
  method: "post",
  operationId: "documents.create",
  path: "/v1/knowledge/documents",
  summary: "Add a document",
  description: HOW,
  middleware: writes,
  request: {
    body: {
      content: { "application/json": { schema: newDocumentSchema }, "multipart/form-data": { schema: FORM } },
    },
  },
  responses: answers(accepted, [404, 413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "documents.list",
  path: "/v1/knowledge/documents",
  summary: "List documents, newest first",
  middleware: reads,
  request: {
    query: z.strictObject({
      project: optionalQuery(projectSchema),
      scope: optionalQuery(z.enum(["all", "tenant"])).describe("`tenant`: only documents without a project"),
      status: optionalQuery(z.enum(INGEST_STATES)),
      ...pageQuery,
    }),
  },
  responses: answers({ 200: { description: "A page of documents.", json: pageOf(documentSchema) } }, [404, 422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "documents.get",
  path: "/v1/knowledge/documents/{id}",
  summary: "Show a document",
  middleware: reads,
  request: { params },
  responses: answers({ 200: document }, [404]),
});

const replace = createRoute({
  ...shared,
  method: "put",
  operationId: "documents.replace",
  path: "/v1/knowledge/documents/{id}",
  summary: "Replace a document",
  description: `${HOW} Searches read the version before until all of the new one can be found. Omitted fields stay; its project cannot change.`,
  middleware: writes,
  request: {
    params,
    body: {
      content: { "application/json": { schema: documentChangeSchema }, "multipart/form-data": { schema: FORM } },
    },
  },
  responses: answers(accepted, [404, 413, 415, 422]),
});

const reingest = createRoute({
  ...shared,
  method: "post",
  operationId: "documents.reingest",
  path: "/v1/knowledge/documents/{id}/reingest",
  summary: "Read a document again",
  description: "As a new version: an address is fetched again, other documents are read from the stored original.",
  middleware: writes,
  request: { params },
  responses: answers(accepted, [404]),
});

const erase = createRoute({
  ...shared,
  method: "delete",
  operationId: "documents.delete",
  path: "/v1/knowledge/documents/{id}",
  summary: "Delete a document",
  description: "No search finds it any more. Its pieces, vectors, pictures and original are removed soon after.",
  middleware: writes,
  request: { params },
  responses: answers({ 200: { description: "The deleted document.", json: documentSchema } }, [404]),
});

export function knowledgeRoutes(app: App): void {
  app.openapi(add, async (c) => {
    const given = isForm(c) ? readGivenForm(c) : await readGivenJson(c, await readJson(c, newDocumentSchema));
    unwrap(checkProject(getBounds(c), given.project));
    const { createdAt, random } = await getIdSource(c, "document");
    const id = makeId("document", createdAt, random);
    const act = await createAuditEntry(c, "document.create", id);
    const { project, filename, title, label } = given;
    const made = { id, project, filename, title, label, tags: unique(given.tags ?? []), author: getActorId(c) };
    const added = await acceptDocument(getDeps(c), made, { ...given, token: toToken(random) }, act);
    return c.json(toDocumentView(unwrap(added)), 202, { location: `/v1/knowledge/documents/${id}` });
  });

  app.openapi(list, async (c) => {
    const asked = c.req.valid("query");
    const filter = { scope: readProjectScope(c, asked, "documents"), status: asked.status ?? null };
    const page = unwrap(await databaseFromEnv(c.env).knowledge.page(getTenant(c), filter, readPageRequest(asked)));
    const next = page.next === null ? null : writeCursor(page.next);
    return c.json({ data: page.items.map(toDocumentView), next_cursor: next }, 200);
  });

  app.openapi(show, async (c) => c.json(toDocumentView(await findDocument(c, c.req.valid("param").id)), 200));

  app.openapi(replace, async (c) => {
    const { id } = c.req.valid("param");
    const before = await findDocument(c, id);
    const given = isForm(c) ? readGivenForm(c) : await readGivenJson(c, await readJson(c, documentChangeSchema));
    if (given.project !== null && given.project !== before.project)
      raise("invalid_input", "project: the project of a document cannot change", { field: "project" });
    return c.json(toDocumentView(await addVersion(c, id, given)), 202);
  });

  app.openapi(reingest, async (c) => {
    const { id } = c.req.valid("param");
    const before = await findDocument(c, id);
    const bytes = unwrap(await readOriginal(getDeps(c), before));
    const { source } = before.latest;
    const { label } = before;
    const given = { source, bytes, label, filename: null, title: null, tags: null };
    return c.json(toDocumentView(await addVersion(c, id, given)), 202);
  });

  app.openapi(erase, async (c) => {
    const { id } = c.req.valid("param");
    if (!isId("document", id)) raise("not_found", NO_DOCUMENT);
    const act = await createAuditEntry(c, "document.delete", id);
    return c.json(toDocumentView(unwrap(await deleteDocument(getDeps(c), getKeyScope(c), id, act))), 200);
  });
}

type GivenChange = Pick<GivenDocument, "source" | "bytes" | "label" | "title" | "tags"> & {
  readonly filename: string | null;
};

async function addVersion(c: AppContext, id: string, given: GivenChange): Promise<KnowledgeDocument> {
  const { random } = await getIdSource(c, "document version");
  const act = await createAuditEntry(c, "document.replace", id);
  const { filename, title, tags, label } = given;
  const change = { id, filename, title, tags: tags === null ? null : unique(tags), label };
  const version = { source: given.source, bytes: given.bytes, token: toToken(random) };
  return unwrap(await acceptVersion(getDeps(c), getKeyScope(c), change, version, act));
}

function getDeps(c: AppContext) {
  return acceptDepsFromEnv(c.env, getTenant(c));
}

/** The types of a route with two kinds of bodies have no JSON. */
async function readJson<Schema extends z.ZodType>(c: AppContext, schema: Schema): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(await c.req.json().catch(() => ({})));
  if (parsed.success) return parsed.data;
  refuseInvalid({ success: false, target: "json", error: parsed.error });
  throw parsed.error;
}

async function findDocument(c: AppContext, id: string): Promise<KnowledgeDocument> {
  if (!isId("document", id)) return raise("not_found", NO_DOCUMENT);
  return unwrap(await databaseFromEnv(c.env).knowledge.get(getTenant(c), getKeyScope(c), id));
}

function unique(tags: readonly string[]): string[] {
  return [...new Set(tags)];
}

function toToken(random: Uint8Array): string {
  return toHex(random.subarray(random.length - TOKEN_BYTES));
}
