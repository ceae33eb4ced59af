/**
 * Reads the agent of a request from the database, once for all concurrent requests of this isolate. A cached agent
 * is used while it is read again.
 */
import { waitUntil } from "cloudflare:workers";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { PinnedAgent } from "../../core/agents/agent.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { FailurePause } from "../../core/base/failure-pause.ts";
import { SingleFlight } from "../../core/base/single-flight.ts";
import { applyToolboxSettings } from "../../core/steps/tool-settings.ts";
import { cacheAgent, findCachedAgent, forgetAgent } from "./agent-cache.ts";

/** Time limit of a read: a little more than the database's own for two transactions. */
const READ_MS = 11_000;
/** Reads that other requests can join. */
const MAX_READS = 1_000;
/** Pause of this isolate after a failed refresh, since there is one database. */
const PAUSE_MS = 2_000;

const reads = new SingleFlight<Result<PinnedAgent>>({ maxAgeMs: READ_MS, maxFlights: MAX_READS });
export const refreshPause = new FailurePause(PAUSE_MS);

const LATE = failed("upstream_failed", "The agent cannot be read at the moment. Send the request again shortly.", {
  retryAfterMs: 1_000,
});

/** A request for an agent: its tenant, the stamp of its admission, and its time in milliseconds. */
export interface AgentRequest {
  readonly tenant: string;
  readonly stamp: string;
  readonly now: number;
}

/** Returns the agent with this id or name, pinned. `not_found` names the field `agent`. */
export async function readAgent(env: Env, request: AgentRequest, idOrName: string): Promise<Result<PinnedAgent>> {
  const { tenant, stamp, now } = request;
  const cached = findCachedAgent(tenant, idOrName, stamp, now);
  if (cached === null) return await joinRead(env, request, idOrName);
  if (cached.isStale && !refreshPause.isOn(now)) waitUntil(refresh(env, request, idOrName));
  return ok(cached.agent);
}

/** Never rejects. */
async function refresh(env: Env, request: AgentRequest, idOrName: string): Promise<void> {
  try {
    const read = await joinRead(env, request, idOrName);
    if (!read.ok && read.error.code !== "not_found") refreshPause.begin(Date.now());
  } catch (thrown) {
    refreshPause.begin(Date.now());
    console.error("an agent could not be refreshed", request.tenant, thrown);
  }
}

/** A read belongs to a stamp: a request after a change joins no read from before it. */
async function joinRead(env: Env, request: AgentRequest, idOrName: string): Promise<Result<PinnedAgent>> {
  const { tenant, stamp, now } = request;
  const work = async (): Promise<Result<PinnedAgent>> => {
    const read = readAndCache(env, request, idOrName);
    // Others wait for it, so it outlives a request that its client gave up.
    waitUntil(read.catch(() => undefined));
    return await read;
  };
  return await awaitWithin(globalThis, READ_MS, reads.run(`${tenant} ${stamp} ${idOrName}`, work, now), LATE);
}

async function readAndCache(
  env: Env,
  { tenant, stamp, now }: AgentRequest,
  idOrName: string,
): Promise<Result<PinnedAgent>> {
  const found = await databaseFromEnv(env).agents.get(tenant, idOrName);
  if (!found.ok && found.error.code !== "not_found") return found;
  if (found.ok && found.value.archivedAt === null) {
    const { id, version, config } = found.value;
    const agent = { id, version, config: applyToolboxSettings(config) };
    cacheAgent(tenant, idOrName, stamp, agent, now);
    return ok(agent);
  }
  forgetAgent(tenant, idOrName);
  const message = found.ok ? "This agent was deleted. Name another one." : "There is no agent with this id or name.";
  return failed("not_found", message, { field: "agent" });
}
