/** Documents of each format from their bytes to their pieces: formulas, tables, pictures, pages, and what hostile ones end with. */
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { CutOf, CutPiece } from "../../../core/documents/cut-piece.ts";
import type { PieceKind } from "../../../core/knowledge/piece.ts";
import { startBudget } from "../../../sidecar/documents/budget.ts";
import { cutDocument } from "../../../sidecar/documents/cut/cut.ts";
import { cutInProcess } from "../../../sidecar/documents/cut/cut-in-process.ts";
import { makePandocPool } from "../../../sidecar/documents/pandoc.ts";
import { readDocument } from "../../../sidecar/documents/read.ts";
import { readInProcess } from "../../../sidecar/documents/read-in-process.ts";
import { png } from "./made.ts";

const pool = makePandocPool();
afterAll(() => pool.close());
const { signal } = new AbortController();

const fixture = (name: string) => readFileSync(new URL(`../__fixtures__/documents/${name}`, import.meta.url));

async function cut(name: string, bytes: Uint8Array = fixture(name)): Promise<readonly CutPiece[]> {
  const order = { name, pages: null, withImages: true, signal };
  const read = await readDocument(bytes, order, { convert: pool.convert, readInProcess });
  if (!read.ok) throw new Error(read.error.message);
  const { markdown, kind, images } = read.value;
  return cutDocument(markdown, kind, new Set(images.map((image) => image.name)));
}

const only = <Kind extends PieceKind>(pieces: readonly CutPiece[], kind: Kind): CutOf<Kind>[] =>
  pieces.filter((piece): piece is CutOf<Kind> => piece.kind === kind);

/** Texts with formulas and a table, which pandoc writes in each format. */
const TEXTS = [
  { tex: "E = mc^2", words: "The energy of a mass" },
  { tex: "\\int_{0}^{1} x^{2} dx = \\frac{1}{3}", words: "The area below the curve" },
  { tex: "\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}", words: "The sum of the first numbers" },
  { tex: "\\alpha + \\beta \\leq \\sqrt{\\gamma}", words: "The bound of the angles" },
  { tex: "a_{n} \\rightarrow \\infty", words: "The growth of the sequence" },
];
/** Converters set spaces and braces of their own. */
const toBare = (tex: string) => tex.replaceAll(/[\s{}]/g, "");
const TABLE = "| Fruit | Crates |\n|---|---|\n| Apple | 12 |\n| Pear | 7 |\n";

describe.each(["docx", "epub", "html", "md"])("%s", (format) => {
  it.each(TEXTS)("has the formula $tex, its sentence, and a table", async ({ tex, words }) => {
    const markdown = `# Numbers\n\nFirst. ${words} is $${tex}$ in this text.\n\n## Fruit\n\nTable 1: Fruit of the year\n\n${TABLE}`;
    const options = { standalone: true, ...(format !== "docx" ? { "html-math-method": { method: "mathml" } } : {}) };
    const input = Buffer.from(markdown);
    const made = format === "md" ? null : await pool.convert({ from: "markdown", to: format, input, options, signal });
    if (made?.ok === false) throw new Error(made.error.message);
    const pieces = await cut(`a.${format}`, made?.value.bytes ?? input);
    const [formula, ...more] = only(pieces, "formula");
    expect(more).toEqual([]);
    expect(toBare(formula?.tex ?? "")).toBe(toBare(tex));
    expect(formula?.context).toContain(words);
    expect(formula?.heading.at(-1)).toBe("Numbers");
    const [table] = only(pieces, "table");
    expect(table).toMatchObject({
      caption: expect.stringContaining("Fruit of the year"),
      columns: ["Fruit", "Crates"],
      rows: [
        ["Apple", "12"],
        ["Pear", "7"],
      ],
    });
  });
});

it("ODT has its table, and lacks its formulas, as its warning says", async () => {
  const input = Buffer.from(`It is $E = mc^2$ here.\n\n${TABLE}`);
  const made = await pool.convert({ from: "markdown", to: "odt", input, options: { standalone: true }, signal });
  if (!made.ok) throw new Error(made.error.message);
  const pieces = await cut("a.odt", made.value.bytes);
  expect(only(pieces, "table")[0]).toMatchObject({ columns: ["Fruit", "Crates"] });
  expect(only(pieces, "formula")).toEqual([]);
});

describe("the documents of offices", () => {
  it.each(["report.docx", "report.odt", "report.epub", "report.rtf"])(
    "%s has its table and its picture",
    async (name) => {
      const pieces = await cut(name);
      expect(only(pieces, "table")[0]).toMatchObject({ columns: ["Fruit", "Crates", "Kilograms"] });
      expect(only(pieces, "table")[0]?.rows).toContainEqual(["Pear", "7", "133"]);
      expect(only(pieces, "image").length).toBeGreaterThan(0);
      expect(only(pieces, "text").length).toBeGreaterThan(0);
    },
  );

  it("a PDF has pages and its table, and no formulas", async () => {
    const pieces = await cut("report.pdf");
    expect(pieces.every(({ page }) => page !== null)).toBe(true);
    expect(only(pieces, "table")[0]?.rows).toContainEqual(["Pear", "7", "133"]);
    expect(only(pieces, "formula")).toEqual([]);
  });

  it("slides have their numbers, and sheets their names", async () => {
    const slides = await cut("slides.pptx");
    expect(new Set(slides.map(({ page }) => page)).size).toBeGreaterThan(1);
    const sheets = await cut("figures.xlsx");
    const tables = only(sheets, "table");
    expect(tables.length).toBeGreaterThan(0);
    expect(
      tables.every(({ page, heading, columns }) => page !== null && heading.length === 1 && columns.length > 0),
    ).toBe(true);
  });

  it("cells with several blocks are still a table", async () => {
    const [table] = only(await cut("cells.docx"), "table");
    expect(table?.columns.length).toBeGreaterThan(1);
    expect(table?.rows.length).toBeGreaterThan(0);
  });

  it("a picture of a scan gives no pieces", async () => {
    expect(only(await cut("scan.pdf"), "text")).toEqual([]);
    expect(only(await cut("photo.png", png(20, 10)), "image")).toEqual([]);
  });
});

describe("the process that cuts", () => {
  it("gives the same pieces", async () => {
    const markdown = "# A\n\nOne with $x^2$.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    const done = await cutInProcess(markdown, { kind: "markdown", images: [] }, signal, startBudget());
    if (!done.ok) throw new Error(done.error.message);
    const pieces: unknown = JSON.parse(Buffer.from(done.value.json).toString("utf8"));
    expect(pieces).toEqual(cutDocument(markdown, "markdown", new Set()));
    expect(done.value.count).toBe(3);
  });
});
