import { describe, expect, it } from "vitest";
import type { CutOf, CutPiece } from "../../../core/documents/cut-piece.ts";
import { cutPieceSchema } from "../../../core/documents/cut-piece.ts";
import { CODE_CHARACTERS, OVERLAP_CHARACTERS, PIECE_CHARACTERS } from "../../../core/knowledge/cut-text.ts";
import type { PieceKind } from "../../../core/knowledge/piece.ts";
import type { DocumentKind } from "../../../core/ports/documents.ts";
import { cutDocument } from "../../../sidecar/documents/cut/cut.ts";

const cut = (markdown: string, kind: DocumentKind = "markdown", images: readonly string[] = []) => {
  const pieces = cutDocument(markdown, kind, new Set(images));
  for (const piece of pieces) {
    expect(cutPieceSchema.parse(piece)).toEqual(piece);
    expect(piece.end).toBeGreaterThan(piece.start);
    if (piece.kind === "text") expect(piece.text).toBe(markdown.slice(piece.start, piece.end));
  }
  return pieces;
};
const only = <Kind extends PieceKind>(pieces: readonly CutPiece[], kind: Kind): CutOf<Kind>[] =>
  pieces.filter((piece): piece is CutOf<Kind> => piece.kind === kind);
const sentence = (index: number) => `Sentence number ${index} says something about pumps.`;
const prose = (sentences: number) => Array.from({ length: sentences }, (_, index) => sentence(index)).join(" ");

describe("text", () => {
  it("ends at headings, and has the headings above it", () => {
    const pieces = cut("# Manual\n\nIntro.\n\n## Pumps\n\nOne.\n\nTwo.\n\n### Large\n\nThree.\n\n## Valves\n\nFour.\n");
    expect(pieces.map(({ heading, text }) => [heading.join("/"), text])).toEqual([
      ["Manual", "Intro."],
      ["Manual/Pumps", "One.\n\nTwo."],
      ["Manual/Pumps/Large", "Three."],
      ["Manual/Valves", "Four."],
    ]);
  });

  it("is cut at sentences, with the end of the piece before repeated, and loses nothing", () => {
    const markdown = prose(120);
    const pieces = cut(markdown);
    expect(pieces.length).toBeGreaterThan(4);
    let reached = 0;
    for (const [index, piece] of pieces.entries()) {
      expect(piece.text.length).toBeLessThanOrEqual(PIECE_CHARACTERS);
      expect(piece.start).toBeLessThanOrEqual(reached + 1);
      if (index > 0) expect(reached - piece.start).toBeLessThanOrEqual(OVERLAP_CHARACTERS);
      reached = piece.end;
    }
    expect(reached).toBe(markdown.length);
    expect(pieces.slice(0, -1).every(({ text }) => text.endsWith("."))).toBe(true);
  });

  it("repeats the end of a paragraph in the next piece of its section, but not in another section", () => {
    const [first, second] = cut(`${prose(23)}\n\n${sentence(99)}\n\n${prose(2)}`);
    expect(first?.text.length).toBeGreaterThan(900);
    expect(second?.start).toBeLessThan(first?.end ?? 0);
    const [, other] = cut(`# A\n\n${prose(20)}\n\n# B\n\n${prose(20)}`);
    expect(other?.text.startsWith("Sentence number 0")).toBe(true);
  });

  it("keeps a block of code whole up to its limit, and cuts a longer one at lines", () => {
    const code = Array.from({ length: 120 }, (_, line) => `const value${line} = ${line};`).join("\n");
    const whole = cut(`Before.\n\n\`\`\`js\n${code}\n\`\`\`\n\nAfter.`);
    expect(whole.map(({ text }) => text.slice(0, 6))).toEqual(["Before", "```js\n", "After."]);
    const long = cut(`\`\`\`js\n${code}\n${code}\n\`\`\``);
    expect(long.length).toBe(2);
    expect(long.every(({ text }) => text.length <= CODE_CHARACTERS)).toBe(true);
    expect(long[1]?.text.startsWith("const value")).toBe(true);
  });

  it("cuts one endless word, not inside of a character", () => {
    const pieces = cut("\u{1f600}".repeat(3_000));
    expect(pieces.length).toBeGreaterThan(4);
    expect(pieces.every(({ text }) => text.isWellFormed() && text.length <= PIECE_CHARACTERS)).toBe(true);
  });

  it("has the page, slide or sheet", () => {
    const pdf = cut("<!-- page 1 -->\n\nOne.\n\n<!-- page 2 -->\n\nTwo.", "pdf");
    expect(pdf.map(({ page, text }) => [page, text])).toEqual([
      [1, "One."],
      [2, "Two."],
    ]);
    const slides = cut("## Slide 1: Start\n\nOne.\n\n## Slide 2\n\nTwo.", "pptx");
    expect(slides.map(({ page }) => page)).toEqual([1, 2]);
    const sheets = cut(
      "## Costs\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## Slide 9\n\n| c | d |\n|---|---|\n| 1 | 2 |",
      "xlsx",
    );
    expect(sheets.map(({ page, heading }) => [page, heading])).toEqual([
      [1, ["Costs"]],
      [2, ["Slide 9"]],
    ]);
    // A text that only pretends has no pages.
    expect(cut("<!-- page 7 -->\n\nOne.")[0]?.page).toBeNull();
  });
});

