/** Detects the kind of a document by its content. The name decides only between text formats. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { DocumentKind } from "../../core/ports/documents.ts";
import { type ZipEntry, refuseEncrypted } from "./zip.ts";

const SUPPORTED = "PDF, DOCX, ODT, RTF, EPUB, HTML, PPTX, XLSX, CSV and TSV, Markdown and plain text can be read";

/** The kind of a `zip` depends on its entries. */
export type OuterKind = DocumentKind | "zip";

const HEAD_BYTES = 1_024;
const TEXT_CHECK_BYTES = 4_096;
const PDF_MARK = "%PDF-";
const RTF_MARK = "{\\rtf";
/** Tab, line ends, vertical tab, form feed, and the escape of terminals. */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]);
const OLE_MARK = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const ENCRYPTED_PACKAGE = Buffer.from("EncryptedPackage", "utf16le");

/** Detects the kind by the first bytes. `name` is the file's name. */
export function detectOuterKind(bytes: Uint8Array, name: string): Result<OuterKind> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = data.subarray(0, HEAD_BYTES).toString("latin1");
  if (bytes.length === 0) return failed("invalid_input", "The document is empty.");
  if (head.startsWith("PK\u0003\u0004") || head.startsWith("PK\u0005\u0006")) return ok("zip");
  if (head.includes(PDF_MARK)) return ok("pdf");
  if (head.startsWith(RTF_MARK)) return ok("rtf");
  if (data.subarray(0, OLE_MARK.length).equals(OLE_MARK)) {
    if (data.includes(ENCRYPTED_PACKAGE)) return refuseEncrypted();
    return refuseUnsupported("It has the binary format of Office before 2007: save it as DOCX, XLSX or PPTX.");
  }
  return isText(data) ? ok(detectTextKind(head, name)) : refuseUnsupported("Its format is unknown.");
}

function detectTextKind(head: string, name: string): DocumentKind {
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  if (extension === "csv" || extension === "tsv") return extension;
  if (extension === "md" || extension === "markdown") return "markdown";
  if (extension === "html" || extension === "htm" || extension === "xhtml") return "html";
  return /^<(!doctype\s+html|html)\b/i.test(skipComments(dropNuls(head))) ? "html" : "text";
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
