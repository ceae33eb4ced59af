/** Which agent a request means. The built-in one needs no database; any other is read at its latest version, once until one changes. */
import { clockFromEnv, databaseFromEnv } from "../adapters/from-env.ts";
import { DEFAULT_AGENT, type PinnedAgent } from "../core/agent.ts";
import { raise } from "../core/errors.ts";
import { withToolboxSettings } from "../core/tool-settings.ts";
import type { AppContext } from "./context.ts";
import { keepAgent, knownAgent } from "./known-agents.ts";
import { tenantOf } from "./task-access.ts";

/** The agent with this id or name, pinned; the built-in one when nothing is named. `not_found` names the field `agent`. */
export async function resolveAgent(c: AppContext, idOrName: string | undefined): Promise<PinnedAgent> {
  if (idOrName === undefined || idOrName === DEFAULT_AGENT.id || idOrName === DEFAULT_AGENT.config.name)
    return DEFAULT_AGENT;
  const [tenant, stamp, now] = [tenantOf(c), c.get("agentsStamp"), clockFromEnv(c.env).now()];
  const known = knownAgent(tenant, idOrName, stamp, now);
  if (known !== null) return known;
  const found = await databaseFromEnv(c.env).agents.get(tenant, idOrName);
  if (found.ok) {
    const { id, version, config } = found.value;
    const agent = { id, version, config: withToolboxSettings(config) };
    keepAgent(tenant, idOrName, stamp, agent, now);
    return agent;
  }
  const { code, message, ...rest } = found.error;
  return code === "not_found"
    ? raise(code, "There is no agent with this id or name.", { field: "agent" })
    : raise(code, message, rest);
}
