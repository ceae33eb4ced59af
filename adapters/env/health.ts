/** The health of what the Worker needs. */
import { type DatabaseHealth, checkDatabase, readFreeDiskBytes, readReindexHealth } from "../database/health.ts";
import { readSidecarHealth, type SidecarReport } from "../sidecar/health.ts";
import { APPS_STATUSES, appsStatusFromEnv } from "./apps.ts";
import { type Env, readText } from "./bindings.ts";
import { databaseFromEnv } from "./database.ts";
import { embedderFromEnv } from "./memory.ts";
import { type Settings, settingsFromEnv } from "./settings.ts";
import { sidecarFromEnv } from "./sidecar.ts";

export { APPS_STATUSES };
export { ISOLATION } from "../sidecar/health.ts";

/** The state that `/health` returns. Throws for invalid settings, like `settingsFromEnv`. */
export async function healthFromEnv(env: Env): Promise<{
  mode: Settings["mode"];
  model: string;
  embeddings: string;
  apps: (typeof APPS_STATUSES)[number];
  vectors: "pgvector" | "vectorize";
  database: DatabaseHealth;
  sidecar: SidecarReport["sidecar"];
  isolation: SidecarReport["isolation"];
  freeDiskBytes: number | null;
  reindex: Awaited<ReturnType<typeof readReindexHealth>>;
}> {
  const { mode, model } = settingsFromEnv(env);
  const vectors = env.VECTORS === undefined ? "pgvector" : "vectorize";
  const [database, { sidecar, isolation }, free, reindex] = await Promise.all([
    checkDatabase(databaseFromEnv(env)),
    readSidecarHealth(sidecarFromEnv(env)),
    freeDiskFromEnv(env),
    readReindexHealth(databaseFromEnv(env), Date.now()),
  ]);
  const parts = { database, sidecar, isolation, freeDiskBytes: free, reindex };
  const apps = appsStatusFromEnv(env);
  return { mode, model, embeddings: embedderFromEnv(env).model, apps, vectors, ...parts };
}

/** The free bytes of the disk of a local system; null if unknown or not local. */
export async function freeDiskFromEnv(env: Env): Promise<number | null> {
  return await readFreeDiskBytes(readText(env.OTTO_DATABASE_ENDPOINT));
}
