/**
 * What a ZIP archive says that it holds (APPNOTE 6.3.10, sections 4.3 and 4.4), checked before anything is inflated: sizes,
 * ratio, links, encryption, entries that overlap. The archive's directory says which of its entries are links; a library
 * that hands out names and bytes does not.
 */
import { failed, ok, type Result } from "../base/errors.ts";
import { MAX_PACKAGE_BYTES, refusal, shown } from "./package.ts";

/** An entry that is a file. */
export interface ZipEntry {
  readonly path: string;
  /** Its bytes in the archive, as they are stored. */
  readonly stored: Uint8Array;
  readonly isDeflated: boolean;
  /** Inflated. */
  readonly size: number;
  readonly crc32: number;
}

/** Entries of an archive, folders too. */
const MAX_ENTRIES = 1_000;
/** Inflated bytes for one stored byte, of an entry that is large: no text that people write comes near it. */
const MAX_RATIO = 100;
const LARGE_BYTES = 1_000_000;

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
const UNIX = 3;
const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
const LINK = 0o120000;

/** The files of an archive. */
export function readZipDirectory(archive: Uint8Array): Result<readonly ZipEntry[]> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = findEnd(view);
  if (end === null) return noArchive("its end is missing: it is cut off, or no ZIP archive");
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  if (view.getUint16(end + 8, true) !== count) return noArchive("it is one part of several");
  if (count === 0xffff || start === 0xffffffff) return noArchive("it is in the ZIP64 form, which is for larger ones");
  if (count > MAX_ENTRIES)
    return failed("too_large", `The archive has ${count} entries: at most ${MAX_ENTRIES}.`, { field: "body" });
  const entries: (ZipEntry & { readonly start: number; readonly end: number })[] = [];
  const faults: { field: string; message: string }[] = [];
  let at = start;
  for (let index = 0; index < count; index += 1) {
    if (at + ENTRY_BYTES > end || view.getUint32(at, true) !== ENTRY_SIGNATURE)
      return noArchive("its directory is broken");
    const nameEnd = at + ENTRY_BYTES + view.getUint16(at + 28, true);
    if (nameEnd > end) return noArchive("its directory is broken");
    const name = archive.subarray(at + ENTRY_BYTES, nameEnd);
    const entry = readEntry(view, archive, at, name);
    if (entry.kind === "fault") faults.push(entry);
    if (entry.kind === "file") entries.push(entry);
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  if (faults.length > 0) return refusal(faults);
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_PACKAGE_BYTES) {
    const message = `The files of a skill have at most ${MAX_PACKAGE_BYTES} bytes together, those of this archive ${bytes}.`;
    return failed("too_large", message, { field: "body" });
  }
  const inOrder = [...entries].sort((a, b) => a.start - b.start);
  const overlaps = inOrder.some((entry, index) => entry.end > (inOrder[index + 1]?.start ?? start));
  return overlaps ? noArchive("its entries overlap") : ok(entries);
}

type ReadEntry =
  | { readonly kind: "folder" }
  | { readonly kind: "fault"; readonly field: string; readonly message: string }
  | (ZipEntry & { readonly kind: "file"; readonly start: number; readonly end: number });

function readEntry(view: DataView, archive: Uint8Array, at: number, name: Uint8Array): ReadEntry {
  const path = nameOf(name);
  const fault = (message: string): ReadEntry => ({ kind: "fault", field: shown(path ?? "an entry"), message });
  if (path === null) return fault("has a name that is not UTF-8");
  const mode = view.getUint8(at + 5) === UNIX ? view.getUint16(at + 40, true) & FILE_TYPE : 0;
  if (mode === LINK) return fault("is a link: send the file that it leads to");
  if (path.endsWith("/") || mode === FOLDER) return { kind: "folder" };
  if (mode !== 0 && mode !== REGULAR) return fault("is no file (a device, a pipe or a socket)");
  if ((view.getUint16(at + 8, true) & ENCRYPTED) !== 0) return fault("is encrypted");
  const method = view.getUint16(at + 10, true);
  if (method !== STORED && method !== DEFLATED) return fault("is compressed in a way that is not read: use deflate");
  const [storedSize, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
  if (method === STORED && storedSize !== size) return fault("has two sizes");
  if (size > LARGE_BYTES && size > storedSize * MAX_RATIO)
    return fault(`would be more than ${MAX_RATIO} times as large as it is in the archive`);
  const local = view.getUint32(at + 42, true);
  if (local + LOCAL_BYTES > archive.length || view.getUint32(local, true) !== LOCAL_SIGNATURE)
    return fault("is not where the directory says");
  const localName = archive.subarray(local + LOCAL_BYTES, local + LOCAL_BYTES + view.getUint16(local + 26, true));
  if (nameOf(localName) !== path) return fault("has another name in the directory than in its place");
  const start = local + LOCAL_BYTES + localName.length + view.getUint16(local + 28, true);
  if (start + storedSize > archive.length) return fault("is cut off");
  return {
    kind: "file",
    path,
    stored: archive.subarray(start, start + storedSize),
    isDeflated: method === DEFLATED,
    size,
    crc32: view.getUint32(at + 16, true),
    start: local,
    end: start + storedSize,
  };
}

/** Where the record at the end begins, behind which is nothing but its comment; null: there is none. */
function findEnd(view: DataView): number | null {
  const first = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT);
  for (let at = view.byteLength - END_BYTES; at >= first; at -= 1) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  return null;
}

function nameOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function noArchive(why: string): Result<never> {
  return failed("invalid_input", `The archive cannot be read: ${why}.`, { field: "body" });
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

/** The checksum of an entry's bytes (CRC-32 of ISO 3309). */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}
