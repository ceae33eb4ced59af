/**
 * Chooses the apps of a new task: the sources that it pins, and the actions that its requests show. A tenant without apps
 * pays nothing: neither rights nor connections are read.
 */
import { waitUntil } from "cloudflare:workers";
import { appRightsFromEnv } from "../../adapters/env/app-rights.ts";
import { toolSourcesFromEnv } from "../../adapters/env/tool-sources.ts";
import { systemClock } from "../../adapters/env/clock.ts";
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { patternsFromEnv } from "../../adapters/env/patterns.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { PinnedAgent } from "../../core/agents/agent.ts";
import { refuseApp } from "../../core/apps/workspace/access.ts";
import { type AppUse, judgeAppUse } from "../../core/apps/choice/app-use.ts";
import { chooseActions, type ChosenActions } from "../../core/apps/choice/choose-actions.ts";
import { indexPinnedActions, type PinnedActions } from "../../core/apps/choice/pinned-actions.ts";
import { listActorTexts, type WrittenAt } from "../../core/apps/intent/task-apps.ts";
import { type Failed, ok, type Result } from "../../core/base/errors.ts";
import { SingleFlight } from "../../core/base/single-flight.ts";
import type { ToolApp } from "../../core/connections/account.ts";
import { MAX_OF_OWNER } from "../../core/connections/rules.ts";
import type { NamedSegment } from "../../core/lib/tool-search/segment-file.ts";
import { checkEnvelope } from "../../core/gateway/envelope.ts";
import type { AppRights } from "../../core/ports/app-rights.ts";
import { decideRights } from "../../core/steps/app-access.ts";
import { toModelSpec } from "../../core/steps/toolset.ts";
import { readInput } from "../../core/task/read-facts.ts";
import { isUnattended, type TaskSource } from "../../core/task/source.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { findSourceApp, type PinnedSource } from "../../core/tool/source.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { logResolution } from "../http/log.ts";
import { getWeight, openPinnedTools } from "../tools/pinned.ts";

/** For whom and by which agent a task would use apps. */
export interface AppUser {
  readonly tenant: string;
  readonly agent: PinnedAgent;
  /** The person for whom it acts, if any. */
  readonly person: string | null;
  readonly via: TaskSource;
}

/** The apps that a task pins. */
export interface PinnedApps {
  readonly sources: readonly PinnedSource[];
  readonly actions: PinnedActions;
  readonly uses: ReadonlyMap<string, AppUse>;
  readonly rights: AppRights;
}

/** The sources of a new task; `apps` null: it has no apps. */
export interface AppPins {
  readonly sources: readonly PinnedSource[];
  readonly apps: PinnedApps | null;
}

/**
 * Leaves out the apps that the agent may not use, and those for which there is no account and nobody who could connect
 * one. While that cannot be read all are pinned and none is chosen: each call asks for the rights again, and a task that
 * uses no app does not wait for the database.
 */
export async function pinApps(env: Env, user: AppUser, sources: readonly PinnedSource[]): Promise<Result<AppPins>> {
  const others = sources.filter(({ name }) => findSourceApp(name) === null);
  if (others.length === sources.length) return ok({ sources, apps: null });
  const rights = await appRightsFromEnv(env, user.tenant).read(user.agent.id);
  if (!rights.ok) return pinUnread(rights, sources);
  const allowed = sources.filter(({ name }) => {
    const app = findSourceApp(name);
    return app !== null && refuseApp({ app, ...rights.value }) === null;
  });
  if (allowed.length === 0) return ok({ sources: others, apps: null });
  const { tenant, person } = user;
  const [actions, connections] = await Promise.all([
    readActions(env, tenant, allowed),
    connectionTableFromEnv(env, tenant).list({ person, limit: 2 * MAX_OF_OWNER }),
  ]);
  if (!actions.ok) return actions;
  if (!connections.ok) return pinUnread(connections, sources);
  const caller = {
    config: user.agent.config,
    person,
    isUnattended: isUnattended(user.via),
    connections: connections.value,
  };
  const uses = new Map<string, AppUse>();
  for (const [app, needs] of listNeeds(actions.value)) uses.set(app, judgeAppUse(needs, caller));
  const pinned = allowed.filter(({ name }) => (uses.get(findSourceApp(name) ?? "") ?? "unusable") !== "unusable");
  if (pinned.length === 0) return ok({ sources: others, apps: null });
  const kept = new Set([...others, ...pinned]);
  return ok({
    sources: sources.filter((source) => kept.has(source)),
    apps: { sources: pinned, actions: actions.value, uses, rights: rights.value },
  });
}

function pinUnread(failed: Failed, sources: readonly PinnedSource[]): Result<AppPins> {
  return failed.error.code === "upstream_failed" ? ok({ sources, apps: null }) : failed;
}

