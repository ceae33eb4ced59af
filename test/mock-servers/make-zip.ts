/** Creates valid and invalid ZIP archives. */
import { joinBytes } from "../../core/base/join-bytes.ts";
import { crc32 } from "../../core/skills/zip-directory.ts";

/** An entry, and its defects. */
export interface MadeEntry {
  readonly path: string;
  readonly bytes?: Uint8Array | string;
  /** Unix type and permission bits. Absent from the entry when omitted. */
  readonly mode?: number;
  readonly isStored?: boolean;
  readonly method?: number;
  readonly flags?: number;
  /** A false size to state for the entry. */
  readonly size?: number;
  readonly crc?: number;
  readonly localPath?: string;
  /** The offset to state for the entry. */
  readonly offset?: number;
}

/** Creates an archive with these entries, in this order. */
export async function makeZip(entries: readonly MadeEntry[], comment = ""): Promise<Uint8Array<ArrayBuffer>> {
  const locals: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const entry of entries) {
    const bytes = toBytes(entry.bytes ?? "");
    const stored = entry.isStored === true ? bytes : await deflate(bytes);
    const name = toBytes(entry.path);
    const localName = toBytes(entry.localPath ?? entry.path);
    const method = entry.method ?? (entry.isStored === true ? 0 : 8);
    const common = (view: DataView, from: number, nameLength: number) => {
      view.setUint16(from, 20, true);
      view.setUint16(from + 2, entry.flags ?? 0x800, true);
      view.setUint16(from + 4, method, true);
      view.setUint32(from + 10, entry.crc ?? crc32(bytes), true);
      view.setUint32(from + 14, stored.length, true);
      view.setUint32(from + 18, entry.size ?? bytes.length, true);
      view.setUint16(from + 22, nameLength, true);
    };
    const local = record(30, 0x04034b50, (view) => common(view, 4, localName.length));
    const central = record(46, 0x02014b50, (view) => {
      view.setUint16(4, entry.mode === undefined ? 20 : (3 << 8) | 20, true);
      common(view, 6, name.length);
      view.setUint32(38, ((entry.mode ?? 0) << 16) >>> 0, true);
      view.setUint32(42, entry.offset ?? at, true);
    });
    locals.push(local, localName, stored);
    directory.push(central, name);
    at += local.length + localName.length + stored.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = record(22, 0x06054b50, (view) => {
    view.setUint16(8, entries.length, true);
    view.setUint16(10, entries.length, true);
    view.setUint32(12, size, true);
    view.setUint32(16, at, true);
    view.setUint16(20, comment.length, true);
  });
  return joinBytes([...locals, ...directory, end, toBytes(comment)]);
}

function record(length: number, signature: number, fill: (view: DataView) => void): Uint8Array {
  const view = new DataView(new ArrayBuffer(length));
  view.setUint32(0, signature, true);
  fill(view);
  return new Uint8Array(view.buffer);
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function toBytes(content: Uint8Array | string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(typeof content === "string" ? new TextEncoder().encode(content) : content);
}
