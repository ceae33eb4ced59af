/** Documents that other programs wrote (`__fixtures__/documents/make-documents.py`), read by the real converters. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import { type DocumentContent, type ReadOrder, readDocument } from "../../../sidecar/documents/read.ts";
import { makePandocPool } from "../../../sidecar/documents/pandoc.ts";
import { readZipDirectory, readEntry } from "../../../sidecar/documents/zip.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { readInProcess } from "../../../sidecar/documents/read-in-process.ts";
import { docxParts, makeZip, paragraph } from "./make-zip.ts";

const pool = makePandocPool();
afterAll(() => pool.close());

function fixture(name: string): Buffer {
  return readFileSync(new URL(`../__fixtures__/documents/${name}`, import.meta.url));
}

async function outcome(bytes: Uint8Array, name: string, more: Partial<ReadOrder> = {}) {
  const order = { name, pages: null, withImages: false, signal: new AbortController().signal, ...more };
  return await readDocument(bytes, order, { convert: pool.convert, readInProcess });
}

async function read(
  name: string,
  bytes: Uint8Array = fixture(name),
  more: Partial<ReadOrder> = {},
): Promise<DocumentContent> {
  const done = await outcome(bytes, name, more);
  if (!done.ok) throw new Error(`${done.error.code}: ${done.error.message}`);
  return done.value;
}

/** So many lines of text, as a page draws them. */
function textOf(line: string, lines: number): string {
  return `BT /F1 11 Tf 14 TL 50 740 Td ${`(${line}) Tj T* `.repeat(lines)} ET`;
}

/** A PDF of one page, which draws this. */
function pdfOf(drawing: string): Buffer {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let text = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const place = `${text.length}`.padStart(10, "0");
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${place} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  return Buffer.from(`${text}${table}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`);
}

const TABLE = [
  "| Fruit | Crates | Kilograms |",
  "|-------|--------|-----------|",
  "| Apple | 12     | 240       |",
  "| Pear  | 7      | 133       |",
].join("\n");
const INTRODUCTION = "Apples & pears, größer than ever. See [the orchard](https://example.com/orchard?a=1)";