/** Chooses the actions for a task with apps, and adds them to its facts. */
export async function addApps(env: Env, facts: TaskFacts, pins: PinnedApps | null): Promise<Result<TaskFacts>> {
  if (pins === null) return ok(facts);
  const texts = listActorTexts(readInput(facts));
  const isRecipe = isUnattended(facts.via) || facts.skills.some(({ how }) => how !== "similarity");
  const writtenAt = { now: facts.createdAt, timeZone: facts.caller?.timeZone };
  const chosen = await chooseForTexts(env, facts, pins, { texts, writtenAt, isRecipe });
  if (!chosen.ok) return chosen;
  const { apps, resolution } = chosen.value;
  logResolution({ tenant: facts.tenant, task: facts.id, shown: apps.shown.length, ...toFigures(resolution) });
  return ok({ ...facts, apps });
}

/** What an agent's task would be given for these texts. */
export async function chooseForTexts(
  env: Env,
  envelope: Pick<TaskFacts, "agent" | "tools">,
  { actions, uses, rights }: PinnedApps,
  request: { readonly texts: readonly string[]; readonly writtenAt: WrittenAt; readonly isRecipe: boolean },
): Promise<Result<ChosenActions>> {
  return await chooseActions(
    {
      ...request,
      usable: selectUses(uses, "usable"),
      unconnected: selectUses(uses, "unconnected"),
      mayCall: (tool) => mayCall(tool, { ...envelope, apps: {} }, rights),
    },
    {
      actions,
      patterns: patternsFromEnv(env),
      clock: systemClock,
      specOf: (tool) => toModelSpec(tool, tool.name, null),
    },
  );
}

/** Returns the apps that can be used in this way. */
export function selectUses(uses: PinnedApps["uses"], wanted: AppUse): ReadonlySet<string> {
  return new Set([...uses].flatMap(([app, use]) => (use === wanted ? [app] : [])));
}

/** True if the agent may call the tool of an action by its envelope and its rights. */
export function mayCall(tool: Tool, envelope: Parameters<typeof checkEnvelope>[1], rights: AppRights): boolean {
  return tool.action !== undefined && checkEnvelope(tool, envelope).ok && decideRights(tool, rights).may;
}

function toFigures({ strategy, searchMs, actions, appNames }: ChosenActions["resolution"]) {
  return { strategy, ms: searchMs, actions: actions.length, apps: appNames.length };
}

/** What the actions of each app need; null for an app that works without an account. */
function listNeeds({ byAction }: PinnedActions): ReadonlyMap<string, ToolApp | null> {
  const needs = new Map<string, ToolApp | null>();
  for (const { tool, action } of byAction.values()) needs.set(action.app, needs.get(action.app) ?? tool.app ?? null);
  return needs;
}

/** The actions of apps by the hashes of their sources, the least recently used first: an index takes milliseconds. */
const indexes = new Map<string, { readonly actions: PinnedActions; readonly weight: number }>();
/** Characters of JSON of the sources of all indexes: their tools stay in memory with them. */
const MAX_CHARACTERS = 16_000_000;
/** Requests for the same actions at the same time build one index. */
const flights = new SingleFlight<Result<PinnedActions>>({ maxAgeMs: 1_000, maxFlights: 100 });
/** A search index of more actions that is not compiled is built after the first request, which ranks by words. */
const MAX_BUILT_AT_ONCE = 2_000;

async function readActions(env: Env, tenant: string, sources: readonly PinnedSource[]): Promise<Result<PinnedActions>> {
  const key = `${tenant} ${sources.map(({ hash }) => hash).join(" ")}`;
  const known = indexes.get(key);
  if (known === undefined)
    return await flights.run(key, async () => await buildIndex(env, { tenant, sources }, key), Date.now());
  indexes.delete(key);
  indexes.set(key, known);
  return ok(known.actions);
}

async function buildIndex(
  env: Env,
  of: { readonly tenant: string; readonly sources: readonly PinnedSource[] },
  key: string,
): Promise<Result<PinnedActions>> {
  const [tools, compiled] = await Promise.all([openPinnedTools(env, of, []), readCompiled(env, of.sources)]);
  if (!tools.ok) return tools;
  const actions = indexPinnedActions(tools.value, compiled);
  const { index } = actions;
  const built = index.build();
  if (index.segment() !== null || index.actions.length <= MAX_BUILT_AT_ONCE) await built;
  else waitUntil(built);
  indexes.set(key, { actions, weight: getWeight(of.tenant, of.sources) });
  dropOldest();
  return ok(actions);
}

/** Reads the search indexes of apps by the names of their sources. One that cannot be read is built. */
async function readCompiled(env: Env, sources: readonly PinnedSource[]): Promise<ReadonlyMap<string, NamedSegment>> {
  const stored = toolSourcesFromEnv(env);
  const reads = sources.map(async ({ name, hash }) => ({ name, read: await stored.readIndex(hash) }));
  const found = await Promise.all(reads);
  return new Map(found.flatMap(({ name, read }) => (read.ok && read.value !== null ? [[name, read.value]] : [])));
}

function dropOldest(): void {
  let characters = [...indexes.values()].reduce((sum, { weight }) => sum + weight, 0);
  for (const [key, { weight }] of indexes) {
    if (indexes.size <= 1 || characters <= MAX_CHARACTERS) break;
    indexes.delete(key);
    characters -= weight;
  }
}
