/** Searches of documents. */
import type { KnowledgePort, KnowledgeSearches } from "../../core/ports/knowledge-search.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { openKnowledgeSearches } from "../knowledge/searches.ts";
import { openTaskKnowledge } from "../knowledge/task-knowledge.ts";
import type { Env } from "./bindings.ts";
import { databaseFromEnv } from "./database.ts";
import { blobsFromEnv } from "./files.ts";
import { embedderFromEnv, vectorsFromEnv } from "./memory.ts";
import { oncePerEnv } from "./once-per-env.ts";

/** The documents of all tenants. */
export const knowledgeSearchesFromEnv = oncePerEnv((env: Env): KnowledgeSearches => {
  const { knowledge, knowledgeWords } = databaseFromEnv(env);
  return openKnowledgeSearches({
    pieces: knowledge,
    words: knowledgeWords,
    vectors: vectorsFromEnv(env),
    embedder: embedderFromEnv(env),
    blobs: blobsFromEnv(env),
  });
});

/** The documents of a task. */
export function taskKnowledgeFromEnv(env: Env, facts: TaskFacts): KnowledgePort {
  return openTaskKnowledge(knowledgeSearchesFromEnv(env), facts);
}
