/**
 * Limits the calls that one run of an object makes to runners and other objects. Cloudflare allows 32 invocations of
 * Workers per request (https://developers.cloudflare.com/workers/runtime-apis/bindings/service-bindings/) and refuses
 * long chains of nested calls ("Subrequest depth limit exceeded", about 16). A run uses at most half of both; then it
 * ends, and the alarm continues with a new chain.
 */

/** The most calls of one run to runners and other objects. */
export const MAX_RUN_CALLS = 16;
/**
 * The most nested calls, counted from the alarm or request that begins them. Not counted at run time: an object leaves
 * later work to its alarm, so no chain grows with the work. `workerd/call-limits` measures them.
 */
export const MAX_CALL_DEPTH = 8;

export class CallBudget {
  private left = MAX_RUN_CALLS;

  /** True while `calls` more fit into the run. */
  hasRoom(calls = 1): boolean {
    return this.left >= calls;
  }

  /** Returns the number of remaining calls. */
  getRoom(): number {
    return Math.max(0, this.left);
  }

  /** Counts calls before they are made. */
  count(calls = 1): void {
    this.left -= calls;
  }
}
