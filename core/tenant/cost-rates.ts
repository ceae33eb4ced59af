/**
 * Cost rates of work that no clock measures. On Cloudflare, clocks stand still while code runs
 * (https://developers.cloudflare.com/workers/runtime-apis/performance) and CPU time cannot be read, so work is counted:
 * bytes and calls, at the rates below. Locally clocks run, and the larger of the two counts.
 *
 * Each rate is workerd's CPU time divided by the requests of a scenario of the drill of noisy tenants, on a quiet core,
 * rounded down: counting must not refuse a tenant that the clock would not. Left out are waiting, work of the sidecar and
 * the database, and code that runs after a wait inside a route or a tool, unless it works in turns.
 */

const MB = 1_048_576;

/** Milliseconds of any request that was admitted. */
export const REQUEST_MS = 2;
/** Milliseconds of any tool call, and of the model phase of any step, including their task's writes. */
export const CALL_MS = 6;
export const MODEL_PHASE_MS = 6;
/** Milliseconds of making a task. */
export const TASK_MS = 6;

/** How the bytes of a body are read. `compiled`: as schemas, patterns or packages that are compiled from them. */
export type BodyKind = "file" | "json" | "yaml" | "compiled";

/** Milliseconds for each megabyte. */
const BODY_MS: Readonly<Record<BodyKind, number>> = { file: 12, json: 15, yaml: 800, compiled: 300 };

/** Cost of reading a body, in milliseconds. */
export function costOfBody(kind: BodyKind, bytes: number): number {
  return (BODY_MS[kind] * bytes) / MB;
}

/** Cost of work, in milliseconds: the larger of the counted and the measured time. */
export function costOf(countedMs: number, measuredMs: number): number {
  return Math.max(countedMs, measuredMs);
}
