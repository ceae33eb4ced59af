/**
 * How many calls one run of an object makes to runners and other objects. Cloudflare allows 32 invocations of Workers per request
 * (https://developers.cloudflare.com/workers/runtime-apis/bindings/service-bindings/) and refuses long chains of nested calls
 * ("Subrequest depth limit exceeded", about 16). A run stays at half of both: then it ends, and the alarm, which begins a
 * chain of its own, continues.
 */

/** Calls that one run makes to runners and other objects. */
export const MAX_RUN_CALLS = 16;
/**
 * Calls that may be nested, counted from the alarm or the request that begins them. Nothing counts them at run time: an object
 * that stores work for later leaves it to its alarm, so no chain grows with the work. `workerd/call-limits` measures them.
 */
export const MAX_CALL_DEPTH = 8;

export class CallBudget {
  private left = MAX_RUN_CALLS;

  /** True while `calls` more fit into the run. */
  hasRoom(calls = 1): boolean {
    return this.left >= calls;
  }

  /** Calls that still fit. */
  room(): number {
    return Math.max(0, this.left);
  }

  /** Counts calls that are about to be made. */
  count(calls = 1): void {
    this.left -= calls;
  }
}
