/** Reads the ledger of a task: each call with the changes in `steps` applied. */
import { parseCallId } from "../../core/base/ids.ts";
import type { LedgerChange, LedgerRow } from "../../core/task/decision.ts";
import type { LedgerPage } from "../../core/task/rpc.ts";
import type { ToolResult } from "../../core/tool/tool.ts";
import type { StepRow, StepRows } from "./step-rows.ts";
import { takePage } from "./tables.ts";

/** A call with what only the conversation needs. `isUpload`: it read only uploads. */
export interface StoredCall extends LedgerRow {
  readonly isUpload?: true;
}

/** The result of a call whose result retention deleted. */
const REMOVED_RESULT = { gone: true };

export class TaskLedger {
  private readonly rows: StepRows;
  private readonly areResultsTrimmed: () => boolean;

  /** `areResultsTrimmed`: retention deleted the results that are in the bucket. */
  constructor(rows: StepRows, areResultsTrimmed: () => boolean) {
    this.rows = rows;
    this.areResultsTrimmed = areResultsTrimmed;
  }

  /** Returns calls after `after`, in order. Without results, neither results nor arguments are returned. */
  readPage({ after, limit, withResults }: { after: string | null; limit: number; withResults: boolean }): LedgerPage {
    const shorten = !withResults
      ? removeLargeFields
      : this.areResultsTrimmed()
        ? trimResult
        : (call: StoredCall) => call;
    const { page, more } = takePage(this.readAfter(after, shorten), limit, ({ arguments: given, result }) => {
      return JSON.stringify(given).length + JSON.stringify(result).length;
    });
    return { rows: page, next: more ? (page.at(-1)?.callId ?? null) : null };
  }

  /** Reads these calls, in the order of their ids. */
  readCalls(ids: readonly string[]): StoredCall[] {
    const steps = new Set(ids.map((id) => toPosition(id)[0]));
    const calls = new Map([...steps].flatMap((step) => [...this.readStep(step)]));
    const areTrimmed = ids.length > 0 && this.areResultsTrimmed();
    return ids.flatMap((id) => {
      const call = calls.get(id);
      if (call === undefined) return [];
      return [areTrimmed ? trimResult(call) : call];
    });
  }

  /** Reads all calls, in order. */
  *readAll(): Generator<StoredCall, void, void> {
    yield* this.readFrom(0);
  }

  private *readAfter(after: string | null, shorten: (call: StoredCall) => StoredCall): Generator<StoredCall> {
    const [step, position] = after === null ? [0, -1] : toPosition(after);
    for (const call of this.readFrom(step)) {
      if (call.step > step || (call.step === step && call.index > position)) yield shorten(call);
    }
  }

  /** Reads the calls of the steps from this one on, in order. */
  private *readFrom(step: number): Generator<StoredCall, void, void> {
    const calls = new Map<string, StoredCall>();
    for (const row of this.rows.readFrom(this.rows.findStep(step))) {
      // A row is about the step under way, and may be about the next one.
      for (const call of calls.values()) {
        if (call.step >= row.step - 1) break;
        calls.delete(call.callId);
        yield call;
      }
      applyChanges(calls, row);
    }
    yield* calls.values();
  }

  private readStep(step: number): Map<string, StoredCall> {
    const calls = new Map<string, StoredCall>();
    for (const row of this.rows.readFrom(this.rows.findStep(step))) {
      if (row.step > step) break;
      applyChanges(calls, row);
    }
    return calls;
  }
}

/** Applies the changes of a row. Those to calls that were inserted before the first row that was read are left out. */
export function applyChanges(calls: Map<string, StoredCall>, { body }: Pick<StepRow, "body">): void {
  for (const change of body.ledger ?? []) {
    if (change.kind === "insert") {
      calls.set(change.row.callId, change.row);
      continue;
    }
    const call = calls.get(change.callId);
    if (call !== undefined) calls.set(change.callId, applyChange(call, change));
  }
}

function applyChange(call: StoredCall, change: Exclude<LedgerChange, { kind: "insert" }>): StoredCall {
  switch (change.kind) {
    case "attempt":
      return { ...call, attempts: change.attempts };
    case "revise": {
      const { arguments: given, argumentsHash, effect } = change;
      return { ...call, arguments: given, argumentsHash, effect };
    }
    case "account":
      return { ...call, account: change.account, argumentsHash: change.argumentsHash };
    case "mark":
      return { ...call, state: change.state };
    case "content":
      return { ...call, content: change.content };
    case "settle": {
      const { kind: _, ...settled } = change;
      return { ...call, ...settled };
    }
  }
}

/** Returns the step and the position of a call. */
function toPosition(callId: string): [step: number, position: number] {
  const { step, index } = parseCallId(callId) ?? { step: -1, index: -1 };
  return [step, index];
}

function removeLargeFields(call: StoredCall): StoredCall {
  return { ...call, arguments: null, result: null, content: null };
}

/** Replaces a result that retention deleted from the bucket. */
function trimResult(call: StoredCall): StoredCall {
  return isInBucket(call.result) ? { ...call, result: removeResult(call.result) } : call;
}

/** Removes what a call said and read: its record stays. A result in the bucket stays until it is deleted there. */
export function removeTexts(call: StoredCall): StoredCall {
  const { result } = call;
  return { ...call, arguments: null, content: null, result: isInBucket(result) ? result : removeResult(result) };
}

function removeResult(result: ToolResult | null): ToolResult | null {
  if (result === null) return null;
  if (result.ok) return { ok: true, result: REMOVED_RESULT };
  // An error's text may quote arguments.
  const { code, retry } = result.error;
  return { ok: false, error: { code, message: "The text of this error was removed by retention.", retry } };
}

function isInBucket(result: ToolResult | null): boolean {
  const value: unknown = result !== null && "result" in result ? result.result : null;
  return typeof value === "object" && value !== null && "stored" in value && "characters" in value;
}
