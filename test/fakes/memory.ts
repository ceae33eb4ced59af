/** A fake of a task's memory. It passes the same contract as the real one over the database and the vectors. */
import { hashingEmbedder } from "../../adapters/embeddings/hashing.ts";
import { ok } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { getIdentityHash, type Memory, MAX_TAGS, getTaskScope, toMemoryLabel } from "../../core/memory/memory.ts";
import { DEFAULT_MIN_SCORE, DEFAULT_TAG_BOOST, rankHits } from "../../core/memory/rank.ts";
import type { MemoryPort } from "../../core/ports/memory.ts";
import { OUTSIDE } from "../../core/provenance/label.ts";

/** State that several tasks share. */
interface FakeMemories {
  readonly rows: Map<string, Memory>;
  readonly hashes: Map<string, string>;
  /** The memory that each key created. */
  readonly ids: Map<string, string>;
}

/** Creates memories to share between the tasks of one tenant. */
export function fakeMemories(): FakeMemories {
  return { rows: new Map(), hashes: new Map(), ids: new Map() };
}

/** `project` is null for a task without one. */
export function fakeMemory(memories: FakeMemories = fakeMemories(), project: string | null = null): MemoryPort {
  const embedder = hashingEmbedder();
  const { rows, hashes, ids } = memories;
  const vectorOf = async (text: string): Promise<Float32Array> => {
    const embedded = await embedder.embed([text], new AbortController().signal);
    return embedded.ok ? (embedded.value[0] ?? new Float32Array()) : new Float32Array();
  };
  return {
    async search({ query, onlyProject, kind, withOutside, limit }) {
      const scope = onlyProject && project !== null ? [project] : getTaskScope(project);
      const values = await vectorOf(query);
      const found = [];
      for (const memory of rows.values()) {
        if (scope !== null && !scope.includes(memory.project)) continue;
        if (kind !== null && memory.kind !== kind) continue;
        if (!withOutside && memory.label === OUTSIDE) continue;
        const own = await vectorOf(memory.content);
        found.push({ memory, similarity: own.reduce((sum, value, i) => sum + value * (values[i] ?? 0), 0) });
      }
      const rules = { tagBoost: DEFAULT_TAG_BOOST, minScore: DEFAULT_MIN_SCORE };
      return ok({ hits: rankHits(found, query, { ...rules, limit }), embedder: embedder.model });
    },
    async save({ content, tags, label, key, nowMs }) {
      const note = { id: "", kind: "note" as const, label: toMemoryLabel(label), content };
      const hash = await getIdentityHash(note);
      const own = rows.get(ids.get(key) ?? "");
      if (own !== undefined) return ok({ memory: own, isNew: true });
      const same = [...rows.values()].find((row) => row.project === project && hashes.get(row.id) === hash);
      const id = same?.id ?? makeId("memory", nowMs, crypto.getRandomValues(new Uint8Array(10)));
      const merged = [...new Set([...(same?.tags ?? []), ...tags])].slice(0, MAX_TAGS);
      const made = { ...note, id, project, sourceTask: "task_1", author: "agent_1" };
      const row = {
        ...made,
        createdAt: nowMs,
        ...same,
        tags: merged,
        updatedAt: nowMs,
        embeddedBy: embedder.model,
        hash,
      };
      rows.set(id, row);
      hashes.set(id, hash);
      if (same === undefined) ids.set(key, id);
      return ok({ memory: row, isNew: same === undefined });
    },
  };
}