describe("tables", () => {
  it("have columns, rows and a caption, and are no text", () => {
    const pieces = cut("Table 1: Sizes of pumps\n\n| Pump | Size |\n|---|---|\n| A | 1 *mm* |\n| B | 2 mm |\n\nAfter.");
    const [table] = only(pieces, "table");
    expect(table).toMatchObject({
      caption: "Table 1: Sizes of pumps",
      columns: ["Pump", "Size"],
      rows: [
        ["A", "1 mm"],
        ["B", "2 mm"],
      ],
      text: "Table 1: Sizes of pumps\nPump | Size\nPump: A; Size: 1 mm\nPump: B; Size: 2 mm",
    });
    expect(only(pieces, "text").map(({ text }) => text)).toEqual(["Table 1: Sizes of pumps", "After."]);
  });

  it("are read from HTML, with cells that span columns", () => {
    const html = `<table><caption>Costs</caption><thead><tr><th>Year</th><th colspan="2">Cost</th></tr>
      <tr><th></th><th>low</th><th>high</th></tr></thead><tbody><tr><td>2024</td><td><p>1</p></td><td>2</td></tr></tbody></table>`;
    const [table] = only(cut(html.replaceAll("\n", ""), "html"), "table");
    expect(table).toMatchObject({
      caption: "Costs",
      columns: ["Year", "Cost low", "Cost high"],
      rows: [["2024", "1", "2"]],
    });
  });
});

it("a table without headings has its first row as headings", () => {
  const [table] = only(cut("|  |  |\n|---|---|\n| Fruit | Crates |\n| Pear | 7 |\n", "rtf"), "table");
  expect(table).toMatchObject({ columns: ["Fruit", "Crates"], rows: [["Pear", "7"]] });
});

describe("formulas", () => {
  it("have their TeX and the sentence around them", () => {
    const markdown = "First. The energy is $E = mc^2$ for a mass. Last.\n\nThe area:\n\n$$\n\\int_0^1 x\\,dx\n$$\n";
    const [inline, block] = only(cut(markdown), "formula");
    expect(inline).toMatchObject({ tex: "E = mc^2", context: "The energy is E = mc^2 for a mass." });
    expect(markdown.slice(inline?.start, inline?.end)).toBe("$E = mc^2$");
    expect(block).toMatchObject({ tex: "\\int_0^1 x\\,dx", context: "The area:" });
  });

  it("are read as converters write them", () => {
    const [inline, block] = only(cut("The sum $`a + b`$ is it.\n\n``` math\nx^2\n```\n", "docx"), "formula");
    expect(inline).toMatchObject({ tex: "a + b", context: "The sum a + b is it." });
    expect(block).toMatchObject({ tex: "x^2" });
  });

  it("are no prices", () => {
    expect(only(cut("It costs $5 and $6 today, or US$ 7 and $8."), "formula")).toEqual([]);
    expect(only(cut("It is $x$ here.", "text"), "formula")).toEqual([]);
    expect(only(cut("It is $x$ here.", "pdf"), "formula")).toEqual([]);
  });
});

describe("pictures", () => {
  it("and formulas of a table's cells are found too", () => {
    const markdown = "# Pumps\n\n| sign | power |\n|---|---|\n| ![red](a.png) | $`P = UI`$ |\n| ![blue](b.png) | 2 |\n";
    const pieces = cut(markdown, "docx", ["a.png", "b.png"]);
    expect(only(pieces, "image").map(({ alt }) => alt)).toEqual(["red", "blue"]);
    expect(only(pieces, "formula").map(({ tex }) => tex)).toEqual(["P = UI"]);
    expect(only(pieces, "table")).toHaveLength(1);
    expect(only(pieces, "text")).toEqual([]);
  });

  it("have the text next to them without the heading of the next section, and items apart", () => {
    const markdown = "# One\n\n- a ![](a.png)\n- b\n\n# Two\n\nOther.\n";
    expect(only(cut(markdown, "docx", ["a.png"]), "image")).toMatchObject([{ heading: ["One"], nearby: "a b" }]);
  });

  it("have what is written about them, and those of elsewhere are left out", () => {
    const markdown =
      "Look at the pump.\n\n![A red pump](image1.png)\n\nFigure 2: The pump in use.\n\n![x](https://a.example/b.png)\n";
    const [image, ...more] = only(cut(markdown, "docx", ["image1.png"]), "image");
    expect(more).toEqual([]);
    expect(image).toMatchObject({
      name: "image1.png",
      alt: "A red pump",
      caption: "Figure 2: The pump in use.",
      nearby: "Look at the pump.\nFigure 2: The pump in use.",
    });
    expect(image?.text).toContain("A red pump");
  });
});

it("survives deep nesting", () => {
  expect(cut(`${"> ".repeat(2_000)}x`).length).toBe(4);
  expect(cut(`${"[".repeat(5_000)}x`).length).toBeGreaterThan(0);
  expect(cut("").length).toBe(0);
});
