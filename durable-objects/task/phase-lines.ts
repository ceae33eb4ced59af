/** Reads the lines of a runner call, and turns them into commands. */
import type { ModelFailure } from "../../core/ports/model.ts";
import { OTHER_RELEASE, REFUSED_JOB_RETRY_MS } from "../../core/steps/job-version.ts";
import type { ActLine, ThinkLine } from "../../core/steps/rpc.ts";
import type { Command } from "../../core/task/commands.ts";
import type { CallToMake, LedgerRow, RunnableCall } from "../../core/task/decision.ts";
import type { BatchCall } from "../../core/task/state.ts";

/** True for the line that ends the model phase. */
export function isFinal({ type }: ThinkLine): boolean {
  return type === "replied" || type === "failed" || type === "unaffordable" || type === "unsupported";
}

export function isUnsupported({ type }: { readonly type: string }): boolean {
  return type === "unsupported";
}

export function getStarts(line: ActLine): readonly string[] {
  return line.type === "unsupported" ? [] : (line.starts ?? []);
}

/** Returns the account of a call of a tool with `app`, and its approvals. */
export function toAccountOfCall({
  account,
  accountRounds,
}: BatchCall): Pick<RunnableCall, "account" | "askFirst" | "isApprovedByOwner"> {
  const { askFirst, isApprovedByOwner } = accountRounds ?? {};
  return {
    ...(account === undefined ? {} : { account }),
    ...(askFirst === undefined ? {} : { askFirst }),
    ...(isApprovedByOwner === undefined ? {} : { isApprovedByOwner }),
  };
}

/** The runner is of another release and started none of these calls. */
export function createRefusal(step: number, incarnation: string, calls: readonly CallToMake[]): Command {
  return { type: "runner_call_refused", step, incarnation, callIds: calls.map(({ callId }) => callId) };
}

/** Returns the commands of a line about one call; empty when the line only starts others. */
export function toCommands(
  line: ActLine,
  phase: { readonly step: number; readonly incarnation: string },
  rows: ReadonlyMap<string, LedgerRow>,
): Command[] {
  switch (line.type) {
    case "settled":
      return [{ type: "call_settled", ...phase, callId: line.callId, outcome: line.outcome }];
    case "bound": {
      const { callId, files } = line;
      return [{ type: "call_bound", ...phase, callId, files, arguments: rows.get(callId)?.arguments ?? null }];
    }
    case "uploaded":
      return [{ type: "call_uploaded", ...phase, callId: line.callId, uploads: line.uploads }];
    case "accounted": {
      const { callId, ruling } = line;
      return [{ type: "call_accounted", ...phase, callId, ruling, arguments: rows.get(callId)?.arguments ?? null }];
    }
    case "starting":
    case "unsupported":
      return [];
  }
}

/** No model was called. */
export const REFUSED: ModelFailure = {
  kind: "unavailable",
  retryable: true,
  retryAfterMs: REFUSED_JOB_RETRY_MS,
  message: OTHER_RELEASE,
};

export const INTERRUPTED: ModelFailure = {
  kind: "cut_off",
  retryable: true,
  retryAfterMs: null,
  message: "The step was interrupted before the model replied.",
};
