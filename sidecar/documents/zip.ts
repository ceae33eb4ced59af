/**
 * Reads and writes the zip archives of documents (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). The directory is checked
 * without inflating, each entry is inflated once to be counted and scanned, and converters get a new archive of the checked entries with
 * our own headers. So two readers cannot disagree about its content.
 */
import { createInflateRaw, crc32 } from "node:zlib";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { type DirectoryEntry, findZipDirectory, readZipEntries } from "../../core/lib/zip-directory.ts";

/** One file in the archive's directory. `packed` is its stored, compressed data. */
export interface ZipEntry {
  readonly name: string;
  readonly method: 0 | 8;
  readonly size: number;
  readonly crc: number;
  readonly packed: Uint8Array;
}

const MAX_INFLATED_BYTES = 100_000_000;
const MAX_RATIO = 100;
/** Smaller entries may exceed the ratio: a blank picture shrinks a thousandfold. */
const RATIO_COUNTS_FROM_BYTES = 1_000_000;
const MAX_ENTRIES = 5_000;
const MAX_NAME_BYTES = 500;

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;

/** Reads the directory and checks its limits without inflating. Skips folders. */
export function readZipDirectory(bytes: Uint8Array): Result<readonly ZipEntry[]> {
  const directory = findZipDirectory(bytes);
  if (directory === null) return refuseDamaged("its end is missing");
  const { count } = directory;
  if (count > MAX_ENTRIES) return refuseTooLarge(`has ${count} parts (at most ${MAX_ENTRIES})`);
  const entries: ZipEntry[] = [];
  const names = new Set<string>();
  let inflatedBytes = 0;
  let packed = 0;
  for (const found of readZipEntries(directory)) {
    const read = found === null ? refuseDamaged("its directory is truncated") : checkEntry(found);
    if (!read.ok) return read;
    const entry = read.value;
    if (entry === null) continue;
    const key = entry.name.toLowerCase();
    if (names.has(key)) return refuseDamaged(`it holds ${quoteName(entry.name)} twice`);
    names.add(key);
    inflatedBytes += entry.size;
    packed += entry.packed.length;
    if (inflatedBytes > MAX_INFLATED_BYTES) return refuseTooBig();
    if (entry.size > RATIO_COUNTS_FROM_BYTES && entry.size > entry.packed.length * MAX_RATIO) return refuseTooDense();
    entries.push(entry);
  }
  if (packed > bytes.length) return refuseDamaged("its parts overlap");
  if (inflatedBytes > bytes.length * MAX_RATIO) return refuseTooDense();
  return ok(entries);
}

/** Checks an entry of the directory. Null for a folder. */
function checkEntry({
  isEncrypted,
  method,
  place,
  size,
  crc32: crc,
  ...found
}: DirectoryEntry): Result<ZipEntry | null> {
  const name = readName(found.name);
  if (!name.ok) return name;
  if (name.value.endsWith("/")) return ok(null);
  if (isEncrypted) return refuseEncrypted();
  if (method !== 0 && method !== 8)
    return refuseDamaged(`${quoteName(name.value)} is packed in a way that is not supported`);
  if (place === null) return refuseDamaged(`${quoteName(name.value)} lies outside of it`);
  return ok({ name: name.value, method, size, crc, packed: place.packed });
}

/** Refuses unusual names: nothing is written by them here, but a converter might do so. */
function readName(bytes: Uint8Array): Result<string> {
  if (bytes.length === 0 || bytes.length > MAX_NAME_BYTES)
    return refuseDamaged("the name of a part is empty or too long");
  const name = Buffer.from(bytes).toString("utf8");
  const isOdd = /\p{Cc}|\\/u.test(name) || name.startsWith("/") || /^[A-Za-z]:/.test(name);
  if (isOdd || name.split("/").includes("..")) return refuseDamaged(`it holds a part with the name ${quoteName(name)}`);
  return ok(name);
}

/**
 * Inflates an entry and passes its bytes to `look`, which may refuse. Refuses an entry that is larger than its directory says or does not
 * match its checksum. Stores nothing.
 */
