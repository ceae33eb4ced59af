/** What tenants remember: the store, the vectors and what embeds. */
import { HASHING_MODEL, hashingEmbedder } from "../embeddings/hashing.ts";
import { openAiEmbedder } from "../embeddings/openai.ts";
import { type Env, set } from "./bindings.ts";
import { databaseFromEnv, pgvectorFromEnv } from "./database.ts";
import { openMemory } from "../memory/store.ts";
import { memoryOfTask } from "../memory/task-memory.ts";
import { openVectorize } from "../vectors/vectorize.ts";
import type { MemoryStore } from "../../core/ports/memory-store.ts";
import type { MemoryPort } from "../../core/ports/memory.ts";
import type { EmbedderPort, VectorsPort } from "../../core/ports/vectors.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** Vectorize where it is bound, else pgvector in the database. */
function vectorsFromEnv(env: Env): VectorsPort {
  return env.VECTORS === undefined ? pgvectorFromEnv(env) : openVectorize(env.VECTORS);
}

/** A model of the server that OPENAI_BASE_URL names, or feature hashing. */
export function embedderFromEnv(env: Env): EmbedderPort {
  const model = embeddingModel(env);
  if (model === null) return hashingEmbedder();
  return openAiEmbedder({ apiKey: set(env.OPENAI_API_KEY), baseUrl: set(env.OPENAI_BASE_URL), model });
}

/** The memories of all tenants. */
export function memoryFromEnv(env: Env): MemoryStore {
  return openMemory({
    database: databaseFromEnv(env),
    vectors: vectorsFromEnv(env),
    embedder: embedderFromEnv(env),
  });
}

/** What a task remembers. */
export function taskMemoryFromEnv(env: Env, facts: TaskFacts): MemoryPort {
  return memoryOfTask(memoryFromEnv(env), facts);
}

/** The model behind OPENAI_BASE_URL that embeds; null: feature hashing does. */
export function embeddingModel(env: Env): string | null {
  const model = set(env.OTTO_EMBEDDING_MODEL);
  if (model === null) return null;
  if (set(env.OPENAI_API_KEY) === null && set(env.OPENAI_BASE_URL) === null)
    throw new RangeError("OTTO_EMBEDDING_MODEL needs its server: OPENAI_BASE_URL, or OPENAI_API_KEY for OpenAI's own");
  if (model === HASHING_MODEL || !/^[\x21-\x7e]{1,200}$/.test(model))
    throw new RangeError(`OTTO_EMBEDDING_MODEL has to be a model's name as its server writes it, not ${HASHING_MODEL}`);
  return model;
}
