/**
 * Checks a skill's ZIP archive before inflating it: sizes, ratio, links, encryption, overlapping entries. The archive's
 * directory says which entries are links.
 */
import { failed, ok, type Result } from "../base/errors.ts";
import { type DirectoryEntry, findZipDirectory, readZipEntries } from "../lib/zip-directory.ts";
import { MAX_PACKAGE_BYTES, failFiles, formatUntrusted } from "./package.ts";

/** An entry that is a file. */
export interface ZipEntry {
  readonly path: string;
  /** Its bytes as stored in the archive. */
  readonly stored: Uint8Array;
  readonly isDeflated: boolean;
  /** Its inflated size. */
  readonly size: number;
  readonly crc32: number;
}

/** Entries of an archive, including folders. */
const MAX_ENTRIES = 1_000;
/** Largest ratio of inflated to stored bytes for a large entry: text stays far below it. */
const MAX_RATIO = 100;
const LARGE_BYTES = 1_000_000;

const STORED = 0;
const DEFLATED = 8;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
const LINK = 0o120000;

/** Returns the files of an archive. */
export function readZipDirectory(archive: Uint8Array): Result<readonly ZipEntry[]> {
  const directory = findZipDirectory(archive);
  if (directory === null) return failUnreadable("its end is missing: it is truncated, or not a ZIP archive");
  const { count, start, isSplit } = directory;
  if (isSplit) return failUnreadable("it is one part of several");
  if (count === 0xffff || start === 0xffffffff)
    return failUnreadable("it is in the ZIP64 form, which is not supported");
  if (count > MAX_ENTRIES)
    return failed("too_large", `The archive has ${count} entries: at most ${MAX_ENTRIES}.`, { field: "body" });
  const entries: PlacedEntry[] = [];
  const faults: { field: string; message: string }[] = [];
  for (const found of readZipEntries(directory)) {
    if (found === null) return failUnreadable("its directory is broken");
    const entry = judgeEntry(found);
    if (entry.kind === "fault") faults.push(entry);
    if (entry.kind === "file") entries.push(entry);
  }
  if (faults.length > 0) return failFiles(faults);
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_PACKAGE_BYTES) {
    const message = `The files of a skill have at most ${MAX_PACKAGE_BYTES} bytes together, those of this archive ${bytes}.`;
    return failed("too_large", message, { field: "body" });
  }
  const inOrder = [...entries].sort((a, b) => a.start - b.start);
  const overlaps = inOrder.some((entry, index) => entry.end > (inOrder[index + 1]?.start ?? start));
  return overlaps ? failUnreadable("its entries overlap") : ok(entries);
}

type PlacedEntry = ZipEntry & { readonly start: number; readonly end: number };

type JudgedEntry =
  | { readonly kind: "folder" }
  | { readonly kind: "fault"; readonly field: string; readonly message: string }
  | (PlacedEntry & { readonly kind: "file" });

function judgeEntry({ name, fileType, isEncrypted, method, size, crc32, place }: DirectoryEntry): JudgedEntry {
  const path = decodeName(name);
  const fault = (message: string): JudgedEntry => ({
    kind: "fault",
    field: formatUntrusted(path ?? "an entry"),
    message,
  });
  if (path === null) return fault("has a name that is not UTF-8");
  if (fileType === LINK) return fault("is a link: send the file that it leads to");
  if (path.endsWith("/") || fileType === FOLDER) return { kind: "folder" };
  if (fileType !== 0 && fileType !== REGULAR) return fault("is not a file (a device, a pipe or a socket)");
  if (isEncrypted) return fault("is encrypted");
  if (method !== STORED && method !== DEFLATED) return fault("has an unsupported compression: use deflate");
  if (place === null) return fault("is not where the directory says, or is truncated");
  const { packed: stored, start, end, localName } = place;
  if (method === STORED && stored.length !== size) return fault("has contradictory sizes");
  if (size > LARGE_BYTES && size > stored.length * MAX_RATIO)
    return fault(`would be more than ${MAX_RATIO} times as large as it is in the archive`);
  if (decodeName(localName) !== path) return fault("has two names");
  return { kind: "file", path, stored, isDeflated: method === DEFLATED, size, crc32, start, end };
}

function decodeName(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function failUnreadable(why: string): Result<never> {
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
