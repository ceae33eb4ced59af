/** What an agent may use of the apps that its tenant added: what an administrator sets, and what that means for a tool. */
import { createRoute, type z } from "@hono/zod-openapi";
import { appCatalogueFromEnv } from "../../adapters/env/app-catalogue.ts";
import { forgetAppRightsFromEnv, workspaceAppsFromEnv } from "../../adapters/env/app-rights.ts";
import { findDirectoryApp } from "../../adapters/env/directory.ts";
import type { AppAssignment } from "../../core/apps/workspace/access.ts";
import { findAction } from "../../core/apps/workspace/outside-tools.ts";
import { raise } from "../../core/base/errors.ts";
import type { CatalogueSnapshot, ListedAction } from "../../core/ports/app-catalogue.ts";
import type { AppRights } from "../../core/ports/app-rights.ts";
import { TOOLS_MS } from "../../core/tenant/cost-rates.ts";
import { resolveAgent } from "../agents/resolve.ts";
import { answers, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import { chargeCost } from "../http/charge-cost.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { mapActionsByName } from "./actions-by-name.ts";
import { refuseDirectoryApp } from "./directory-apps.ts";
import { checkAccess } from "./check-access.ts";
import { accessQuery, accessSchema, agentAppsInput, agentAppsSchema, agentParams } from "./workspace-schemas.ts";

const admin = { tags: ["Apps"], ...withKey, middleware: [requireScope("admin")] };
const settings = { description: "What is set for the agent.", json: agentAppsSchema };

const show = createRoute({
  ...admin,
  method: "get",
  operationId: "agents.getApps",
  path: "/v1/agents/{id}/apps",
  summary: "Show which apps and actions an agent may use",
  request: { params: agentParams },
  responses: answers({ 200: settings }, [404]),
});

const set = createRoute({
  ...admin,
  method: "put",
  operationId: "agents.setApps",
  path: "/v1/agents/{id}/apps",
  summary: "Set which apps and actions an agent may use",
  description:
    "Replaces all that was set. Without an assignment, the agent may use every app that is added; with one, those that are assigned and active. What is narrowed reaches running tasks within seconds, and what is widened reaches new ones.",
  request: {
    params: agentParams,
    body: { required: true, content: { "application/json": { schema: agentAppsInput } } },
  },
  responses: answers({ 200: settings }, [404, 413, 415, 422]),
});

const access = createRoute({
  ...admin,
  middleware: [requireScope("tasks:read")],
  method: "get",
  operationId: "tools.getAccess",
  path: "/api/tools/access",
  summary: "Show whether an agent may call a tool for the caller",
  description:
    "Gives the first reason why not. The account is the caller's: that of the key's person, or the shared one. What a task is asked for is not known here, so the request forbids nothing.",
  request: { query: accessQuery },
  responses: answers({ 200: { description: "The answer.", json: accessSchema } }, [404, 422]),
});

export function appAccessRoutes(app: App): void {
  app.openapi(show, async (c) => {
    const { id } = await resolveAgent(c, c.req.valid("param").id);
    return c.json(toView(id, unwrap(await workspaceAppsFromEnv(c.env).rights(getTenant(c), id))), 200);
  });

  app.openapi(set, async (c) => {
    const { id } = await resolveAgent(c, c.req.valid("param").id);
    const tenant = getTenant(c);
    const table = workspaceAppsFromEnv(c.env);
    const before = unwrap(await table.rights(tenant, id));
    const given = await readGiven(c, c.req.valid("json"), before);
    const act = await createAuditEntry(c, "agent.set_apps", id);
    try {
      unwrap(await table.setAgent(tenant, id, given, act));
    } finally {
      forgetAppRightsFromEnv(c.env, tenant);
    }
    return c.json(toView(id, unwrap(await table.rights(tenant, id))), 200);
  });

  app.openapi(access, async (c) => {
    const { agent: named, tool } = c.req.valid("query");
    const agent = await resolveAgent(c, named);
    chargeCost(c.env, getTenant(c), TOOLS_MS);
    return c.json(await checkAccess(c, agent, tool), 200);
  });
}

type Given = z.infer<typeof agentAppsInput>;
type Settings = Pick<AppRights, "assignments" | "permissions">;

/** Reads settings. Names that the catalogue lacks are refused, unless they are added or were set before. */
async function readGiven(c: AppContext, { assignments, permissions }: Given, before: AppRights): Promise<Settings> {
  const snapshot = unwrap(await appCatalogueFromEnv(c.env).snapshot());
  const actions = await readActions(snapshot);
  const apps = new Set([...(snapshot?.apps ?? []).map(({ app }) => app), ...before.added.keys()]);
  const earlier = new Set(before.permissions.keys());
  for (const one of before.assignments) {
    apps.add(one.app);
    for (const action of one.actions) earlier.add(action);
  }
  const assigned: AppAssignment[] = [];
  for (const [at, { app_name: name, level, actions: list = [], is_active: isActive }] of assignments.entries()) {
    const app = name.toLowerCase();
    const entry = findDirectoryApp(c.env, app);
    if (entry !== null) refuseDirectoryApp(entry, `assignments.${at}.app_name`);
    if (!apps.has(app))
      refuse(`assignments.${at}.app_name`, `the catalogue has no app ${name}. GET /api/tools/marketplace lists them`);
    if (assigned.some((one) => one.app === app))
      refuse(`assignments.${at}.app_name`, `${name} is assigned twice. Assign it once`);
    if (level !== "list" && list.length > 0)
      refuse(
        `assignments.${at}.actions`,
        `the level ${level} has no list of actions. Omit the list, or set the level list`,
      );
    const names = [];
    for (const action of list) names.push(await readName(actions, earlier, action, `assignments.${at}.actions`));
    assigned.push({ app, level, isActive, actions: [...new Set(names)] });
  }
  const switched = new Map<string, boolean>();
  for (const [at, { tool, is_active: isActive }] of permissions.entries()) {
    const action = await readName(actions, earlier, tool, `permissions.${at}.tool`);
    if (switched.has(action)) refuse(`permissions.${at}.tool`, `${tool} is switched twice. Switch it once`);
    switched.set(action, isActive);
  }
  return { assignments: assigned, permissions: switched };
}

async function readActions(snapshot: CatalogueSnapshot | null): Promise<ReadonlyMap<string, ListedAction>> {
  return snapshot === null ? new Map() : mapActionsByName(unwrap(await snapshot.actions()));
}

async function readName(
  actions: ReadonlyMap<string, ListedAction>,
  earlier: ReadonlySet<string>,
  given: string,
  field: string,
): Promise<string> {
  const found = await findAction(actions, given);
  if (found !== null) return found.action;
  return earlier.has(given)
    ? given
    : refuse(field, `the catalogue has no action ${given}. GET /api/tools/{app}/actions lists them`);
}

function refuse(field: string, why: string): never {
  return raise("invalid_input", `${field}: ${why}.`, { field });
}

function toView(agent: string, { assignments, permissions }: Settings): z.infer<typeof agentAppsSchema> {
  return {
    agent,
    assignments: assignments.map(({ app, level, actions, isActive }) => {
      return { app_name: app, level, actions: [...actions], is_active: isActive };
    }),
    permissions: [...permissions].map(([tool, isActive]) => ({ tool, is_active: isActive })),
  };
}
