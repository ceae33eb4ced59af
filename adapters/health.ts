/** Whether the outside systems that Otto needs answer. */
import { z } from "zod";
import type { Database } from "../core/database.ts";
import { parseJson } from "../core/parse-json.ts";
import type { Sidecar } from "./sidecar/sidecar.ts";

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

const reportSchema = z.object({ isolation: z.object({ level: z.enum(ISOLATION) }) });

/** Asks the database one small question. */
export async function databaseHealth(database: Database): Promise<DatabaseHealth> {
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), TIMEOUT_MS));
  const found = await Promise.race([database.tenants.get(NOBODY), late]);
  if (found === null) return "away";
  if (found.ok || found.error.code === "not_found") return "ok";
  return found.error.code === "upstream_failed" ? "away" : "refused";
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
