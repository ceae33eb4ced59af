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
import { raise, type Result } from "../../core/base/errors.ts";
import { isId, makeId } from "../../core/base/ids.ts";
import { checkAgentLimits } from "../../core/task/new-task.ts";
import { checkToolConfig } from "../../core/steps/tool-settings.ts";
import { type PagePosition, writeCursor } from "../../core/base/page-cursor.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext, AppEnv, MiddlewareContext } from "../http/context.ts";
import { formatEtag, ifMatchHeader, readIfVersion } from "../http/if-match.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getIdSource } from "../http/new-ids.ts";
import { pageQuery, readPageRequest } from "../http/list-query.ts";
import { getTenant } from "../http/principal.ts";
import { readSources } from "../http/tenant-facts.ts";
import { getRequestPatterns } from "../http/request-patterns.ts";
import { unwrap } from "../http/unwrap.ts";
import { namesYaml, writeYaml } from "../http/yaml-text.ts";
import { listTools } from "../tools/tenant-tools.ts";
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
const DEFAULT_POSITION: PagePosition = { at: 0, id: DEFAULT_AGENT.id };

/**
 * Answers 404 before the body is read, so that another tenant's id reveals nothing. Refuses to change the built-in
 * agent.
 */
const requireChangeable: MiddlewareHandler<AppEnv> = async function changeable(c, next) {
  checkChangeable(await findAgent(c, c.req.param("id") ?? ""));
  await next();
};

/** The same for a request that creates the agent if its name is new. */
const requireChangeableOrNew: MiddlewareHandler<AppEnv> = async function changeableOrNew(c, next) {
  const found = await findAgentOrName(c, c.req.param("id") ?? "");
  if (found !== null) checkChangeable(found);
  await next();
};

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "agents.create",
  path: "/v1/agents",
  summary: "Create an agent",
  description:
    "Names are unique. As `application/yaml`, the body is an agent file: `budgets` has the permissions and limits. `tool_config` has settings by tool or toolbox (`files`, `web`); an unknown setting is refused. `fallbacks` are called in order when `model` does not answer. `budget.max_cost_usd` needs a known price for each of them. `approval.expires_s` is how long a person has to decide (default: one week); after that, the call counts as refused. With `on_unknown: ask`, a task waits for a person when the outcome of a call is unknown; otherwise its model decides. `capability_gate` rules on actions of apps that the request does not ask for.",
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
  summary: "Create the next version of an agent, or an agent under a new name",
  description:
    "Tasks keep the version that they started with. A configuration equal to the latest version creates none, so a file can be applied again. A name that no agent has creates one (201); the body has the same name. With `If-Match`, nothing is created under a new name, and 409 if the latest version differs.",
  middleware: [...admin, requireChangeableOrNew],
  request: {
    params,
    body,
    headers: ifMatchHeader,
  },
  responses: answers({ 200: agent, 201: { ...agent, description: "The new agent." } }, [404, 409, 413, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "agents.delete",
  path: "/v1/agents/{id}",
  summary: "Delete an agent",
  description:
    "Archives the agent: its tasks finish, and no new task can use it. Schedules, webhooks and keys that name it no longer find it. It leaves the list and its name becomes available. It and its versions can still be read by its id.",
  middleware: [...admin, requireChangeable],
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
    const made = unwrap(await createAgent(c, await checkConfig(c, c.req.valid("json"))));
    return c.json(toAgentView(made), 201, getHeaders(made));
  });

  app.openapi(list, async (c) => {
    const request = readPageRequest(c.req.valid("query"));
    const { items, next } = unwrap(await databaseFromEnv(c.env).agents.page(getTenant(c), request));
    const isLast = next === null && items.length < request.limit;
    const after = next ?? (isLast ? null : DEFAULT_POSITION);
    const data = isLast ? [...items, DEFAULT_AGENT] : items;
    return c.json({ data: data.map(toAgentView), next_cursor: after === null ? null : writeCursor(after) }, 200);
  });

  app.openapi(show, async (c) => {
    const found = await findAgent(c, c.req.valid("param").id);
    if (namesYaml(c.req.header("accept"))) {
      const text = writeYaml(toAgentDocument(found.config), `${found.id}, version ${found.version}`);
      return c.body(text, 200, {
        etag: formatEtag(found),
        "content-type": "application/yaml; charset=utf-8",
        vary: "accept",
      });
    }
    return c.json(toAgentView(found), 200, { etag: formatEtag(found) });
  });

  app.openapi(update, async (c) => {
    const { id: idOrName } = c.req.valid("param");
    const found = await findAgentOrName(c, idOrName);
    const config = await checkConfig(c, c.req.valid("json"));
    const ifVersion = readIfVersion(c.req.valid("header")["if-match"]);
    if (found === null) {
      checkNewName(idOrName, config, ifVersion);
      const created = await createAgent(c, config);
      if (created.ok) return c.json(toAgentView(created.value), 201, getHeaders(created.value));
      // Another request created it in the meantime.
      if (created.error.code !== "conflict") unwrap(created);
    }
    const { id } = found ?? (await findAgent(c, idOrName));
    const act = await createAuditEntry(c, "agent.update", id);
    const agents = databaseFromEnv(c.env).agents;
    const made = unwrap(await changeAgent(c, () => agents.update(getTenant(c), { id, config, ifVersion }, act)));
    return c.json(toAgentView(made), 200, { etag: formatEtag(made) });
  });

  app.openapi(remove, async (c) => {
    const { id } = await findAgent(c, c.req.valid("param").id);
    const act = await createAuditEntry(c, "agent.archive", id);
    unwrap(await changeAgent(c, () => databaseFromEnv(c.env).agents.archive(getTenant(c), id, act)));
    return c.body(null, 204);
  });

  app.openapi(versions, async (c) => {
    const { id } = await findAgent(c, c.req.valid("param").id);
    const request = readPageRequest(c.req.valid("query"));
    if (id === DEFAULT_AGENT.id) return c.json({ data: [toVersionView(DEFAULT_AGENT)], next_cursor: null }, 200);
    const { items, next } = unwrap(await databaseFromEnv(c.env).agents.versions(getTenant(c), id, request));
    return c.json({ data: items.map(toVersionView), next_cursor: next === null ? null : writeCursor(next) }, 200);
  });
}

