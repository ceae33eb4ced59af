/** The time limits and the end of one call: it took too long, nothing arrives, or its caller aborted it. */
import type { ModelFailure } from "../../core/ports/model.ts";
import { ModelCallFailed, createModelFailure } from "./model-failure.ts";

/** Limits of one call, in milliseconds. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
}

/**
 * Watches one call: aborts it with the failure as the reason, when it takes too long or its caller aborts. Both limits
 * share one timer, and an arrival only stores the time: a reply has many pieces, and a timer or listener for each would
 * cost more than the piece.
 */
export class CallWatch {
  readonly #controller = new AbortController();
  readonly #limits: CallLimits;
  readonly #caller: AbortSignal;
  readonly #startedAt = Date.now();
  #lastByteAt = this.#startedAt;
  #timer: ReturnType<typeof setTimeout>;
  #waiting: ((reason: unknown) => void) | null = null;
  #complete = false;

  constructor(limits: CallLimits, caller: AbortSignal) {
    this.#limits = limits;
    this.#caller = caller;
    this.#timer = setTimeout(this.#check, Math.min(limits.timeoutMs, limits.idleTimeoutMs));
    if (caller.aborted) this.#giveUp();
    else caller.addEventListener("abort", this.#giveUp);
  }

  /** Aborted with a `ModelCallFailed` as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Records that something arrived. */
  touch(): void {
    this.#lastByteAt = Date.now();
  }

  /** Records that the reply was read to its end, so no connection is left to close. */
  complete(): void {
    this.#complete = true;
  }

  /** Closes the connection unless the reply was read to its end, and stops the timer. */
  end(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener("abort", this.#giveUp);
    if (!this.#complete) this.#abort(createModelFailure("cut_off", true, "The call has ended."));
  }

  /** Returns the result of `pending`, or rejects with the abort's reason, whichever is first. One at a time. */
  async race<T>(pending: PromiseLike<T>): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      this.#waiting = reject;
      pending.then(resolve, reject);
      if (this.signal.aborted) reject(this.signal.reason as Error);
    });
  }

  readonly #giveUp = (): void => this.#abort(createModelFailure("cut_off", true, "The call was cancelled."));

  readonly #check = (): void => {
    const now = Date.now();
    const { timeoutMs, idleTimeoutMs } = this.#limits;
    const totalLeftMs = this.#startedAt + timeoutMs - now;
    const idleLeftMs = this.#lastByteAt + idleTimeoutMs - now;
    if (totalLeftMs <= 0) {
      this.#abort(createModelFailure("timeout", true, `The model did not finish within ${formatSeconds(timeoutMs)}.`));
    } else if (idleLeftMs <= 0) {
      this.#abort(
        createModelFailure("timeout", true, `The model server sent nothing for ${formatSeconds(idleTimeoutMs)}.`),
      );
    } else {
      this.#timer = setTimeout(this.#check, Math.min(totalLeftMs, idleLeftMs));
    }
  };

  #abort(failure: ModelFailure): void {
    if (this.signal.aborted) return;
    const reason = new ModelCallFailed(failure);
    this.#controller.abort(reason);
    this.#waiting?.(reason);
  }
}

function formatSeconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
