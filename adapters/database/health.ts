/** Whether the outside systems that Otto needs answer. */
import { z } from "zod";
import type { Database } from "../../core/ports/database.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { LOSS_REPORTED_MS, type Lost } from "../../core/tenant/recovery.ts";
import type { Sidecar } from "../sidecar/sidecar.ts";
import { awaitWithin } from "../../core/base/deadline.ts";

/** How long a look at one of them may take. */
const TIMEOUT_MS = 2_000;
/** No tenant has this id: the question is whether there is an answer. */
const NOBODY = "ten_00000000000000000000000000";

/** `refused`: the database is there, and its role or its tables are not safe. */
export type DatabaseHealth = "ok" | "away" | "refused";
/** What the sidecar tells of itself. */
export interface SidecarReport {
  /** `asleep`: the next request starts it. */
  readonly sidecar: "ok" | "asleep" | "away" | "off";
  /** What shuts in the programs that it runs; `none`: it runs no program. `unknown`: it did not say. */
  readonly isolation: Isolation;
}

type Isolation = (typeof ISOLATION)[number];
export const ISOLATION = ["bubblewrap", "container", "none", "unknown"] as const;

const diskSchema = z.object({ free_bytes: z.number() });
const reportSchema = z.object({ isolation: z.object({ level: z.enum(ISOLATION) }) });

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

/** Asks the sidecar; null: there is none. */
export async function sidecarHealth(sidecar: Sidecar | null): Promise<SidecarReport> {
  const silent = (state: SidecarReport["sidecar"]): SidecarReport => ({ sidecar: state, isolation: "unknown" });
  if (sidecar === null) return silent("off");
  try {
    if (await sidecar.isAsleep()) return silent("asleep");
    const response = await sidecar.fetch("/health", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return { sidecar: "ok", isolation: isolationIn(await response.text()) };
    await response.body?.cancel();
    return silent("away");
  } catch {
    return silent("away");
  }
}

/** A sidecar of another release may say something else, or nothing. */
function isolationIn(text: string): Isolation {
  const level = reportSchema.safeParse(parseJson(text)).data?.isolation.level;
  return level ?? "unknown";
}
