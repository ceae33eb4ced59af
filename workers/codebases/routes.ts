/** Codebases that agents search. Only administrators add, index and delete them. */
import { createRoute, z } from "@hono/zod-openapi";
import {
  deleteArchiveFromEnv,
  findArchiveFromEnv,
  judgeRepositoryFromEnv,
  storeArchiveFromEnv,
} from "../../adapters/env/codebases.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { raise } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { changeLists, NO_LISTS } from "../../core/base/user-lists.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import type { CodebaseSource } from "../../core/codebases/codebase.ts";
import { findNextReindex } from "../../core/codebases/reindex-rule.ts";
import { readListNames, readUsers } from "../agents/user-lists.ts";
import { answers, emptyBody, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getIdSource } from "../http/new-ids.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { findCodebase, showCodebase } from "./read-codebase.ts";
import { requestIndex } from "./request-index.ts";
import {
  archiveSchema,
  codebaseChange,
  codebaseInput,
  type CodebaseInput,
  codebaseSchema,
  toCodebaseView,
} from "./view.ts";

const PATH = "/v1/codebases";
const ZIP = "application/zip";
const ZIP_START = [0x50, 0x4b];
const shared = { tags: ["Codebases"], ...withKey, middleware: [requireScope("admin")] };
const params = z.object({ id: z.string().describe("The codebase's id, `cdb_…`") });
const codebase = { description: "The codebase.", json: codebaseSchema };

const upload = createRoute({
  ...shared,
  method: "post",
  operationId: "codebases.uploadArchive",
  path: `${PATH}/archives`,
  summary: "Upload an archive of code",
  description:
    "A ZIP file of at most 25 MB. Its hash is the `zip` of a codebase's source. It is deleted with the last codebase that uses it.",
  request: { body: { required: true, content: { [ZIP]: { schema: { type: "string", format: "binary" } } } } },
  responses: answers({ 201: { description: "It is stored.", json: archiveSchema } }, [413, 415, 422]),
});

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "codebases.create",
  path: PATH,
  summary: "Add a codebase",
  description:
    "It is indexed in the background; its `status` says when it is ready. The lists say who may search it: at least one has to be given, and each given list has to name the agent, the project or the person of a task. An empty list means nobody. Files that are binary, larger than 1 MB, left out by `.gitignore`, or look like secrets are not indexed.",
  request: { body: { required: true, content: { "application/json": { schema: codebaseInput } } } },
  responses: answers({ 202: codebase }, [404, 409, 413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "codebases.list",
  path: PATH,
  summary: "List codebases by name",
  responses: answers({
    200: {
      description: "All codebases.",
      json: z.strictObject({ data: z.array(codebaseSchema), next_cursor: z.null() }),
    },
  }),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "codebases.get",
  path: `${PATH}/{id}`,
  summary: "Show a codebase",
  request: { params },
  responses: answers({ 200: codebase }, [404]),
});

