/** PDFs of our own making, by their layout: tables with merged header cells, code, and what the text loses. */
import { afterAll, describe, expect, it } from "vitest";
import { findGridTables } from "../../../sidecar/documents/children/pdf-grid.ts";
import { readPdf } from "../../../sidecar/documents/children/read-pdf.ts";
import { readDocument } from "../../../sidecar/documents/read.ts";
import { NOW, openWorkshop } from "./made.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

async function read(bytes: Uint8Array) {
  const order = { name: "a.pdf", pages: null, withImages: false, signal: new AbortController().signal };
  const done = await readDocument(bytes, order);
  if (!done.ok) throw new Error(done.error.message);
  return done.value;
}

/** Typesets a table between two paragraphs. */
async function typeset(table: string): Promise<Uint8Array> {
  const source = `#set page(paper: "a4")\n#set text(font: "Liberation Sans", size: 10pt)\n= Results\n\nThe figures.\n\n#table(${table})\n\nThe end.\n`;
  const signal = new AbortController().signal;
  const made = await workshop.engines.maker(
    { kind: "pdf", names: [], inputs: {}, nowMs: NOW },
    [Buffer.from(source)],
    signal,
  );
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

const span = (count: number, text: string) => `table.cell(colspan: ${count})[${text}]`;
const down = (count: number, text: string) => `table.cell(rowspan: ${count})[${text}]`;
const row = (...cells: readonly (string | number)[]) => cells.map((cell) => `[${cell}]`).join(", ");

const TABLES: readonly (readonly [what: string, table: string, rows: readonly string[]])[] = [
  [
    "ruled, with two groups",
    `columns: 5, table.header([Region], ${span(2, "2025")}, ${span(2, "2026")}, [], ${row("Plan", "Actual", "Plan", "Actual")}), ${row("North", 10, 12, 14, 15)}, ${row("South", 20, 19, 22, 25)}`,
    [
      "Region | 2025 Plan | 2025 Actual | 2026 Plan | 2026 Actual",
      "North | 10 | 12 | 14 | 15",
      "South | 20 | 19 | 22 | 25",
    ],
  ],
  [
    "centred, with a cell over two rows",
    `columns: 5, align: center, table.header(${down(2, "Region")}, ${span(2, "First half")}, ${span(2, "Second half")}, ${row("Q1", "Q2", "Q3", "Q4")}), ${row("North", 1, 2, 3, 4)}, ${row("South", 5, 6, 7, 8)}`,
    [
      "Region | First half Q1 | First half Q2 | Second half Q3 | Second half Q4",
      "North | 1 | 2 | 3 | 4",
      "South | 5 | 6 | 7 | 8",
    ],
  ],
  [
    "open, with one group on the left",
    `columns: 4, stroke: none, table.hline(), [], ${span(3, "Score")}, ${row("Model", "Easy", "Medium", "Hard")}, table.hline(), ${row("Alpha", "91.2", "80.1", "55.4")}, ${row("Beta", "88.0", "79.5", "60.3")}, table.hline()`,
    ["Model | Score Easy | Score Medium | Score Hard", "Alpha | 91.2 | 80.1 | 55.4", "Beta | 88.0 | 79.5 | 60.3"],
  ],
  [
    "open, with short rules below the groups",
    `columns: 5, stroke: none, align: (left, right, right, right, right), column-gutter: 1em, table.hline(), [], table.cell(colspan: 2, align: center)[Men], table.cell(colspan: 2, align: center)[Women], table.hline(start: 1, end: 3), table.hline(start: 3, end: 5), ${row("Country", "Count", "Share", "Count", "Share")}, table.hline(), ${row("Norway", 120, "48%", 130, "52%")}, ${row("Peru", 210, "51%", 202, "49%")}, table.hline()`,
    [
      "Country | Men Count | Men Share | Women Count | Women Share",
      "Norway | 120 | 48% | 130 | 52%",
      "Peru | 210 | 51% | 202 | 49%",
    ],
  ],
  [
    "coloured, without rules",
    `columns: 6, stroke: none, fill: (_, y) => if y < 2 { luma(220) } else if calc.odd(y) { luma(245) }, [Product], ${span(2, "Europe")}, ${span(2, "Asia")}, [Total], [], ${row("Units", "Value", "Units", "Value")}, [], ${row("Apple", 12, 240, 9, 180, 420)}, ${row("Pear", 7, 133, 4, 76, 209)}, ${row("Plum", 3, 30, 8, 80, 110)}`,
    [
      "Product | Europe Units | Europe Value | Asia Units | Asia Value | Total",
      "Apple | 12 | 240 | 9 | 180 | 420",
      "Pear | 7 | 133 | 4 | 76 | 209",
      "Plum | 3 | 30 | 8 | 80 | 110",
    ],
  ],
  [
    "narrow, with three groups",
    `columns: 7, align: center, table.header([], ${span(2, "Low")}, ${span(2, "Middle")}, ${span(2, "High")}, ${row("Year", "A", "B", "A", "B", "A", "B")}), ${row(2024, 1, 2, 3, 4, 5, 6)}, ${row(2025, 7, 8, 9, 10, 11, 12)}`,
    [
      "Year | Low A | Low B | Middle A | Middle B | High A | High B",
      "2024 | 1 | 2 | 3 | 4 | 5 | 6",
      "2025 | 7 | 8 | 9 | 10 | 11 | 12",
    ],
  ],
  [
    "with three levels",
    `columns: 5, align: center, table.header(${down(3, "City")}, ${span(4, "Weather")}, ${span(2, "Summer")}, ${span(2, "Winter")}, ${row("Rain", "Sun", "Rain", "Sun")}), ${row("Oslo", 80, 200, 50, 40)}, ${row("Lima", 1, 150, 9, 90)}`,
    [
      "City | Weather Summer Rain | Weather Summer Sun | Weather Winter Rain | Weather Winter Sun",
      "Oslo | 80 | 200 | 50 | 40",
      "Lima | 1 | 150 | 9 | 90",
    ],
  ],
  [
    "with a group among single columns",
    `columns: 4, table.header([Name], ${span(2, "Contact")}, [Since], [], ${row("Mail", "Phone")}, []), ${row("Ana Silva", "ana\\@example.com", "555 0101", 2019)}, ${row("Bo Lind", "bo\\@example.com", "555 0102", 2021)}`,
    [
      "Name | Contact Mail | Contact Phone | Since",
      "Ana Silva | ana@example.com | 555 0101 | 2019",
      "Bo Lind | bo@example.com | 555 0102 | 2021",
    ],
  ],
  [
    "with a long group above narrow columns",
    `columns: (2fr, 1fr, 1fr), align: (left, right, right), table.header([Account], table.cell(colspan: 2, align: left)[Amounts in thousands of euros], [], ${row("Jan", "Feb")}), ${row("Travel and lodging", "1.5", "2.0")}, ${row("Office", "3.2", "3.1")}`,
    [
      "Account | Amounts in thousands of euros Jan | Amounts in thousands of euros Feb",
      "Travel and lodging | 1.5 | 2.0",
      "Office | 3.2 | 3.1",
    ],
  ],
  [
    "with a title in its first row",
    `columns: 3, table.header(table.cell(colspan: 3, align: center)[Staff by office], ${row("Office", "Full time", "Part time")}), ${row("Oslo", 12, 3)}, ${row("Lima", 8, 5)}`,
    ["**Staff by office**", "Office | Full time | Part time", "Oslo | 12 | 3", "Lima | 8 | 5"],
  ],
];

describe("a table with merged header cells", () => {
  it.each(TABLES)("keeps its columns: %s", async (_what, table, expected) => {
    const { markdown } = await read(await typeset(table));
    const lines = markdown.split("\n").filter((line) => line !== "" && !/^(\| --- |---$|<!--)/.test(line));
    const rows = lines.map((line) => line.replace(/^\| (.*) \|$/, "$1"));
    expect(rows).toEqual(["# Results", "The figures.", ...expected, "The end."]);
  });

  it("is read as the parser wrote it, with a warning, when there is no time for a second reading", async () => {
    const [, table] = TABLES[0] ?? [];
    const question = { kind: "pdf", pages: null, withImages: false } as const;
    const bytes = await typeset(table ?? "");
    const { markdown, warnings } = await readPdf(bytes, { ...question, secondReadingUntilMs: 0 });
    expect(markdown).toContain("North");
    expect(warnings).toEqual(["Merged header cells in the tables of these pages may be in a wrong column: 1."]);
    expect((await readPdf(bytes, { ...question, secondReadingUntilMs: 20_000 })).warnings).toEqual([]);
  });

  it("is not made of a paragraph above an open table", async () => {
    const table = `columns: 4, stroke: none, ${row("Model", "Easy", "Medium", "Hard")}, table.hline(), ${row("Alpha", "91.2", "80.1", "55.4")}, ${row("Beta", "88.0", "79.5", "60.3")}, table.hline()`;
    const { markdown } = await read(await typeset(table));
    expect(markdown).toContain("The figures.\n\n| Model | Easy | Medium | Hard |");
  });
});

describe("a ruled table that the parser takes apart", () => {
  const PRODUCTS = ["Kettle violet", "Toaster amber", "Mixer green", "Grinder violet"];
  const PRICES = Array.from({ length: 24 }, (_, at) => [
    `P-${100 + at}`,
    `${PRODUCTS[at % 4]} ${at}`,
    `${19 + at}.50`,
    `${(at % 4) + 2} years`,
  ]);
  const narrow = (cells: readonly (readonly string[])[]) =>
    `columns: (3.6em, 7.6em, 3.4em, 4.8em), inset: 3pt, stroke: 0.5pt, ${row("*Article*", "*Product*", "*Price*", "*Warranty*")}, ${cells.map((one) => row(...one)).join(", ")}`;

  it("has every cell in its row, below its headers", async () => {
    const { markdown } = await read(await typeset(narrow(PRICES)));
    const lines = markdown.split("\n").filter((line) => line.startsWith("|"));
    const expected = [["Article", "Product", "Price", "Warranty"], ["---", "---", "---", "---"], ...PRICES];
    expect(lines).toEqual(expected.map((cells) => `| ${cells.join(" | ")} |`));
    expect(markdown).toMatch(/The figures\.\n\n\| Article[^]*years \|\n\nThe end\.$/);
  });

  it("is not made of a grid that is nearly empty, such as a form", () => {
    const places = [0, 100, 200, 300];
    const rules = places.map((at) => ({ at, from: 0, to: 300 }));
    const wordAt = (cell: number) => ({
      text: `${cell}`,
      x: (cell % 3) * 100 + 40,
      y: Math.floor(cell / 3) * 100 + 40,
      width: 9,
      height: 9,
    });
    const find = (cells: readonly number[]) => findGridTables({ across: rules, down: rules }, cells.map(wordAt));
    expect(find([0, 2, 4, 5, 7])).toMatchObject([
      {
        rows: [
          ["0", "", "2"],
          ["", "4", "5"],
          ["", "7", ""],
        ],
        isMerged: false,
      },
    ]);
    expect(find([0, 2, 4, 7])).toEqual([]);
  });
});

describe("code in a PDF", () => {
  it("keeps its indentation, its empty lines and its columns", async () => {
    const code = "def f(x):\n    if x:\n        return 1\n\n    return 2   # done";
    const { bytes } = await workshop.made({ format: "pdf", markdown: `Text.\n\n\`\`\`\n${code}\n\`\`\`\n\nMore.\n` });
    expect((await read(bytes)).markdown).toContain(`\`\`\`python\n${code}\n\`\`\``);
  });
});

describe("what the text of a PDF loses", () => {
  it("is named: formulas, emoji, the dots of a contents list", async () => {
    const markdown = "# One 🚀 ✅\n\n$E = mc^2$ and $\\frac{1}{3}$\n\n# Two\n\ntext\n";
    const { bytes } = await workshop.made({ format: "pdf", markdown, table_of_contents: true });
    const done = await read(bytes);
    expect(done.warnings).toEqual([
      expect.stringMatching(/^Formulas .* on these pages: 1\./),
      expect.stringMatching(/^Emoji .* on these pages: 1\./),
      expect.stringContaining("dots of a contents list"),
    ]);
    expect(done.markdown).toMatch(/One.* … 1\nTwo … 1\n/);
  });

  it("is not named where nothing is lost", async () => {
    const { bytes } = await workshop.made({ format: "pdf", markdown: "# One\n\n- a\n- b\n\nEnd... of it.\n" });
    expect((await read(bytes)).warnings).toEqual([]);
  });
});
