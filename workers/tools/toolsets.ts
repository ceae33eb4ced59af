/** The tools of a task, as its runner and its object open them. */
import { mailFromEnv } from "../../adapters/env/mail.ts";
import { patternsFromEnv } from "../../adapters/env/patterns.ts";
import { skillsFromEnv } from "../../adapters/env/skills.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { buildToolset, type Toolset } from "../../core/steps/toolset.ts";
import type { SkillInForce } from "../../core/skills/skill.ts";
import { formatSkill } from "../../core/skills/skill-text.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { findOwnApi } from "../http/own-origin.ts";
import { getWeight, openPinnedTools } from "./pinned.ts";

/**
 * Toolsets of recent agents, the oldest first, by agent, version, the request's restriction, the tenant's own
 * tools, and the actions that were chosen for the task. Everything is pinned, so they stay valid.
 */
const toolsets = new Map<string, { readonly toolset: Toolset; readonly weight: number }>();
const MAX_TOOLSETS = 200;
/** Maximum weight of all toolsets, in characters of the tenants' own tools. */
const MAX_WEIGHT = 24_000_000;
let weight = 0;

/** Returns the tools of a task. Fails while the tenant's own tools or the skills cannot be read. */
export async function openToolset(env: Env, facts: TaskFacts, tools: readonly Tool[]): Promise<Result<Toolset>> {
  const { tenant, agent, tools: patterns, sources } = facts;
  const told = facts.skills.filter(({ how }) => how !== "load");
  const hashes = [...sources, ...told].map(({ hash }) => hash).join(" ");
  const shown = facts.apps === undefined ? "" : ` apps ${facts.apps.shown.join(" ")}`;
  const key = `${tenant} ${agent.id} ${agent.version} ${JSON.stringify(patterns)} ${hashes}${shown}`;
  const cached = toolsets.get(key);
  if (cached !== undefined) return ok(cached.toolset);
  const own = await openPinnedTools(env, facts, tools);
  if (!own.ok) return own;
  const texts = await readSkillTexts(env, told, facts, own.value);
  if (!texts.ok) return texts;
  const { keyedForMs: mailKeyedForMs } = mailFromEnv(env);
  const keys = { mailKeyedForMs, ownApi: findOwnApi(env), patterns: patternsFromEnv(env) };
  const built = { ...(await buildToolset([...tools, ...own.value], facts, texts.value)), ...keys };
  cacheToolset(key, built, getWeight(tenant, sources));
  return ok(built);
}

/**
 * Returns the tools of a task, or the built-in ones if the tenant's cannot be read. Calls of missing tools then fail.
 */
export async function openAvailableToolset(env: Env, facts: TaskFacts, tools: readonly Tool[]): Promise<Toolset> {
  const found = await openToolset(env, facts, tools);
  return found.ok ? found.value : { ...(await buildToolset(tools, facts)), isPart: true };
}

/**
 * Returns the texts of the skills that the model reads from the first step on. Fails while their packages cannot be
 * read.
 */
async function readSkillTexts(
  env: Env,
  skills: readonly SkillInForce[],
  facts: TaskFacts,
  tools: readonly Tool[],
): Promise<Result<string[]>> {
  const port = skillsFromEnv(env, facts);
  const texts: string[] = [];
  for (const { hash, name } of skills) {
    const opened = await port.open(hash);
    if (!opened.ok) return opened;
    const known = tools.find(({ skill }) => skill?.hash === hash)?.skill;
    texts.push(formatSkill({ name, scripts: known?.scripts ?? [] }, opened.value));
  }
  return ok(texts);
}

function cacheToolset(key: string, toolset: Toolset, its: number): void {
  weight += its - (toolsets.get(key)?.weight ?? 0);
  toolsets.delete(key);
  toolsets.set(key, { toolset, weight: its });
  for (const [oldest, { weight: lost }] of toolsets) {
    if (toolsets.size <= MAX_TOOLSETS && weight <= MAX_WEIGHT) break;
    toolsets.delete(oldest);
    weight -= lost;
  }
}
