/** Word documents and PDFs of Markdown, made by the engines and opened by programs that had no part in it. */
import { afterAll, describe, expect, it } from "vitest";
import { NOW, openWorkshop, png } from "./made.ts";
import { openDocx, openPdf } from "./opened.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

const MARKDOWN = `# Third quarter

Sales **rose**, *slowly*, by [12 %](https://example.com/a?b=1&c=2). See [below](#cities).[^1]

[^1]: Without the new shops.

## Cities

1. Oslo
   - centre
     - harbour
2. Lima

| City | Sales |
|------|------:|
| Oslo | 1,200 |
| Lima |   800 |

\`\`\`python
def f(x): return x + 1
\`\`\`

![The chart](<charts/a b.png>)

العربية مرحبا بالعالم

日本語の文章です。中文。한국어 — Ünïcödé Ελλάδα Кириллица
`;
const images = new Map([["charts/a b.png", png(40, 20)]]);

describe("a Word document", () => {
  it("has the headings, lists, tables, links, notes and pictures of its Markdown", async () => {
    const made = await workshop.made(
      { format: "docx", markdown: MARKDOWN, title: "Report & <more>", author: "Ana" },
      { images },
    );
    expect(made.warnings).toEqual([]);
    const docx = openDocx(made.bytes);
    expect(docx).toMatchObject({ title: "Report & <more>", author: "Ana", pictures: 1 });
    expect(docx.created).toContain(new Date(NOW).toISOString().slice(0, 19));
    expect(docx.paragraphs).toContainEqual(["Title", "Report & <more>"]);
    expect(docx.paragraphs).toContainEqual(["Heading 1", "Third quarter"]);
    expect(docx.paragraphs).toContainEqual(["Heading 2", "Cities"]);
    expect(docx.paragraphs).toContainEqual(["Source Code", "def f(x): return x + 1"]);
    expect(docx.tables).toEqual([
      [
        ["City", "Sales"],
        ["Oslo", "1,200"],
        ["Lima", "800"],
      ],
    ]);
    expect(docx.links).toEqual(["https://example.com/a?b=1&c=2"]);
    expect([...docx.xml.matchAll(/<w:ilvl w:val="(\d)"/g)].map(([, level]) => level)).toEqual(["0", "1", "2", "0"]);
    expect(docx.xml).toMatch(/<w:footnoteReference/);
    expect(docx.xml).toMatch(/<w:bidi\/>[\s\S]*العربية/);
    const text = docx.paragraphs.map(([, words]) => words).join("\n");
    expect(text).toContain("日本語の文章です。中文。한국어 — Ünïcödé Ελλάδα Кириллица");
  });

  it("takes the styles, margins and footers of its template", async () => {
    const house = await workshop.engines.style("docx", new AbortController().signal);
    if (!house.ok) throw new Error(house.error.message);
    const { openOffice, changePart, closeOffice } = await import("../../../sidecar/documents/make/office-file.ts");
    const parts = openOffice(house.value);
    changePart(parts, "word/styles.xml", (xml) =>
      xml.replace('<w:name w:val="heading 1"/>', '<w:name w:val="heading 1"/><w:aliases w:val="Brand"/>'),
    );
    changePart(parts, "word/footer1.xml", (xml) =>
      xml.replace("<w:p>", "<w:p><w:r><w:t>Brand Inc.</w:t></w:r></w:p><w:p>"),
    );
    const made = await workshop.made({ format: "docx", markdown: "# Hello" }, { template: closeOffice(parts) });
    const styled = openOffice(made.bytes);
    const textOf = (name: string) => new TextDecoder().decode(styled.get(name));
    expect(textOf("word/styles.xml")).toContain("Brand");
    expect(
      [...styled.keys()]
        .filter((name) => /footer/.test(name))
        .map(textOf)
        .join(""),
    ).toContain("Brand Inc.");
  });

  it("says its title once when its text begins with it", async () => {
    const { bytes } = await workshop.made({ format: "docx", markdown: "# Plan\n\nGo.", title: "Plan" });
    const docx = openDocx(bytes);
    expect(docx.title).toBe("Plan");
    expect(docx.paragraphs.map(([, text]) => text)).toEqual(["Plan", "Go."]);
  });

  it("lists its headings where contents are asked for", async () => {
    const markdown = "# One\n\ntext\n\n## Two\n\ntext\n";
    const { bytes } = await workshop.made({ format: "docx", markdown, table_of_contents: true });
    const texts = openDocx(bytes).xml;
    expect(texts).toMatch(/TOC \\o[\s\S]*One[\s\S]*Two[\s\S]*Heading1/);
  });
});

