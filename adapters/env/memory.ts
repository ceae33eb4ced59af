/** Memory: the store, the vectors and the embedder. */
import { HASHING_MODEL, hashingEmbedder } from "../embeddings/hashing.ts";
import { openAiEmbedder } from "../embeddings/openai.ts";
import { type Env, readText } from "./bindings.ts";
import { databaseFromEnv, pgvectorFromEnv } from "./database.ts";
import { oncePerEnv } from "./once-per-env.ts";
import { openMemory } from "../memory/store.ts";
import { openTaskMemory } from "../memory/task-memory.ts";
import { openVectorize } from "../vectors/vectorize.ts";
import type { MemoryStore } from "../../core/ports/memory-store.ts";
import type { MemoryPort } from "../../core/ports/memory.ts";
import type { EmbedderPort, VectorsPort } from "../../core/ports/vectors.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** Vectorize if it is bound, else pgvector in the database. */
export function vectorsFromEnv(env: Env): VectorsPort {
  return env.VECTORS === undefined ? pgvectorFromEnv(env) : openVectorize(env.VECTORS);
}

/** A model of the server at OPENAI_BASE_URL, or feature hashing. */
export const embedderFromEnv = oncePerEnv((env: Env): EmbedderPort => {
  const model = readEmbeddingModel(env);
  if (model === null) return hashingEmbedder();
  return openAiEmbedder({ apiKey: readText(env.OPENAI_API_KEY), baseUrl: readText(env.OPENAI_BASE_URL), model });
});

/** The memories of all tenants. */
export const memoryFromEnv = oncePerEnv((env: Env): MemoryStore => {
  return openMemory({
    database: databaseFromEnv(env),
    vectors: vectorsFromEnv(env),
    embedder: embedderFromEnv(env),
  });
});

/** The memory of a task. */
export function taskMemoryFromEnv(env: Env, facts: TaskFacts): MemoryPort {
  return openTaskMemory(memoryFromEnv(env), facts);
}

/** The embedding model at OPENAI_BASE_URL; null: feature hashing. */
export function readEmbeddingModel(env: Env): string | null {
  const model = readText(env.OTTO_EMBEDDING_MODEL);
  if (model === null) return null;
  if (readText(env.OPENAI_API_KEY) === null && readText(env.OPENAI_BASE_URL) === null)
    throw new RangeError("OTTO_EMBEDDING_MODEL needs its server: OPENAI_BASE_URL, or OPENAI_API_KEY for OpenAI's own");
  if (model === HASHING_MODEL || !/^[\x21-\x7e]{1,200}$/.test(model))
    throw new RangeError(`OTTO_EMBEDDING_MODEL has to be a model's name as its server writes it, not ${HASHING_MODEL}`);
  return model;
}
