import { expect, test } from "vitest";
import { runTool } from "../../../core/steps/run-tool.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import type { Tool, ToolContext } from "../../../core/tool/tool.ts";
import { freeWork } from "../../fakes/work-meter.ts";
import { outside, toolOf } from "./play-gateway.ts";

/** Runs a tool whose work is ended between two turns by what `thrown` says. */
async function runUntil(thrown: (limit: AbortSignal) => Error) {
  const limit = AbortSignal.abort();
  const defects: unknown[] = [];
  const reporter = { reportDefect: (_: string, found: unknown) => void defects.push(found) };
  const run: Tool["run"] = async () => await Promise.reject(thrown(limit));
  const tool = { ...toolOf(outside(), "none"), run };
  const context = {} as ToolContext<keyof ToolPorts>;
  const outcome = await runTool(tool, {} as never, context, {
    limit,
    timeoutMs: 2_000,
    timer: globalThis,
    work: freeWork,
    reporter,
  });
  return { outcome, defects };
}

test("work in turns that its limit ends is a timeout, and no defect", async () => {
  const { outcome, defects } = await runUntil(({ reason }) => reason as Error);
  expect(outcome).toEqual({
    kind: "failure",
    failure: { code: "timeout", message: "send did not end within 2 s.", details: { timeout_ms: 2_000 } },
  });
  expect(defects).toEqual([]);
});

test("what a tool throws after its limit is a defect", async () => {
  const broken = new Error("broken");
  const { outcome, defects } = await runUntil(() => broken);
  expect(outcome).toMatchObject({ kind: "failure", failure: { code: "internal" } });
  expect(defects).toEqual([broken]);
});
