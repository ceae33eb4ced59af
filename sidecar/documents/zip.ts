/**
 * A zip archive as a document is one: its directory is read without inflating anything, each entry is inflated once to be
 * counted and looked at, and what a converter gets is a new archive of the entries that passed, with headers of our own
 * (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). So two readers cannot differ over what is in it.
 */
import { createInflateRaw, crc32 } from "node:zlib";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { type DirectoryEntry, findZipDirectory, readZipEntries } from "../../core/lib/zip-directory.ts";

/** One file of an archive, as the directory has it. `packed` are its bytes as they stand there. */
export interface ZipEntry {
  readonly name: string;
  readonly method: 0 | 8;
  readonly size: number;
  readonly crc: number;
  readonly packed: Uint8Array;
}

const MAX_INFLATED_BYTES = 100_000_000;
const MAX_RATIO = 100;
/** Below this an entry's own ratio says nothing: a blank picture shrinks a thousandfold. */
const RATIO_COUNTS_FROM_BYTES = 1_000_000;
const MAX_ENTRIES = 5_000;
const MAX_NAME_BYTES = 500;

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;

/** The entries of an archive that keeps to the limits, by its directory alone. Directories are left out. */
export function readZipDirectory(bytes: Uint8Array): Result<readonly ZipEntry[]> {
  const directory = findZipDirectory(bytes);
  if (directory === null) return broken("its end is missing");
  const { count } = directory;
  if (count > MAX_ENTRIES) return tooLarge(`has ${count} parts, and ${MAX_ENTRIES} are the most`);
  const entries: ZipEntry[] = [];
  const names = new Set<string>();
  let inflated = 0;
  let packed = 0;
  for (const found of readZipEntries(directory)) {
    const read = found === null ? broken("its directory is cut") : judgeEntry(found);
    if (!read.ok) return read;
    const entry = read.value;
    if (entry === null) continue;
    const key = entry.name.toLowerCase();
    if (names.has(key)) return broken(`it holds ${shown(entry.name)} twice`);
    names.add(key);
    inflated += entry.size;
    packed += entry.packed.length;
    if (inflated > MAX_INFLATED_BYTES) return tooBig();
    if (entry.size > RATIO_COUNTS_FROM_BYTES && entry.size > entry.packed.length * MAX_RATIO) return tooDense();
    entries.push(entry);
  }
  if (packed > bytes.length) return broken("its parts overlap");
  if (inflated > bytes.length * MAX_RATIO) return tooDense();
  return ok(entries);
}

/** An entry that may be read; null: a directory. */
function judgeEntry({
  isEncrypted,
  method,
  place,
  size,
  crc32: crc,
  ...found
}: DirectoryEntry): Result<ZipEntry | null> {
  const name = nameOf(found.name);
  if (!name.ok) return name;
  if (name.value.endsWith("/")) return ok(null);
  if (isEncrypted) return encrypted();
  if (method !== 0 && method !== 8) return broken(`${shown(name.value)} is packed in a way that is not supported`);
  if (place === null) return broken(`${shown(name.value)} lies outside of it`);
  return ok({ name: name.value, method, size, crc, packed: place.packed });
}

/** No name leads anywhere: nothing is written by it. But a converter has its own ideas, so odd ones are refused. */
function nameOf(bytes: Uint8Array): Result<string> {
  if (bytes.length === 0 || bytes.length > MAX_NAME_BYTES) return broken("a part of it has no name or a very long one");
  const name = Buffer.from(bytes).toString("utf8");
  const isOdd = /\p{Cc}|\\/u.test(name) || name.startsWith("/") || /^[A-Za-z]:/.test(name);
  if (isOdd || name.split("/").includes("..")) return broken(`it holds a part with the name ${shown(name)}`);
  return ok(name);
}

/**
 * Inflates an entry and shows its bytes to `look` as they come, which may refuse. No more comes than the directory said:
 * an entry that holds more, or other bytes than its checksum says, is refused. Nothing of it is kept.
 */
export async function inflateEntry(entry: ZipEntry, look: (chunk: Uint8Array) => Result<void>): Promise<Result<void>> {
  let bytes = 0;
  let crc = 0;
  try {
    for await (const chunk of inflated(entry)) {
      bytes += chunk.length;
      crc = crc32(chunk, crc);
      if (bytes > entry.size) return failed("invalid_input", LYING);
      const seen = look(chunk);
      if (!seen.ok) return seen;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
    return broken(`${shown(entry.name)} is damaged`);
  }
  return bytes === entry.size && crc === entry.crc ? ok(undefined) : broken(`${shown(entry.name)} is damaged`);
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(Z_|ERR_)/.test(String(error.code));
}

/** Whole, for an entry that passed. */
export async function entryBytes(entry: ZipEntry): Promise<Uint8Array> {
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

/** An archive of these entries, with plain headers. `emptied` keep their name and lose their bytes. */
export function writeZip(entries: readonly ZipEntry[], isEmptied: (entry: ZipEntry) => boolean): Uint8Array {
  const locals: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const written = isEmptied(entry) ? { ...entry, method: 0, size: 0, crc: 0, packed: new Uint8Array() } : entry;
    const name = Buffer.from(written.name);
    const fields = headerFields(written, name.length);
    const local = Buffer.concat([number(LOCAL, 4), fields, name, written.packed]);
    central.push(Buffer.concat([number(CENTRAL, 4), number(20, 2), fields, Buffer.alloc(10), number(offset, 4), name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const count = number(entries.length, 2);
  const end = [
    number(END, 4),
    Buffer.alloc(4),
    count,
    count,
    number(directory.length, 4),
    number(offset, 4),
    number(0, 2),
  ];
  return Buffer.concat([...locals, directory, ...end]);
}

/** From "version needed" to "extra field length", which both kinds of header have in common. The names are UTF-8. */
function headerFields(entry: Omit<ZipEntry, "method"> & { readonly method: number }, nameBytes: number): Buffer {
  const sizes = [number(entry.crc, 4), number(entry.packed.length, 4), number(entry.size, 4)];
  return Buffer.concat([
    number(20, 2),
    number(0x800, 2),
    number(entry.method, 2),
    Buffer.alloc(4),
    ...sizes,
    number(nameBytes, 2),
    number(0, 2),
  ]);
}

function number(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
}

const LYING = "The document holds more than its directory says: it is made to overwhelm its reader, and is not read.";

export function encrypted(): Result<never> {
  return failed("invalid_input", "The document is encrypted. Save it without a password and try again.");
}

export function broken(why: string): Result<never> {
  return failed("invalid_input", `The document is damaged: ${why}.`);
}

export function tooLarge(why: string): Result<never> {
  return failed("too_large", `The document ${why}.`);
}

function tooBig(): Result<never> {
  return tooLarge(`is more than ${MAX_INFLATED_BYTES / 1_000_000} MB when it is unpacked`);
}

function tooDense(): Result<never> {
  return tooLarge(`unpacks to more than ${MAX_RATIO} times its size, which no real document does`);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
