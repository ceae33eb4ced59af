import { describe, expect, test } from "vitest";
import type { LedgerChange } from "../../../core/task/decision.ts";
import { fillToolData, findEventResult } from "../../../core/task/tool-data.ts";

const CALL = "call_1_1_0";
const marker = { type: "tool-data", data: { step: 1, call_id: CALL, tool: "crm_list", label: "outside" } } as const;
const settle = (callId: string, result: unknown): LedgerChange => ({
  kind: "settle",
  callId,
  state: "confirmed",
  result: { ok: true, result },
  content: "",
  settledAt: 0,
  durationMs: 1,
  label: 4,
});

describe("the data of a tool-data event", () => {
  test("is made of the result of its own call", () => {
    const ledger = [settle("call_1_1_1", "other"), settle(CALL, { stdout: "hi", stderr: "", returncode: 0 })];
    const result = findEventResult(marker, ledger);
    expect(fillToolData(marker.data, result)).toEqual({
      ...marker.data,
      detected_type: "terminal_output",
      count: 1,
      terminal_output: [{ stdout: "hi", stderr: "", exit_code: 0 }],
    });
  });

  test("is in the event when the row has only a reference to the result", () => {
    const data = { ...marker.data, detected_type: "documents", count: 9, documents: [{ text: "a" }], cut: true };
    const result = findEventResult({ type: "tool-data", data }, [settle(CALL, { stored: "key", characters: 9 })]);
    const { cut: _, ...filled } = data;
    expect(fillToolData(data, result)).toEqual({ ...filled, ledger: CALL });
  });

  test("names its ledger row when it was cut, and has at most 32 KB", () => {
    const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, name: "\u0001".repeat(300) }));
    const filled = fillToolData(marker.data, findEventResult(marker, [settle(CALL, rows)]));
    expect(filled).toMatchObject({ ledger: CALL, count: 3_000, label: "outside" });
    expect(new TextEncoder().encode(JSON.stringify(filled)).length).toBeLessThanOrEqual(32_768);
  });

  test("is empty when the row has no result", () => {
    expect(fillToolData(marker.data, findEventResult(marker, []))).toMatchObject({ count: 0 });
    expect(findEventResult({ type: "call.completed", data: marker.data }, [settle(CALL, 1)])).toBeNull();
  });
});
