import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { cutRows, toShownText } from "../../../core/prompt/rows.ts";
import { showJson, showJsonText } from "../../../core/gateway/show-json.ts";
import { forModel, type ModelText } from "../../../core/results/for-model.ts";
import { formatRefused } from "../../../core/sandbox/format-refused.ts";
import { formatResult } from "../../../core/prompt/stored-results.ts";
import { memoryBlobs } from "../gateway/memory-blobs.ts";
import { factsOf } from "../task/world.ts";

const CALL = "call_1";
const LIMITS = { mediumCharacters: 4_000, largeCharacters: 12_000 };

const rowsOf = (count: number) => ({
  head: "all notes",
  rows: Array.from({ length: count }, (_, at) => `notes/${at}.md  ${at} bytes`),
});

describe("a long list", () => {
  test("is cut after a whole row, with the count, the result_id and where the next row begins", async () => {
    const shown = rowsOf(300);
    const { content, isLarge } = await formatResult(shown, factsOf(), CALL, {
      blobs: memoryBlobs(),
      limits: LIMITS,
      canExpand: true,
    });
    const lines = content.split("\n");
    const note = lines.at(-1) ?? "";
    const [, count = "", offset = ""] =
      /^\[… rows 1 to (\d+) of 300; .*expand_result, result_id "call_1", offset (\d+) …\]$/.exec(note) ?? [];
    expect(lines.slice(0, -1)).toEqual(["all notes", ...shown.rows.slice(0, Number(count))]);
    expect(toShownText(shown).slice(Number(offset))).toMatch(new RegExp(`^notes/${count}\\.md `));
    expect([content.length <= LIMITS.mediumCharacters, isLarge]).toEqual([true, false]);
  });

  test("has as many whole rows as fit, for any rows", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 300 })), fc.integer({ min: 200, max: 3_000 }), (rows, most) => {
        const cut = cutRows({ rows }, most, CALL, "expandable");
        if (cut === null) return;
        const { text } = cut;
        expect(text.length).toBeLessThanOrEqual(most);
        const kept = text.slice(0, text.lastIndexOf("\n[… rows 1 to"));
        expect(toShownText({ rows }).startsWith(kept)).toBe(true);
      }),
    );
  });

  test("whose first row does not fit is cut like a text", async () => {
    const shown = { rows: ["x".repeat(9_000), "y"] };
    const { content } = await formatResult(shown, factsOf(), CALL, {
      blobs: memoryBlobs(),
      limits: LIMITS,
      canExpand: true,
    });
    expect(content).toContain("characters left out");
  });
});

describe("a long result of an outside service", () => {
  const items = (characters: number, length = 12) =>
    Array.from({ length }, (_, id) => ({ id, title: `Issue ${id}`, state: "open", body: "x".repeat(characters) }));
  const format = async (result: unknown, canExpand = true) => {
    const shorten = vi.fn<(most: number) => ModelText | null>((most) => forModel("list_issues", result, most));
    const deps = { blobs: memoryBlobs(), limits: LIMITS, canExpand, shorten };
    const { content } = await formatResult(showJson(result), factsOf(), CALL, deps);
    return { content, shorten };
  };

  test("keeps its whole rows when enough of them fit", async () => {
    const { content, shorten } = await format(items(400));
    expect(content).toMatch(/rows 1 to \d of 12; .*offset \d+ …\]\n\]$/);
    expect(shorten).not.toHaveBeenCalled();
  });

  test("is read in short when its rows are too long, with where the whole is", async () => {
    const { content } = await format(items(3_000));
    expect(content).toContain('{"tool":"list_issues","status":"ok","count":12,"type":"table_data"}');
    expect(content).toContain('[3,"Issue 3","open",');
    expect(content).toMatch(
      /\[… results 1 to \d+ of 12, in short; all results with all their fields: read them with expand_result, result_id "call_1" …\]$/,
    );
    expect(content.length).toBeLessThanOrEqual(LIMITS.mediumCharacters / 2);
    expect((await format(items(3_000), false)).content).toContain('the whole is stored as "call_1" …]');
  });

  test("is read in short when only three of its rows fit", async () => {
    const { content } = await format(items(1_150, 8));
    expect(content).toContain('{"tool":"list_issues","status":"ok","count":8,"type":"table_data"}');
    expect(content).toContain('[7,"Issue 7","open",');
  });

  test("that is short is given whole, and a plain text is cut in its middle", async () => {
    expect((await format(items(10))).content).not.toContain("…");
    expect((await format("word ".repeat(2_000))).content).toContain("characters left out");
  });
});

describe("JSON for a model", () => {
  test("is compact, and a long list is one row an item", () => {
    const items = Array.from({ length: 200 }, (_, id) => ({ id, name: `item ${id}` }));
    expect(showJson({ a: [1, 2] })).toBe('{"a":[1,2]}');
    for (const value of [items, { items, total: 200 }, { ok: true, items }]) {
      const shown = showJson(value);
      expect(typeof shown === "string" ? [] : shown.rows).toHaveLength(200);
      expect(JSON.parse(toShownText(shown))).toEqual(value);
    }
  });

  test("of a text loses its blanks and nothing else", () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 0, max: 4 }), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        const compact = toShownText(showJsonText(text));
        expect(compact.length).toBeLessThanOrEqual(Math.max(text.length, 2_000));
        expect(JSON.parse(compact)).toEqual(JSON.parse(text));
      }),
    );
    for (const text of ['{ "n": 12345678901234567890 }', "[1.0]", "{ broken", "plain words", "[note] this is not JSON"])
      expect(showJsonText(text)).toBe(text);
  });
});

test("files that were not saved have one line for each folder", () => {
  const denied = (path: string) => ({ path, why: `File access denied by sandbox: ${path}` });
  const refused = [
    ...Array.from({ length: 400 }, (_, at) => denied(`.git/objects/${at % 7}/${at}`)),
    denied(".git/HEAD"),
    denied("app/.env"),
    { path: "app/big.bin", why: "File too large" },
  ];
  expect(formatRefused(refused)).toEqual([
    ".git/ (401 files): File access denied by sandbox",
    "app/.env: File access denied by sandbox",
    "app/big.bin: File too large",
  ]);
  expect(formatRefused(Array.from({ length: 50 }, (_, at) => denied(`d${at}/x`)))).toHaveLength(21);
});
