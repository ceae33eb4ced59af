/** The memories of the tenant's agents, for its people: read, search, write and delete. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { memoryFromEnv } from "../../adapters/env/memory.ts";
import { raise } from "../../core/base/errors.ts";
import { isId, makeId } from "../../core/base/ids.ts";
import {
  contentSchema,
  DEFAULT_HITS,
  MAX_HITS,
  type Memory,
  MEMORY_KINDS,
  MEMORY_LABELS,
  nameMemoryLabel,
  querySchema,
  readMemoryLabel,
  tagSchema,
  tagsSchema,
} from "../../core/memory/memory.ts";
import { DEFAULT_MIN_SCORE, DEFAULT_TAG_BOOST, type MemoryHit } from "../../core/memory/rank.ts";
import type { MemoryFilter } from "../../core/ports/memory-tables.ts";
import { projectSchema } from "../../core/task/new-task.ts";
import { TENANT } from "../../core/provenance/label.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import { checkProject, isInBounds } from "../../core/tenant/key-bounds.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import { getActorId, createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { getBounds } from "../http/middleware/key-bounds.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getIdSource } from "../http/new-ids.ts";
import { optionalQuery, pageQuery, readPageRequest } from "../http/list-query.ts";
import { getTenant, hasScope } from "../http/principal.ts";
import { readProjectScope } from "../http/project-scope.ts";
import { unwrap } from "../http/unwrap.ts";

const memorySchema = z
  .strictObject({
    id: z.string(),
    project: z.string().nullable().describe("Null for a memory of the whole tenant, which every task can find."),
    kind: z
      .enum(MEMORY_KINDS)
      .describe(
        "`note`: saved by an agent or by the API. `summary`: what a completed task was asked, and what came out.",
      ),
    label: z
      .enum(MEMORY_LABELS)
      .describe(
        "`outside`: saved by a task that had read text from outside. It is not a fact: agents find it only when they search for such memories.",
      ),
    content: z.string(),
    tags: z.array(z.string()),
    source_task: z.string().nullable().describe("The task that saved it."),
    author: z.string().describe("The agent or the API key that wrote it."),
    embedding: z.string().nullable().describe("The model of its embedding; null while only its tags find it."),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    score: z.number().optional().describe("In a search: the similarity plus a bonus for matching tags."),
    similarity: z.number().optional().describe("In a search: cosine similarity."),
    matched_tags: z.array(z.string()).optional().describe("In a search: the tags that the query contains."),
  })
  .meta({ id: "Memory" });

const shared = { tags: ["Memory"], ...withKey };
const reads = [requireScope("tasks:read")];
const writes = [requireScope("tasks:write")];
const params = z.object({ id: z.string().describe("The memory's id, `mem_…`") });
const memory = { description: "The memory.", json: memorySchema };
const filters = {
  query: optionalQuery(querySchema),
  kind: optionalQuery(z.enum(MEMORY_KINDS)),
  tag: optionalQuery(tagSchema),
};

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "memories.list",
  path: "/v1/memory",
  summary: "List memories, newest first, or search them",
  description: `With \`query\`, returns the memories nearest in meaning and those with a tag of the query, notes before summaries and claims from outside, best first, on one page (\`limit\` ${DEFAULT_HITS}, at most ${MAX_HITS}; no \`cursor\`). \`project\` selects one project, \`scope=tenant\` memories without a project. \`kind\` selects notes or summaries, \`tag\` memories with that tag, in any case; with it, a search covers the latest hundred.`,
  middleware: reads,
  request: {
    query: z.strictObject({
      ...filters,
      project: optionalQuery(projectSchema),
      scope: optionalQuery(z.enum(["all", "tenant"])),
      ...pageQuery,
    }),
  },
  responses: answers({ 200: { description: "A page of memories.", json: pageOf(memorySchema) } }, [404, 422]),
});

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "memories.create",
  path: "/v1/memory",
  summary: "Save a memory",
  description: "200 if the project already has the same text, byte for byte: that memory gets the new tags.",
  middleware: writes,
  request: {
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({
              content: contentSchema,
              tags: tagsSchema.optional(),
              project: projectSchema.nullable().optional(),
            })
            .meta({ id: "NewMemoryInput" }),
        },
      },
    },
  },
  responses: answers({ 201: memory, 200: { ...memory, description: "The existing memory." } }, [404, 413, 415, 422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "memories.get",
  path: "/v1/memory/{id}",
  summary: "Show a memory",
  middleware: reads,
  request: { params },
  responses: answers({ 200: memory }, [404]),
});

const update = createRoute({
  ...shared,
  method: "put",
  operationId: "memories.update",
  path: "/v1/memory/{id}",
  summary: "Change a memory",
  description:
    "Omitted fields stay. 409 if its project has another memory with that text. `label: tenant` confirms a memory from outside, so that agents find it as a fact; it needs the scope `admin`.",
  middleware: writes,
  request: {
    params,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({
              content: contentSchema.optional(),
              tags: tagsSchema.optional(),
              label: z.enum(MEMORY_LABELS).optional(),
            })
            .refine(({ content, tags, label }) => content !== undefined || tags !== undefined || label !== undefined, {
              error: "must have content, tags or label",
              path: ["content"],
            })
            .meta({ id: "MemoryInput" }),
        },
      },
    },
  },
  responses: answers({ 200: memory }, [404, 409, 413, 415, 422]),
});

const erase = createRoute({
  ...shared,
  method: "delete",
  operationId: "memories.delete",
  path: "/v1/memory/{id}",
  summary: "Delete a memory",
  middleware: writes,
  request: { params },
  responses: answers({ 200: { description: "The deleted memory.", json: memorySchema } }, [404]),
});

export function memoryRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const asked = c.req.valid("query");
    const { kind = null, tag = null } = asked;
    const filter = { scope: readProjectScope(c, asked, "memories"), kind, tag, withOutside: true };
    if (asked.query !== undefined) return c.json(await search(c, asked.query, filter, asked), 200);
    const page = unwrap(await databaseFromEnv(c.env).memories.page(getTenant(c), filter, readPageRequest(asked)));
    return c.json(
      {
        data: page.items.map(toMemoryView),
        next_cursor: page.next === null ? null : writeCursor(page.next),
      },
      200,
    );
  });

  app.openapi(create, async (c) => {
    const { content, tags = [], project = null } = c.req.valid("json");
    unwrap(checkProject(getBounds(c), project));
    const { createdAt, random } = await getIdSource(c, "memory");
    const id = makeId("memory", createdAt, random);
    const note = {
      id,
      project,
      kind: "note",
      label: TENANT,
      content,
      tags: removeDuplicates(tags),
      sourceTask: null,
    } as const;
    const act = await createAuditEntry(c, "memory.create", id);
    const made = { ...note, author: getActorId(c), createdAt };
    const saved = unwrap(await memoryFromEnv(c.env).save(getTenant(c), [made], act, c.req.raw.signal));
    const [first] = saved;
    if (first === undefined) raise("gone", "The tenant was erased.");
    const headers = { location: `/v1/memory/${first.memory.id}` };
    return c.json(toMemoryView(first.memory), first.isNew ? 201 : 200, headers);
  });

  app.openapi(show, async (c) => c.json(toMemoryView(await findMemory(c, c.req.valid("param").id)), 200));

  app.openapi(update, async (c) => {
    const { id } = c.req.valid("param");
    const { content, tags, label: named } = c.req.valid("json");
    const before = await findMemory(c, id);
    const label = named === undefined ? before.label : readMemoryLabel(named);
    if (label < before.label) checkMayConfirm(c);
    const kept = { content: content ?? before.content, tags: removeDuplicates(tags ?? before.tags) };
    const change = { id, kind: before.kind, label, ...kept };
    const act = await createAuditEntry(c, "memory.update", id);
    return c.json(
      toMemoryView(unwrap(await memoryFromEnv(c.env).update(getTenant(c), change, act, c.req.raw.signal))),
      200,
    );
  });

  app.openapi(erase, async (c) => {
    const { id } = c.req.valid("param");
    if (getBounds(c) === null && !isId("memory", id)) raise("not_found", NO_MEMORY);
    if (getBounds(c) !== null) await findMemory(c, id);
    const act = await createAuditEntry(c, "memory.delete", id);
    return c.json(toMemoryView(unwrap(await memoryFromEnv(c.env).delete(getTenant(c), id, act))), 200);
  });
}

/** A confirmed memory becomes a fact for every agent, so only an administrator can confirm it. */
function checkMayConfirm(c: AppContext): void {
  if (!hasScope(c, "admin"))
    raise("forbidden", "Confirming a memory from outside needs the scope admin.", { field: "label" });
}

