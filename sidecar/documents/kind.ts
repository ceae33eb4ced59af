/** Detects the kind of a document by its content. The name decides only between text formats. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { getOwn } from "../../core/base/own-field.ts";
import type { DocumentKind } from "../../core/ports/documents.ts";
import { type ZipEntry, refuseEncrypted } from "./zip.ts";

const SUPPORTED =
  "PDF, DOCX, ODT, RTF, EPUB, HTML, PPTX, XLSX, ODS, EML, IPYNB, CSV and TSV, Markdown and plain text can be read, and the facts of pictures";

/** The kind of a `zip` depends on its entries. */
export type OuterKind = DocumentKind | "zip";

const HEAD_BYTES = 1_024;
const TEXT_CHECK_BYTES = 4_096;
const PDF_MARK = "%PDF-";
const PDF_END = Buffer.from("%%EOF");
const PDF_END_BYTES = 2_048;
const RTF_MARK = "{\\rtf";
/** Tab, line ends, vertical tab, form feed, and the escape of terminals. */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]);
const OLE_MARK = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const ENCRYPTED_PACKAGE = Buffer.from("EncryptedPackage", "utf16le");
/** What to do with a compound file, by the name of a stream that its program writes ([MS-CFB]). */
const COMPOUND_FILES: readonly (readonly [stream: string, why: string])[] = [
  ["__properties_version1.0", "It is an Outlook message (.msg): save it as EML, or print it to a PDF, and read that."],
  ["WordDocument", "It is a Word document of the format before 2007 (.doc): save it as DOCX and read that."],
  ["PowerPoint Document", "It is a presentation of the format before 2007 (.ppt): save it as PPTX and read that."],
  ["Workbook", "It is a workbook of the format before 2007 (.xls): save it as XLSX or CSV and read that."],
  ["Book", "It is a workbook of the format before 2007 (.xls): save it as XLSX or CSV and read that."],
];
const OLD_OFFICE = "It has the binary format of Office before 2007: save it as DOCX, XLSX or PPTX.";
/** First bytes of pictures, at an offset. */
const PICTURE_MARKS: readonly (readonly [mark: string, at: number])[] = [
  ["\u0089PNG\r\n\u001a\n", 0],
  ["\u00ff\u00d8\u00ff", 0],
  ["GIF87a", 0],
  ["GIF89a", 0],
  ["WEBP", 8],
  ["II*\u0000", 0],
  ["MM\u0000*", 0],
  ["ftypheic", 4],
  ["ftypheix", 4],
  ["ftypmif1", 4],
  ["ftypavif", 4],
];
const BMP_MARK = "BM";
const BMP_RESERVED = [6, 7, 8, 9];
/** Kinds of text that only the name tells. */
const TEXT_KINDS: Readonly<Record<string, DocumentKind>> = {
  csv: "csv",
  tsv: "tsv",
  md: "markdown",
  markdown: "markdown",
  html: "html",
  htm: "html",
  xhtml: "html",
  eml: "eml",
  ipynb: "ipynb",
};

/** Detects the kind by the first bytes. `name` is the file's name. */
export function detectOuterKind(bytes: Uint8Array, name: string): Result<OuterKind> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = data.subarray(0, HEAD_BYTES).toString("latin1");
  if (bytes.length === 0) return failed("invalid_input", "The document is empty.");
  if (head.startsWith("PK\u0003\u0004") || head.startsWith("PK\u0005\u0006")) return ok("zip");
  if (isPdf(data, head)) return ok("pdf");
  if (isPicture(data, head)) return ok("image");
  if (head.startsWith(RTF_MARK)) return ok("rtf");
  if (data.subarray(0, OLE_MARK.length).equals(OLE_MARK)) {
    if (data.includes(ENCRYPTED_PACKAGE)) return refuseEncrypted();
    const known = COMPOUND_FILES.find(([stream]) => data.includes(Buffer.from(`${stream}\u0000`, "utf16le")));
    return refuseUnsupported(known?.[1] ?? OLD_OFFICE);
  }
  return isText(data) ? ok(detectTextKind(head, name)) : refuseUnsupported("Its format is unknown.");
}

function detectTextKind(head: string, name: string): DocumentKind {
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  const named = getOwn(TEXT_KINDS, extension);
  if (named !== undefined) return named;
  const start = skipComments(dropNuls(head).replace(/^\s*<\?xml[^>]*>/, ""));
  if (/^<svg[\s>]/.test(start)) return "image";
  return /^<(!doctype\s+html|html)\b/i.test(start) ? "html" : "text";
}

/** A PDF may follow other bytes (ISO 32000-1, annex H.3.4.1). A text that only mentions the mark has no end of a PDF. */
function isPdf(data: Buffer, head: string): boolean {
  const at = head.indexOf(PDF_MARK);
  if (at < 0) return false;
  return at === 0 || data.subarray(-PDF_END_BYTES).includes(PDF_END) || !isText(data);
}

function isPicture(data: Buffer, head: string): boolean {
  if (PICTURE_MARKS.some(([mark, at]) => head.startsWith(mark, at))) return true;
  return head.startsWith(BMP_MARK) && data.length > 26 && BMP_RESERVED.every((at) => data[at] === 0);
}

/** Skips leading comments. A loop avoids the backtracking of a single pattern. */
function skipComments(head: string): string {
  let rest = head.trimStart();
  while (rest.startsWith("<!--") && rest.includes("-->")) rest = rest.slice(rest.indexOf("-->") + 3).trimStart();
  return rest;
}

/** Reduces UTF-16 to its ASCII characters. */
function dropNuls(head: string): string {
  return head.replaceAll("\u0000", "").replace(/^(\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, "");
}

/** Text contains NUL only in UTF-16, where it is every other byte of Latin letters. */
function isText(data: Buffer): boolean {
  const start = data.subarray(0, TEXT_CHECK_BYTES);
  if (!start.includes(0)) return !start.some((byte) => byte < 0x20 && !TEXT_CONTROLS.has(byte));
  const [first, second] = [start[0], start[1]];
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  const zeros = [0, 0];
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  return Math.min(even, odd) === 0 && Math.max(even, odd) > start.length / 4;
}

/** Detects the kind by the entries. `mimetype` is the text of the part of that name, which ODF and EPUB have. */
export function detectInnerKind(entries: readonly ZipEntry[], mimetype: string | null): Result<DocumentKind> {
  const has = (start: string) => entries.some(({ name }) => name.startsWith(start));
  if (mimetype !== null) {
    const type = mimetype.trim();
    if (type === "application/epub+zip") return ok("epub");
    if (type.startsWith("application/vnd.oasis.opendocument.text")) return ok("odt");
    if (type.startsWith("application/vnd.oasis.opendocument.spreadsheet")) return ok("ods");
    if (type.startsWith("application/vnd.oasis.opendocument.presentation"))
      return refuseUnsupported("It is a presentation in OpenDocument format (ODP): save it as PPTX and read that.");
    return refuseUnsupported(`Its declared type is ${JSON.stringify(type.slice(0, 80))}.`);
  }
  if (has("[Content_Types].xml")) {
    if (has("word/")) return ok("docx");
    if (has("ppt/")) return ok("pptx");
    if (has("xl/workbook.bin")) return refuseUnsupported("It is a binary workbook (XLSB): save it as XLSX.");
    if (has("xl/")) return ok("xlsx");
  }
  return refuseUnsupported("It is a zip archive without a document.");
}

function refuseUnsupported(why: string): Result<never> {
  return failed("unsupported_media", `This document cannot be read. ${why} ${SUPPORTED}.`);
}
