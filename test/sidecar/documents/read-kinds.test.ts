/** Further kinds of documents: workbooks and their formulas, mails, notebooks, pictures, changes in Word, and kinds that are refused. */
import { afterAll, describe, expect, it } from "vitest";
import { makePandocPool } from "../../../sidecar/documents/pandoc.ts";
import { type DocumentContent, readDocument } from "../../../sidecar/documents/read.ts";
import { readInProcess } from "../../../sidecar/documents/read-in-process.ts";
import { png } from "./made.ts";
import { docxParts, makeZip, paragraph, type ZipPart } from "./make-zip.ts";

const pool = makePandocPool();
afterAll(() => pool.close());

async function outcome(name: string, content: Uint8Array | string) {
  const order = { name, pages: null, withImages: false, signal: new AbortController().signal };
  return await readDocument(Buffer.from(content), order, { convert: pool.convert, readInProcess });
}

async function read(name: string, content: Uint8Array | string): Promise<DocumentContent> {
  const done = await outcome(name, content);
  if (!done.ok) throw new Error(`${done.error.code}: ${done.error.message}`);
  return done.value;
}

/** A workbook of one sheet with these rows. */
function xlsx(rows: string): Buffer {
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const relation = (target: string, type: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${office}/${type}" Target="${target}"/></Relationships>`;
  const parts: ZipPart[] = [
    { name: "[Content_Types].xml", bytes: "<Types/>" },
    { name: "_rels/.rels", bytes: relation("xl/workbook.xml", "officeDocument") },
    {
      name: "xl/workbook.xml",
      bytes: `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    },
    { name: "xl/_rels/workbook.xml.rels", bytes: relation("worksheets/sheet1.xml", "worksheet") },
    { name: "xl/worksheets/sheet1.xml", bytes: `<worksheet><sheetData>${rows}</sheetData></worksheet>` },
  ];
  return makeZip(parts);
}

function ods(rows: string): Buffer {
  const namespaces = ["office", "table", "text"]
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(" ");
  return makeZip([
    { name: "mimetype", bytes: "application/vnd.oasis.opendocument.spreadsheet", method: 0 },
    {
      name: "content.xml",
      bytes: `<office:document-content ${namespaces}><office:body><office:spreadsheet><table:table table:name="Stock">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
    },
  ]);
}

describe("a workbook", () => {
  it("shows formulas without a stored result, and says so", async () => {
    const { markdown, warnings } = await read(
      "a.xlsx",
      xlsx(
        [
          '<row><c r="A1"><v>2</v></c><c r="B1"><f>A1*2</f><v>4</v></c></row>',
          '<row><c r="A2"><f>SUM(A1:A1)</f><v></v></c><c r="B2" t="str"><f>T("")</f><v></v></c></row>',
          '<row><c r="A3"><f t="shared" ref="A3:A4" si="0">A1+1</f></c></row><row><c r="A4"><f t="shared" si="0"/></c></row>',
        ].join(""),
      ),
    );
    expect(markdown).toBe(
      "## S\n\n| 2 | 4 |\n| --- | --- |\n| =SUM(A1:A1) |  |\n| =A1+1 |  |\n| =A1+1 (filled from A3) |  |",
    );
    expect(warnings).toEqual([
      "3 cells have formulas without a stored result. The formula is shown instead: nothing was computed.",
    ]);
  });

  it("in OpenDocument format keeps its sheets, repeated cells, line ends and formulas", async () => {
    const text = (value: string) => `<table:table-cell><text:p>${value}</text:p></table:table-cell>`;
    const rows = [
      `<table:table-row>${text("Fruit")}${text("Note")}<table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell></table:table-row>`,
      `<table:table-row table:number-rows-repeated="2">${text("Apple")}<table:table-cell><office:annotation><text:p>said</text:p></office:annotation><text:p>a<text:s text:c="2"/>b</text:p><text:p>c</text:p></table:table-cell></table:table-row>`,
      `<table:table-row><table:table-cell table:formula="of:=SUM([.B2:.B3])"/><table:table-cell table:formula="of:=1+1" office:value="2"><text:p>2</text:p></table:table-cell></table:table-row>`,
      `<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`,
    ];
    const { kind, title, units, markdown, warnings } = await read("stock.ods", ods(rows.join("")));
    expect({ kind, title, units }).toEqual({ kind: "ods", title: null, units: { name: "sheets", total: 1, read: 1 } });
    expect(markdown).toBe(
      [
        "## Stock\n",
        "| Fruit | Note | x | x |",
        "| --- | --- | --- | --- |",
        "| Apple | a  b<br>c |  |  |",
        "| Apple | a  b<br>c |  |  |",
        "| =SUM(B2:B3) | 2 |  |  |",
      ].join("\n"),
    );
    expect(warnings).toEqual([expect.stringContaining("1 cell has a formula")]);
  });

  it("says when repeated rows are cut", async () => {
    const repeated = (times: number) =>
      `<table:table-row table:number-rows-repeated="${times}"><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>`;
    const all = await read("a.ods", ods(repeated(4_000)));
    expect([all.markdown.match(/\| x \|/g)?.length, all.warnings]).toEqual([4_000, []]);
    const cut = await read("a.ods", ods(repeated(1_048_576)));
    expect(cut.warnings).toEqual([expect.stringContaining("Only the first 5000 rows")]);
  });
});

