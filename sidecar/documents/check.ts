/** What is judged of a document before any converter sees it, and what the converter then gets. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { type DocumentKind, MAX_DOCUMENT_BYTES } from "../../core/ports/documents.ts";
import { innerKind, outerKind } from "./kind.ts";
import { imageType } from "./images.ts";
import { broken, entryBytes, inflateEntry, readZipDirectory, tooLarge, writeZip, type ZipEntry } from "./zip.ts";
import { XmlScan, type XmlTotals } from "./xml-scan.ts";

/** A document that passed. */
export interface CheckedDocument {
  readonly kind: DocumentKind;
  /** What a converter reads: of an archive, a new one, in which pictures and embedded files have a name and no bytes. */
  readonly bytes: Uint8Array;
  /** The parts of an archive; empty for a document that is none. */
  readonly entries: readonly ZipEntry[];
}

/**
 * Their XML may name a document type, without declarations of its own: EPUB's pages name XHTML's, and the readers of presentations and
 * workbooks are ours, which pass over it.
 */
const MAY_NAME_A_TYPE: ReadonlySet<DocumentKind> = new Set(["epub", "pptx", "xlsx"]);
const ZIP_MARK = Buffer.from("PK\u0003\u0004");
const MIMETYPE = "mimetype";
const MAX_MIMETYPE_BYTES = 200;
const LT = 0x3c;

/** `name` is the file's own. */
export async function checkDocument(bytes: Uint8Array, name: string): Promise<Result<CheckedDocument>> {
  if (bytes.length > MAX_DOCUMENT_BYTES) return tooLarge(`is larger than ${MAX_DOCUMENT_BYTES / 1024 ** 2} MB`);
  const outer = outerKind(bytes, name);
  if (!outer.ok) return outer;
  return outer.value === "zip" ? await checkArchive(bytes) : ok({ kind: outer.value, bytes, entries: [] });
}

async function checkArchive(bytes: Uint8Array): Promise<Result<CheckedDocument>> {
  const directory = readZipDirectory(bytes);
  if (!directory.ok) return directory;
  const entries = directory.value;
  const kind = innerKind(entries, await mimetypeOf(entries));
  if (!kind.ok) return kind;
  const totals: XmlTotals = { nodes: 0 };
  for (const entry of entries) {
    const checked = await checkEntry(entry, kind.value, totals);
    if (!checked.ok) return checked;
  }
  return ok({ kind: kind.value, bytes: writeZip(entries, isLeftOut), entries });
}

async function mimetypeOf(entries: readonly ZipEntry[]): Promise<string | null> {
  const entry = entries.find(({ name }) => name === MIMETYPE);
  if (entry === undefined || entry.size > MAX_MIMETYPE_BYTES) return null;
  return Buffer.from(await entryBytes(entry)).toString("latin1");
}

/** Inflates an entry once: what it holds is what its directory says, no archive, and, where it is XML, XML of a modest kind. */
async function checkEntry(entry: ZipEntry, kind: DocumentKind, totals: XmlTotals): Promise<Result<void>> {
  const scan = new XmlScan({ doctype: MAY_NAME_A_TYPE.has(kind) ? "by_name" : "refused" }, totals);
  let form: "unknown" | "xml" | "other" = "unknown";
  return await inflateEntry(entry, (chunk) => {
    if (form === "unknown") {
      const start = Buffer.from(chunk.subarray(0, ZIP_MARK.length));
      if (start.equals(ZIP_MARK) && !isEmbedded(entry.name)) return broken("an archive is inside it");
      // No converter gets its bytes.
      if (isLeftOut(entry)) form = "other";
      else if (isWideText(start) && isMarkup(entry.name)) return failed("invalid_input", NOT_UTF8);
      else form = isMarkup(entry.name) || startsWithTag(chunk) ? "xml" : "other";
    }
    return form === "xml" ? scan.scan(chunk) : ok(undefined);
  });
}

/** Pictures and embedded files have a name and no bytes in the archive that a converter gets. */
function isLeftOut({ name }: ZipEntry): boolean {
  return imageType(name) !== null || isEmbedded(name);
}

/** A chart's workbook is an archive inside a document; it is never opened. */
function isEmbedded(name: string): boolean {
  return /(^|\/)embeddings\/[^/]+$/i.test(name);
}

function isMarkup(name: string): boolean {
  return /\.(xml|rels|xhtml|html?|opf|ncx|svg|vml)$/i.test(name);
}

function startsWithTag(chunk: Uint8Array): boolean {
  const at = chunk.findIndex((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
  return chunk[at] === LT;
}

function isWideText(start: Uint8Array): boolean {
  return start.includes(0) || (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
}

const NOT_UTF8 = "The document's XML is not in UTF-8, and is not read.";
