import { describe, expect, it } from "vitest";
import { ok } from "../../../core/base/errors.ts";
import type { ToolSearchPort } from "../../../core/ports/tool-search.ts";
import type { ToolSpec } from "../../../core/ports/model.ts";
import callTool from "../../../tools/bus/call-tool.ts";
import { compactSchema } from "../../../tools/bus/compact-schema.ts";
import findTools from "../../../tools/bus/find-tools.ts";
import { runTool } from "../run-tool.ts";

const MOST_CHARACTERS = 13_000;

interface Result {
  readonly tools: readonly { name: string; summary: string; parameters: Record<string, unknown> | null }[];
}

/** A search that finds so many tools like this one, however many are asked for. */
function finding(spec: Partial<ToolSpec>, count: number): ToolSearchPort {
  const tools = Array.from({ length: count }, (_, number) => ({
    name: `t${number}`,
    description: "",
    parameters: {},
    ...spec,
  }));
  return { find: async (_, limit) => ok(tools.slice(0, limit)) };
}

describe("find_tools", () => {
  it("shows the tools that fit, as call_tool takes them", async () => {
    const ran = await runTool(findTools, { query: "what is the time", limit: 2 });
    const { tools } = ran.result as Result;
    expect(tools[0]).toMatchObject({
      name: "get_current_datetime",
      parameters: { type: "object", properties: { timezone: {} } },
    });
    expect(tools.length).toBeLessThanOrEqual(2);
    expect(JSON.parse(ran.output?.split("\n")[0] ?? "")).toEqual(tools[0]);
  });

  it("says so when no tool matches", async () => {
    const ran = await runTool(findTools, { query: "zebra" });
    expect([ran.result, ran.output]).toEqual([
      { tools: [] },
      "No tool of yours fits. Say it in other words, or do without.",
    ]);
  });

  it("returns a short answer: tools beyond the limit are listed without their parameters", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, number) => [`field_${number}`, { type: "string", description: "d".repeat(500) }]),
    );
    const spec = { description: "s".repeat(5_000), parameters: { type: "object", properties, required: ["field_1"] } };
    const toolSearch = finding(spec, 25);
    const ran = await runTool(findTools, { query: "x", limit: 25 }, { toolSearch });
    const { tools } = ran.result as Result;
    expect(ran.output?.length).toBeLessThan(MOST_CHARACTERS);
    expect(tools.length).toBe(25);
    expect(tools[0]?.parameters).toMatchObject({ required: ["field_1"], properties: { field_1: { type: "string" } } });
    const unwieldy = finding({ description: "s".repeat(299), parameters: { x: "y".repeat(1_150) } }, 25);
    const shortened = await runTool(findTools, { query: "x", limit: 25 }, { toolSearch: unwieldy });
    expect(shortened.output?.length).toBeLessThan(MOST_CHARACTERS);
    expect((shortened.result as Result).tools.map(({ parameters }) => parameters === null)).toContain(true);
    expect(shortened.output).toContain("Find a tool by its name");
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

describe("a schema in few characters", () => {
  it("is the schema itself while it is short", () => {
    const schema = { $schema: "x", type: "object", properties: { a: { type: "string", examples: ["b"] } } };
    expect(compactSchema(schema)).toEqual({ type: "object", properties: { a: { type: "string", examples: ["b"] } } });
  });

  it("retains types, choices and the required fields of a longer one, and follows its references", () => {
    const long = { description: "d".repeat(2_000) };
    const schema = {
      type: "object",
      $defs: { unit: { enum: ["c", "f"], ...long } },
      properties: { unit: { $ref: "#/$defs/unit" }, days: { type: "integer", maximum: 7, examples: [long] } },
      required: ["unit"],
    };
    expect(compactSchema(schema)).toEqual({
      type: "object",
      properties: {
        unit: { enum: ["c", "f"], description: `${"d".repeat(99)}…` },
        days: { type: "integer", maximum: 7 },
      },
      required: ["unit"],
    });
  });

  it("is short also for one that holds itself, or is of a wrong form", () => {
    const node: Record<string, unknown> = { type: "object", description: "d".repeat(2_000) };
    node["properties"] = { left: { $ref: "#" }, right: { $ref: "#" }, odd: null, lost: { $ref: "#/nowhere" } };
    expect(JSON.stringify(compactSchema(node)).length).toBeLessThan(3_000);
    expect(compactSchema({ properties: "none", required: "all", x: "y".repeat(2_000) })).toMatchObject({
      required: "all",
    });
  });
});

describe("call_tool", () => {
  it("does nothing without a gateway that unpacks it", async () => {
    const outcome = await callTool.run({ name: "wait", arguments: {} } as never, {} as never);
    expect(outcome).toMatchObject({ kind: "failure", failure: { code: "not_available" } });
  });
});
