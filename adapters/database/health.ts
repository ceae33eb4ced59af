/** Checks whether the database replies, and reads the state of rebuilds. */
import { parseJson } from "../../core/base/parse-json.ts";
import type { Database } from "../../core/ports/database.ts";
import { LOSS_REPORTED_MS, type Lost } from "../../core/tenant/recovery.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { z } from "zod";

/** Time limit of a check. */
const TIMEOUT_MS = 2_000;
/** No tenant has this id: only a reply is needed. */
const UNKNOWN_TENANT = "ten_00000000000000000000000000";

/** `refused`: the database replies, but its role or its tables are not safe. */
export type DatabaseHealth = "ok" | "away" | "refused";

const diskSchema = z.object({ free_bytes: z.number() });

/** Sends a small query to the database. */
export async function checkDatabase(database: Database): Promise<DatabaseHealth> {
  const found = await awaitWithin(globalThis, TIMEOUT_MS, database.tenants.get(UNKNOWN_TENANT), null);
  if (found === null) return "away";
  if (found.ok || found.error.code === "not_found") return "ok";
  return found.error.code === "upstream_failed" ? "away" : "refused";
}

/**
 * Returns the free bytes of the disk of a local system, as its database bridge reports; null if unknown or not local.
 */
export async function readFreeDiskBytes(endpoint: string | null): Promise<number | null> {
  if (endpoint === null) return null;
  try {
    const response = await fetch(new URL("/disk", endpoint), { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return diskSchema.safeParse(parseJson(await response.text())).data?.free_bytes ?? null;
  } catch {
    return null;
  }
}

/** Sums up the rebuilds of all tenants; null if the database did not reply. */
export async function readReindexHealth(
  database: Database,
  now: number,
): Promise<{ readonly running: number; readonly not_rebuilt: Lost } | null> {
  const found = await awaitWithin(globalThis, TIMEOUT_MS, database.recovery.summary(now - LOSS_REPORTED_MS), null);
  return found?.ok === true ? { running: found.value.running, not_rebuilt: found.value.lost } : null;
}
