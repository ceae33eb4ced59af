/** Memory for a task's tools: within its tenant and project, under its agent's rules and name. */
import { failed, ok } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { getTaskScope, toMemoryLabel } from "../../core/memory/memory.ts";
import { DEFAULT_MIN_SCORE, DEFAULT_TAG_BOOST } from "../../core/memory/rank.ts";
import type { MemoryStore } from "../../core/ports/memory-store.ts";
import type { MemoryPort } from "../../core/ports/memory.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** Opens the memory of a task. A call through the API has no task, so its key is the author. */
export function openTaskMemory(store: MemoryStore, facts: TaskFacts): MemoryPort {
  const { tenant, project, agent, kind } = facts;
  const rules = agent.config.memory;
  const isCall = kind === "call";
  return {
    async search({ query, onlyProject, kind, withOutside, limit, signal }) {
      const found = await store.search(
        tenant,
        {
          query,
          scope: onlyProject && project !== null ? [project] : getTaskScope(project),
          kind,
          tag: null,
          withOutside,
          limit,
          tagBoost: rules?.tag_boost ?? DEFAULT_TAG_BOOST,
          minScore: rules?.min_score ?? DEFAULT_MIN_SCORE,
        },
        signal,
      );
      return found.ok ? ok({ hits: found.value, embedder: store.embedder }) : found;
    },

    async save({ content, tags, label, key, nowMs, signal }) {
      const memory = {
        id: await deriveId(facts, key),
        project,
        kind: "note" as const,
        label: toMemoryLabel(label),
        content,
        tags,
        sourceTask: isCall ? facts.parentId : facts.id,
        author: isCall ? (facts.key ?? agent.id) : agent.id,
        createdAt: nowMs,
      };
      const saved = await store.save(tenant, [memory], null, signal);
      if (!saved.ok) return saved;
      const [first] = saved.value;
      return first === undefined ? failed("gone", "The tenant was erased.") : ok(first);
    },
  };
}

/** The same id for every attempt of a call: from the task's time and the call's key. */
async function deriveId({ tenant, createdAt }: TaskFacts, key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${tenant} memory ${key}`));
  return makeId("memory", createdAt, new Uint8Array(digest));
}
