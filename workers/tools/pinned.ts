/**
 * The pinned tools of a task besides the built-in ones. The content of a hash never changes, so this isolate caches
 * it.
 */
import { patternsFromEnv } from "../../adapters/env/patterns.ts";
import { toolSourcesFromEnv } from "../../adapters/env/tool-sources.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { createAppCaller } from "../../core/apps/calls/call.ts";
import { httpCaller } from "../../core/steps/http-caller.ts";
import { createMcpCaller } from "../../core/mcp/call.ts";
import { createOutsideTools, type OutsideCallers, type SourcedTool } from "../../core/gateway/outside-tool.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { skillCaller } from "../../core/steps/skill-call.ts";
import { SHIPPED_SOURCE, SKILLS_SOURCE } from "../../core/tool/skill-tool.ts";
import type { Skill } from "../../core/skills/skill.ts";
import type { SourcedList } from "../../core/steps/find-tools.ts";
import { createToolList, type ToolList } from "../../core/lib/tool-search/tool-list.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { OutsideTool, PinnedSource, SourceContent } from "../../core/tool/source.ts";

/** Characters of JSON, or bytes, of all cached sources together, because tenants share the isolate. */
const MAX_CHARACTERS = 16_000_000;

interface CachedSource {
  readonly tools: readonly OutsideTool[];
  /** For searches. Its index, built by the first one, takes about a fifth of the JSON's characters in bytes. */
  readonly list: ToolList;
  readonly characters: number;
}

/** By tenant and hash, the least recently used first. */
const cache = new Map<string, CachedSource>();
let characters = 0;

/** Functions that call outside tools, by the kind of their origin. */
const CALLERS: OutsideCallers = {
  http: httpCaller,
  mcp: createMcpCaller(globalThis),
  skill: skillCaller,
  app: createAppCaller(globalThis),
};

/**
 * Returns the tools of a task's sources, without those that a built-in tool overrides. Fails while the bucket is
 * unavailable.
 */
export async function openPinnedTools(
  env: Env,
  { tenant, sources }: { readonly tenant: string; readonly sources: readonly PinnedSource[] },
  builtIn: readonly Pick<Tool, "name">[],
): Promise<Result<readonly Tool[]>> {
  if (sources.length === 0) return ok([]);
  const found: SourcedTool[] = [];
  const reads = sources.map(async (source) => ({ source: source.name, read: await readSource(env, tenant, source) }));
  for (const { source, read } of await Promise.all(reads)) {
    if (!read.ok) return read;
    found.push(...read.value.map((tool) => ({ source, tool })));
  }
  return ok(createOutsideTools(found, builtIn, { callers: CALLERS, patterns: patternsFromEnv(env) }));
}

/** Returns the skills of a task's sources, at their pinned versions. Fails while the bucket is unavailable. */
export async function openPinnedSkills(
  env: Env,
  { tenant, sources }: { readonly tenant: string; readonly sources: readonly PinnedSource[] },
): Promise<Result<readonly Skill[]>> {
  const ofSkills = sources.filter(({ name }) => name === SKILLS_SOURCE || name === SHIPPED_SOURCE);
  const tools = await openPinnedTools(env, { tenant, sources: ofSkills }, []);
  return tools.ok ? ok(tools.value.flatMap(({ skill }) => skill ?? [])) : tools;
}

/** Returns the sources of a task as searchable lists. Fails while the bucket is unavailable. */
export async function openPinnedLists(
  env: Env,
  { tenant, sources }: { readonly tenant: string; readonly sources: readonly PinnedSource[] },
): Promise<Result<readonly SourcedList[]>> {
  const lists: SourcedList[] = [];
  const reads = sources.map(async (source) => ({ ...source, read: await readSource(env, tenant, source) }));
  for (const { name, hash, read } of await Promise.all(reads)) {
    if (!read.ok) return read;
    lists.push({ source: name, list: cache.get(`${tenant} ${hash}`)?.list ?? toList(read.value) });
  }
  return ok(lists);
}

/** Returns the weight of a task's sources in a cache: characters of JSON. Uncached ones weigh nothing. */
export function getWeight(tenant: string, sources: readonly PinnedSource[]): number {
  return sources.reduce((sum, { hash }) => sum + (cache.get(`${tenant} ${hash}`)?.characters ?? 0), 0);
}

async function readSource(env: Env, tenant: string, source: PinnedSource): Promise<Result<readonly OutsideTool[]>> {
  const name = `${tenant} ${source.hash}`;
  const known = cache.get(name);
  if (known !== undefined) {
    cache.delete(name);
    cache.set(name, known);
    return ok(known.tools);
  }
  const read = await toolSourcesFromEnv(env).open(tenant, source);
  if (!read.ok) return read;
  cacheSource(name, read.value);
  return ok(read.value.tools);
}

function cacheSource(name: string, { tools, bytes }: SourceContent): void {
  drop(name);
  const size = name.length + bytes;
  cache.set(name, { tools, list: toList(tools), characters: size });
  characters += size;
  for (const [oldest] of cache) {
    if (characters <= MAX_CHARACTERS) break;
    drop(oldest);
  }
}

function toList(tools: readonly OutsideTool[]): ToolList {
  return createToolList(tools, ({ input }) => input);
}

function drop(name: string): void {
  characters -= cache.get(name)?.characters ?? 0;
  cache.delete(name);
}
