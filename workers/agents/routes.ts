/** Agents: versioned configurations. The built-in one is shown with the others and never changes. */
import { createRoute } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { toAgentDocument } from "../../core/agents/document.ts";
import { type AgentConfig, agentConfigSchema, DEFAULT_AGENT, type PinnedAgent } from "../../core/agents/agent.ts";
import type { Agent } from "../../core/ports/agent-table.ts";
import { raise } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { checkAgentLimits } from "../../core/task/new-task.ts";
import { checkToolConfig } from "../../core/steps/tool-settings.ts";
import { type PagePosition, writeCursor } from "../../core/base/page-cursor.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import { auditEntry } from "../http/audit-entry.ts";
import type { App, AppContext, AppEnv, MiddlewareContext } from "../http/context.ts";
import { etagOf, ifMatchHeader, ifVersionOf } from "../http/if-match.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { idSource } from "../http/new-ids.ts";
import { pageQuery, pageRequest } from "../http/list-query.ts";
import { tenantOf } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { namesYaml, writeYaml } from "../http/yaml-text.ts";
import { toolsOf } from "../tools/tenant-tools.ts";
import { isoOrNull } from "../../core/base/iso.ts";

const time = z.iso.datetime().nullable().describe("Null for the built-in agent.");
const versionSchema = agentConfigSchema
  .extend({ id: z.string(), version: z.int(), created_at: time })
  .meta({ id: "AgentVersion" });
const agentSchema = versionSchema
  .extend({
    updated_at: time,
    archived_at: z.iso.datetime().nullable().describe("When it was deleted. Null for an agent that new tasks can use."),
  })
  .meta({ id: "Agent" });

const admin = [requireScope("admin")];
const shared = { tags: ["Agents"], ...withKey };
const params = z.object({ id: z.string().describe("The agent's id, `agent_…`, or its name.") });
const body = {
  required: true,
  content: { "application/json": { schema: agentConfigSchema.meta({ id: "AgentInput" }) } },
};
const agent = { description: "The agent at its latest version, which `ETag` names.", json: agentSchema };
const agentOrFile = { ...agent, other: ["application/yaml"] };

/** Position of the built-in agent in the list: at the end, before everything that was ever created. */
const DEFAULT_PLACE: PagePosition = { at: 0, id: DEFAULT_AGENT.id };

/**
 * Answers 404 before the body is read, so that another tenant's id reveals nothing. Refuses to change the built-in
 * agent.
 */
const changeable: MiddlewareHandler<AppEnv> = async function changeable(c, next) {
  const { id, archivedAt = null } = await findAgent(c, c.req.param("id") ?? "");
  if (id === DEFAULT_AGENT.id) raise("conflict", "The built-in agent does not change. Create one of your own.");
  if (archivedAt !== null) raise("not_found", "This agent was deleted.");
  await next();
};

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "agents.create",
  path: "/v1/agents",
  summary: "Create an agent",
  description:
    "Names are unique. As `application/yaml`, the body is an agent file: `budgets` has the permissions and limits. `tool_config` has settings by tool or toolbox (`files`, `web`); an unknown setting is refused. `fallbacks` are called in order when `model` does not answer. `budget.max_cost_usd` needs a known price for each of them. `approval.expires_s` is how long a person has to decide (default: one week); after that, the call counts as refused. With `on_unknown: ask`, a task waits for a person when the outcome of a call is unknown; otherwise its model decides.",
  middleware: admin,
  request: { body },
  responses: answers({ 201: agent }, [409, 413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "agents.list",
  path: "/v1/agents",
  summary: "List agents, newest first",
  middleware: admin,
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of agents.", json: pageOf(agentSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "agents.get",
  path: "/v1/agents/{id}",
  summary: "Show an agent, as JSON or, with `Accept: application/yaml`, as a file",
  middleware: admin,
  request: { params },
  responses: answers({ 200: agentOrFile }, [404]),
});

