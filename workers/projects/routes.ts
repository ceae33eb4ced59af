/**
 * Projects: a scope for memory, with a folder of files that its tasks share. A project exists from the first task or
 * memory that names it.
 */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { eraseProjectFilesFromEnv } from "../../adapters/env/files.ts";
import { acceptDepsFromEnv } from "../../adapters/env/knowledge.ts";
import { memoryFromEnv } from "../../adapters/env/memory.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { toCleanItem } from "../../core/knowledge/ingest-item.ts";
import type { Project } from "../../core/ports/memory-tables.ts";
import { raise } from "../../core/base/errors.ts";
import { projectSchema } from "../../core/task/new-task.ts";
import { DEFAULT_PAGE_LIMIT } from "../../core/base/page-cursor.ts";
import { isInBounds } from "../../core/tenant/key-bounds.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { getBounds } from "../http/middleware/key-bounds.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { flushIndex } from "../http/fresh-index.ts";
import { pageQuery } from "../http/list-query.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

/** Batches of memories that one request erases, 500 each. */
const MAX_BATCHES = 40;

const projectViewSchema = z
  .strictObject({
    name: z.string(),
    memories: z.int(),
    tasks: z.int().describe("Those that `GET /v1/tasks?project=` lists."),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Project" });

const shared = { tags: ["Projects"], ...withKey };
const params = z.object({ name: z.string().describe("The project's name, as tasks name it") });
const project = { description: "The project.", json: projectViewSchema };

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "projects.list",
  path: "/v1/projects",
  summary: "List projects by name",
  description: "A project exists from the first task or memory that names it. Names cannot change.",
  middleware: [requireScope("tasks:read")],
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of projects.", json: pageOf(projectViewSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "projects.get",
  path: "/v1/projects/{name}",
  summary: "Show a project",
  middleware: [requireScope("tasks:read")],
  request: { params },
  responses: answers({ 200: project }, [404]),
});

const erase = createRoute({
  ...shared,
  method: "delete",
  operationId: "projects.delete",
  path: "/v1/projects/{name}",
  summary: "Erase a project: its memories, its documents and its shared files",
  description:
    "409 while one of its tasks is live. Its tasks and their own files stay until each is erased. A later task that names the project creates it again. After a 503, a part is erased: repeat the request.",
  middleware: [requireScope("admin")],
  request: { params },
  responses: answers({ 200: { description: "The erased project.", json: projectViewSchema } }, [404, 409]),
});

export function projectRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const { limit = DEFAULT_PAGE_LIMIT, cursor } = c.req.valid("query");
    // A cursor of this list is the name of the last project of a page.
    if (cursor !== undefined && !projectSchema.safeParse(cursor).success)
      raise("invalid_input", "cursor: is not a cursor of this list", { field: "cursor" });
    await flushIndex(c);
    const found = unwrap(
      await databaseFromEnv(c.env).projects.list(getTenant(c), cursor ?? null, limit, getBounds(c)?.projects),
    );
    const data = found.slice(0, limit);
    return c.json(
      {
        data: data.map(toProjectView),
        next_cursor: found.length > limit ? (data.at(-1)?.name ?? null) : null,
      },
      200,
    );
  });

  app.openapi(show, async (c) => {
    await flushIndex(c);
    return c.json(toProjectView(await findProject(c, c.req.valid("param").name)), 200);
  });

  app.openapi(erase, async (c) => {
    const { name } = c.req.valid("param");
    await flushIndex(c);
    const found = await findProject(c, name);
    const { projects } = databaseFromEnv(c.env);
    unwrap(await projects.refuseLive(getTenant(c), name));
    // A later summary would create the project again.
    if (!(await tenantsFromEnv(c.env)(getTenant(c)).summarise())) raiseIncomplete();
    await eraseMemories(c, name);
    await eraseDocuments(c, name);
    await eraseProjectFilesFromEnv(c.env, getTenant(c), name);
    unwrap(await projects.erase(getTenant(c), name, await createAuditEntry(c, "project.erase", name)));
    return c.json(toProjectView(found), 200);
  });
}

async function findProject(c: AppContext, name: string): Promise<Project> {
  if (!projectSchema.safeParse(name).success || !isInBounds(getBounds(c), name))
    raise("not_found", "There is no such project.");
  return unwrap(await databaseFromEnv(c.env).projects.get(getTenant(c), name));
}

async function eraseMemories(c: AppContext, name: string): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    if (unwrap(await memoryFromEnv(c.env).erase(getTenant(c), [name]))) return;
  }
  raiseIncomplete();
}

/** Hides them at once; their pieces, vectors and files are removed by the queue of each. */
async function eraseDocuments(c: AppContext, name: string): Promise<void> {
  const tenant = getTenant(c);
  const now = Date.now();
  const { knowledge, put } = acceptDepsFromEnv(c.env, tenant);
  for (const document of unwrap(await knowledge.deleteScope(tenant, [name], now)))
    await put(toCleanItem(document, now));
}

function raiseIncomplete(): never {
  raise("upstream_failed", "The project was not erased completely. Send the request again.", { retryAfterMs: 1_000 });
}

function toProjectView({ name, memories, tasks, createdAt }: Project) {
  return { name, memories, tasks, created_at: new Date(createdAt).toISOString() };
}
