/**
 * Cost rates of work that no clock measures. On Cloudflare, clocks stop while code runs
 * (https://developers.cloudflare.com/workers/runtime-apis/performance) and CPU time cannot be read, so work is counted:
 * bytes and calls, at the rates below. Locally clocks run, and the larger of the two counts.
 *
 * Each rate is workerd's CPU time divided by the requests of a scenario of the noisy-tenant drill, on a quiet core,
 * rounded down: counting must not refuse a tenant that the clock would not. Excluded are waiting, work of the sidecar
 * and the database, code that runs after a wait inside a route or a tool unless it works in turns, and the last of
 * those turns.
 */

const MB = 1_048_576;

/** Milliseconds of an admitted request. */
export const REQUEST_MS = 3;
/** Milliseconds of a tool call, and of the model phase of a step, including their task's writes. */
export const CALL_MS = 14;
export const MODEL_PHASE_MS = 12;
/** Milliseconds of a turn of long work. */
export const TURN_MS = 2;
/** Milliseconds of reading the tools of a tenant, in addition to the request. */
export const TOOLS_MS = 10;
/** Milliseconds of receiving a mail, and of processing an inbox item. */
export const MAIL_MS = 6;
export const ITEM_MS = 5;
/** Milliseconds of creating a task. */
export const TASK_MS = 6;

/** How a body is read. `compiled`: as schemas, patterns or packages that are compiled or unpacked. */
export type BodyKind = "file" | "json" | "yaml" | "compiled";

/** Milliseconds for each megabyte. */
const BODY_MS: Readonly<Record<BodyKind, number>> = { file: 14, json: 150, yaml: 300, compiled: 600 };

/** Cost of reading a body, in milliseconds. */
export function rateBody(kind: BodyKind, bytes: number): number {
  return (BODY_MS[kind] * bytes) / MB;
}
