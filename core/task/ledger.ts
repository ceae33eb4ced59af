/** Creates rows of the ledger, and the outcomes with which the task itself settles a call. */
import type { ErrorCode } from "../base/errors.ts";
import type { Label } from "../provenance/label.ts";
import type { CallOutcome, PreparedCall } from "./commands.ts";
import type { LedgerChange, LedgerRow } from "./decision.ts";
import type { LedgerState } from "./state.ts";

/** Creates the row of a call before anything is sent. Its key is its id: unique, and the same on every attempt. */
export function createLedgerRow(
  call: PreparedCall,
  step: number,
  index: number,
  attempts: number,
  now: number,
): LedgerRow {
  return {
    callId: call.id,
    step,
    index,
    tool: call.tool,
    arguments: call.arguments,
    argumentsHash: call.argumentsHash,
    effect: call.effect,
    key: call.id,
    state: "intended",
    attempts,
    intendedAt: now,
    settledAt: null,
    result: null,
    content: null,
    durationMs: null,
    ...(call.account === undefined ? {} : { account: call.account }),
  };
}

export function createSettlement(
  callId: string,
  outcome: CallOutcome & { readonly label: Label },
  now: number,
): LedgerChange {
  const { state, result, content, durationMs, label, isUpload } = outcome;
  const settled = { state, result, content, settledAt: now, durationMs, label };
  return { kind: "settle", callId, ...settled, ...(isUpload === true ? { isUpload } : {}) };
}

/** The outcome of a call that may or may not have happened. */
export function unknownOutcome(tool: string): CallOutcome {
  const message = `The call to ${tool} was cut off and may or may not have happened. It was not repeated. Check before you try again.`;
  return failedOutcome("unknown", "outcome_unknown", message);
}

/** The outcome of a call that did not happen because its task ended first. */
export function closedOutcome(reason: string): CallOutcome {
  return failedOutcome("failed", "conflict", reason);
}

/** The outcome of a call that the task itself settles with an error. */
export function failedOutcome(
  state: Exclude<LedgerState, "intended" | "confirmed">,
  code: ErrorCode,
  message: string,
): CallOutcome {
  const error = { code, message, retry: "never" as const };
  return { state, result: { ok: false, error }, content: `Error (${code}): ${message}`, control: null, durationMs: 0 };
}

/** The outcome of a call that the task itself settles as successful, such as an answered question. */
export function confirmedOutcome(result: unknown, content: string, durationMs: number): CallOutcome {
  return { state: "confirmed", result: { ok: true, result }, content, control: null, durationMs };
}
