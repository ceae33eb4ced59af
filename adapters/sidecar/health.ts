/** Checks the health of the sidecar. */
import type { Sidecar } from "./sidecar.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { z } from "zod";

const TIMEOUT_MS = 2_000;

/** The state of the sidecar. */
export interface SidecarReport {
  /** The next request starts a sidecar that is `asleep`. */
  readonly sidecar: "ok" | "asleep" | "away" | "off";
  /** The isolation of its programs. `none` if it runs no programs, `unknown` if it did not report it. */
  readonly isolation: Isolation;
}

type Isolation = (typeof ISOLATION)[number];

export const ISOLATION = ["bubblewrap", "container", "none", "unknown"] as const;

const reportSchema = z.object({ isolation: z.object({ level: z.enum(ISOLATION) }) });

/** Requests the sidecar's health. `sidecar` is null where none is configured. */
export async function readSidecarHealth(sidecar: Sidecar | null): Promise<SidecarReport> {
  const makeReport = (state: SidecarReport["sidecar"]): SidecarReport => ({ sidecar: state, isolation: "unknown" });
  if (sidecar === null) return makeReport("off");
  try {
    if (await sidecar.isAsleep()) return makeReport("asleep");
    const response = await sidecar.fetch("/health", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return { sidecar: "ok", isolation: parseIsolation(await response.text()) };
    await response.body?.cancel();
    return makeReport("away");
  } catch {
    return makeReport("away");
  }
}

/** A sidecar of another release may report an unknown level, or no level. */
function parseIsolation(text: string): Isolation {
  const level = reportSchema.safeParse(parseJson(text)).data?.isolation.level;
  return level ?? "unknown";
}