const update = createRoute({
  ...shared,
  method: "put",
  operationId: "agents.update",
  path: "/v1/agents/{id}",
  summary: "Create the next version of an agent",
  description:
    "Tasks keep the version that they started with. A configuration equal to the latest version creates none. With `If-Match`, 409 if the latest version differs.",
  middleware: [...admin, changeable],
  request: {
    params,
    body,
    headers: ifMatchHeader,
  },
  responses: answers({ 200: agent }, [404, 409, 413, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "agents.delete",
  path: "/v1/agents/{id}",
  summary: "Delete an agent",
  description:
    "Archives the agent: its tasks finish, and no new task can use it. Schedules, webhooks and keys that name it no longer find it. It leaves the list and its name becomes available. It and its versions can still be read by its id.",
  middleware: [...admin, changeable],
  request: { params },
  responses: answers({ 204: { description: "It is archived." } }, [404, 409]),
});

const versions = createRoute({
  ...shared,
  method: "get",
  operationId: "agents.listVersions",
  path: "/v1/agents/{id}/versions",
  summary: "List the versions of an agent, newest first",
  middleware: admin,
  request: { params, query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of versions.", json: pageOf(versionSchema) } }, [404, 422]),
});

export function agentRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const config = await checked(c, c.req.valid("json"));
    const { createdAt, random } = await idSource(c, "agent");
    const id = makeId("agent", createdAt, random);
    const act = await auditEntry(c, "agent.create", id);
    const agents = databaseFromEnv(c.env).agents;
    const made = unwrap(await changing(c, () => agents.create(tenantOf(c), { id, config }, act)));
    return c.json(shownAgent(made), 201, { location: `/v1/agents/${id}`, etag: etagOf(made) });
  });

  app.openapi(list, async (c) => {
    const request = pageRequest(c.req.valid("query"));
    const { items, next } = unwrap(await databaseFromEnv(c.env).agents.page(tenantOf(c), request));
    const isLast = next === null && items.length < request.limit;
    const after = next ?? (isLast ? null : DEFAULT_PLACE);
    const data = isLast ? [...items, DEFAULT_AGENT] : items;
    return c.json({ data: data.map(shownAgent), next_cursor: after === null ? null : writeCursor(after) }, 200);
  });

  app.openapi(show, async (c) => {
    const found = await findAgent(c, c.req.valid("param").id);
    if (namesYaml(c.req.header("accept"))) {
      const text = writeYaml(toAgentDocument(found.config), `${found.id}, version ${found.version}`);
      return c.body(text, 200, {
        etag: etagOf(found),
        "content-type": "application/yaml; charset=utf-8",
        vary: "accept",
      });
    }
    return c.json(shownAgent(found), 200, { etag: etagOf(found) });
  });

  app.openapi(update, async (c) => {
    const { id } = await findAgent(c, c.req.valid("param").id);
    const config = await checked(c, c.req.valid("json"));
    const ifVersion = ifVersionOf(c.req.valid("header")["if-match"]);
    const act = await auditEntry(c, "agent.update", id);
    const agents = databaseFromEnv(c.env).agents;
    const made = unwrap(await changing(c, () => agents.update(tenantOf(c), { id, config, ifVersion }, act)));
    return c.json(shownAgent(made), 200, { etag: etagOf(made) });
  });

  app.openapi(remove, async (c) => {
    const { id } = await findAgent(c, c.req.valid("param").id);
    const act = await auditEntry(c, "agent.archive", id);
    unwrap(await changing(c, () => databaseFromEnv(c.env).agents.archive(tenantOf(c), id, act)));
    return c.body(null, 204);
  });

  app.openapi(versions, async (c) => {
    const { id } = await findAgent(c, c.req.valid("param").id);
    const request = pageRequest(c.req.valid("query"));
    if (id === DEFAULT_AGENT.id) return c.json({ data: [shownVersion(DEFAULT_AGENT)], next_cursor: null }, 200);
    const { items, next } = unwrap(await databaseFromEnv(c.env).agents.versions(tenantOf(c), id, request));
    return c.json({ data: items.map(shownVersion), next_cursor: next === null ? null : writeCursor(next) }, 200);
  });
}

/** Changes an agent, so that every task created after the reply uses the new version. */
async function changing<T>(c: AppContext, change: () => Promise<T>): Promise<T> {
  const tenant = tenantsFromEnv(c.env)(tenantOf(c));
  await tenant.stampAgents();
  const changed = await change();
  await tenant.stampAgents();
  return changed;
}

type Shown = PinnedAgent & Partial<Pick<Agent, "createdAt" | "updatedAt" | "archivedAt">>;

function shownVersion({ id, version, config, createdAt }: Shown) {
  return { id, version, ...config, created_at: isoOrNull(createdAt ?? null) };
}

function shownAgent(shown: Shown) {
  const { updatedAt = null, archivedAt = null } = shown;
  return { ...shownVersion(shown), updated_at: isoOrNull(updatedAt), archived_at: isoOrNull(archivedAt) };
}

/** Finds an agent by its id or its name; an archived one only by its id. */
async function findAgent(c: MiddlewareContext, idOrName: string): Promise<Shown> {
  if (idOrName === DEFAULT_AGENT.id || idOrName === DEFAULT_AGENT.config.name) return DEFAULT_AGENT;
  return unwrap(await databaseFromEnv(c.env).agents.get(tenantOf(c), idOrName));
}

/** Refuses the name of the built-in agent, a configuration that no task could use, and settings of unknown tools. */
async function checked(c: AppContext, config: AgentConfig): Promise<AgentConfig> {
  if (config.name === DEFAULT_AGENT.config.name)
    raise("conflict", "The built-in agent has this name. Choose another one.", { field: "name" });
  if (config.tool_config !== undefined) unwrap(checkToolConfig(config, await toolsOf(c, c.get("sources"))));
  return unwrap(checkAgentLimits(config, settingsFromEnv(c.env).model));
}
