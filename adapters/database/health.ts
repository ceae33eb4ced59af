/** Whether the database answers, and what it says about the tenants that are rebuilt. */
import { parseJson } from "../../core/base/parse-json.ts";
import type { Database } from "../../core/ports/database.ts";
import { LOSS_REPORTED_MS, type Lost } from "../../core/tenant/recovery.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { z } from "zod";

/** Time limit of a question. */
const TIMEOUT_MS = 2_000;
/** No tenant has this id: the question is whether there is an answer. */
const NOBODY = "ten_00000000000000000000000000";

/** `refused`: the database is there, and its role or its tables are not safe. */
export type DatabaseHealth = "ok" | "away" | "refused";

const diskSchema = z.object({ free_bytes: z.number() });

/** Asks the database one small question. */
export async function databaseHealth(database: Database): Promise<DatabaseHealth> {
  const found = await awaitWithin(globalThis, TIMEOUT_MS, database.tenants.get(NOBODY), null);
  if (found === null) return "away";
  if (found.ok || found.error.code === "not_found") return "ok";
  return found.error.code === "upstream_failed" ? "away" : "refused";
}

/** Bytes that the disk of a local system's state has free, as its database's bridge reports; null: not known, or no local system. */
export async function freeDiskBytes(endpoint: string | null): Promise<number | null> {
  if (endpoint === null) return null;
  try {
    const response = await fetch(new URL("/disk", endpoint), { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return diskSchema.safeParse(parseJson(await response.text())).data?.free_bytes ?? null;
  } catch {
    return null;
  }
}

/** What the rebuildings of all tenants come to; null: the database did not say. */
export async function reindexHealth(
  database: Database,
  now: number,
): Promise<{ readonly running: number; readonly not_rebuilt: Lost } | null> {
  const found = await awaitWithin(globalThis, TIMEOUT_MS, database.recovery.summary(now - LOSS_REPORTED_MS), null);
  return found?.ok === true ? { running: found.value.running, not_rebuilt: found.value.lost } : null;
}
