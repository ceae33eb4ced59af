/**
 * Finds the agent that a request names. The built-in agent needs no database. Others are read at their latest version
 * and cached until an agent changes.
 */
import type { Env } from "../../adapters/env/bindings.ts";
import { DEFAULT_AGENT, type PinnedAgent } from "../../core/agents/agent.ts";
import { ok, raise, type Result } from "../../core/base/errors.ts";
import type { AppContext } from "../http/context.ts";
import { type AgentRequest, readAgent } from "./read-agent.ts";
import { getTenant } from "../http/principal.ts";
import { readTenantFacts } from "../http/tenant-facts.ts";
import { unwrap } from "../http/unwrap.ts";

/**
 * Returns the agent that a request names, pinned; the built-in one when it names none. `not_found` names the field
 * `agent`.
 */
export async function resolveAgent(c: AppContext, idOrName: string | undefined): Promise<PinnedAgent> {
  const asked = { tenant: getTenant(c), stamp: (await readTenantFacts(c)).agentsStamp, now: Date.now() };
  return unwrap(await findAgent(c.env, asked, idOrName));
}

/** Finds the agent with this id or name, pinned. Uses the cache if the stamp is unchanged. */
export async function findAgent(
  env: Env,
  request: AgentRequest,
  idOrName: string | undefined,
): Promise<Result<PinnedAgent>> {
  if (idOrName === undefined || idOrName === DEFAULT_AGENT.id || idOrName === DEFAULT_AGENT.config.name)
    return ok(DEFAULT_AGENT);
  return await readAgent(env, request, idOrName);
}

/**
 * Returns the ids of the agents that a binding names by id or name, without duplicates. An unknown agent is
 * `invalid_input` rather than `not_found`, because the request is about the bound resource.
 */
export async function readAgentIds(c: AppContext, named: readonly string[], field: string): Promise<string[]> {
  const asked = { tenant: getTenant(c), stamp: (await readTenantFacts(c)).agentsStamp, now: Date.now() };
  const ids = new Set<string>();
  for (const [at, idOrName] of named.entries()) {
    const found = await findAgent(c.env, asked, idOrName);
    if (!found.ok && found.error.code === "not_found")
      raise("invalid_input", "There is no agent with this id or name.", { field: `${field}.${at}` });
    ids.add(unwrap(found).id);
  }
  return [...ids];
}
