import { describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import { httpCaller } from "../../../core/steps/http-caller.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import { openToolBus, type ToolBusActs } from "../../../core/steps/tool-bus.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import { decidePolicy } from "../../../core/gateway/policy.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { outsideToolOf } from "../../contracts/tool/tool-sources-suite.ts";
import { factsOf } from "../task/world.ts";

const OWN = createOutsideTools(
  [outsideToolOf("weather.now"), outsideToolOf("weather.later", { toolbox: "forecast" })].map((tool) => ({
    source: "custom",
    tool,
  })),
  catalogue,
  { callers: { http: httpCaller }, patterns: linearPatterns },
);

/** A bus whose acts are written down. */
async function play(tools: readonly Tool[] = [...catalogue, ...OWN]) {
  const done: unknown[] = [];
  const acts: ToolBusActs = {
    async call(tool, given) {
      done.push(["call", tool.name, given]);
      return { ok: true, result: "done" };
    },
    async reload(tool): Promise<Result<void>> {
      done.push(["reload", tool.name]);
      return ok(undefined);
    },
    async register(tool): Promise<Result<void>> {
      done.push(["register", tool.name]);
      return ok(undefined);
    },
  };
  return { done, bus: await openToolBus({ tools, patterns: linearPatterns, acts }) };
}

const names = (list: readonly { readonly tool: Tool }[]) => list.map(({ tool }) => tool.name);
const definition = (name: string) => ({
  name,
  summary: "Read it.",
  input: { type: "object" },
  request: { url: "https://x.example/" },
});

describe("the bus", () => {
  test("lists by toolbox, category and words", async () => {
    const { bus } = await play();
    expect(names(bus.list())).toEqual([...catalogue, ...OWN].map(({ name }) => name));
    expect(names(bus.list({ toolbox: "forecast" }))).toEqual(["weather.later"]);
    expect(names(bus.list({ category: "api", query: "weather NOW" }))).toEqual(["weather.now"]);
    expect(bus.functions({ toolbox: "forecast" })).toMatchObject([
      { type: "function", function: { name: "weather_later" } },
    ]);
  });

  test("gets a tool by each of its names, and nothing by an unknown name", async () => {
    const named: Tool = { ...(OWN[0] as Tool), alsoNamed: ["forecast", "read_file"] };
    const { bus } = await play([...catalogue, named]);
    for (const name of ["weather.now", "weather_now", "forecast"])
      expect(bus.get(name)).toMatchObject({ value: { tool: named } });
    expect(bus.get("read_file")).not.toMatchObject({ value: { tool: named } });
    expect(bus.get("weather")).toMatchObject({
      ok: false,
      error: { code: "not_found", message: "There is no tool named weather." },
    });
  });

  test("makes only calls with valid arguments", async () => {
    const { bus, done } = await play();
    expect(await bus.call("weather_now", { city: "Oslo" })).toEqual({ ok: true, value: { ok: true, result: "done" } });
    expect(await bus.call("weather_now", { town: 7 })).toMatchObject({
      error: { code: "invalid_input", fields: [{ field: "arguments.city" }] },
    });
    expect(await bus.call("read_file", { path: 7 })).toMatchObject({
      error: { fields: [{ field: "arguments.path" }] },
    });
    expect(await bus.call("none", {})).toMatchObject({ error: { code: "not_found" } });
    expect(done).toEqual([["call", "weather.now", { city: "Oslo" }]]);
  });

  test.each(["constructor", "toString", "__proto__"])(
    "knows no argument %s that a tool does not have",
    async (name) => {
      const { bus } = await play();
      const given = JSON.parse(`{"filename": "a.md", ${JSON.stringify(name)}: 1}`) as Record<string, unknown>;
      expect(await bus.call("read_file", given)).toMatchObject({
        error: {
          code: "invalid_input",
          message: expect.stringMatching(`^${name}: there is no argument of this name; `),
        },
      });
    },
  );

  test("reloads what a tenant brought; what is built in is as it is", async () => {
    const { bus, done } = await play();
    expect([await bus.reload("weather_now"), await bus.reload("read_file")]).toEqual([ok(undefined), ok(undefined)]);
    expect(await bus.reload("none")).toMatchObject({ error: { code: "not_found" } });
    expect(done).toEqual([["reload", "weather.now"]]);
  });

  test("registers a tool once, and nothing that is no tool", async () => {
    const { bus, done } = await play();
    expect(await bus.register(definition("mine"))).toMatchObject({ ok: true, value: { name: "mine", effect: "none" } });
    for (const name of ["weather.now", "weather_now", "read_file", "read.file"]) {
      expect(await bus.register(definition(name))).toMatchObject({
        error: { code: "conflict", field: "name", message: expect.stringContaining(`${name} is registered twice`) },
      });
    }
    for (const [given, message] of [
      [null, /^This is not a valid tool: body: /],
      ["a module", /^This is not a valid tool: body: /],
      [{ ...definition("half"), request: undefined }, /^half is not a valid tool: request: /],
      [{ ...definition("half"), input: { type: "object", properties: [] } }, /^half is not a valid tool: input: /],
    ] as const)
      expect(await bus.register(given)).toMatchObject({
        error: { code: "invalid_input", message: expect.stringMatching(message) },
      });
    expect(done).toEqual([["register", "mine"]]);
  });
});

describe("another name of a tool", () => {
  const named: Tool = { ...(OWN[0] as Tool), alsoNamed: ["forecast.now"] };

  test("is one that calls and patterns may use, inside the same envelope", async () => {
    const config = (tools: string[]) => {
      const facts = factsOf();
      return { ...facts, agent: { ...facts.agent, config: { ...facts.agent.config, tools } } };
    };
    for (const pattern of ["forecast.now", "forecast_*", "weather.now"]) {
      const toolset = await buildToolset([named], config([pattern]));
      expect([toolset.names, toolset.resolve("forecast.now")]).toEqual([["weather.now"], named]);
      expect(toolset.specs.map(({ name }) => name)).toEqual(["weather_now"]);
    }
    expect((await buildToolset([named], config(["other*"]))).names).toEqual([]);
  });

  test("opens a tool that is off until it is named, as the tool's own name does and no wildcard", async () => {
    const off: Tool = { ...named, onlyByName: true };
    const names = async (tools: string[], narrowed: string[][] = []) => {
      const facts = factsOf({ tools: narrowed });
      return (
        await buildToolset([off], { ...facts, agent: { ...facts.agent, config: { ...facts.agent.config, tools } } })
      ).names;
    };
    for (const pattern of ["*", "weather*", "weather.no?", "forecast[.]now"])
      expect(await names([pattern])).toEqual([]);
    for (const pattern of ["weather.now", "weather_now", "forecast.now", "forecast_now"])
      expect(await names(["*", pattern])).toEqual(["weather.now"]);
    expect(await names(["weather.now"], [["*"]])).toEqual(["weather.now"]);
    expect(await names(["*"], [["weather.now"]])).toEqual([]);
    expect(await names(["weather.now"], [["forecast.*"], ["other"]])).toEqual([]);
  });

  test("is one that a rule of the policy means", () => {
    const rules = [{ tool: "forecast*", decision: "deny" as const }];
    expect(decidePolicy(named, "safe", { rules }).decision).toBe("deny");
  });
});
