import { describe, expect, it } from "vitest";
import { ok } from "../../../core/base/errors.ts";
import type { ToolSearchPort } from "../../../core/ports/tool-search.ts";
import type { ToolSpec } from "../../../core/ports/model.ts";
import callTool from "../../../tools/bus/call-tool.ts";
import findTools from "../../../tools/bus/find-tools.ts";
import { formatSignature } from "../../../tools/bus/signature.ts";
import { runTool } from "../run-tool.ts";

const MOST_CHARACTERS = 300;

interface Result {
  readonly tools: readonly { name: string; summary: string; signature: string; parameters?: Record<string, unknown> }[];
}

/** A search that finds so many tools like this one, however many are asked for. */
function finding(spec: Partial<ToolSpec>, count: number): ToolSearchPort {
  const tools = Array.from({ length: count }, (_, number) => ({
    name: `t${number}`,
    description: "",
    parameters: {},
    ...spec,
  }));
  return { find: async (_, limit) => ok({ tools: tools.slice(0, limit), unconnected: [] }) };
}

describe("find_tools", () => {
  it("shows the tools that fit, as signatures", async () => {
    const ran = await runTool(findTools, { query: "what is the time", limit: 2 });
    const { tools } = ran.result as Result;
    expect(tools[0]).toEqual({
      name: "get_current_datetime",
      summary: "Tell the current time, and the date, in a time zone.",
      signature: "get_current_datetime(timezone?)",
    });
    expect(tools.length).toBeLessThanOrEqual(2);
    expect(ran.output?.split("\n")[0]).toBe(`${tools[0]?.signature} ${tools[0]?.summary}`);
  });

  it("shows the parameters of a tool that the query names", async () => {
    const { tools } = (await runTool(findTools, { query: "create-xlsx" })).result as Result;
    const named = tools.find(({ name }) => name === "create_xlsx");
    expect(named?.parameters).toMatchObject({ type: "object", required: ["path"], properties: { sheets: {} } });
    expect(tools.filter(({ parameters }) => parameters !== undefined)).toEqual([named]);
  });

  it("says so when no tool matches", async () => {
    const ran = await runTool(findTools, { query: "zebra" });
    expect([ran.result, ran.output]).toEqual([{ tools: [] }, "Nothing matches. Say it in other words, or do without."]);
  });

  it("keeps its answer short: optional parameters that do not fit are left out", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, number) => [`field_${number}`, { type: "integer" }]),
    );
    const spec = { description: "s".repeat(5_000), parameters: { type: "object", properties, required: ["field_7"] } };
    const ran = await runTool(findTools, { query: "x", limit: 25 }, { toolSearch: finding(spec, 25) });
    const { tools } = ran.result as Result;
    expect(tools).toHaveLength(25);
    expect(tools[0]?.signature).toMatch(/^t0\(field_7: integer, field_0\?: integer, .*, …\)$/);
    for (const line of ran.output?.split("\n") ?? []) expect(line.length).toBeLessThanOrEqual(MOST_CHARACTERS);
  });

  it.each([
    { query: "" },
    { query: "  " },
    { query: "x".repeat(2_001) },
    { query: "x", limit: 0 },
    { query: "x", limit: 26 },
  ])("refuses %j", async (given) => {
    expect((await runTool(findTools, given)).failure?.code).toBe("invalid_input");
  });
});

describe("a signature", () => {
  it("says types, choices and the fields of objects, the required ones first", () => {
    const parameters = {
      properties: {
        unit: { enum: ["c", "f"] },
        city: { type: "string" },
        days: { type: "array", items: { type: "integer" } },
        at: { type: "object", properties: { lat: { type: "number" }, name: { type: "string" } }, required: ["lat"] },
        body: { anyOf: [{ type: "string" }, { type: "object" }] },
      },
      required: ["city"],
    };
    expect(formatSignature("weather", parameters, 300)).toBe(
      'weather(city, unit?: "c"|"f", days?: integer[], at?: {lat: number, name?}, body?: string|object)',
    );
    expect(formatSignature("weather", parameters, 40)).toBe('weather(city, unit?: "c"|"f", days?, …)');
    expect(formatSignature("none", {}, 40)).toBe("none()");
  });
});

describe("call_tool", () => {
  it("does nothing without a gateway that unpacks it", async () => {
    const outcome = await callTool.run({ name: "wait", arguments: {} } as never, {} as never);
    expect(outcome).toMatchObject({ kind: "failure", failure: { code: "not_available" } });
  });
});
