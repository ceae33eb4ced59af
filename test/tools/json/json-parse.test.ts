import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import type { ToolContext } from "../../../core/tool/tool.ts";
import { findJsonMistake } from "../../../tools/json/json-mistake.ts";
import jsonParse from "../../../tools/json/parse.ts";
import { runTool } from "../run-tool.ts";

async function refusal(given: object): Promise<string> {
  const { failure } = await runTool(jsonParse, given);
  expect(failure?.code).toBe("invalid_input");
  return failure?.message ?? "";
}

describe("json.parse", () => {
  it("shows a value in one line, and the items of a long list one a line", async () => {
    expect((await runTool(jsonParse, { json: '{"a":[1]}' })).output).toBe('{"a":[1]}');
    const rows = Array.from({ length: 500 }, (_, at) => ({ at }));
    const { output } = await runTool(jsonParse, { json: JSON.stringify({ total: 500, rows }, null, 2) });
    expect(output?.split("\n").slice(0, 3)).toEqual(['{"total":500,"rows":[', '{"at":0},', '{"at":1},']);
    expect(JSON.parse(output ?? "")).toEqual({ total: 500, rows });
    const json = `${"[".repeat(99)}${"0,".repeat(100_000)}0${"]".repeat(99)}`;
    expect((await runTool(jsonParse, { json })).output).toBe(json);
  });

  it("compiles a schema and judges the value in turns of their own", async () => {
    let turns = 0;
    const giveWay = async () => void (turns += 1);
    const given = { json: "1", schema: { type: "integer" } };
    const context = { patterns: linearPatterns, giveWay } as ToolContext<"patterns"> as ToolContext<keyof ToolPorts>;
    expect(await jsonParse.run(given as never, context)).toEqual({ kind: "result", result: 1 });
    expect(turns).toBe(2);
    await jsonParse.run({ json: "1" } as never, context);
    expect(turns).toBe(2);
  });

  it("gives the value, as document 003 shows it", async () => {
    const { result } = await runTool(jsonParse, { json: '{"name": "Otto", "version": "0.1.0"}' });
    expect(result).toEqual({ name: "Otto", version: "0.1.0" });
  });

  it("gives back whatever was written as JSON", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ noUnicodeString: false }),
        fc.constantFrom(undefined, 2, "\t"),
        async (value, space) => {
          const ran = await runTool(jsonParse, { json: JSON.stringify(value, null, space) });
          expect(ran.result).toEqual(JSON.parse(JSON.stringify(value)));
          expect(JSON.parse(ran.output ?? "")).toEqual(ran.result);
        },
      ),
    );
  });

  it.each(["null", "0", "-0.5e-3", '""', "[]", " {} ", "\ufeff1", '"\\ud83d\\ude00 \\u0000"', "1e308"])(
    "reads %j",
    async (json) => {
      expect(await runTool(jsonParse, { json })).toMatchObject({ result: JSON.parse(json.replace(/^\ufeff/, "")) });
    },
  );

  it.each([
    ["", "Line 1, column 1: expected a value, found the end."],
    ["{\n  a: 1\n}", 'Line 2, column 3: expected a name in double quotes, found "a".'],
    ["{'a': 1}", "Line 1, column 2: expected a name in double quotes, found \"'a'\"."],
    ['{"a": 1,}', 'Line 1, column 9: expected a name in double quotes, found "}".'],
    ["[1,\r\n 2,\r\n]", 'Line 3, column 1: expected a value, found "]".'],
    ['{"a" 1}', 'Line 1, column 6: expected ":", found "1".'],
    ['{"a": 1 "b": 2}', 'Line 1, column 9: expected "," or "}", found "\\"".'],
    ["[1 2]", 'Line 1, column 4: expected "," or "]", found "2".'],
    ["[1, 2", 'Line 1, column 6: expected "," or "]", found the end.'],
    ["01", 'Line 1, column 2: expected the end, found "1".'],
    ["1 // one", 'Line 1, column 3: expected the end, found "/".'],
    ["{} {}", 'Line 1, column 4: expected the end, found "{".'],
    ["NaN", 'Line 1, column 1: expected a value, found "NaN".'],
    ["[Infinity]", 'Line 1, column 2: expected a value, found "Infinity".'],
    ["[.5]", 'Line 1, column 2: expected a value, found ".5".'],
    ["truthy", 'Line 1, column 1: expected a value, found "truthy".'],
    ["[1.]", 'Line 1, column 3: expected "," or "]", found ".".'],
    ['"a\nb"', 'Line 1, column 3: "\\n" has to be escaped inside a text.'],
    ['"\\x41"', 'Line 1, column 2: "\\\\x" is no escape.'],
    ['"\\u12g4"', 'Line 1, column 2: "\\\\u" is no escape.'],
    ['["😀", "abc]', "Line 1, column 7: the text that begins here has no closing quote."],
    ["[1e999]", "Line 1, column 2: the number is too large."],
    ['{"a": 1,\n "b": {"c": 1, "\\u0063": 2}}', 'Line 2, column 16: the name "c" is there twice.'],
    ["[".repeat(101), "Line 1, column 101: it is nested more than 100 deep."],
    ["[".repeat(900_000), "nested more than 100 deep"],
    ['{"a":'.repeat(150_000), "nested more than 100 deep"],
  ])("names the line and the column of what is wrong: %#", async (json, message) => {
    expect(await refusal({ json })).toContain(message);
    const { failure } = await runTool(jsonParse, { json });
    expect(failure?.field).toBe("json");
  });

  it("takes and refuses what JSON.parse does", () => {
    const words = ['"a"', '"b"', "\\u00e9", "tru", "true", "null", "false", "😀", "\ud800"];
    const signs = Array.from('{}[],:"\\1-0.e+ \n\t\u00a0\u2028éa/\b\u007f');
    const pieces = fc.constantFrom(...words, ...signs);
    const texts = fc.oneof(
      fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join("")),
      fc
        .tuple(fc.json({ maxDepth: 3 }), fc.nat(), pieces, fc.nat(2))
        .map(
          ([text, at, piece, cut]) =>
            text.slice(0, at % (text.length + 1)) + piece + text.slice((at % (text.length + 1)) + cut),
        ),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const mistake = findJsonMistake(text);
        if (/twice$|too large$/.test(mistake?.message ?? "")) return;
        expect([text, mistake === null]).toEqual([text, isJson]);
      }),
      { numRuns: 5_000 },
    );
  });

  it("treats names such as __proto__ as data", async () => {
    const { result } = await runTool(jsonParse, { json: '{"__proto__": {"polluted": true}, "constructor": 1}' });
    expect(Object.keys(result as object)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("refuses text of more than a million characters", async () => {
    const { failure } = await runTool(jsonParse, { json: `"${"x".repeat(1_000_000)}"` });
    expect(failure).toMatchObject({ code: "invalid_input", field: "json" });
  });

  describe("with a schema", () => {
    const schema = {
      type: "object",
      required: ["port"],
      properties: { port: { type: "integer", maximum: 65_535 }, hosts: { items: { format: "hostname" } } },
    };

    it("gives the value when it fits", async () => {
      const { result } = await runTool(jsonParse, { json: '{"port": 80, "hosts": ["a.example"]}', schema });
      expect(result).toEqual({ port: 80, hosts: ["a.example"] });
      expect((await runTool(jsonParse, { json: "1", schema: true })).result).toBe(1);
    });

    it("names every position that does not fit, and the expectation there", async () => {
      const { failure } = await runTool(jsonParse, { json: '{"port": 70000, "hosts": ["a b"]}', schema });
      expect(failure).toMatchObject({
        code: "invalid_input",
        field: "json",
        message:
          "It does not fit the schema. /port: Expected at most 65535; /hosts/0: Expected text of the format hostname.",
      });
      expect(await refusal({ json: "[]", schema })).toContain("the whole value: Expected object, got array");
      expect(await refusal({ json: "{}", schema })).toContain("/port: Is missing");
    });

    it.each([
      [{ type: "number?" }, "/type"],
      [{ pattern: "(?!a)" }, "look-around"],
      [{ $ref: "#" }, "refers to itself"],
      [{ $ref: "https://a.example/" }, "leads outside"],
    ])("refuses %j as a schema", async (bad, reason) => {
      const { failure } = await runTool(jsonParse, { json: "1", schema: bad });
      expect(failure).toMatchObject({ code: "invalid_input", field: "schema" });
      expect(failure?.message).toContain(reason);
    });

    it("answers a slow pattern at once", async () => {
      const json = JSON.stringify(`${"a".repeat(40_000)}!`);
      expect(await refusal({ json, schema: { pattern: "^(a+)+$" } })).toContain("matches ^(a+)+$");
    });
  });
});
