/** Checks of a document before a converter sees it. No converter runs here. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkDocument } from "../../../sidecar/documents/check.ts";
import { MAX_XML_NODES, XmlScan } from "../../../sidecar/documents/xml-scan.ts";
import { readZipDirectory } from "../../../sidecar/documents/zip.ts";
import { docxParts, makeZip, paragraph, type ZipPart } from "./make-zip.ts";

function fixture(name: string): Buffer {
  return readFileSync(new URL(`../__fixtures__/documents/${name}`, import.meta.url));
}

async function codeOf(bytes: Uint8Array, name = "a.docx"): Promise<string> {
  const checked = await checkDocument(bytes, name);
  return checked.ok ? checked.value.kind : checked.error.code;
}

async function messageOf(bytes: Uint8Array): Promise<string> {
  const checked = await checkDocument(bytes, "a.docx");
  return checked.ok ? "" : checked.error.message;
}

function docx(body: string, more: readonly ZipPart[] = [], prolog = ""): Buffer {
  return makeZip([...docxParts(body, prolog), ...more]);
}

describe("tracked changes and comments of a Word document", () => {
  const hasChanges = async (more: readonly ZipPart[], body = paragraph("a")) => {
    const checked = await checkDocument(docx(body, more), "a.docx");
    return checked.ok && checked.value.hasChanges;
  };

  it.each(["header1", "footer2", "footnotes", "endnotes", "document2", "glossary/document"])(
    "are found in the part %s",
    async (name) => {
      const bytes = `<w:x xmlns:w="w"><w:p>${"<w:r/>".repeat(10_921)}<w:ins\nw:id="1"/></w:p></w:x>`;
      expect(await hasChanges([{ name: `word/${name}.xml`, bytes }])).toBe(true);
    },
  );

  it("are found as comments in any part, with any prefix, also between two chunks", async () => {
    expect(await hasChanges([{ name: "word/comments7.xml", bytes: '<comments><comment id="0"/></comments>' }])).toBe(
      true,
    );
    for (let before = 65_520; before < 65_540; before += 1) {
      const bytes = `<w:x xmlns:w="w">${" ".repeat(before - 17)}<w:del w:id="1"/></w:x>`;
      expect(await hasChanges([{ name: "word/footer1.xml", bytes }])).toBe(true);
    }
  });

  it("are not found in a plain document", async () => {
    expect(await hasChanges([{ name: "word/settings.xml", bytes: "<w:x><w:delText>a</w:delText></w:x>" }])).toBe(false);
    expect(await hasChanges([{ name: "word/comments.xml", bytes: "<w:comments/>" }])).toBe(false);
  });
});

describe("the kind of a document", () => {
  it.each([
    ["report.docx", "docx"],
    ["report.odt", "odt"],
    ["report.rtf", "rtf"],
    ["report.epub", "epub"],
    ["report.pdf", "pdf"],
    ["figures.xlsx", "xlsx"],
    ["slides.pptx", "pptx"],
  ])("is detected by the content of %s, regardless of its name", async (file, kind) => {
    expect(await codeOf(fixture(file), "notes.csv")).toBe(kind);
  });

  it.each([
    ["a.csv", "a,b\n1,2\n", "csv"],
    ["a.tsv", "a\tb\n", "tsv"],
    ["a.md", "# A\n", "markdown"],
    ["a.html", "<p>hi", "html"],
    ["a.bin", "<!-- hi -->\n<!DOCTYPE HTML><p>hi", "html"],
    ["a.unknown", "words", "text"],
    ["a.txt", Buffer.from("\ufeffn\u00fc", "utf16le"), "text"],
    ["a.csv", Buffer.from("n;v\n1;2", "utf16le"), "csv"],
    ["a.exe", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 0, 2]), "unsupported_media"],
    ["a.zip", makeZip([{ name: "a.txt", bytes: "hi" }]), "unsupported_media"],
    ["a.doc", Buffer.from("d0cf11e0a1b11ae1aaaa", "hex"), "unsupported_media"],
    ["a.docx", "", "invalid_input"],
  ])("of %s is found", async (name, bytes, kind) => {
    expect(await codeOf(Buffer.from(bytes), name)).toBe(kind);
  });

  it("names the supported kinds when it is unsupported", async () => {
    const checked = await checkDocument(makeZip([{ name: "a.txt", bytes: "hi" }]), "a.zip");
    expect(checked).toMatchObject({ ok: false, error: { message: expect.stringContaining("PDF, DOCX, ODT") } });
  });
});

describe("an archive", () => {
  it("reaches the converter rewritten, without the bytes of its pictures", async () => {
    const checked = await checkDocument(fixture("report.docx"), "report.docx");
    if (!checked.ok) throw new Error(checked.error.message);
    const inside = readZipDirectory(checked.value.bytes);
    const sizes = new Map(inside.ok ? inside.value.map(({ name, size }) => [name, size]) : []);
    expect(sizes.get("word/media/image1.png")).toBe(0);
    expect(sizes.get("word/document.xml")).toBeGreaterThan(1_000);
    expect(sizes.size).toBe(checked.value.entries.length);
  });

  const zeros = Buffer.alloc(2_000_000);
  it.each<[string, Buffer, string]>([
    ["unpacks to a hundred times its size", docx("", [{ name: "word/a.bin", bytes: zeros }]), "too_large"],
    [
      "says that it unpacks to more than 100 MB",
      docx("", [{ name: "a", bytes: "x", claimedSize: 2 ** 31 }]),
      "too_large",
    ],
    [
      "is larger than its directory says",
      docx("", [{ name: "word/a.bin", bytes: zeros, claimedSize: 2_000 }]),
      "invalid_input",
    ],
    ["holds less than its directory says", docx("", [{ name: "a", bytes: "abc", claimedSize: 4 }]), "invalid_input"],
    ["has a part twice", docx("", [{ name: "WORD/document.xml", bytes: "<a/>" }]), "invalid_input"],
    ["has an encrypted part", docx("", [{ name: "a", bytes: "abc", flags: 1 }]), "invalid_input"],
    ["is packed in an unknown way", docx("", [{ name: "a", bytes: "abc", method: 99 }]), "invalid_input"],
    ["names a part that leads out", docx("", [{ name: "../../etc/passwd", bytes: "x" }]), "invalid_input"],
    ["names a part from the top", docx("", [{ name: "/etc/passwd", bytes: "x" }]), "invalid_input"],
    ["names a part with a backslash", docx("", [{ name: "..\\a", bytes: "x" }]), "invalid_input"],
    ["holds an archive", docx("", [{ name: "word/a.bin", bytes: makeZip(docxParts("")) }]), "invalid_input"],
    [
      "has overlapping parts",
      docx("", [
        { name: "word/a.bin", bytes: randomBytes(20_000) },
        ...Array.from({ length: 50 }, (_, at) => ({ name: `a${at}`, bytes: randomBytes(3_000), offset: 0 })),
      ]),
      "invalid_input",
    ],
    [
      "has too many parts",
      docx(
        "",
        Array.from({ length: 5_001 }, (_, at) => ({ name: `${at}`, bytes: "" })),
      ),
      "too_large",
    ],
    ["has a truncated directory", docx(paragraph("a")).subarray(0, -30), "invalid_input"],
    ["points outside of itself", docx("", [{ name: "a", bytes: "x", offset: 2 ** 31 }]), "invalid_input"],
  ])("that %s is refused", async (_what, bytes, code) => {
    expect(await codeOf(bytes)).toBe(code);
  });

  it("whose bytes do not match their checksum is refused", async () => {
    const bytes = makeZip([...docxParts(""), { name: "a", bytes: "hello, hello", method: 0 }]);
    bytes.write("jello", bytes.indexOf("hello, hello"));
    expect(await messageOf(bytes)).toContain('"a" is damaged');
  });

  it("may contain a chart's workbook, which no converter receives", async () => {
    const checked = await checkDocument(
      docx("", [{ name: "word/embeddings/sheet.xlsx", bytes: makeZip([{ name: "a", bytes: "b" }]) }]),
      "a.docx",
    );
    expect(checked.ok && Buffer.from(checked.value.bytes).includes("PK\u0003\u0004", 10)).toBe(true);
    const inside = checked.ok ? readZipDirectory(checked.value.bytes) : null;
    expect(inside?.ok && inside.value.find(({ name }) => name.endsWith("sheet.xlsx"))?.size).toBe(0);
  });
});

describe("XML", () => {
  const laughs = `<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>`;
  it.each([
    ["entities", laughs],
    ["an external document type", '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd">'],
    ["an external document type without quotes", "<!DOCTYPE a>"],
    ["an entity after a comment", "<!-- <!-- --><!ENTITY a 'b'>"],
  ])("with %s is refused", async (_what, prolog) => {
    expect(await messageOf(docx("", [], prolog))).toContain("declares XML entities");
  });

  it("that only mentions such things is accepted", async () => {
    const harmless = `<!-- <!DOCTYPE a> -->${paragraph("&lt;!ENTITY")}<w:p><![CDATA[<!ENTITY <!DOCTYPE ]]></w:p><w:p w:a="<!ENTITY > a" />`;
    expect(await codeOf(docx(harmless))).toBe("docx");
  });

  it("of an EPUB page may name XHTML's document type, but not define its own", async () => {
    const book = (page: string) =>
      makeZip([
        { name: "mimetype", bytes: "application/epub+zip", method: 0 },
        { name: "a.xhtml", bytes: page },
      ]);
    expect(await codeOf(book('<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd"><html/>'))).toBe("epub");
    expect(await codeOf(book(`${laughs}<html/>`))).toBe("invalid_input");
  });

  it("in UTF-16 is refused", async () => {
    const wide = Buffer.from('\ufeff<?xml version="1.0"?><!DOCTYPE a><a/>', "utf16le");
    expect(await messageOf(docx("", [{ name: "word/b.xml", bytes: wide }]))).toContain("UTF-8");
  });

  it("is refused by its depth at any position", async () => {
    const deep = (levels: number) => "<w:p>".repeat(levels) + "</w:p>".repeat(levels);
    expect(await codeOf(docx(deep(200)))).toBe("docx");
    expect(await codeOf(docx(deep(300)))).toBe("too_large");
    expect(await codeOf(docx("", [{ name: "word/hidden.dat", bytes: ` ${deep(300)}` }]))).toBe("too_large");
    expect(await codeOf(docx("<w:p/>".repeat(1_000)))).toBe("docx");
    expect(await codeOf(docx('<w:p a="/>">'.repeat(300)))).toBe("too_large");
  });

  it("is refused by the number of its elements, over all parts together", () => {
    const scan = new XmlScan({ doctype: "refused" }, { nodes: MAX_XML_NODES - 1 });
    expect(scan.scan(Buffer.from("<a/>")).ok).toBe(true);
    expect(scan.scan(Buffer.from("<a/>"))).toMatchObject({ ok: false, error: { code: "too_large" } });
  });

  it("is judged the same in any chunks", () => {
    const text = Buffer.from(`<?x a?><a b="/>" c='>'><!-- <b> --><![CDATA[ <b> ]]></a><a><b/></a><!ENTITY`);
    for (let at = 0; at <= text.length; at += 1) {
      const totals = { nodes: 0 };
      const scan = new XmlScan({ doctype: "by_name" }, totals);
      const verdicts = [scan.scan(text.subarray(0, at)), scan.scan(text.subarray(at))];
      expect([totals.nodes, verdicts.every(({ ok }) => ok)], `cut at ${at}`).toEqual([3, false]);
    }
  });
});
