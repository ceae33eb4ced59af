/**
 * Projects: a scope for memory, with a folder of files that its tasks share. A project exists from the first task or
 * memory that names it.
 */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { eraseProjectFilesFromEnv } from "../../adapters/env/files.ts";
import { memoryFromEnv } from "../../adapters/env/memory.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Project } from "../../core/ports/memory-tables.ts";
import { raise } from "../../core/base/errors.ts";
import { projectSchema } from "../../core/task/new-task.ts";
import { DEFAULT_PAGE_LIMIT } from "../../core/base/page-cursor.ts";
import { isInBounds } from "../../core/tenant/key-bounds.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import { auditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { boundsOf } from "../http/middleware/key-bounds.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { bringUpToDate } from "../http/fresh-index.ts";
import { pageQuery } from "../http/list-query.ts";
import { tenantOf } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

/** Batches of memories that one request erases, 500 each. */
const MAX_BATCHES = 40;

const projectShown = z
  .strictObject({
    name: z.string(),
    memories: z.int(),
    tasks: z.int().describe("Those that `GET /v1/tasks?project=` lists."),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Project" });

const shared = { tags: ["Projects"], ...withKey };
const params = z.object({ name: z.string().describe("The project's name, as tasks name it") });
const project = { description: "The project.", json: projectShown };

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "projects.list",
  path: "/v1/projects",
  summary: "List projects by name",
  description: "A project exists from the first task or memory that names it. Names cannot change.",
  middleware: [requireScope("tasks:read")],
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of projects.", json: pageOf(projectShown) } }, [422]),
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
  summary: "Erase a project: its memories and its shared files",
  description:
    "409 while one of its tasks is live. Its tasks and their own files stay until each is erased. A later task that names the project creates it again. After a 503, a part is erased: repeat the request.",
  middleware: [requireScope("admin")],
  request: { params },
  responses: answers({ 200: { description: "The erased project.", json: projectShown } }, [404, 409]),
});

export function projectRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const { limit = DEFAULT_PAGE_LIMIT, cursor } = c.req.valid("query");
    // A cursor of this list is the name of the last project of a page.
    if (cursor !== undefined && !projectSchema.safeParse(cursor).success)
      raise("invalid_input", "cursor: is not a cursor of this list", { field: "cursor" });
    await bringUpToDate(c);
    const found = unwrap(
      await databaseFromEnv(c.env).projects.list(tenantOf(c), cursor ?? null, limit, boundsOf(c)?.projects),
    );
    const data = found.slice(0, limit);
    return c.json(
      {
        data: data.map(shownProject),
        next_cursor: found.length > limit ? (data.at(-1)?.name ?? null) : null,
      },
      200,
    );
  });

  app.openapi(show, async (c) => {
    await bringUpToDate(c);
    return c.json(shownProject(await projectByName(c, c.req.valid("param").name)), 200);
  });

  app.openapi(erase, async (c) => {
    const { name } = c.req.valid("param");
    await bringUpToDate(c);
    const found = await projectByName(c, name);
    const { projects } = databaseFromEnv(c.env);
    unwrap(await projects.refuseLive(tenantOf(c), name));
    // A later summary would create the project again.
    if (!(await tenantsFromEnv(c.env)(tenantOf(c)).summarise())) raiseAgain();
    await eraseMemories(c, name);
    await eraseProjectFilesFromEnv(c.env, tenantOf(c), name);
    unwrap(await projects.erase(tenantOf(c), name, await auditEntry(c, "project.erase", name)));
    return c.json(shownProject(found), 200);
  });
}

async function projectByName(c: AppContext, name: string): Promise<Project> {
  if (!projectSchema.safeParse(name).success || !isInBounds(boundsOf(c), name))
    raise("not_found", "There is no such project.");
  return unwrap(await databaseFromEnv(c.env).projects.get(tenantOf(c), name));
}

async function eraseMemories(c: AppContext, name: string): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    if (unwrap(await memoryFromEnv(c.env).erase(tenantOf(c), [name]))) return;
  }
  raiseAgain();
}

function raiseAgain(): never {
  raise("upstream_failed", "The project was not erased completely. Send the request again.", { retryAfterMs: 1_000 });
}

function shownProject({ name, memories, tasks, createdAt }: Project) {
  return { name, memories, tasks, created_at: new Date(createdAt).toISOString() };
}
