/** Reads what a schedule's runs may use: the person for whom they act, and the apps of their agent. */
import { appClientsFromEnv, connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { MAX_OF_OWNER } from "../../core/connections/rules.ts";
import type { AgentConfig } from "../../core/agents/agent.ts";
import type { ToolApp } from "../../core/connections/account.ts";
import { checkEnvelope } from "../../core/gateway/envelope.ts";
import { findScheduleCaller, forgetSchedulePerson } from "../../core/schedules/acts-for.ts";
import { type AppState, listAppStates } from "../../core/schedules/app-states.ts";
import type { ScheduleConfig, ScheduleState } from "../../core/schedules/schedule.ts";
import { findAgent } from "../agents/resolve.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { readSources, readTenantFacts } from "../http/tenant-facts.ts";
import { listTenantTools } from "../tools/tenant-tools.ts";

/** The connections of a person, and the shared ones. */
const MAX_READ = 2 * MAX_OF_OWNER;

/** Returns the state with the person's present name, and without a person whose record was deleted. */
export async function nameScheduleCaller(c: AppContext, state: ScheduleState): Promise<ScheduleState> {
  const caller = findScheduleCaller(state);
  if (caller === null) return state;
  const found = await databaseFromEnv(c.env).people.get(getTenant(c), caller.person);
  if (found.ok) return { ...state, actsFor: { ...caller, name: found.value.name } };
  // While the database is away, the stored name is shown.
  return found.error.code === "not_found" ? forgetSchedulePerson(state, caller.person) : state;
}

/** Returns the apps that the schedule's agent may use; null while they cannot be read. */
export async function readAppStates(c: AppContext, state: ScheduleState): Promise<readonly AppState[] | null> {
  const apps = await listToolApps(c, state.config.task);
  if (!apps.ok) return null;
  const { config, tools } = apps.value;
  if (tools.length === 0) return [];
  const [tenant, caller] = [getTenant(c), findScheduleCaller(state)?.person ?? null];
  const [connections, clients] = await Promise.all([
    connectionTableFromEnv(c.env, tenant).list({ person: caller, limit: MAX_READ }),
    appClientsFromEnv(c.env, tenant).all(),
  ]);
  if (!connections.ok || !clients.ok) return null;
  const settings = new Map(clients.value.map(({ app, settingsHash }) => [app, settingsHash]));
  return listAppStates(tools, { config, caller, settings, connections: connections.value });
}

/** What the tools of the task's agent need accounts for, and what the agent says of them. A reminder has no agent. */
interface AgentApps {
  readonly config: Pick<AgentConfig, "app_config">;
  readonly tools: readonly ToolApp[];
}

async function listToolApps(c: AppContext, task: ScheduleConfig["task"]): Promise<Result<AgentApps>> {
  if (task === undefined) return ok({ config: {}, tools: [] });
  const tenant = getTenant(c);
  const { agentsStamp } = await readTenantFacts(c);
  const agent = await findAgent(c.env, { tenant, stamp: agentsStamp, now: Date.now() }, task.agent);
  if (!agent.ok) return agent;
  const tools = await listTenantTools(c.env, { tenant, sources: await readSources(c) });
  if (!tools.ok) return tools;
  const facts = { agent: agent.value, tools: task.tools === undefined ? [] : [task.tools] };
  const usable = tools.value.filter((tool) => checkEnvelope(tool, facts).ok);
  return ok({ config: agent.value.config, tools: usable.flatMap(({ app }) => (app === undefined ? [] : [app])) });
}