describe("a Word document", () => {
  it("keeps tracked changes and comments, and says how they are marked", async () => {
    const who = 'w:author="Ana" w:date="2026-01-02T00:00:00Z"';
    const body = `<w:p><w:r><w:t xml:space="preserve">It costs </w:t></w:r><w:del w:id="1" ${who}><w:r><w:delText>100</w:delText></w:r></w:del><w:ins w:id="2" ${who}><w:r><w:t>120</w:t></w:r></w:ins><w:r><w:t xml:space="preserve"> euros </w:t></w:r><w:commentRangeStart w:id="0"/><w:r><w:t>a month</w:t></w:r><w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r></w:p>`;
    const [types, rels, document] = docxParts(body);
    if (types === undefined || rels === undefined || document === undefined) throw new Error("no parts");
    const main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const { markdown, warnings } = await read(
      "offer.docx",
      makeZip([
        {
          ...types,
          bytes: `${String(types.bytes).replace("</Types>", '<Override PartName="/word/comments.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"/></Types>')}`,
        },
        rels,
        document,
        {
          name: "word/_rels/document.xml.rels",
          bytes: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r9" Type="${office}/comments" Target="comments.xml"/></Relationships>`,
        },
        {
          name: "word/comments.xml",
          bytes: `<w:comments xmlns:w="${main}"><w:comment w:id="0" w:author="Bo Lind" w:date="2026-01-03T10:00:00Z">${paragraph("Who agreed?")}</w:comment></w:comments>`,
        },
      ]),
    );
    expect(markdown).toBe("It costs {--100--}{++120++} euros {==a month==}{>>Bo Lind: Who agreed?<<}");
    expect(warnings).toEqual([
      expect.stringContaining("2 tracked changes"),
      expect.stringContaining("1 comments: {==text==}"),
    ]);
  });

  it("without changes has no warning", async () => {
    expect((await read("a.docx", makeZip(docxParts(paragraph("plain"))))).warnings).toEqual([]);
  });
});

describe("a mail", () => {
  const HEADER = "From: Ana Silva <ana@example.com>\r\nTo: bo@example.com\r\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n";

  it("has its header, its HTML as Markdown, and the names of its attachments", async () => {
    const lines = [
      `${HEADER}MIME-Version: 1.0`,
      'Content-Type: multipart/mixed; boundary="x"',
      "",
      "--x",
      "Content-Type: text/html",
      "",
      '<p>See <a href="https://example.com/a">this</a></p>',
      "--x",
      'Content-Type: application/pdf; name="bill.pdf"',
      'Content-Disposition: attachment; filename="bill.pdf"',
      "Content-Transfer-Encoding: base64",
      "",
      "JVBERg==",
      "--x",
      'Content-Type: image/png; name="chart.png"',
      'Content-Disposition: attachment; filename="chart.png"',
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from(png(2, 2)).toString("base64"),
      "--x--",
    ];
    const { kind, title, markdown, images, warnings } = await read("a.eml", lines.join("\r\n"));
    expect({ kind, title }).toEqual({ kind: "eml", title: "Grüße" });
    expect(markdown).toBe(
      [
        "# Grüße",
        "- From: Ana Silva <ana@example.com>\n- To: bo@example.com",
        `- Attachment: bill.pdf (application/pdf, 4 bytes)\n- Attachment: chart.png (image/png, ${png(2, 2).length} bytes) ![](chart.png)`,
        "See [this](https://example.com/a)",
      ].join("\n\n"),
    );
    expect(images).toMatchObject([{ name: "chart.png", contentType: "image/png" }]);
    expect(warnings).toEqual([expect.stringContaining("2 attachments")]);
  });

  it("of text is read as it is", async () => {
    const { markdown } = await read("a.eml", `${HEADER}\r\nHello\r\n> quoted\r\n`);
    expect(markdown).toMatch(/\n\nHello\n> quoted$/);
  });
});

