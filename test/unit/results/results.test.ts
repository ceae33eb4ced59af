import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { detectType, DETECTED_TYPES } from "../../../core/results/detect-type.ts";
import { forModel, MAX_MODEL_CHARACTERS } from "../../../core/results/for-model.ts";
import { forPage } from "../../../core/results/for-page.ts";
import { standardize } from "../../../core/results/standardize.ts";
import { APP_RESULTS } from "./app-results.ts";

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

describe("results of ten apps", () => {
  test.each(Object.keys(APP_RESULTS))("%s: for a model and for a page", async (name) => {
    const result = APP_RESULTS[name];
    const short = forModel(name, result, 4_000);
    expect(short?.text.length).toBeLessThanOrEqual(4_000);
    await expect(`${short?.text}\n[${short?.shown} of ${short?.count}]\n`).toMatchFileSnapshot(
      `__golden__/${name}.model.txt`,
    );
    const page = forPage(name, result);
    expect(bytes(page)).toBeLessThanOrEqual(30_000);
    await expect(`${JSON.stringify(page, null, 1)}\n`).toMatchFileSnapshot(`__golden__/${name}.page.txt`);
  });
});

describe("any JSON", () => {
  const REAL_NAMES = [
    "data",
    "items",
    "subject",
    "from",
    "start",
    "end",
    "columns",
    "rows",
    "values",
    "stdout",
    "error",
  ];
  const names = fc.oneof(
    fc.constantFrom(...REAL_NAMES, "successful", "status", "payload", "headers", "path", "code", "id"),
    fc.string({ maxLength: 5 }),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(
        null,
        true,
        -0,
        1e300,
        1_764_316_800,
        "",
        "\ud800",
        "\u0000".repeat(50),
        '{"a":[1]}',
        "https://a.example/x",
      ),
      fc.string(),
      fc.array(tie("value"), { maxLength: 6 }),
      fc.dictionary(names, tie("value"), { maxKeys: 6 }),
    ),
  }));

  test("has a type and a form for a page and a model, within their bounds", () => {
    const sized = fc.record({ value, times: fc.constantFrom(1, 3, 400), most: fc.integer({ min: 0, max: 6_000 }) });
    fc.assert(
      fc.property(sized, ({ value: one, times, most }) => {
        const result = times === 1 ? one : Array.from({ length: times }, () => one);
        const standard = standardize("t", result);
        expect(DETECTED_TYPES).toContain(detectType(standard.results));
        const page = forPage("t", result);
        expect(bytes(page)).toBeLessThanOrEqual(30_000);
        expect(JSON.stringify(page).isWellFormed()).toBe(true);
        const short = forModel("t", result, most);
        expect(short?.text.length ?? 0).toBeLessThanOrEqual(Math.min(most, MAX_MODEL_CHARACTERS));
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    [
      "texts of control characters",
      Array.from({ length: 300 }, () => ({ title: "a", url: "b", text: "\u0001".repeat(9_000) })),
    ],
    ["one long text", "x\u2028".repeat(400_000)],
    ["deep nesting", JSON.parse(`${'{"data":'.repeat(3_000)}1${"}".repeat(3_000)}`)],
    ["deep lists", JSON.parse(`${"[".repeat(5_000)}1${"]".repeat(5_000)}`)],
    ["many fields", Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`field ${at}`, { at }]))],
    ["many rows", Array.from({ length: 100_000 }, (_, at) => ({ at, name: "n".repeat(50) }))],
    ["long names", [Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`${at}${"n".repeat(50_000)}`, 1]))]],
    ["own names of objects", [{ constructor: 1, __proto__: 2, toString: "x", hasOwnProperty: null }]],
  ])("in a hostile size is shown within the time of a test: %s", (_, result) => {
    expect(bytes(forPage("t", result))).toBeLessThanOrEqual(30_000);
    expect(forModel("t", result, 4_000)?.text.length ?? 0).toBeLessThanOrEqual(4_000);
  });
});