describe("DOCX", () => {
  it("keeps headings, lists, tables, links and pictures", async () => {
    const { markdown, title, images, kind } = await read("report.docx");
    expect(markdown).toBe(
      [
        "# Harvest of 2026",
        INTRODUCTION,
        "## What was picked",
        "- apples",
        "- pears",
        "1.  first wash",
        "2.  then sort",
        TABLE,
        "![](image1.png)",
        "## Second page",
        "The end.",
      ].join("\n\n"),
    );
    expect({ kind, title }).toEqual({ kind: "docx", title: "Harvest report" });
    expect(images).toMatchObject([{ name: "image1.png", contentType: "image/png", size: 123 }]);
    expect(
      Buffer.from((await images[0]?.bytes()) ?? [])
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
  });

  it("gives a table whose cells hold blocks as HTML, without what is for the eye", async () => {
    const { markdown } = await read("cells.docx");
    expect(markdown.replaceAll(/\n\s*/g, "")).toBe(
      "<table><thead><tr><th>Step</th><th>Notes</th></tr></thead><tbody><tr><td>one</td><td><p>first paragraph</p><p>second paragraph</p></td></tr></tbody></table>",
    );
  });
});

it("ODT keeps them too", async () => {
  const { markdown, title, images } = await read("report.odt");
  for (const part of [
    "# Harvest of 2026",
    INTRODUCTION,
    "- apples\n- pears",
    "2.  then sort",
    "| Pear  | 7      | 133       |",
  ])
    expect(markdown).toContain(part);
  expect([title, images.length]).toEqual(["Harvest report", 1]);
});

it("RTF keeps its text, tables and pictures", async () => {
  const { markdown, images, kind } = await read("report.rtf");
  for (const part of ["größer", "(https://example.com/orchard?a=1)", "| *Pear*  | *7*      | *133*       |"])
    expect(markdown).toContain(part);
  expect([kind, images.length, images[0]?.contentType]).toEqual(["rtf", 1, "image/png"]);
  expect(markdown).toContain(`(${images[0]?.name})`);
});

it("EPUB keeps its text, tables and pictures", async () => {
  const { markdown, title, images } = await read("report.epub");
  for (const part of ["Harvest of 2026", INTRODUCTION, "| Pear  | 7      | 133       |", "(image0001.png)"])
    expect(markdown).toContain(part);
  expect([title, images.map(({ name }) => name)]).toEqual(["Harvest report", ["image0001.png"]]);
});

describe("PDF", () => {
  it("keeps headings, lists and tables, page by page", async () => {
    const { markdown, units, title } = await read("report.pdf");
    expect(units).toEqual({ name: "pages", total: 2, read: 2 });
    expect(title).toBe("Harvest of 2026");
    const [, first = "", second = ""] = markdown.split(/<!-- page \d -->/);
    for (const part of ["# Harvest of 2026", "größer", "- apples\n- pears", "1. first wash", "| Pear | 7 | 133 |"])
      expect(first).toContain(part);
    expect(second.trim()).toBe("## Second page\n\nThe end.");
  });

  it("says of a page that its layout lacks most of its words, and gives them all the same", async () => {
    const line = "alpha beta gamma delta";
    const upright = await read("upright.pdf", pdfOf(textOf(line, 30)));
    expect([upright.warnings, upright.markdown.includes("```")]).toEqual([[], false]);
    // Turned by 90 degrees, as a wide table on a tall page is.
    const turned = await read("turned.pdf", pdfOf(`q 0 1 -1 0 600 0 cm ${textOf(line, 30)} Q`));
    expect(turned.warnings).toEqual([expect.stringMatching(/^Page 1 has only 0 of its \d+ words in its layout/)]);
    expect(turned.markdown.match(/alpha beta gamma delta/g)?.length).toBeGreaterThan(15);
  });

  it("is read by pages", async () => {
    const { markdown, units } = await read("report.pdf", undefined, { pages: { first: 2, last: 2 } });
    expect(markdown).toBe("<!-- page 2 -->\n\n## Second page\n\nThe end.");
    expect(units).toEqual({ name: "pages", total: 2, read: 1 });
    const beyond = await outcome(fixture("report.pdf"), "a.pdf", { pages: { first: 7, last: 9 } });
    expect(beyond).toMatchObject({
      ok: false,
      error: { code: "invalid_input", message: expect.stringContaining("2 pages") },
    });
  });

  it("gives its pictures when they are wanted", async () => {
    const { markdown, images } = await read("report.pdf", undefined, { withImages: true });
    expect(images).toMatchObject([{ contentType: "image/png" }]);
    expect(markdown).toContain(`![](${images[0]?.name})`);
  });

  it("that was scanned says that it has no text", async () => {
    const { markdown, warnings } = await read("scan.pdf");
    expect(markdown).toBe("<!-- page 1 -->");
    expect(warnings).toEqual([expect.stringContaining("has no text")]);
  });

  it("that is encrypted or damaged says so", async () => {
    const locked = await outcome(fixture("locked.pdf"), "a.pdf");
    expect(locked).toMatchObject({
      ok: false,
      error: { code: "invalid_input", message: expect.stringContaining("encrypted") },
    });
    const cut = await outcome(fixture("report.pdf").subarray(0, 900), "a.pdf");
    expect(cut).toMatchObject({
      ok: false,
      error: { code: "invalid_input", message: expect.stringContaining("damaged") },
    });
  });
});

it("PPTX is read slide by slide, with its notes", async () => {
  const { markdown, units, title, images } = await read("slides.pptx");
  expect(markdown).toBe(
    [
      "## Slide 1: What grew",
      "- apples\n   - red ones\n- pears",
      "**Notes:** Say that the summer was long.",
      "## Slide 2: Figures & links",
      "| Fruit | Crates |\n| --- | --- |\n| Apple | 12 |\n| Pear \\| ripe | 7 |",
      "[the orchard](https://example.com/orchard)",
      "![a pixel](image-2-1.png)",
    ].join("\n\n"),
  );
  expect([units?.total, title, images.map(({ name }) => name)]).toEqual([2, "Orchard", ["image-2-1.png"]]);
});

it("XLSX gives every sheet as a table of what its cells show", async () => {
  const { markdown, units } = await read("figures.xlsx");
  expect(markdown).toBe(
    [
      "## Sales",
      [
        "| Item | Day | Price | Share | Double | Moment | Paid |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| Apple | 01/03/2026 | 1,234.50 | 12.5% | € 2,469.00 | 2026-03-01 14:30 | TRUE |",
        "| Pear \\| ripe |  | -0.3 | 1e-7 | 0.3 | 9:05 AM | FALSE |",
        "| over two |  | 7 |  |  |  |  |",
      ].join("\n"),
      "## Empty",
      "*(empty)*",
      "## Far",
      "| corner |  |\n| --- | --- |\n|  | 42 |",
      "## Secret (hidden)",
      "| hush |\n| --- |",
    ].join("\n\n"),
  );
  expect(units).toEqual({ name: "sheets", total: 4, read: 4 });
});

it("a large sheet is cut, and says so", async () => {
  const rows = Array.from(
    { length: 5_100 },
    (_, at) => `<row r="${at + 1}"><c r="A${at + 1}"><v>${(at * 7919) % 99_991}</v></c></row>`,
  );
  const relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const book = makeZip([
    { name: "[Content_Types].xml", bytes: "<Types/>" },
    {
      name: "xl/workbook.xml",
      bytes: `<workbook xmlns:r="${relation}"><sheets><sheet name="Big" r:id="r1"/></sheets></workbook>`,
    },
    {
      name: "xl/_rels/workbook.xml.rels",
      bytes: `<Relationships><Relationship Id="r1" Type="${relation}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    },
    { name: "xl/worksheets/sheet1.xml", bytes: `<worksheet><sheetData>${rows.join("")}</sheetData></worksheet>` },
  ]);
  const { markdown, warnings } = await read("big.xlsx", book);
  expect(warnings).toEqual([expect.stringContaining("Only the first 5000 rows")]);
  expect(markdown.split("\n").filter((line) => line.startsWith("| "))).toHaveLength(5_001);
});

describe("text", () => {
  it.each<[string, string, Buffer, string]>([
    [
      "semicolons",
      "a.csv",
      Buffer.from('name;sum\n"a;b";1,5\n"say ""hi""";2\n'),
      '| name | sum |\n| --- | --- |\n| a;b | 1,5 |\n| say "hi" | 2 |',
    ],
    [
      "commas and lines inside quotes",
      "a.csv",
      Buffer.from('a,b\r\n"1\r\n2",3\r\n'),
      "| a | b |\n| --- | --- |\n| 1<br>2 | 3 |",
    ],
    ["tabs", "a.tsv", Buffer.from("a\tb,c\n1\t2\n"), "| a | b,c |\n| --- | --- |\n| 1 | 2 |"],
    ["UTF-16", "a.csv", Buffer.from("\ufeffn,v\nü,1\n", "utf16le"), "| n | v |\n| --- | --- |\n| ü | 1 |"],
    ["UTF-16 without a mark", "a.csv", Buffer.from("n,v\nü,1\n", "utf16le"), "| n | v |\n| --- | --- |\n| ü | 1 |"],
    ["Windows-1252", "a.csv", Buffer.from("n,v\n\xfc\x80,1\n", "latin1"), "| n | v |\n| --- | --- |\n| ü€ | 1 |"],
    ["a byte order mark", "a.csv", Buffer.from("\ufeffn,v\n1,2\n"), "| n | v |\n| --- | --- |\n| 1 | 2 |"],
  ])("as a table is read with %s", async (_what, name, bytes, markdown) => {
    expect((await read(name, bytes)).markdown).toBe(markdown);
  });

  it("of Markdown and of no kind stays what it is", async () => {
    const text = "# A <b>\n\n| a |\n";
    expect((await read("a.md", Buffer.from(text))).markdown).toBe(text);
    expect((await read("a.log", Buffer.from("x\r\ny"))).markdown).toBe("x\ny");
  });

  it("beyond five million characters is cut at the end of a line, and says so", async () => {
    const line = "0123456789abcdef\n";
    const { markdown, warnings } = await read("a.txt", Buffer.from(line.repeat(400_000)));
    const kept = Math.floor(5_000_000 / line.length) * line.length - 1;
    expect(warnings).toEqual([
      `Only the first ${kept} of ${line.length * 400_000} characters of the document were read.`,
    ]);
    expect(markdown === `${line.repeat(400_000).slice(0, kept)}\n\n*${warnings.join("")}*`).toBe(true);
  });
});

describe("HTML", () => {
  const page = (body: string) =>
    Buffer.from(`<!DOCTYPE html><html><head><title>A &amp; B</title></head><body>${body}</body></html>`);

  it("loses its scripts, handlers, frames and links that run code", async () => {
    const body = `<h1 onclick="x()">Head</h1><script>evil()</script><style>a{}</style><p>
      <a href="javascript:evil()">one</a> <a href="java&#10;script:evil()">two</a> <a href="%6Aavascript:evil()">three</a>
      <a href="https://example.com/a_(b)">four</a></p><iframe src="file:///etc/passwd"></iframe>
      <table><tr><th>k</th></tr><tr><td><ul><li><a href="javascript:evil()">five</a></li></ul></td></tr></table>`;
    const { markdown, title } = await read("a.html", page(body));
    expect(markdown).not.toMatch(/evil|passwd|onclick|script:/i);
    for (const part of ["# Head", "[one](#) [two](#) [three](#)", "[four](https://example.com/a_(b))", "five"])
      expect(markdown).toContain(part);
    expect(title).toBe("A & B");
  });

  it("gives the pictures that stand in it as files", async () => {
    const { markdown, images } = await read(
      "a.html",
      page('<img alt="dot" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">'),
    );
    expect(markdown).toBe("![dot](inline.gif)");
    expect(images).toMatchObject([{ name: "inline.gif", contentType: "image/gif", size: 14 }]);
  });

  it("and documents that name addresses reach nobody", async () => {
    const hits: string[] = [];
    const server = createServer((request, response) => {
      hits.push(request.url ?? "");
      response.end("hello");
    });
    const at = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
    await outcome(
      page(`<img src="${at}/1"><link rel="stylesheet" href="${at}/2"><iframe src="${at}/3"></iframe>`),
      "a.html",
    );
    await outcome(Buffer.from(`<!DOCTYPE html SYSTEM "${at}/4"><html><p>&x;</p></html>`), "a.html");
    const entity = `<!DOCTYPE a [<!ENTITY x SYSTEM "${at}/5">]>`;
    expect(await outcome(makeZip(docxParts(paragraph("&x;"), entity)), "a.docx")).toMatchObject({ ok: false });
    await outcome(Buffer.from(`{\\rtf1 {\\field{\\*\\fldinst INCLUDEPICTURE "${at}/6"}}}`), "a.rtf");
    await closeServer(server);
    expect(hits).toEqual([]);
  });
});

describe("a document type that an Office file names", () => {
  /** The fixture with another beginning of one of its parts, and a picture that declares entities. */
  async function withType(name: string, part: string, type: string): Promise<Buffer> {
    const directory = readZipDirectory(fixture(name));
    if (!directory.ok) throw new Error(directory.error.message);
    const parts = directory.value.map(async (entry) => {
      const bytes = Buffer.from(await readEntry(entry));
      if (entry.name !== part) return { name: entry.name, bytes };
      return { name: entry.name, bytes: Buffer.from(bytes.toString().replace(/^(<\?xml[^>]*\?>)?/, `$1${type}`)) };
    });
    const svg = '<!DOCTYPE svg [<!ENTITY ns "http://ns.example.com/">]><svg xmlns="&ns;"/>';
    return makeZip([...(await Promise.all(parts)), { name: "media/drawing.svg", bytes: svg }]);
  }

  it.each([
    ["slides.pptx", "ppt/slides/slide1.xml", "<!DOCTYPE p:sld>"],
    ["slides.pptx", "ppt/slides/slide1.xml", '<!DOCTYPE p:sld SYSTEM "http://127.0.0.1:1/a.dtd">'],
    ["figures.xlsx", "xl/workbook.xml", "<!DOCTYPE workbook>"],
    ["figures.xlsx", "xl/worksheets/sheet1.xml", '<!DOCTYPE worksheet PUBLIC "-//A//B" "b.dtd">'],
  ])("%s, %s, changes nothing of what is read: %s", async (name, part, type) => {
    const { markdown, warnings } = await read(name, await withType(name, part, type));
    expect({ markdown, warnings }).toEqual(pick(await read(name)));
  });

  it.each([
    ["slides.pptx", "ppt/slides/slide1.xml", '<!DOCTYPE a [<!ENTITY x "y">]>'],
    ["figures.xlsx", "xl/workbook.xml", "<!DOCTYPE a [<!ELEMENT b ANY>]>"],
  ])("is refused in %s where it declares something: %s %s", async (name, part, type) => {
    expect(await outcome(await withType(name, part, type), name)).toMatchObject({
      ok: false,
      error: { code: "invalid_input", message: expect.stringContaining("declares XML entities") },
    });
  });
});

function pick({ markdown, warnings }: DocumentContent) {
  return { markdown, warnings };
}
