/** What the sidecar says about itself. */
import type { Sidecar } from "./sidecar.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { z } from "zod";

/** Time limit of the question. */
const TIMEOUT_MS = 2_000;

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

/** Asks the sidecar for its health; null without a sidecar. */
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