async function createAgent(c: AppContext, config: AgentConfig): Promise<Result<Agent>> {
  const { createdAt, random } = await getIdSource(c, "agent");
  const id = makeId("agent", createdAt, random);
  const act = await createAuditEntry(c, "agent.create", id);
  return await changeAgent(c, () => databaseFromEnv(c.env).agents.create(getTenant(c), { id, config }, act));
}

/** The headers of a reply with a new agent. */
function getHeaders(made: Agent) {
  return { location: `/v1/agents/${made.id}`, etag: formatEtag(made) };
}

function checkChangeable({ id, archivedAt = null }: ListedAgent): void {
  if (id === DEFAULT_AGENT.id) raise("conflict", "The built-in agent does not change. Create one of your own.");
  if (archivedAt !== null) raise("not_found", "This agent was deleted.");
}

/** Refuses to create an agent under another name than that of the path, and one whose version the request states. */
function checkNewName(name: string, config: AgentConfig, ifVersion: number | null): void {
  if (ifVersion !== null) raise("not_found", "There is no such agent.");
  if (config.name !== name) {
    const message = `There is no agent ${name} to rename. Write the same name in the path and in the body to create one.`;
    raise("invalid_input", message, { field: "name" });
  }
}

/** Changes an agent, so that every task created after the reply uses the new version. */
async function changeAgent<T>(c: AppContext, change: () => Promise<T>): Promise<T> {
  const tenant = tenantsFromEnv(c.env)(getTenant(c));
  await tenant.stampAgents();
  const changed = await change();
  await tenant.stampAgents();
  return changed;
}

type ListedAgent = PinnedAgent & Partial<Pick<Agent, "createdAt" | "updatedAt" | "archivedAt">>;

function toVersionView({ id, version, config, createdAt }: ListedAgent) {
  return { id, version, ...config, created_at: isoOrNull(createdAt ?? null) };
}

function toAgentView(shown: ListedAgent) {
  const { updatedAt = null, archivedAt = null } = shown;
  return { ...toVersionView(shown), updated_at: isoOrNull(updatedAt), archived_at: isoOrNull(archivedAt) };
}

/** Finds an agent by its id or its name; an archived one only by its id. */
async function findAgent(c: MiddlewareContext, idOrName: string): Promise<ListedAgent> {
  if (isBuiltIn(idOrName)) return DEFAULT_AGENT;
  return unwrap(await databaseFromEnv(c.env).agents.get(getTenant(c), idOrName));
}

function isBuiltIn(idOrName: string): boolean {
  return idOrName === DEFAULT_AGENT.id || idOrName === DEFAULT_AGENT.config.name;
}

/** The same; null for a name that no agent has. */
async function findAgentOrName(c: MiddlewareContext, idOrName: string): Promise<ListedAgent | null> {
  const isName = agentConfigSchema.shape.name.safeParse(idOrName).success && !isId("agent", idOrName);
  if (!isName || isBuiltIn(idOrName)) return await findAgent(c, idOrName);
  const found = await databaseFromEnv(c.env).agents.get(getTenant(c), idOrName);
  return !found.ok && found.error.code === "not_found" ? null : unwrap(found);
}

/** Refuses the name of the built-in agent, a configuration that no task could use, and settings of unknown tools. */
async function checkConfig(c: AppContext, config: AgentConfig): Promise<AgentConfig> {
  if (config.name === DEFAULT_AGENT.config.name)
    raise("conflict", "The built-in agent has this name. Choose another one.", { field: "name" });
  if (config.tool_config !== undefined) {
    const tools = await listTools(c, await readSources(c));
    unwrap(checkToolConfig(config, tools, getRequestPatterns(c).patterns));
  }
  return unwrap(checkAgentLimits(config, settingsFromEnv(c.env).model));
}