describe("the standard form", () => {
  test.each([
    [
      { successful: true, data: { items: [1, 2] }, error: null },
      { success: true, status: "ok", error: null },
    ],
    [
      { successful: false, data: {}, error: "no such channel" },
      { success: false, status: "failed", error: "no such channel" },
    ],
    [
      { successful: "yes", data: [1] },
      { success: false, status: "failed" },
    ],
    [{ data: [1] }, { success: true, status: "ok" }],
    [
      { status: "success", data: [1] },
      { success: false, status: "success" },
    ],
    [
      { status_code: 200, headers: {}, body: '{"items":[1]}' },
      { success: true, results: [1] },
    ],
    [
      { status: 200, headers: {}, body: '{"items":[1]}', url: "https://api.example/items" },
      { success: true, status: "ok", results: [1] },
    ],
    [
      { status: 404, headers: {}, body: '{"items":[1]}' },
      { success: false, status: "404" },
    ],
    [
      { status: "open", body: "A mail", headers: [] },
      { status: "ok", results: [{ status: "open", body: "A mail", headers: [] }] },
    ],
    [
      { ok: false, error: "not_authed" },
      { success: false, status: "failed", error: "not_authed" },
    ],
    [[], { success: true, status: "empty" }],
    [null, { success: false, status: "empty" }],
    [
      { id: 1, status: "open" },
      { success: true, status: "ok", results: [{ id: 1, status: "open" }] },
    ],
    [
      { content: '[{"a":1}]', files: [] },
      { success: true, results: [{ a: 1 }] },
    ],
  ])("of %j", (result, expected) => {
    expect(standardize("tool", result)).toMatchObject(expected);
  });

  test("counts the results and names the fields of what came", () => {
    const { metadata } = standardize("list_mails", { data: { messages: [{ id: 1 }, { id: 2 }] }, successful: true });
    expect(metadata).toEqual({ tool: "list_mails", count: 2, original_keys: ["data", "successful"] });
  });
});

describe("the detected type", () => {
  test.each([
    ["terminal_output", { stdout: "a", stderr: "", returncode: 0 }],
    ["database_results", { columns: ["a"], rows: [[1]], row_count: 1 }],
    ["database_results", { columns: ["a"], rows: [{ a: 1 }] }],
    [
      "table_data",
      {
        range: "A1:B2",
        values: [
          ["a", "b"],
          [1, 2],
        ],
      },
    ],
    ["code_snippets", [{ path: "a.ts", language: "TypeScript", code: "let a" }]],
    ["code_snippets", { items: [{ path: "a.ts", text_matches: [{ fragment: "let a" }] }] }],
    ["emails", [{ subject: "Hi", from: { emailAddress: { name: "Ana", address: "ana@example.com" } } }]],
    ["events", { value: [{ subject: "Review", start: { dateTime: "2026-11-28T10:00:00" }, end: { dateTime: "x" } }] }],
    ["files", [{ path: "a.csv", size: 3, type: "file" }]],
    ["documents", [{ title: "A", url: "https://a.example", snippet: "b" }]],
    ["documents", "Only text."],
    ["table_data", { temperature: 4 }],
    ["table_data", 4],
  ])("is %s", (type, result) => {
    expect(forPage("t", result).detected_type).toBe(type);
  });

  test("of a page links to addresses of the web alone", () => {
    const page = forPage("t", [{ title: "A", url: "javascript:alert(1)", snippet: "b" }]);
    expect(page).toEqual({ detected_type: "documents", count: 1, documents: [{ title: "A", text: "b" }] });
  });

  test("of a saved file has its path", () => {
    const saved = { name: "team.txt", mimetype: "text/plain", saved_as: "apps/googledrive/team.txt", size: 16 };
    const file = { name: "team.txt", content_type: "text/plain", size: 16, path: "apps/googledrive/team.txt" };
    expect(forPage("composio_GOOGLEDRIVE_DOWNLOAD_FILE", saved)).toEqual({
      detected_type: "files",
      count: 1,
      files: [file],
    });
  });

  test("of a long list has its count and says that it was cut", () => {
    const page = forPage(
      "t",
      Array.from({ length: 5_000 }, (_, at) => ({ at })),
    );
    expect(page).toMatchObject({ count: 5_000, cut: true });
    expect(forPage("t", [{ at: 1 }])).not.toHaveProperty("cut");
  });
});
