/**
 * Reads the directory of a ZIP archive (APPNOTE 6.3.10, sections 4.3 and 4.4) without inflating anything. It is what
 * the archive claims; its reader judges whether that is acceptable.
 */

export interface ZipDirectory {
  readonly view: DataView;
  /** Entries, folders included. */
  readonly count: number;
  /** Where the directory begins and where its end record begins. */
  readonly start: number;
  readonly end: number;
  /** True for one part of a split archive. */
  readonly isSplit: boolean;
}

export interface DirectoryEntry {
  readonly name: Uint8Array;
  readonly isEncrypted: boolean;
  /** 0: stored, 8: deflated. */
  readonly method: number;
  /** The type bits of the Unix file mode; 0 when another system wrote the entry. */
  readonly fileType: number;
  /** Inflated. */
  readonly size: number;
  readonly crc32: number;
  /** Null if outside the archive. */
  readonly place: EntryPlace | null;
}

export interface EntryPlace {
  readonly localName: Uint8Array;
  /** From its local header to the end of its bytes. */
  readonly start: number;
  readonly end: number;
  readonly packed: Uint8Array;
}

const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 1;
const UNIX = 3;
const FILE_TYPE = 0o170000;
const ZIP64_FIELD = 1;
const IN_ZIP64 = 0xffffffff;

/** Finds the end record, which only its comment follows; null if missing. */
export function findZipDirectory(archive: Uint8Array): ZipDirectory | null {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT_BYTES); at -= 1) {
    if (view.getUint32(at, true) !== END || view.getUint16(at + 20, true) !== last - at) continue;
    const count = view.getUint16(at + 10, true);
    const isSplit = view.getUint16(at + 8, true) !== count;
    return { view, count, start: view.getUint32(at + 16, true), end: at, isSplit };
  }
  return null;
}

/** Returns the entries in order; a final null means that the directory is broken there. */
export function* readZipEntries({ view, count, start, end }: ZipDirectory): Generator<DirectoryEntry | null> {
  for (let at = start, index = 0; index < count; index += 1) {
    const isEntry = at + CENTRAL_BYTES <= end && view.getUint32(at, true) === CENTRAL;
    const nameEnd = isEntry ? at + CENTRAL_BYTES + view.getUint16(at + 28, true) : Infinity;
    const extraEnd = isEntry ? nameEnd + view.getUint16(at + 30, true) : Infinity;
    const next = isEntry ? extraEnd + view.getUint16(at + 32, true) : Infinity;
    if (next > end) return void (yield null);
    const sizes = readSizes(view, at, nameEnd, extraEnd);
    yield {
      name: sliceBytes(view, at + CENTRAL_BYTES, nameEnd),
      isEncrypted: (view.getUint16(at + 8, true) & ENCRYPTED) !== 0,
      method: view.getUint16(at + 10, true),
      fileType: view.getUint8(at + 5) === UNIX ? view.getUint16(at + 40, true) & FILE_TYPE : 0,
      size: sizes?.size ?? Infinity,
      crc32: view.getUint32(at + 16, true),
      place: sizes === null ? null : findPlace(view, sizes.offset, sizes.packed),
    };
    at = next;
  }
}

/** Sizes are in the directory's fixed fields or, where those say so, in the ZIP64 field. */
function readSizes(view: DataView, at: number, extraAt: number, extraEnd: number) {
  const fixed = [view.getUint32(at + 24, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)];
  const long = fixed.includes(IN_ZIP64) ? readZip64(view, extraAt, extraEnd) : [];
  const [size, packed, offset] = fixed.map((value) => (value === IN_ZIP64 ? long.shift() : value));
  return size === undefined || packed === undefined || offset === undefined ? null : { size, packed, offset };
}

function readZip64(view: DataView, from: number, end: number): number[] {
  for (let at = from; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== ZIP64_FIELD) continue;
    const count = Math.floor(Math.min(view.getUint16(at + 2, true), end - at - 4) / 8);
    return Array.from({ length: count }, (_, index) => Number(view.getBigUint64(at + 4 + index * 8, true)));
  }
  return [];
}

function findPlace(view: DataView, offset: number, packed: number): EntryPlace | null {
  const nameAt = offset + LOCAL_BYTES;
  if (nameAt > view.byteLength || view.getUint32(offset, true) !== LOCAL) return null;
  const nameEnd = nameAt + view.getUint16(offset + 26, true);
  const start = nameEnd + view.getUint16(offset + 28, true);
  const end = start + packed;
  if (end > view.byteLength) return null;
  return { localName: sliceBytes(view, nameAt, nameEnd), start: offset, end, packed: sliceBytes(view, start, end) };
}

function sliceBytes({ buffer, byteOffset }: DataView, start: number, end: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + start, end - start);
}
