/** Workbooks, as openpyxl reads them. */
import { afterAll, describe, expect, it } from "vitest";
import { NOW, openWorkshop } from "./made.ts";
import { openXlsx } from "./opened.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

const SALES = {
  name: "Sales 'Q3' & more",
  columns: [
    { header: "City" },
    { header: "Amount", format: "#,##0.00" },
    { header: "Share", format: "0.0%", width: 33 },
    { header: "Day", type: "date" as const },
    { header: "都市の名前" },
  ],
  rows: [
    ["Oslo", 1200.5, 0.25, "2026-01-31", true],
    ["Lima", { value: 800, bold: true }, 0.75, "2026-02-28", false],
    ["Total", { formula: '=IF(B2<B3,"<&>",SUM(B2:B3))' }, null, { date: "2026-03-01T10:30" }, null],
  ],
};

describe("a workbook of sheets", () => {
  it("has texts, numbers, dates, truth values and formulas as cells of their kind, with formats", async () => {
    const { bytes } = await workshop.made({ format: "xlsx", content: { sheets: [SALES] }, title: "T & <x>" });
    const book = openXlsx(bytes);
    expect([book.title, book.created]).toEqual(["T & <x>", new Date(NOW).toISOString().slice(0, 19)]);
    const [sheet] = book.sheets;
    expect(sheet).toMatchObject({ name: "Sales 'Q3' & more", freeze: "A2", filter: "A1:E4" });
    expect(sheet?.rows).toEqual([
      ["City", "Amount", "Share", "Day", "都市の名前"].map((text) => [text, "s", "General"]),
      [
        ["Oslo", "s", "General"],
        [1200.5, "n", "#,##0.00"],
        [0.25, "n", "0.0%"],
        ["2026-01-31T00:00:00", "d", "yyyy-mm-dd"],
        [true, "b", "General"],
      ],
      [
        ["Lima", "s", "General"],
        [800, "n", "#,##0.00"],
        [0.75, "n", "0.0%"],
        ["2026-02-28T00:00:00", "d", "yyyy-mm-dd"],
        [false, "b", "General"],
      ],
      [
        ["Total", "s", "General"],
        ['=IF(B2<B3,"<&>",SUM(B2:B3))', "f", "#,##0.00"],
        [null, "n", "General"],
        ["2026-03-01T10:30:00", "d", "yyyy-mm-dd hh:mm"],
        [null, "n", "General"],
      ],
    ]);
    expect(sheet?.widths).toMatchObject({ C: 33 });
    expect(sheet?.widths["E"]).toBeGreaterThan(10);
  });

  it("keeps every text a text, with any first character", async () => {
    const texts = [
      "=1+1",
      '=HYPERLINK("https://example.com")',
      "+1",
      "-1",
      "@SUM(A1)",
      "\t=1",
      "|calc",
      "007",
      "1e5",
      "a\nb",
      "<x>&\"'",
    ];
    const rows = texts.map((text) => [text, { value: text }]);
    const { bytes } = await workshop.made({ format: "xlsx", content: { sheets: [{ name: "A", rows }] } });
    const [sheet] = openXlsx(bytes).sheets;
    expect(sheet?.rows.map((row) => row.map(([value, kind]) => [value, kind]))).toEqual(
      texts.map((text) => [
        [text, "s"],
        [text, "s"],
      ]),
    );
  });

  it("accepts dates and characters that the calendar and XML exclude", async () => {
    const rows = [["a\u0000b\uD800c", Number.MAX_SAFE_INTEGER, -0.1, 1e300]];
    const { bytes } = await workshop.made({
      format: "xlsx",
      content: {
        sheets: [
          { name: "A", rows },
          { name: "Empty", rows: [] },
        ],
      },
    });
    const [sheet, empty] = openXlsx(bytes).sheets;
    expect(sheet?.rows.map((row) => row.map(([value]) => value))).toEqual([
      ["abc", Number.MAX_SAFE_INTEGER, -0.1, 1e300],
    ]);
    expect([empty?.name, empty?.filter]).toEqual(["Empty", null]);
  });

  it("is frozen and filtered as requested", async () => {
    const sheet = { ...SALES, freeze: { rows: 2, columns: 1 }, autofilter: false };
    const [opened] = openXlsx((await workshop.made({ format: "xlsx", content: { sheets: [sheet] } })).bytes).sheets;
    expect([opened?.freeze, opened?.filter]).toEqual(["B3", null]);
  });

  it("gives the same bytes again", async () => {
    const document = { format: "xlsx" as const, content: { sheets: [SALES] } };
    const [one, other] = [await workshop.made(document), await workshop.made(document)];
    expect(Buffer.compare(one.bytes, other.bytes)).toBe(0);
  });
});

describe("a workbook of Markdown", () => {
  it("has a sheet for each table, named by the heading above it, with numbers and days as such", async () => {
    const markdown = `# By *city*: [x]/y

| City | Sales | Since | Code |
|---|---:|---|---|
| Oslo | 1,200.5 | 2026-01-31 | 007 |
| Lima | −80 | 2025-12-01 | =1+1 |

Some text.

| A |
|---|
| 1 |

## By *city*: [x]/y

| B |
|---|
| **bold** [link](https://example.com) |
`;
    const book = openXlsx((await workshop.made({ format: "xlsx", content: { markdown } })).bytes);
    expect(book.sheets.map(({ name }) => name)).toEqual(["By city x y", "By city x y (2)", "By city x y (3)"]);
    expect(book.sheets.map(({ rows }) => rows.map((row) => row.map(([value]) => value)))).toEqual([
      [
        ["City", "Sales", "Since", "Code"],
        ["Oslo", 1200.5, "2026-01-31T00:00:00", "007"],
        ["Lima", -80, "2025-12-01T00:00:00", "=1+1"],
      ],
      [["A"], [1]],
      [["B"], ["bold link"]],
    ]);
    expect(book.sheets[0]?.rows[2]?.[3]?.[1]).toBe("s");
  });

  it("is refused without a table, with what to do", async () => {
    const made = await workshop.make({ format: "xlsx", content: { markdown: "no table" } });
    expect(made).toMatchObject({
      ok: false,
      error: { code: "invalid_input", message: expect.stringContaining("sheets") },
    });
  });
});

it("has columns as wide as what they display", async () => {
  const columns = [
    { header: "Day", type: "date" as const, format: "dddd, d mmmm yyyy" },
    { header: "Amount", format: "#,##0.00 [$EUR]" },
    { header: "NAME" },
    { header: "Sum" },
  ];
  const rows = [
    ["2026-09-30", 1_234_567.891, "WWWWWWWWWWWWWWWW", 1_234_567],
    ["2026-01-01", 5, "x", { formula: "=SUM(D2:D2)" }],
  ];
  const { bytes } = await workshop.made({ format: "xlsx", content: { sheets: [{ name: "S", columns, rows }] } });
  const { A = 0, B = 0, C = 0, D = 0 } = openXlsx(bytes).sheets[0]?.widths ?? {};
  expect(A).toBeGreaterThanOrEqual("Wednesday, 30 September 2026".length + 1);
  expect(B).toBeGreaterThanOrEqual("1,234,567.89 EUR".length + 1);
  expect(C).toBeGreaterThanOrEqual(25);
  expect(D).toBeGreaterThanOrEqual("1234567".length + 4);
});
