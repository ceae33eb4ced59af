/** Whether the outside systems that Otto needs answer. */
import type { Database } from "../core/database.ts";
import type { Sidecar } from "./sidecar/sidecar.ts";

/** How long a look at one of them may take. */
const TIMEOUT_MS = 2_000;
/** No tenant has this id: the question is whether there is an answer. */
const NOBODY = "ten_00000000000000000000000000";

/** `refused`: the database is there, and its role or its tables are not safe. */
export type DatabaseHealth = "ok" | "away" | "refused";
/** `asleep`: the next request starts it. */
export type SidecarHealth = "ok" | "asleep" | "away" | "off";

/** Asks the database one small question. */
export async function databaseHealth(database: Database): Promise<DatabaseHealth> {
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), TIMEOUT_MS));
  const found = await Promise.race([database.tenants.get(NOBODY), late]);
  if (found === null) return "away";
  if (found.ok || found.error.code === "not_found") return "ok";
  return found.error.code === "upstream_failed" ? "away" : "refused";
}

/** Asks the sidecar; null: there is none. */
export async function sidecarHealth(sidecar: Sidecar | null): Promise<SidecarHealth> {
  if (sidecar === null) return "off";
  try {
    if (await sidecar.isAsleep()) return "asleep";
    const response = await sidecar.fetch("/health", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    return response.ok ? "ok" : "away";
  } catch {
    return "away";
  }
}
