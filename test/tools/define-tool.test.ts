import { describe, expect, it } from "vitest";
import { z } from "zod";
import { catalogue } from "../../tools/catalogue.generated.ts";
import { control, defineTool, failure, type ToolDefinition } from "../../tools/define-tool.ts";
import { runTool } from "./run-tool.ts";

const input = z.object({ number: z.int() });
const output = z.object({ doubled: z.int() });

const base = {
  name: "double",
  summary: "Doubles a number.",
  toolbox: "maths",
  category: "maths",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: [],
  input,
  output,
  run: ({ number }) => ({ doubled: number * 2 }),
  show: ({ doubled }) => String(doubled),
  examples: [{ note: "two", given: { number: 2 } }],
} satisfies ToolDefinition<typeof input, typeof output, never>;

describe("defineTool", () => {
  it("makes a tool whose run gives its output as a result", async () => {
    expect(await runTool(defineTool(base), { number: 4 })).toEqual({ result: { doubled: 8 }, output: "8" });
  });

  it("passes on failures and controls", async () => {
    const failing = defineTool({ ...base, run: () => failure("not_found", "Not there.", { field: "number" }) });
    expect(await runTool(failing, { number: 1 })).toEqual({
      failure: { code: "not_found", message: "Not there.", field: "number" },
    });
    const steering = defineTool({ ...base, steers: true, run: () => control({ kind: "sleep", seconds: 3 }) });
    expect(await runTool(steering, { number: 1 })).toEqual({ control: { kind: "sleep", seconds: 3 } });
  });

  it("names the tools of files and of the shell as document 002 does", () => {
    expect(defineTool(base).alsoNamed).toBeUndefined();
    expect(defineTool({ ...base, toolbox: "shell" }).alsoNamed).toEqual(["workspace_double"]);
    expect(defineTool({ ...base, toolbox: "files", name: "fs.double" }).alsoNamed).toBeUndefined();
    expect(catalogue.find(({ name }) => name === "execute_command")?.alsoNamed).toEqual(["workspace_execute_command"]);
  });

  it("takes an output for what it is, whatever its fields are called", async () => {
    const odd = z.object({ kind: z.string(), failure: z.string() });
    const tool = defineTool({
      ...base,
      output: odd,
      run: () => ({ kind: "failure", failure: "none" }),
      show: () => "odd",
    });
    expect(await runTool(tool, { number: 1 })).toEqual({ result: { kind: "failure", failure: "none" }, output: "odd" });
  });

  it("applies the checks of an input that compare several fields", async () => {
    const both = z
      .object({ number: z.int() })
      .refine(({ number }) => number !== 13, { path: ["number"], message: "not 13" });
    const tool = defineTool({ ...base, input: both });
    expect((await runTool(tool, { number: 13 })).failure).toMatchObject({ code: "invalid_input", field: "number" });
    expect((await runTool(tool, { number: 1, more: 1 })).failure).toMatchObject({
      code: "invalid_input",
      field: "more",
    });
  });

  it("resolves aliases, and refuses one argument under two names", async () => {
    const tool = defineTool({ ...base, aliases: { n: "number" } });
    expect((await runTool(tool, { n: 5 })).result).toEqual({ doubled: 10 });
    expect((await runTool(tool, { n: 5, number: 5 })).failure).toMatchObject({ code: "invalid_input" });
  });

  it.each([
    ["a field that there is not", { secuirty: "safe" }, 'there is no field "secuirty"'],
    ["a name with capitals", { name: "Double" }, "not snake_case"],
    ["a name with a space", { name: "double it" }, "not snake_case"],
    ["a name of 65 characters", { name: "a".repeat(65) }, "longer than 64"],
    ["no summary", { summary: " " }, "no summary"],
    ["a summary of 1,025 characters", { summary: "a".repeat(1_025) }, "longer than 1024"],
    ["no toolbox", { toolbox: "" }, "no toolbox"],
    ["an alias for nothing", { aliases: { n: "nothing" } }, 'for "nothing", which is no argument'],
    ["an alias that is an argument", { aliases: { number: "number" } }, "is an argument itself"],
    ["an argument filled from no setting", { fills: { number: "default_number" } }, "there is no such setting"],
    ["no example", { examples: [] }, "no example"],
    ["an example that does not fit", { examples: [{ note: "x", given: { number: "2" } }] }, 'example "x" does not fit'],
    ["an example with an unknown field", { examples: [{ note: "x", given: { number: 2, y: 1 } }] }, "does not fit"],
    ["a probe effect without a probe", { effect: "probe" }, "has no probe"],
    ["a keyed effect without a lifetime of its key", { effect: "keyed" }, "it has no keyedForMs"],
    ["no call in a step", { maxCallsPerStep: 0 }, "maxCallsPerStep is no whole number from 1"],
    ["a part of a call in a step", { maxCallsPerStep: 1.5 }, "maxCallsPerStep is no whole number from 1"],
    ["a key that lives for no time", { effect: "keyed", keyedForMs: 0 }, "keyedForMs is not positive"],
    ["no time", { timeoutMs: 0 }, "not positive"],
  ])("refuses %s with the reason", (_, change, reason) => {
    const definition = { ...base, ...change } as unknown as typeof base;
    expect(() => defineTool(definition)).toThrow(TypeError);
    expect(() => defineTool(definition)).toThrow(reason);
  });

  it("gives run the declared ports and no others, by type", () => {
    defineTool({
      ...base,
      needs: ["files"],
      run: async ({ number }, { files }) => ({ doubled: number + Number((await files.stat("a")).ok) }),
    });
    defineTool({
      ...base,
      needs: ["files"],
      // @ts-expect-error -- `web` is not among the needs
      run: async ({ number }, { web }) => ({ doubled: number + Number(web === undefined) }),
    });
    defineTool({
      ...base,
      // @ts-expect-error -- no port is declared
      run: ({ number }, { files }) => ({ doubled: number + Number(files === undefined) }),
    });
    defineTool({ ...base, effect: "keyed", keyedForMs: 60_000 });
    defineTool({
      ...base,
      effect: ({ number }) => (number > 0 ? "keyed" : "once"),
      keyedForMs: ({ number }) => number,
    });
    // @ts-expect-error -- a keyed effect says how long its key is remembered
    expect(() => defineTool({ ...base, effect: "keyed" })).toThrow(TypeError);
    // @ts-expect-error -- so does an effect that may be keyed
    defineTool({ ...base, effect: ({ number }) => (number > 0 ? "keyed" : "once") });
    // @ts-expect-error -- no other effect has a key
    defineTool({ ...base, effect: "once", keyedForMs: 60_000 });
    // @ts-expect-error -- the output is a number
    defineTool({ ...base, run: () => ({ doubled: "two" }) });
    // @ts-expect-error -- there is no such argument
    defineTool({ ...base, run: ({ count }) => ({ doubled: Number(count) }) });
    expect(true).toBe(true);
  });
});
