/**
 * Texts that make a pattern try every way to read them. The sidecar reads them outside the converters' processes, where one
 * that never ends would hold up everybody: before a pattern is bounded, none of these ends within a test's time.
 */
import { expect, it } from "vitest";
import { ImageNames, getImageType, extractInlineImages } from "../../../sidecar/documents/images.ts";
import type { Node } from "../../../sidecar/documents/make/ast.ts";
import { detectOuterKind } from "../../../sidecar/documents/kind.ts";
import { rewriteTargets } from "../../../sidecar/documents/links.ts";
import { toSheets } from "../../../sidecar/documents/make/sheets.ts";

it("a beginning of nothing but comments is text, and comments before HTML are passed over", () => {
  const kindOf = (text: string) => detectOuterKind(Buffer.from(text), "a.bin");
  expect(kindOf(`${"<!---->".repeat(146)}x`)).toEqual({ ok: true, value: "text" });
  expect(kindOf("\ufeff <!-- a --> \n<!-- <p> -->\n<!DOCTYPE html><p>x")).toEqual({ ok: true, value: "html" });
  expect(kindOf("<!-- a -- <html>")).toEqual({ ok: true, value: "text" });
});

it("a label of brackets, or as long as the text, is left as it is", () => {
  for (const text of ["\\[".repeat(10_000_000), `[${"a".repeat(20_000_000)}`, `[](x${"(a)".repeat(5_000_000)}`])
    expect(rewriteTargets(text, () => null) === text).toBe(true);
});

it.each([
  ["<img", ' src="a"'],
  ["<a", ' href="a"'],
])("a tag %s that never closes is left as it is", (start, attribute) => {
  const text = start + attribute.repeat(200_000);
  expect(rewriteTargets(text, () => "b") === text).toBe(true);
});

it("the places of tags are judged wherever they stand in them", () => {
  const text =
    '<img alt="x" src="media/a.png" style="y"> <a title="t" href="java&#x73;cript:x">z</a> <a href="https://e.com">w</a>';
  expect(rewriteTargets(text, (target) => target.replace("media/", ""))).toBe(
    '<img src="a.png" alt="x" /> <a title="t" href="#">z</a> <a href="https://e.com">w</a>',
  );
});

it("of very many different pictures in a text the first have a name each, and none stays in it", () => {
  const count = 150_000;
  const text = Array.from({ length: count }, (_, at) => {
    const data = Buffer.from(String(at)).toString("base64");
    return `![](data:image/png;base64,${data})`;
  }).join("");
  const { images, markdown } = extractInlineImages(text, new ImageNames());
  expect(new Set(images.map(({ name }) => name)).size).toBe(2_000);
  expect(markdown).not.toContain("data:");
  expect(markdown.startsWith("![](inline.png)![](inline-2.png)")).toBe(true);
});

it("a picture is named and typed by our own tables alone", () => {
  const names = ["a.constructor", "a.__proto__", "a.tostring", "constructor", "a.PNG"];
  expect(names.map(getImageType)).toEqual([null, null, null, null, "image/png"]);
  const { images } = extractInlineImages("![](data:image/constructor;base64,AAAA)", new ImageNames());
  expect(images.map(({ name, contentType }) => [name, contentType])).toEqual([
    ["inline.constructor", "image/constructor"],
  ]);
});

const cell = (text: string) => [
  ["", [], []],
  { t: "AlignDefault" },
  1,
  1,
  [{ t: "Plain", c: [{ t: "Str", c: text }] }],
];
const row = (...texts: string[]) => [["", [], []], texts.map(cell)];
const table = (...rows: unknown[]): Node => ({
  t: "Table",
  c: [["", [], []], [null, []], [], [["", [], []], []], [[["", [], []], 0, [], rows]], [["", [], []], []]],
});

it("a number of a Markdown table keeps its look, and very long digits stay a text", () => {
  const long = `1${",111".repeat(200_000)}x`;
  const [sheet] = toSheets([table(row(long, "1,300.00", "1200", "−7.5", "1,30", "007"))]);
  expect(sheet?.rows[0]?.[0] === long).toBe(true);
  expect(sheet?.rows[0]?.slice(1)).toEqual([
    { value: 1_300, format: "#,##0.00" },
    1_200,
    { value: -7.5, format: "0.0" },
    "1,30",
    "007",
  ]);
});
