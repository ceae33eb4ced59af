/**
 * Limits the calls that one run of an object makes to runners and other objects. Cloudflare allows 32 invocations of
 * Workers per request (https://developers.cloudflare.com/workers/runtime-apis/bindings/service-bindings/) and refuses
 * long chains of nested calls ("Subrequest depth limit exceeded", about 16). A run uses at most half of both; then it
 * ends, and the alarm continues with a new chain.
 */

/** The most calls of one run to runners and other objects. */
export const MAX_RUN_CALLS = 16;
/** The same of a run that another object's run began: a permit, one call of a runner, and two reports. */
export const MAX_NESTED_RUN_CALLS = 4;

/** The most nested calls, counted from the alarm or request that begins them. */
export const MAX_CALL_DEPTH = 8;
/**
 * The depth of a call of a task by the Worker that handles a request, and of the run that an alarm begins: so the runs
 * nested in either have the same limits.
 */
export const REQUEST_DEPTH = 2;
/**
 * The depth of a call that begins no run, so that the alarm does what it makes due: the caller does not know its depth, or
 * its own chain has many calls, such as that of an inbox, whose alarm processes sixteen items.
 */
export const NO_RUN_DEPTH = Number.POSITIVE_INFINITY;
/**
 * The deepest call that may begin a run. Below it are at most four nested calls: reports through a tree of three levels
 * to the tenant. A deeper one leaves the run to the alarm, which begins a new chain.
 */
export const MAX_BEGIN_DEPTH = 4;

export class CallBudget {
  private left: number;

  constructor(most = MAX_RUN_CALLS) {
    this.left = most;
  }

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
