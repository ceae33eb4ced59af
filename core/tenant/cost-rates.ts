/**
 * What work costs where no clock shows it. On Cloudflare, clocks stand still while code runs
 * (https://developers.cloudflare.com/workers/runtime-apis/performance) and CPU time cannot be read, so work is counted: bytes
 * and calls, at the rates below. Locally clocks run, and the larger of the two counts.
 *
 * The rates are estimates of a quiet core, rounded down: counting must not refuse a tenant that the clock would not. Left out
 * are waiting, work of the sidecar and the database, and code that runs after a wait inside a route or a tool.
 */

const MB = 1_048_576;

/** Milliseconds of any request that was admitted. */
export const REQUEST_MS = 0.5;
/** Milliseconds of any tool call, and of the model phase of any step. */
export const CALL_MS = 1;
export const MODEL_PHASE_MS = 2;

/** How the bytes of a body are read. `compiled`: as schemas, patterns or packages that are compiled from them. */
export type BodyKind = "json" | "yaml" | "compiled";

/** Milliseconds for each megabyte. */
const BODY_MS: Readonly<Record<BodyKind, number>> = { json: 15, yaml: 800, compiled: 300 };

/** Milliseconds that a body of so many bytes costs. */
export function costOfBody(kind: BodyKind, bytes: number): number {
  return (BODY_MS[kind] * bytes) / MB;
}

/** Milliseconds that work cost: what was counted, or what the clock showed where that is more. */
export function costOf(countedMs: number, measuredMs: number): number {
  return Math.max(countedMs, measuredMs);
}
