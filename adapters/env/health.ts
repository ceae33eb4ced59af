/** The health of what the Worker needs. */
import { type DatabaseHealth, databaseHealth, freeDiskBytes, reindexHealth } from "../database/health.ts";
import { readSidecarHealth, type SidecarReport } from "../sidecar/health.ts";
import { type Env, set } from "./bindings.ts";
import { databaseFromEnv } from "./database.ts";
import { embedderFromEnv } from "./memory.ts";
import { type Settings, settingsFromEnv } from "./settings.ts";
import { sidecarFromEnv } from "./sidecar.ts";

export { ISOLATION } from "../sidecar/health.ts";

/** What `/health` tells. Settings that cannot be right throw as `settingsFromEnv` does. */
export async function healthFromEnv(env: Env): Promise<{
  mode: Settings["mode"];
  model: string;
  embeddings: string;
  vectors: "pgvector" | "vectorize";
  database: DatabaseHealth;
  sidecar: SidecarReport["sidecar"];
  isolation: SidecarReport["isolation"];
  freeDiskBytes: number | null;
  reindex: Awaited<ReturnType<typeof reindexHealth>>;
}> {
  const { mode, model } = settingsFromEnv(env);
  const vectors = env.VECTORS === undefined ? "pgvector" : "vectorize";
  const [database, { sidecar, isolation }, free, reindex] = await Promise.all([
    databaseHealth(databaseFromEnv(env)),
    readSidecarHealth(sidecarFromEnv(env)),
    freeDiskFromEnv(env),
    reindexHealth(databaseFromEnv(env), Date.now()),
  ]);
  const parts = { database, sidecar, isolation, freeDiskBytes: free, reindex };
  return { mode, model, embeddings: embedderFromEnv(env).model, vectors, ...parts };
}

/** Bytes that the disk of a local system's state has free; null: not known, or no local system. */
export async function freeDiskFromEnv(env: Env): Promise<number | null> {
  return await freeDiskBytes(set(env.OTTO_DATABASE_ENDPOINT));
}
