import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitArguments } from "../../../core/lib/shell/split-arguments.ts";

/** What a shell hands to a program that is called with this text. */
function byShell(text: string): string[] {
  const printed = execFileSync("/bin/sh", ["-c", `printf '%s\\0' x ${text}`], { env: {} }).toString();
  return printed.split("\0").slice(1, -1);
}

describe("arguments in one text", () => {
  test.each([
    ["", []],
    ["  ", []],
    ["a", ["a"]],
    [" a\tb\nc ", ["a", "b", "c"]],
    ["'a b' \"c d\" e\\ f", ["a b", "c d", "e f"]],
    ["a'b'\"c\"d", ["abcd"]],
    ["'' \"\"", ["", ""]],
    ['"a\\"b" "c\\\\d" "e\\f"', ['a"b', "c\\d", "e\\f"]],
    ["'a\\b'", ["a\\b"]],
    ["--name='Ana Lima' x=1", ["--name=Ana Lima", "x=1"]],
  ])("are split as a shell splits them: %j", (text, words) => {
    expect(splitArguments(text)).toEqual({ ok: true, value: words });
  });

  test.each(["$HOME", "`id`", "$(id)", "*.txt", "a;b", "a|b", ">x", "~", "{a,b}", "a&&b", "#c"])(
    "are not expanded, and nothing is run: %s",
    (text) => {
      expect(splitArguments(text)).toEqual({ ok: true, value: [text] });
    },
  );

  test.each(["'a", '"a', "a\\", "a 'b\"", '"\\"'])("that do not close are refused: %s", (text) => {
    expect(splitArguments(text)).toMatchObject({ error: { code: "invalid_input", field: "args" } });
  });

  test("are what a real shell makes of quoted words", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", " ", "'", '"', "\\", "-", "=", "."), maxLength: 6 });
    const quoted = fc.oneof(
      word.map((text) => `'${text.replaceAll("'", "'\\''")}'`),
      word.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`),
      word.map((text) => text.replaceAll(/['"\\ ]/g, "\\$&")).filter((text) => text !== ""),
    );
    fc.assert(
      fc.property(fc.array(quoted, { maxLength: 4 }), (words) => {
        const text = words.join(" ");
        expect(splitArguments(text)).toEqual({ ok: true, value: byShell(text) });
      }),
      { numRuns: 60 },
    );
  });
});
