/** The state of a task's apps: from its tools, the rights of its agent, and the connections of its tenant. */
import { configureApp } from "../agents/app-config.ts";
import { refuseApp } from "../apps/workspace/access.ts";
import { failed, notSent, ok, type Result } from "../base/errors.ts";
import type { Actors } from "../connections/actors.ts";
import { formatAccount, type ToolApp } from "../connections/account.ts";
import { toCheckFailure } from "../gateway/account.ts";
import type { AppConnection, AppConnectionsPort } from "../ports/app-connections.ts";
import type { AppRightsPort } from "../ports/app-rights.ts";
import type { ConnectionsPort } from "../ports/connections.ts";
import { isUnattended } from "../task/source.ts";
import type { TaskFacts } from "../task/state.ts";
import type { Toolset } from "./toolset.ts";

/** The most apps that a message names. */
const MAX_NAMED = 20;

export interface AppConnectionsParts {
  readonly facts: TaskFacts;
  readonly toolset: Pick<Toolset, "resolve" | "findable">;
  readonly connections: Pick<ConnectionsPort, "choose">;
  readonly appRights: AppRightsPort;
}

export function openAppConnections(parts: AppConnectionsParts): AppConnectionsPort {
  return { find: async (app) => await findConnection(app.trim().toLowerCase(), parts) };
}

async function findConnection(app: string, parts: AppConnectionsParts): Promise<Result<AppConnection>> {
  const { facts, toolset, appRights } = parts;
  const apps = listApps(toolset);
  const needs = apps.get(app);
  if (needs === undefined) return failed("not_found", formatUnknown(app, [...apps.keys()]), { field: "app" });
  const rights = await appRights.read(facts.agent.id);
  if (!rights.ok) return rights;
  const refused = refuseApp({ app, ...rights.value });
  if (refused !== null) return notSent("permission_denied", refused.why);
  return needs === null ? ok({ kind: "connected", account: null }) : await choose(needs, parts);
}

/** By the names of a toolset, which are one list as long as the toolset is cached: a search asks for each app that it finds. */
const appsOfToolsets = new WeakMap<Toolset["findable"], ReadonlyMap<string, ToolApp | null>>();

/** Lists the apps of the task's tools, each with what its calls need; null for one that needs no account. */
function listApps(toolset: AppConnectionsParts["toolset"]): ReadonlyMap<string, ToolApp | null> {
  const known = appsOfToolsets.get(toolset.findable);
  if (known !== undefined) return known;
  const apps = readApps(toolset);
  appsOfToolsets.set(toolset.findable, apps);
  return apps;
}

function readApps({ resolve, findable }: AppConnectionsParts["toolset"]): ReadonlyMap<string, ToolApp | null> {
  const apps = new Map<string, ToolApp | null>();
  for (const name of findable) {
    const tool = resolve(name);
    if (tool?.action === undefined) continue;
    const known = apps.get(tool.action.app) ?? null;
    apps.set(tool.action.app, known ?? tool.app ?? null);
  }
  return apps;
}

async function choose(needs: ToolApp, { facts, connections }: AppConnectionsParts): Promise<Result<AppConnection>> {
  const { app, configured } = configureApp(facts.agent.config, needs);
  const caller = facts.actsFor?.person ?? null;
  const actors: Actors = { caller, people: [], hasUnknown: false };
  const question = { app, actors, rule: app.owner, configured, isUnattended: isUnattended(facts.via) };
  const chosen = await connections.choose(question);
  if (!chosen.ok) return { ok: false, error: toCheckFailure(chosen.error) };
  const { value } = chosen;
  switch (value.kind) {
    case "account":
      return ok({ kind: "connected", account: formatAccount(value.account).label });
    case "needed":
      return ok({ kind: "needed", reason: value.need.reason, person: value.need.person });
    case "none":
      // No person is known for whom the task acts, so an administrator connects a shared account.
      return ok({ kind: "needed", reason: "missing", person: null });
  }
}

function formatUnknown(app: string, apps: readonly string[]): string {
  const named = apps.length === 0 ? "It has none." : `It has: ${apps.slice(0, MAX_NAMED).join(", ")}.`;
  return `This task has no app ${JSON.stringify(app.slice(0, 64))}. ${named}`;
}
