/**
 * Extracts the files of a ZIP archive. Inflates at most the sizes in the archive's directory, which were checked
 * before.
 */
import { ok, type Result } from "../../core/base/errors.ts";
import { type UploadedFile, failFiles } from "../../core/skills/package.ts";
import { crc32, readZipDirectory, type ZipEntry } from "../../core/skills/zip-directory.ts";

/** `invalid_input` or `too_large` explain what is wrong with the archive. */
export async function unzip(archive: Uint8Array): Promise<Result<readonly UploadedFile[]>> {
  const entries = readZipDirectory(archive);
  if (!entries.ok) return entries;
  const files: UploadedFile[] = [];
  for (const entry of entries.value) {
    const bytes = entry.isDeflated ? await inflate(entry) : entry.stored;
    if (bytes === null || bytes.length !== entry.size || crc32(bytes) !== entry.crc32)
      return failFiles([{ field: entry.path.slice(0, 100), message: "is broken: its checksum does not match" }]);
    files.push({ path: entry.path, bytes });
  }
  return ok(files);
}

/** Returns the bytes of an entry; null if they exceed its size, or are not deflated data. */
async function inflate({ stored, size }: ZipEntry): Promise<Uint8Array | null> {
  const inflated = new Uint8Array(size);
  let at = 0;
  const packed = new Response(stored as Uint8Array<ArrayBuffer>).body;
  if (packed === null) return size === 0 ? inflated : null;
  const reader = packed.pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return at === size ? inflated : null;
      if (at + value.length > size) return null;
      inflated.set(value, at);
      at += value.length;
    }
  } catch {
    return null;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
