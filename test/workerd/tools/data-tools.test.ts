import { describe, expect, test } from "vitest";
import { type Caller, makeCaller } from "../http/entry.ts";

/** Calls a tool over the API and returns its result. */
async function call(caller: Caller, name: string, given: object) {
  const answer = await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

describe("the tools for data over the API", () => {
  test("convert units, with the errors in the result", async () => {
    const caller = await makeCaller();
    const given = { value: 1, from_unit: "Mile", to_unit: "m" };
    expect(await call(caller, "unit_convert", given)).toEqual({
      ok: true,
      result: { result: 1609.344, category: "length", error: null, from_unit: "Mile", to_unit: "m" },
    });
    const bad = await call(caller, "unit_convert", { ...given, to_unit: "kg" });
    expect(bad.result.error).toBe("Incompatible categories: 'length' vs 'mass'");
  });

  test("read JSON and YAML, under either form of their names", async () => {
    const caller = await makeCaller();
    const json = '{"name": "Otto", "version": "0.1.0", "none": null}';
    const value = { name: "Otto", version: "0.1.0", none: null };
    expect(await call(caller, "json.parse", { json })).toEqual({ ok: true, result: value });
    expect(await call(caller, "json_parse", { json: "null" })).toEqual({ ok: true, result: null });
    expect(await call(caller, "yaml.parse", { yaml: "name: Otto\nversion: 0.1.0\nnone:" })).toEqual({
      ok: true,
      result: value,
    });
    const own = await caller.send("POST", "/v1/tools/json.parse/call", {
      arguments: { json: '{"__proto__": {"a": 1}}' },
    });
    expect([own.status, own.text]).toEqual([200, '{"ok":true,"result":{"__proto__":{"a":1}}}']);
  });

  test("name the position of a syntax error and of a schema violation", async () => {
    const caller = await makeCaller();
    const schema = { items: { type: "integer", pattern: "^(a+)+$" } };
    expect((await call(caller, "json.parse", { json: "[1,]" })).error).toMatchObject({
      code: "invalid_input",
      field: "json",
      message: 'The JSON cannot be read. Line 1, column 4: expected a value, found "]".',
    });
    expect((await call(caller, "json.parse", { json: "[1, 1.5]", schema })).error).toMatchObject({
      code: "invalid_input",
      message: "It does not fit the schema. /1: Expected integer, got a number with a fraction.",
    });
    expect((await call(caller, "yaml.parse", { yaml: "a: &a [*a]" })).error.message).toContain(
      "has no anchor before it",
    );
    const deep = `${"[".repeat(90)}${"]".repeat(90)}`;
    expect((await call(caller, "yaml.parse", { yaml: deep })).ok).toBe(true);
    expect((await call(caller, "json.parse", { json: `${"[".repeat(100)}${"]".repeat(100)}` })).ok).toBe(true);
  });

  test("check the deepest value against a schema without overrunning the stack", async () => {
    const caller = await makeCaller();
    const json = `${'{"a":'.repeat(99)}{}${"}".repeat(99)}`;
    const fits = await call(caller, "json.parse", { json, schema: { properties: { a: { $ref: "#" } } } });
    expect(fits.ok).toBe(true);
    const branches = [{ $ref: "#/$defs/b" }, { $ref: "#/$defs/c" }];
    const schema = {
      $ref: "#/$defs/a",
      $defs: { a: { allOf: branches }, b: { allOf: [{ properties: { a: { $ref: "#" } } }] }, c: {} },
    };
    const tooDeep = await call(caller, "json.parse", { json, schema });
    expect(tooDeep.error.message).toContain("It is nested too deeply for its schema");
  });

  test("are called by a model", async () => {
    const caller = await makeCaller();
    const calls = [
      { name: "unit_convert", arguments: { value: 100, from_unit: "c", to_unit: "f" } },
      { name: "json_parse", arguments: { json: "[1, 2]" } },
      { name: "yaml_parse", arguments: { yaml: "- a\n- *b" } },
    ];
    const task = await caller.makeTask([{ calls }, { text: "Done." }]);
    await caller.until(task.id, ({ status }) => status === "completed");
    const rows = (await caller.send("GET", `/v1/tasks/${task.id}/ledger`)).json.data;
    expect(rows.map(({ tool, result }: { tool: string; result: unknown }) => [tool, result])).toMatchObject([
      ["unit_convert", { ok: true, result: { result: 212 } }],
      ["json.parse", { ok: true, result: [1, 2] }],
      ["yaml.parse", { ok: false, error: { code: "invalid_input", field: "yaml" } }],
    ]);
  });
});