describe("a notebook", () => {
  const notebook = (cells: readonly object[]) =>
    JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: { language_info: { name: "python" } }, cells });

  it("has its text, its code with indentation, and what it printed", async () => {
    const outputs = [
      { output_type: "stream", name: "stdout", text: ["hi\n"] },
      { output_type: "display_data", data: { "image/png": Buffer.from(png(2, 2)).toString("base64") } },
      { output_type: "error", ename: "E", evalue: "v", traceback: ["\u001b[31mE: v\u001b[0m"] },
      { output_type: "display_data", data: { "application/x.y": {} } },
    ];
    const cells = [
      { cell_type: "markdown", source: ["# Study\n", "text"] },
      { cell_type: "code", source: "def f(x):\n    return x", outputs },
    ];
    const { kind, title, markdown, images, warnings } = await read("a.ipynb", notebook(cells));
    expect({ kind, title, images: images.length }).toEqual({ kind: "ipynb", title: "Study", images: 1 });
    expect(markdown).toBe(
      "# Study\ntext\n\n```python\ndef f(x):\n    return x\n```\n\n```text\nhi\n```\n\n![](output-1.png)\n\n```text\nE: v\n```",
    );
    expect(warnings).toEqual(["Results in these formats were omitted: application/x.y."]);
  });

  it.each([
    ["not JSON", "{"],
    ["another version", '{"nbformat":3,"worksheets":[]}'],
  ])("that is %s is refused", async (_what, text) => {
    expect(await outcome("a.ipynb", text)).toMatchObject({ ok: false, error: { code: "invalid_input" } });
  });
});

describe("a picture", () => {
  /** A frame header of 64 by 48 pixels, and a scan. */
  const JPEG = "ffd8ffe000104a46494600010100000100010000ffc0000b080030004001011100ffda0008010100003f007fffd9";

  it("has its kind, its size and its description, and says that its content is not read", async () => {
    const svg =
      '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 80"><title>Chart</title><desc>Sales &amp; costs</desc></svg>';
    const { kind, markdown, warnings } = await read("chart.svg", svg);
    expect(kind).toBe("image");
    expect(markdown).toContain(
      `SVG picture, 120 × 80 pixels, ${svg.length} bytes.\n\nDescription: Chart · Sales & costs`,
    );
    expect(warnings).toEqual([expect.stringContaining("OCR is not supported")]);
  });

  it("reports it for a PNG under any file name", async () => {
    const plain = Buffer.from(png(64, 48));
    const text = Buffer.from("Description\0A red field", "latin1");
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    // Readers of facts do not check the sum.
    const chunk = Buffer.concat([length, Buffer.from("tEXt"), text, Buffer.alloc(4)]);
    const { markdown } = await read("a.txt", Buffer.concat([plain.subarray(0, 33), chunk, plain.subarray(33)]));
    expect(markdown).toMatch(/^PNG picture, 64 × 48 pixels, \d+ bytes\.\n\nDescription: A red field/);
  });

  it.each([
    ["JPEG", Buffer.from(JPEG, "hex"), "64 × 48"],
    ["GIF", Buffer.from("GIF89a\x40\0\x30\0\0\0\0;", "latin1"), "64 × 48"],
    // The number 60 is the byte of `<`.
    ["GIF", Buffer.from("GIF89a<\0<\0\0\0\0;", "latin1"), "60 × 60"],
    ["WebP", Buffer.from(`RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\x3f\xc0\x0b\0${"\0".repeat(9)}`, "latin1"), "64 × 48"],
    [
      "BMP",
      Buffer.from(`BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x40\0\0\0\x30\0\0\0${"\0".repeat(40)}`, "latin1"),
      "64 × 48",
    ],
  ])("may be a %s", async (kind, bytes, size) => {
    expect((await read("a.bin", bytes)).markdown).toContain(`${kind} picture, ${size} pixels`);
  });
});

describe("kinds that are refused", () => {
  const compound = (stream: string) =>
    Buffer.concat([
      Buffer.from("d0cf11e0a1b11ae1", "hex"),
      Buffer.alloc(600),
      Buffer.from(`${stream}\0`, "utf16le"),
      Buffer.alloc(60),
    ]);

  it.each([
    ["a.doc", "WordDocument", "save it as DOCX"],
    ["a.xls", "Workbook", "save it as XLSX or CSV"],
    ["a.ppt", "PowerPoint Document", "save it as PPTX"],
    ["a.msg", "__properties_version1.0", "save it as EML"],
  ])("say what to do: %s", async (name, stream, what) => {
    const error = { code: "unsupported_media", message: expect.stringContaining(what) };
    expect(await outcome(name, compound(stream))).toMatchObject({ ok: false, error });
  });

  it("are not told by the name: a text named .pdf is read as text, also if it mentions the mark of a PDF", async () => {
    for (const text of ["Only notes.\n", "Notes on the mark %PDF-1.7 of a PDF.\n"])
      expect(await read("notes.pdf", text)).toMatchObject({ kind: "text", markdown: text });
  });
});