export async function inflateEntry(entry: ZipEntry, look: (chunk: Uint8Array) => Result<void>): Promise<Result<void>> {
  let bytes = 0;
  let crc = 0;
  try {
    for await (const chunk of inflated(entry)) {
      bytes += chunk.length;
      crc = crc32(chunk, crc);
      if (bytes > entry.size) return failed("invalid_input", OVERFULL);
      const seen = look(chunk);
      if (!seen.ok) return seen;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
    return refuseDamaged(`${quoteName(entry.name)} is damaged`);
  }
  return bytes === entry.size && crc === entry.crc
    ? ok(undefined)
    : refuseDamaged(`${quoteName(entry.name)} is damaged`);
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(Z_|ERR_)/.test(String(error.code));
}

/** Inflates an entry that passed the checks. */
export async function readEntry(entry: ZipEntry): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  await inflateEntry(entry, (chunk) => {
    chunks.push(chunk);
    return ok(undefined);
  });
  return Buffer.concat(chunks);
}

function inflated({ method, packed }: ZipEntry): AsyncIterable<Uint8Array> | readonly Uint8Array[] {
  if (method === 0) return [packed];
  const stream = createInflateRaw({ chunkSize: 64 * 1024 });
  stream.end(packed);
  return stream as AsyncIterable<Uint8Array>;
}

/** Writes an archive with plain headers. Entries for which `isEmptied` is true keep their name but lose their bytes. */
export function writeZip(entries: readonly ZipEntry[], isEmptied: (entry: ZipEntry) => boolean): Uint8Array {
  const locals: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const written = isEmptied(entry) ? { ...entry, method: 0, size: 0, crc: 0, packed: new Uint8Array() } : entry;
    const name = Buffer.from(written.name);
    const fields = encodeHeaderFields(written, name.length);
    const local = Buffer.concat([encodeNumber(LOCAL, 4), fields, name, written.packed]);
    central.push(
      Buffer.concat([
        encodeNumber(CENTRAL, 4),
        encodeNumber(20, 2),
        fields,
        Buffer.alloc(10),
        encodeNumber(offset, 4),
        name,
      ]),
    );
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const count = encodeNumber(entries.length, 2);
  const end = [
    encodeNumber(END, 4),
    Buffer.alloc(4),
    count,
    count,
    encodeNumber(directory.length, 4),
    encodeNumber(offset, 4),
    encodeNumber(0, 2),
  ];
  return Buffer.concat([...locals, directory, ...end]);
}

/** Encodes the fields that both kinds of header share, from "version needed" to "extra field length". Names are UTF-8. */
function encodeHeaderFields(entry: Omit<ZipEntry, "method"> & { readonly method: number }, nameBytes: number): Buffer {
  const sizes = [encodeNumber(entry.crc, 4), encodeNumber(entry.packed.length, 4), encodeNumber(entry.size, 4)];
  return Buffer.concat([
    encodeNumber(20, 2),
    encodeNumber(0x800, 2),
    encodeNumber(entry.method, 2),
    Buffer.alloc(4),
    ...sizes,
    encodeNumber(nameBytes, 2),
    encodeNumber(0, 2),
  ]);
}

function encodeNumber(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
}

const OVERFULL = "The document is larger than its directory says, as in a decompression bomb, so it cannot be read.";

export function refuseEncrypted(): Result<never> {
  return failed("invalid_input", "The document is encrypted. Save it without a password and try again.");
}

export function refuseDamaged(why: string): Result<never> {
  return failed("invalid_input", `The document is damaged: ${why}.`);
}

export function refuseTooLarge(why: string): Result<never> {
  return failed("too_large", `The document ${why}.`);
}

function refuseTooBig(): Result<never> {
  return refuseTooLarge(`exceeds ${MAX_INFLATED_BYTES / 1_000_000} MB when unpacked`);
}

function refuseTooDense(): Result<never> {
  return refuseTooLarge(`unpacks to more than ${MAX_RATIO} times its size, as a decompression bomb does`);
}

function quoteName(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
