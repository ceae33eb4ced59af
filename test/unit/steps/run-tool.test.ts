import { expect, test } from "vitest";
import { probeTool, runTool } from "../../../core/steps/run-tool.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import type { Tool, ToolContext } from "../../../core/tool/tool.ts";
import { freeWork } from "../../fakes/work-meter.ts";
import { outside, toolOf } from "./play-gateway.ts";

/** Runs a tool whose work is ended between two turns by what `thrown` says. */
async function runUntil(thrown: (limit: AbortSignal) => Error) {
  const limit = AbortSignal.abort();
  return await runAs({ run: async () => await Promise.reject(thrown(limit)) }, {}, limit);
}

async function runAs(change: Partial<Tool>, given: object, limit = new AbortController().signal) {
  const defects: unknown[] = [];
  const reporter = { reportDefect: (_: string, found: unknown) => void defects.push(found) };
  const tool = { ...toolOf(outside(), "none"), ...change };
  const context = {} as ToolContext<keyof ToolPorts>;
  const rest = { timeoutMs: 2_000, timer: globalThis, work: freeWork, reporter };
  return { outcome: await runTool(tool, given as never, context, { limit, ...rest }), defects };
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

test("a person is asked to connect the app that the call names, and no other", async () => {
  const control = { kind: "connect", app: "crm", reason: "missing", person: "per_ana" } as const;
  const run: Tool["run"] = async () => ({ kind: "control", control });
  const connects = ({ app }: { readonly app: string }) => app;
  expect(await runAs({ run, connects }, { app: "crm" })).toEqual({
    outcome: { kind: "control", control },
    defects: [],
  });
  const others = await runAs({ run, connects }, { app: "mail" });
  expect(others).toMatchObject({ outcome: { kind: "failure", failure: { code: "internal" } }, defects: [{}] });
  expect((await runAs({ run }, { app: "crm" })).outcome.kind).toBe("failure");
});

test("a look-up that ends just after its limit says what it found", async () => {
  const limit = AbortSignal.timeout(20);
  const found = { kind: "happened", result: "sent" } as const;
  const probe = async () => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    return found;
  };
  const tool = { ...toolOf(outside(), "probe"), probe } as Tool;
  const context = {} as ToolContext<keyof ToolPorts>;
  expect(await probeTool(tool, {} as never, context, { limit, timer: globalThis })).toEqual(found);
});