const NO_MEMORY = "There is no such memory.";

async function search(
  c: AppContext,
  query: string,
  { scope, kind, tag, withOutside }: MemoryFilter,
  { limit, cursor }: { limit?: number | undefined; cursor?: string | undefined },
) {
  if (cursor !== undefined) raise("invalid_input", "cursor: a search has one page", { field: "cursor" });
  if (limit !== undefined && limit > MAX_HITS)
    raise("invalid_input", `limit: a search returns at most ${MAX_HITS}`, { field: "limit" });
  const asked = { query, scope, kind, tag, withOutside, limit: limit ?? DEFAULT_HITS };
  const rules = { tagBoost: DEFAULT_TAG_BOOST, minScore: DEFAULT_MIN_SCORE };
  const found = unwrap(await memoryFromEnv(c.env).search(getTenant(c), { ...asked, ...rules }, c.req.raw.signal));
  return { data: found.map(toHitView), next_cursor: null };
}

async function findMemory(c: AppContext, id: string): Promise<Memory> {
  const found = isId("memory", id) ? unwrap(await databaseFromEnv(c.env).memories.read(getTenant(c), null, [id])) : [];
  const [memory] = found;
  if (memory === undefined || !isInBounds(getBounds(c), memory.project)) raise("not_found", NO_MEMORY);
  return memory;
}

function removeDuplicates(tags: readonly string[]): string[] {
  return [...new Set(tags)];
}

function toMemoryView(shown: Memory) {
  return {
    id: shown.id,
    project: shown.project,
    kind: shown.kind,
    label: nameMemoryLabel(shown.label),
    content: shown.content,
    tags: [...shown.tags],
    source_task: shown.sourceTask,
    author: shown.author,
    embedding: shown.embeddedBy,
    created_at: new Date(shown.createdAt).toISOString(),
    updated_at: new Date(shown.updatedAt).toISOString(),
  };
}

function toHitView({ memory: found, score, similarity, matchedTags }: MemoryHit) {
  return { ...toMemoryView(found), score, similarity, matched_tags: [...matchedTags] };
}
