/** How documents divide their room: the columns of tables, the slides of a text, the side of a list. */
import { afterAll, describe, expect, it } from "vitest";
import { isAttributes, type Node, getParts, extractText } from "../../../sidecar/documents/make/ast.ts";
import { cleanBlocks } from "../../../sidecar/documents/make/clean-ast.ts";
import { flowSlides, findSlideLevel } from "../../../sidecar/documents/make/slide-flow.ts";
import { openWorkshop } from "./made.ts";
import { openDocx, openPdf, openPptx } from "./opened.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
const WIDE =
  row(["Region", ...MONTHS, "Remarks"]) +
  row(Array.from({ length: 14 }, () => "---")) +
  row(["Überlingen", ...MONTHS.map(() => "1,200"), "Strong growth after the opening of the new centre in the north"]);

function gridOf(xml: string): number[] {
  return Array.from(xml.matchAll(/<w:gridCol w:w="(\d+)"/g), ([, width]) => Number(width));
}

describe("a wide table", () => {
  it("has columns as wide as what is in them in a Word document, and smaller letters", async () => {
    const { xml, tables } = openDocx((await workshop.made({ format: "docx", markdown: WIDE })).bytes);
    const widths = gridOf(xml);
    const [region = 0, january = 0] = widths;
    const remarks = widths.at(-1) ?? 0;
    expect(widths).toHaveLength(14);
    expect(region).toBeGreaterThan(january * 1.3);
    expect(remarks).toBeGreaterThan(january * 2);
    const sizes = Array.from(
      /<w:tbl>.*<\/w:tbl>/s.exec(xml)?.[0].matchAll(/<w:sz w:val="(\d+)"/g) ?? [],
      ([, size]) => size,
    );
    expect(new Set(sizes)).toEqual(new Set(["14"]));
    expect(sizes).toHaveLength(28);
    expect(tables[0]?.[1]?.[0]).toBe("Überlingen");
  });

  it("keeps its numbers whole in a PDF", async () => {
    const { text } = openPdf((await workshop.made({ format: "pdf", markdown: WIDE })).bytes);
    expect(text.match(/1,200/g)).toHaveLength(12);
    expect(text).toContain("Überlingen");
  });

  it("that fits the page leaves its widths to the program that shows it", async () => {
    const markdown = `| a | ${"b".repeat(10)} |\n|--|${"-".repeat(120)}|\n| 1 | 2 |\n`;
    const { xml } = openDocx((await workshop.made({ format: "docx", markdown })).bytes);
    const [one, other] = gridOf(xml);
    expect(one).toBe(other);
    expect(xml).not.toContain('w:tblLayout w:type="fixed"');
  });
});

const header = (level: number, text: string): Node => ({
  t: "Header",
  c: [level, ["", [], []], [{ t: "Str", c: text }]],
});
const para = (text: string): Node => ({ t: "Para", c: [{ t: "Str", c: text }] });
const titles = (blocks: readonly Node[]) =>
  blocks.flatMap((block) => {
    const [level, , inlines] = getParts(block);
    return block.t === "Header" ? [`${Number(level)} ${extractText(inlines)}`] : [];
  });

describe("the slides of a text", () => {
  const report = [header(1, "Report"), para("x"), header(2, "North"), para("x"), header(2, "South"), para("x")];

  it("begin with the headings below its title, which has a slide of its own", () => {
    const level = findSlideLevel(report);
    expect(level).toBe(2);
    expect(titles(flowSlides(report, level))).toEqual(["1 Report", "2 Report", "2 North", "2 South"]);
  });

  it("begin with its highest headings where several are", () => {
    expect(findSlideLevel([header(1, "A"), para("x"), header(2, "B"), para("x"), header(1, "C"), para("x")])).toBe(1);
    expect(findSlideLevel([header(1, "A"), para("x")])).toBe(1);
    expect(findSlideLevel([header(2, "A"), para("x"), header(1, "B"), para("x")])).toBe(1);
  });

  it("begin with the headings below too, where one slide does not hold what stands under them", () => {
    const long = Array.from({ length: 8 }, () => para("x"));
    const blocks = [header(1, "A"), ...long, header(2, "B"), ...long, header(1, "C"), header(2, "D"), ...long, ...long];
    expect(titles(flowSlides(blocks, 1))).toEqual(["2 A", "2 B", "1 C", "2 D", "2 D (2)"]);
    const short = [header(1, "A"), para("x"), header(2, "B"), para("x"), header(1, "C"), para("x")];
    expect(titles(flowSlides(short, 1))).toEqual(["2 A", "3 B", "2 C"]);
  });

  it("have a title each, and a wide table has a slide's whole width", async () => {
    const markdown = `# Report\n\nIntro.\n\n## Regions\n\n- North\n\n### By month\n\n${WIDE}`;
    const { bytes } = await workshop.made({ format: "pptx", content: { markdown } });
    const { slides } = openPptx(bytes);
    expect(slides.map(({ layout, texts: [title] }) => [layout, title])).toEqual([
      ["Title Slide", "Report"],
      ["Title and Content", "Regions"],
      ["Title and Content", "By month"],
    ]);
  });
});

it.each([
  ["أول", [["lang", "ar"]]],
  ["one", undefined],
])("a list of %s runs as its first letter does where the language says so", (word, expected) => {
  const list: Node = { t: "BulletList", c: [[{ t: "Plain", c: [{ t: "Str", c: word }] }]] };
  const [block] = cleanBlocks([list], { images: new Map(), direction: "lang" }).blocks;
  const [attributes, inner] = getParts(block ?? list) as [unknown, readonly Node[]];
  expect(isAttributes(attributes) ? attributes[2] : undefined).toEqual(expected);
  if (expected !== undefined) expect(inner[0]?.t).toBe("BulletList");
});