describe("a PDF", () => {
  it("has the text, links and pictures of its Markdown, and carries its fonts", async () => {
    const made = await workshop.made(
      { format: "pdf", markdown: MARKDOWN, title: 'Report "x" #1', author: "Ana", page_size: "a5" },
      { images },
    );
    const pdf = openPdf(made.bytes);
    for (const part of [
      "Third quarter",
      "Cities",
      "Oslo",
      "1,200",
      "def f(x): return x + 1",
      "Without the new shops",
      "日本語の文章です。中文。한국어",
      "Кириллица",
    ])
      expect(pdf.text).toContain(part);
    expect(pdf.text).toMatch(/مرحبا|ﻣﺮﺣﺒﺎ/);
    expect(pdf.info).toMatch(/Title: +Report "x" #1/);
    expect(pdf.info).toMatch(/Author: +Ana/);
    expect(pdf.info).toMatch(/Page size: +419\.\d+ x 595/);
    expect(pdf.images).toBe(1);
    expect(pdf.fonts.length).toBeGreaterThan(3);
    // The columns emb, sub and uni.
    for (const font of pdf.fonts) expect(font).toMatch(/ yes (?:yes|no) +(?:yes|no) +\d+ +\d+$/);
    expect(pdf.fonts.join("\n")).toMatch(/LiberationSans[\s\S]*NotoSansCJK|NotoSansCJK[\s\S]*LiberationSans/);
  });
});

describe("a page of a PDF", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");
  const pages = async (markdown: string) =>
    openPdf((await workshop.made({ format: "pdf", markdown })).bytes)
      .text.split("\f")
      .slice(0, -1);

  it("keeps a block of code, which begins a new page where the rest of one has no room", async () => {
    const text = "Words that fill the page.\n\n".repeat(24);
    const [first = "", second = ""] = await pages(`${text}\`\`\`\n${lines(20)}\n\`\`\`\n`);
    expect(first).not.toContain("line 1");
    for (const line of ["line 1\n", "line 20"]) expect(second).toContain(line);
  });

  it("ends within a block of code only if that is longer than a page", async () => {
    const [first = "", second = ""] = await pages(`\`\`\`\n${lines(90)}\n\`\`\`\n`);
    expect(first).toContain("line 1\n");
    expect(second).toContain("line 90");
  });

  it("prints emoji, also those of several characters", async () => {
    const { bytes } = await workshop.made({ format: "pdf", markdown: "# Go 🚀\n\n✅ ⚠️ 👍🏽 👩‍💻 🇩🇪 1️⃣ `🎉`\n" });
    expect(openPdf(bytes).fonts.join("\n")).toContain("NotoEmoji");
    // A glyph for a missing character would be one of another font.
    expect(openPdf(bytes).fonts.join("\n")).not.toMatch(/DejaVu|CJK/);
  });
});

describe("either", () => {
  it.each(["docx", "pdf"] as const)("%s: two runs of one call give the same bytes", async (format) => {
    const document = { format, markdown: MARKDOWN, title: "Twice" };
    const [one, other] = [await workshop.made(document), await workshop.made(document)];
    expect(Buffer.compare(one.bytes, other.bytes)).toBe(0);
  });

  it.each(["docx", "pdf"] as const)("%s: tells which pictures and links it does not hold", async (format) => {
    const markdown =
      "![a](a.png) ![web](https://example.com/x.png) ![bad](bad.png) [f](file:///etc/passwd) [n](notes.md) [g](#gone)";
    const given = new Map<string, Uint8Array | string>([
      ["a.png", "there is no such file in the sandbox"],
      ["bad.png", new TextEncoder().encode("RIFF....WEBP")],
    ]);
    const { warnings } = await workshop.made({ format, markdown }, { images: given });
    expect(warnings).toEqual([
      "The image a.png is not in the document: there is no such file in the sandbox.",
      "The image https://example.com/x.png is not in the document: images must be in the sandbox.",
      "The image bad.png is not in the document: it is not a PNG, JPEG, GIF or SVG.",
      expect.stringContaining("file:///etc/passwd"),
      expect.stringContaining("notes.md"),
      expect.stringContaining("#gone"),
    ]);
  });
});
