/**
 * The data of `tool-data` events. The log has only an event's place: its data is made of the result in the ledger when
 * the event is read, so nothing is stored twice and what retention removes is gone from both. A result that is not in
 * its row has its data in the event.
 */
import { getTextField } from "../base/json-fields.ts";
import { forPage } from "../results/for-page.ts";
import type { ToolResult } from "../tool/tool.ts";
import type { LedgerChange } from "./decision.ts";
import type { NewEvent } from "./events.ts";

/** Finds the result of a `tool-data` event among the ledger changes of its decision; null for an event with its data. */
export function findEventResult({ type, data }: NewEvent, ledger: readonly LedgerChange[]): ToolResult | null {
  if (type !== "tool-data" || data["detected_type"] !== undefined) return null;
  const callId = getTextField(data, "call_id");
  const settled = ledger.find((change) => change.kind === "settle" && change.callId === callId);
  return settled?.kind === "settle" ? settled.result : { ok: true, result: null };
}

/** Adds the data of a result to its event, at most 32 KB. `ledger` is the call whose ledger row has what was cut. */
export function fillToolData(data: NewEvent["data"], result: ToolResult | null): NewEvent["data"] {
  const page =
    result === null ? {} : forPage(getTextField(data, "tool") ?? "", "result" in result ? result.result : null);
  const { cut, ...filled } = { ...data, ...page } as Readonly<Record<string, unknown>>;
  return cut === true ? { ...filled, ledger: data["call_id"] } : filled;
}