const change = createRoute({
  ...shared,
  method: "patch",
  operationId: "codebases.update",
  path: `${PATH}/{id}`,
  summary: "Change who may search a codebase",
  description: "An omitted list stays, and null removes one. At least one has to remain. Takes effect at once.",
  request: { params, body: { required: true, content: { "application/json": { schema: codebaseChange } } } },
  responses: answers({ 200: codebase }, [404, 413, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "codebases.delete",
  path: `${PATH}/{id}`,
  summary: "Delete a codebase and its index",
  request: { params },
  responses: answers({ 200: { description: "The deleted codebase.", json: codebaseSchema } }, [404]),
});

const reindex = createRoute({
  ...shared,
  method: "post",
  operationId: "codebases.reindex",
  path: `${PATH}/{id}/reindex`,
  summary: "Index a codebase again",
  description: "Reads the source again and stores what changed. Searches see the present index until then.",
  request: { params, body: emptyBody },
  responses: answers({ 202: codebase }, [404, 415, 422]),
});

export function codebaseRoutes(app: App): void {
  app.openapi(upload, async (c) => {
    const bytes = readArchive(c);
    const hash = await sha256Hex(bytes);
    unwrap(await storeArchiveFromEnv(c.env, getTenant(c), { hash, bytes }));
    return c.json({ hash, size: bytes.length }, 201);
  });

  app.openapi(create, async (c) => {
    const { name, source: given, agents, projects, people, reindex } = c.req.valid("json");
    const source = await readSource(c, given);
    const lists = changeLists(NO_LISTS, await readUsers(c, { agents, projects, people }, NO_LISTS));
    const { createdAt, random } = await getIdSource(c, "codebase");
    const id = makeId("codebase", createdAt, random);
    const act = await createAuditEntry(c, "codebase.create", id);
    const every = reindex?.every ?? null;
    const due = findNextReindex(every, createdAt);
    if (!due.ok) raise("invalid_input", due.error.message, { field: "reindex.every" });
    const rule = { every, dueAt: due.value };
    const made = unwrap(await table(c).create(getTenant(c), { id, name, source, ...lists, ...rule }, act));
    await requestIndex(c.env, getTenant(c), { codebase: id, after: 0 }, act.id);
    return c.json(await showCodebase(c, made), 202, { location: `${PATH}/${id}` });
  });

  app.openapi(list, async (c) => {
    const all = unwrap(await table(c).all(getTenant(c)));
    const nameLists = await readListNames(c, all);
    return c.json({ data: all.map((one) => toCodebaseView(one, nameLists)), next_cursor: null }, 200);
  });

  app.openapi(show, async (c) => c.json(await showCodebase(c, await findCodebase(c, c.req.valid("param").id)), 200));

  app.openapi(change, async (c) => {
    const found = await findCodebase(c, c.req.valid("param").id);
    const lists = await readUsers(c, c.req.valid("json"), found);
    const act = await createAuditEntry(c, "codebase.update", found.id);
    return c.json(await showCodebase(c, unwrap(await table(c).update(getTenant(c), found.id, lists, act))), 200);
  });

  app.openapi(remove, async (c) => {
    const found = await findCodebase(c, c.req.valid("param").id);
    const view = await showCodebase(c, found);
    const act = await createAuditEntry(c, "codebase.delete", found.id);
    unwrap(await table(c).remove(getTenant(c), found.id, act));
    await requestIndex(c.env, getTenant(c), { codebase: found.id, after: null }, act.id);
    await deleteUnused(c, found.source);
    return c.json(view, 200);
  });

  app.openapi(reindex, async (c) => {
    const { id } = await findCodebase(c, c.req.valid("param").id);
    const act = await createAuditEntry(c, "codebase.reindex", id);
    const requested = unwrap(await table(c).request(getTenant(c), id, act));
    await requestIndex(c.env, getTenant(c), { codebase: id, after: requested.builds }, act.id);
    return c.json(await showCodebase(c, requested), 202);
  });
}

function table(c: AppContext) {
  return databaseFromEnv(c.env).codebases;
}

function readArchive(c: AppContext): Uint8Array {
  const type = (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== ZIP) raise("unsupported_media", `Send the archive as ${ZIP}.`, { field: "content-type" });
  const bytes = c.get("bodyBytes") ?? new Uint8Array();
  if (!ZIP_START.every((byte, index) => bytes[index] === byte))
    raise("invalid_input", "The body is no ZIP file.", { field: "body" });
  return bytes;
}

/** The source as it is stored. */
async function readSource(c: AppContext, source: CodebaseInput["source"]): Promise<CodebaseSource> {
  if ("git" in source) {
    const judged = judgeRepositoryFromEnv(c.env, source.git);
    if (!judged.ok)
      raise("invalid_input", `The repository cannot be fetched. ${judged.message}`, { field: "source.git" });
    return source;
  }
  if ("project" in source) return source;
  const size = unwrap(await findArchiveFromEnv(c.env, getTenant(c), source.zip));
  return { zip: { hash: source.zip, size } };
}

async function deleteUnused(c: AppContext, source: CodebaseSource): Promise<void> {
  if (!("zip" in source)) return;
  const { hash } = source.zip;
  const others = unwrap(await table(c).all(getTenant(c)));
  const isUsed = others.some((one) => "zip" in one.source && one.source.zip.hash === hash);
  if (!isUsed) await deleteArchiveFromEnv(c.env, getTenant(c), hash);
}
