import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import yamlParse from "../../../tools/yaml/parse.ts";
import { runTool } from "../run-tool.ts";

async function refusal(yaml: string): Promise<string> {
  const { failure } = await runTool(yamlParse, { yaml });
  expect(failure).toMatchObject({ code: "invalid_input", field: "yaml" });
  return failure?.message ?? "";
}

describe("yaml.parse", () => {
  it.each([
    ["", null],
    ["# only a comment", null],
    ["a: 1\nb:\n- c\n- d: e\n", { a: 1, b: ["c", { d: "e" }] }],
    ["{a: 1, b: [x, y]}", { a: 1, b: ["x", "y"] }],
    ["- - - a\n    - b\n- c", [[["a", "b"]], "c"]],
    ["text: |\n  &x *y !z\n  <<\n", { text: "&x *y !z\n<<\n" }],
    ["a: 'x & y * z !'\nb: c & d * e ! f", { a: "x & y * z !", b: "c & d * e ! f" }],
    ["'a\n\n  b'", "a\nb"],
    [
      "date: 2001-12-14\ntime: 2001-12-14t21:59:43.10-05:00",
      { date: "2001-12-14", time: "2001-12-14t21:59:43.10-05:00" },
    ],
    ["[yes, no, on, off, y, n, true, False, null, ~]", ["yes", "no", "on", "off", "y", "n", true, false, null, null]],
    ["[0o17, 017, 0x1F, 1e3, -1.5, 1_000]", [15, 17, 31, 1000, -1.5, "1_000"]],
    ["<<: {a: 1}\nb: 2", { a: 1, b: 2 }],
    ["base: &b {a: 1, c: 2}\nmine:\n  a: 3\n  <<: *b", { base: { a: 1, c: 2 }, mine: { a: 3, c: 2 } }],
    ["x: &x {a: 1}\ny: &y {a: 2, b: 3}\nz:\n  <<: [*x, *y]", { x: { a: 1 }, y: { a: 2, b: 3 }, z: { a: 1, b: 3 } }],
    ['"<<": {a: 1}', { "<<": { a: 1 } }],
    ["<<: {__proto__: 1}\nb: 2", JSON.parse('{"__proto__": 1, "b": 2}')],
    ["1: a\nnull: b\ntrue: c", { 1: "a", null: "b", true: "c" }],
    ["a: &x 1\nb: *x", { a: 1, b: 1 }],
    ["- &x {a: [1]}\n- *x\n- &x b\n- *x", [{ a: [1] }, { a: [1] }, "b", "b"]],
    ["- &x 1\n- &y [*x]\n- &x 2\n- *y\n- *x", [1, [1], 2, [1], 2]],
    ["- &key name\n- *key : &empty\n  other: *empty", ["name", { name: null, other: null }]],
    ["%YAML 1.2\n---\nyes\n...\n", "yes"],
    ["\ufeffa: é😀", { a: "é😀" }],
    ["a: 1\r\nb: 2\r\n", { a: 1, b: 2 }],
    ['"\\x41\\u0042\\U0001f600\\n\\/"', "AB😀\n/"],
  ])("reads %j", async (yaml, value) => {
    expect(await runTool(yamlParse, { yaml })).toMatchObject({ result: value });
  });

  it("reads JSON as JSON, and what the library writes as what it was", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (made) => {
        const value: unknown = JSON.parse(JSON.stringify(made));
        // Control characters are escaped in a double-quoted text; DEL may stand in JSON as it is.
        const json = JSON.stringify(value).replaceAll("\u007f", "\\u007f");
        expect((await runTool(yamlParse, { yaml: json })).result).toEqual(value);
        const written = stringify(value, {
          aliasDuplicateObjects: false,
          defaultStringType: "QUOTE_DOUBLE",
          lineWidth: 0,
        });
        if (!written.includes("\u007f")) expect((await runTool(yamlParse, { yaml: written })).result).toEqual(value);
      }),
    );
  });

  it.each([
    ["- *x", "Line 1, column 3: *x has no anchor before it."],
    ["a: &a [*a]", "Line 1, column 8: *a has no anchor before it."],
    ["- &a 1\n- &a [*a]", "Line 2, column 7: *a has no anchor before it."],
    ["- &a {b: 1}\n- ? *a\n  : c", "Line 2, column 5: a name has to be a text."],
    ["]", "Line 1, column 1: ] ends nothing."],
    ["a: !!binary aGk=", "Line 1, column 4: tags (!name) are refused."],
    ["a: !<tag:yaml.org,2002:js/function> x", "tags (!name) are refused"],
    ["%YAML 1.1\n---\nyes", "Line 1, column 1: only the directive %YAML 1.2 is allowed."],
    ["%TAG ! tag:a.example,2000:\n---\na", "only the directive %YAML 1.2 is allowed"],
    ["a\n---\nb", "Line 2, column 1: it holds more than one document."],
    ["a: 1\n...\nb: 1", "it holds more than one document"],
    ["a: 1\nb: 2\na: 3", 'Line 3, column 1: the name "a" is there twice.'],
    ["{1: a, '1': b}", 'Line 1, column 8: the name "1" is there twice.'],
    ["? [a]\n: b", "Line 1, column 3: a name has to be a text."],
    ["a: .inf", "Line 1, column 4: infinity and not-a-number are no JSON values."],
    ["[.nan]", "infinity and not-a-number are no JSON values"],
    ["9".repeat(400), "infinity and not-a-number are no JSON values"],
    ["a:\n\t- b", "Line 2, column 1: tabs cannot indent; use spaces"],
    ["a: [1, 2", "Line 1, column 9:"],
    [
      "é: ü\n😀: b: c",
      "Line 2, column 4: a list or mapping cannot begin on the line of its name; put it on the next line, indented",
    ],
    ["a: @b", "Line 1, column 4: a value cannot begin with this character; put the value in quotes"],
    ['a: "\\q"', 'Line 1, column 5: "\\\\q" is no escape.'],
    ["a: \u0001", "Line 1, column 4: control characters are not allowed."],
    ["- x\n".repeat(20_000), "it has more than 15000 tokens"],
  ])("names the line and the column of what it does not read: %#", async (yaml, message) => {
    expect(await refusal(yaml)).toContain(message);
  });

  it("writes aliases out down to a hundred levels and no more", async () => {
    const nested = (levels: number) =>
      `- &a ${"[".repeat(levels)}${"]".repeat(levels)}\n- ${"[".repeat(40)}*a${"]".repeat(40)}`;
    expect((await runTool(yamlParse, { yaml: nested(59) })).failure).toBeUndefined();
    expect(await refusal(nested(60))).toContain("Line 2, column 43: it is nested more than 100 deep.");
    const chain = Array.from({ length: 12 }, (_, i) => `- &a${i} [[[[[[[[[${i === 0 ? "1" : `*a${i - 1}`}]]]]]]]]]`);
    expect((await runTool(yamlParse, { yaml: chain.slice(0, 11).join("\n") })).failure).toBeUndefined();
    expect(await refusal(chain.join("\n"))).toContain("it is nested more than 100 deep");
  });

  it("refuses a bomb of aliases before anything of it is built", async () => {
    const levels = Array.from({ length: 20 }, (_, level) => {
      const below = level === 0 ? '"lol"' : `*l${level - 1}`;
      return `l${level}: &l${level} [${Array.from({ length: 10 }, () => below).join(", ")}]`;
    });
    expect(await refusal(levels.join("\n"))).toContain("its aliases (*name) stand for too much");
    const long = `- &a ${"x".repeat(100_000)}\n${"- *a\n".repeat(6)}`;
    expect(await refusal(long)).toContain("Line 7, column 3: its aliases (*name) stand for too much");
    expect((await runTool(yamlParse, { yaml: long.slice(0, -5) })).failure).toBeUndefined();
  });

  it.each([
    ["[", "it is nested more than 100 deep"],
    ["{a: ", "it is nested more than 100 deep"],
    ["- ", "it is nested more than 100 deep"],
    ["? ", "it is nested more than 100 deep"],
    [": ", "it is nested more than 100 deep"],
    ["]", "] ends nothing"],
    ["? a\n: b\n", "it has more than 15000 tokens"],
    ["&a ", "it has more than 15000 tokens"],
    ["&a\n", ""],
    ["*a ", ""],
    ["- &a b\n- *a\n", "it has more than 15000 tokens"],
    ["\\", ""],
    ['"', ""],
    ["'", ""],
    ["a", null],
    ["a: b\n\n\n", ""],
    ["#", null],
    [" ", null],
    ["\n", ""],
    ["\ta", ""],
    ["| ", ""],
    ["%", ""],
  ])("ends on %j two hundred thousand times over", async (piece, message) => {
    const ran = await runTool(yamlParse, { yaml: piece.repeat(Math.floor(200_000 / piece.length)) });
    if (message === null) expect(ran.failure).toBeUndefined();
    else expect(ran.failure?.message ?? "").toContain(message);
  });

  it("reads a hundred levels and no more, in blocks and in brackets", async () => {
    const blocks = (levels: number) =>
      Array.from({ length: levels }, (_, level) => `${" ".repeat(level)}a:`).join("\n");
    expect((await runTool(yamlParse, { yaml: blocks(100) })).failure).toBeUndefined();
    expect(await refusal(blocks(101))).toContain("it is nested more than 100 deep");
    expect((await runTool(yamlParse, { yaml: `${"[".repeat(100)}${"]".repeat(100)}` })).failure).toBeUndefined();
    expect(await refusal("[".repeat(101))).toContain("it is nested more than 100 deep");
  });

  it("reads a mapping of many names in time that grows with it", async () => {
    const yaml = Array.from({ length: 2_700 }, (_, index) => `name_${index}: 1`).join("\n");
    expect(Object.keys((await runTool(yamlParse, { yaml })).result as object)).toHaveLength(2_700);
  });

  it("treats names such as __proto__ as data", async () => {
    const { result } = await runTool(yamlParse, { yaml: "__proto__: {polluted: true}\nconstructor: 1" });
    expect(Object.keys(result as object)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("refuses text of more than 200,000 characters", async () => {
    expect(await refusal("x".repeat(200_001))).toContain("yaml");
  });

  it("answers every text", async () => {
    const marks = [
      ": ",
      ":\n",
      "- ",
      "? ",
      "  ",
      ", ",
      "&a ",
      "*a",
      "!t ",
      "|\n",
      ">-\n",
      "#c",
      " #",
      "---\n",
      "...\n",
      "<<",
    ];
    const signs = Array.from("ab[]{}\"'\n%@`\\1.~\t\r\u0085é😀");
    const pieces = fc.constantFrom(...marks, ...signs);
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 25 }), async (parts) => {
        const ran = await runTool(yamlParse, { yaml: parts.join("") });
        if (ran.failure === undefined) expect(() => JSON.stringify(ran.result)).not.toThrow();
        else expect(ran.failure.message).toMatch(/^The YAML cannot be read\. Line \d+, column \d+: .+\.$/s);
      }),
      { numRuns: 2_000 },
    );
  });

  it("names the places that do not fit a schema", async () => {
    const schema = { properties: { port: { type: "integer" } }, additionalProperties: false };
    expect((await runTool(yamlParse, { yaml: "port: 80", schema })).result).toEqual({ port: 80 });
    const { failure } = await runTool(yamlParse, { yaml: "port: '80'\ncolour: red", schema });
    expect(failure).toMatchObject({
      field: "yaml",
      message:
        "It does not fit the schema. /port: Expected integer, got string; /colour: There is no property of this name.",
    });
    expect((await runTool(yamlParse, { yaml: "a", schema: { type: "x" } })).failure).toMatchObject({ field: "schema" });
  });
});
