/** Checks a document before any converter sees it, and prepares the converter's input. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { type DocumentKind, MAX_DOCUMENT_BYTES } from "../../core/ports/documents.ts";
import {
  inflateEntry,
  readZipDirectory,
  writeZip,
  type ZipEntry,
  refuseDamaged,
  readEntry,
  refuseTooLarge,
} from "./zip.ts";
import { ChangeScan } from "./docx-changes.ts";
import { detectInnerKind, detectOuterKind } from "./kind.ts";
import { getImageType } from "./images.ts";
import { XmlScan, type XmlTotals } from "./xml-scan.ts";

/** A document that passed the checks. */
export interface CheckedDocument {
  readonly kind: DocumentKind;
  /** The converter's input. An archive is rewritten, and its pictures and embedded files are emptied. */
  readonly bytes: Uint8Array;
  /** The parts of an archive. Empty for other documents. */
  readonly entries: readonly ZipEntry[];
  /** Whether a Word document may have comments or tracked changes. */
  readonly hasChanges: boolean;
}

/**
 * Kinds whose XML may name a document type without own declarations: EPUB's pages name XHTML's, and our own readers of presentations and
 * workbooks ignore it.
 */
const NAMED_DOCTYPE_KINDS: ReadonlySet<DocumentKind> = new Set(["epub", "pptx", "xlsx"]);
const ZIP_MARK = Buffer.from("PK\u0003\u0004");
const MIMETYPE = "mimetype";
const MAX_MIMETYPE_BYTES = 200;
const LT = 0x3c;

/** `name` is the file's name. */
export async function checkDocument(bytes: Uint8Array, name: string): Promise<Result<CheckedDocument>> {
  if (bytes.length > MAX_DOCUMENT_BYTES) return refuseTooLarge(`is larger than ${MAX_DOCUMENT_BYTES / 1024 ** 2} MB`);
  const outer = detectOuterKind(bytes, name);
  if (!outer.ok) return outer;
  return outer.value === "zip"
    ? await checkArchive(bytes)
    : ok({ kind: outer.value, bytes, entries: [], hasChanges: false });
}

async function checkArchive(bytes: Uint8Array): Promise<Result<CheckedDocument>> {
  const directory = readZipDirectory(bytes);
  if (!directory.ok) return directory;
  const entries = directory.value;
  const kind = detectInnerKind(entries, await readMimetype(entries));
  if (!kind.ok) return kind;
  const totals: XmlTotals = { nodes: 0 };
  const changes = new ChangeScan();
  for (const entry of entries) {
    const checked = await checkEntry(entry, kind.value, totals, changes);
    if (!checked.ok) return checked;
  }
  const { hasChanges } = changes;
  return ok({ kind: kind.value, bytes: writeZip(entries, isEmptied), entries, hasChanges });
}

async function readMimetype(entries: readonly ZipEntry[]): Promise<string | null> {
  const entry = entries.find(({ name }) => name === MIMETYPE);
  if (entry === undefined || entry.size > MAX_MIMETYPE_BYTES) return null;
  return Buffer.from(await readEntry(entry)).toString("latin1");
}

/** Inflates an entry once. Checks its size and checksum, rejects nested archives, and scans XML. */
async function checkEntry(
  entry: ZipEntry,
  kind: DocumentKind,
  totals: XmlTotals,
  changes: ChangeScan,
): Promise<Result<void>> {
  const scan = new XmlScan({ doctype: NAMED_DOCTYPE_KINDS.has(kind) ? "by_name" : "refused" }, totals);
  let form: "unknown" | "xml" | "other" = "unknown";
  return await inflateEntry(entry, (chunk) => {
    if (form === "unknown") {
      const start = Buffer.from(chunk.subarray(0, ZIP_MARK.length));
      if (start.equals(ZIP_MARK) && !isEmbedded(entry.name)) return refuseDamaged("it contains another archive");
      // Converters never receive its bytes.
      if (isEmptied(entry)) form = "other";
      else if (isWideText(start) && isMarkup(entry.name)) return failed("invalid_input", NOT_UTF8);
      else form = isMarkup(entry.name) || startsWithTag(chunk) ? "xml" : "other";
    }
    if (form !== "xml") return ok(undefined);
    if (kind === "docx") changes.scan(chunk);
    return scan.scan(chunk);
  });
}

/** Pictures and embedded files are emptied in the converter's archive. */
function isEmptied({ name }: ZipEntry): boolean {
  return getImageType(name) !== null || isEmbedded(name);
}

/** Embedded files, such as a chart's workbook, may be archives. They are never opened. */
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

const NOT_UTF8 = "The document's XML is not UTF-8, so it cannot be read.";
