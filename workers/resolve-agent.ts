/** Which agent a request means. The built-in one needs no database; any other is read at its latest version. */
import { databaseFromEnv } from "../adapters/from-env.ts";
import { DEFAULT_AGENT, type PinnedAgent } from "../core/agent.ts";
import { raise } from "../core/errors.ts";
import type { AppContext } from "./context.ts";
import { tenantOf } from "./task-access.ts";

/** The agent with this id or name, pinned; the built-in one when nothing is named. `not_found` names the field `agent`. */
export async function resolveAgent(c: AppContext, idOrName: string | undefined): Promise<PinnedAgent> {
  if (idOrName === undefined || idOrName === DEFAULT_AGENT.id || idOrName === DEFAULT_AGENT.config.name)
    return DEFAULT_AGENT;
  const found = await databaseFromEnv(c.env).agents.get(tenantOf(c), idOrName);
  if (found.ok) return { id: found.value.id, version: found.value.version, config: found.value.config };
  const { code, message, ...rest } = found.error;
  return code === "not_found"
    ? raise(code, "There is no agent with this id or name.", { field: "agent" })
    : raise(code, message, rest);
}
