/** Whether an agent may call a tool for the caller, by the rules of `core/apps/workspace/access.ts` and of the agent's envelope. */
import { appCatalogueFromEnv } from "../../adapters/env/app-catalogue.ts";
import { workspaceAppsFromEnv } from "../../adapters/env/app-rights.ts";
import { connectionsFromEnv } from "../../adapters/env/connections.ts";
import type { PinnedAgent } from "../../core/agents/agent.ts";
import { configureApp } from "../../core/agents/app-config.ts";
import { decideAccess } from "../../core/apps/workspace/access.ts";
import { findAction, getActionToolName, findToolApp } from "../../core/apps/workspace/outside-tools.ts";
import { findOverride, type WorkspaceApp } from "../../core/apps/workspace/workspace.ts";
import type { ConnectReason } from "../../core/connections/account.ts";
import { startActors } from "../../core/connections/actors.ts";
import { checkEnvelope, listNames } from "../../core/gateway/envelope.ts";
import type { CatalogueApp, CatalogueSnapshot, ListedAction } from "../../core/ports/app-catalogue.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { AppContext } from "../http/context.ts";
import { getPerson, getTenant } from "../http/principal.ts";
import { readSources } from "../http/tenant-facts.ts";
import { unwrap } from "../http/unwrap.ts";
import { listTools } from "../tools/tenant-tools.ts";
import { mapActionsByName } from "./actions-by-name.ts";

/** `reason` is one sentence for people; null if the call is allowed. */
export interface AccessReply {
  readonly allowed: boolean;
  readonly reason: string | null;
}

/** Without a request, what it asks for forbids nothing. */
const NO_REQUEST = { decision: "allow", because: "no request is known" } as const;

export async function checkAccess(c: AppContext, agent: PinnedAgent, tool: string): Promise<AccessReply> {
  const snapshot = unwrap(await appCatalogueFromEnv(c.env).snapshot());
  const found = snapshot === null ? null : await findAction(mapActionsByName(unwrap(await snapshot.actions())), tool);
  if (snapshot === null || found === null) return await checkOwnTool(c, agent, tool);
  const app = snapshot.apps.find((one) => one.app === found.app) ?? null;
  const table = workspaceAppsFromEnv(c.env);
  const [rights, added] = await Promise.all([
    table.rights(getTenant(c), agent.id),
    table.find(getTenant(c), found.app),
  ]);
  const decided = decideAccess({
    app: found.app,
    action: found.action,
    known: app === null ? null : { status: app.status, effect: await findEffect(snapshot, found, unwrap(added)) },
    refusal: await findRefusal(agent, found),
    ...unwrap(rights),
    gate: NO_REQUEST,
    account: await findAccount(c, agent, found, app),
  });
  return decided.may ? { allowed: true, reason: null } : { allowed: false, reason: decided.why };
}

/** The effect that counts for the tenant. */
async function findEffect(
  snapshot: CatalogueSnapshot,
  { app, action, effect }: ListedAction,
  added: WorkspaceApp | null,
): Promise<ListedAction["effect"]> {
  if (added === null || !Object.hasOwn(added.configuration.overrides, action)) return effect;
  const described = unwrap(await snapshot.actionsOf(app)).find((one) => one.action === action);
  return (described === undefined ? undefined : findOverride(added.configuration, described)?.effect) ?? effect;
}

/** Why the agent's patterns and permissions do not admit the action; null if they do. */
async function findRefusal(agent: PinnedAgent, { action }: ListedAction): Promise<string | null> {
  const name = await getActionToolName(action);
  const checked = checkEnvelope({ name, alsoNamed: [action], permissions: ["network"] }, { agent, tools: [] });
  return checked.ok ? null : checked.error.message;
}

/** Why the caller has no usable account; null if there is one, or none is needed. */
async function findAccount(
  c: AppContext,
  agent: PinnedAgent,
  action: ListedAction,
  app: CatalogueApp | null,
): Promise<ConnectReason | null> {
  const wanted = findToolApp(action, app);
  if (wanted === null) return null;
  const { app: used, configured } = configureApp(agent.config, wanted);
  const person = getPerson(c)?.id ?? null;
  const question = {
    app: used,
    actors: startActors(person, person),
    rule: used.owner,
    configured,
    isUnattended: false,
  };
  const chosen = await connectionsFromEnv(c.env, getTenant(c)).choose(question);
  // Nobody of the tenant connected it yet, so it has no settings.
  if (!chosen.ok && chosen.error.code === "not_available") return "missing";
  const choice = unwrap(chosen);
  if (choice.kind === "account") return null;
  return choice.kind === "needed" ? choice.need.reason : "missing";
}

/** A tool that is no action of the catalogue: a built-in one, or one that the tenant brought. */
async function checkOwnTool(c: AppContext, agent: PinnedAgent, name: string): Promise<AccessReply> {
  const tools: readonly Tool[] = await listTools(c, await readSources(c));
  const tool = tools.find((one) => listNames(one).includes(name));
  if (tool === undefined) return { allowed: false, reason: `There is no tool ${name}. GET /v1/tools lists them.` };
  const checked = checkEnvelope(tool, { agent, tools: [], apps: {} });
  return checked.ok ? { allowed: true, reason: null } : { allowed: false, reason: checked.error.message };
}
