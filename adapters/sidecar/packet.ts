/**
 * How a job and its result travel between the Worker and the sidecar: the length of the head in bytes as decimal digits, a
 * line feed, the head as JSON, then the bytes of its files one after the other. Neither side holds a whole packet.
 */
import { z } from "zod";
import { judgeForm } from "../../core/sandbox/path.ts";
import { parseJson } from "../../core/base/parse-json.ts";

/** Of the head. The text of a large document travels in it. */
const MAX_HEAD_BYTES = 64 * 1024 * 1024;
const MAX_LENGTH_DIGITS = 9;
const LINE_FEED = 10;

const headSchema = z.strictObject({
  body: z.unknown(),
  files: z.array(
    z.strictObject({
      path: z.string(),
      size: z.int().min(0),
      mode: z.int().min(0).max(0o777).optional(),
    }),
  ),
});

/** A file of a packet. `path` is relative; `size` is in bytes; `mode` is nine permission bits. */
export interface PacketFile {
  readonly path: string;
  readonly size: number;
  readonly mode?: number | undefined;
}

/** `body` is JSON. */
export interface PacketHead {
  readonly body: unknown;
  readonly files: readonly PacketFile[];
}

/** What a reader takes at most. */
export interface PacketLimits {
  readonly files: number;
  /** Of all files together. */
  readonly bytes: number;
}

/** A packet whose head was read. */
export interface OpenPacket {
  readonly head: PacketHead;
  /** As it came, for its hash. */
  readonly headBytes: Uint8Array;
  /** The files in their order. The chunks of each have to be read to their end before the next. */
  contents(): AsyncGenerator<{ readonly file: PacketFile; readonly chunks: AsyncGenerator<Uint8Array> }>;
}

/** The next bytes; null: there are no more. */
export type Pull = () => Promise<Uint8Array | null>;

/** What is wrong with a packet: `too_large` for one beyond the limits. */
export class PacketError extends Error {
  readonly code: "invalid_input" | "too_large";

  constructor(code: PacketError["code"], message: string) {
    super(message);
    this.name = "PacketError";
    this.code = code;
  }
}

/** The head as bytes. */
export function headBytes(head: PacketHead): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(head));
}

/** The bytes of a packet. `open` gives a file's bytes, exactly as many as the head says, else this throws. */
export async function* packetChunks(
  head: Uint8Array,
  files: readonly PacketFile[],
  open: (file: PacketFile) => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(`${head.length}\n`);
  yield head;
  for (const file of files) {
    let left = file.size;
    for await (const chunk of await open(file)) {
      left -= chunk.length;
      if (left < 0) break;
      yield chunk;
    }
    if (left !== 0) throw new Error(`${file.path} does not have ${file.size} bytes`);
  }
}

/** Reads the head of a packet. Throws `PacketError`. */
export async function openPacket(pull: Pull, limits: PacketLimits): Promise<OpenPacket> {
  const source = byteSource(pull);
  const read = await source.exactly(await readLength(source));
  const head = parseHead(read);
  if (head.files.length > limits.files)
    throw new PacketError("too_large", `There are ${head.files.length} files; at most ${limits.files} are taken.`);
  const bytes = head.files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > limits.bytes)
    throw new PacketError("too_large", `The files have ${bytes} bytes; at most ${limits.bytes} are taken.`);
  return {
    head,
    headBytes: read,
    async *contents() {
      for (const file of head.files) yield { file, chunks: source.upTo(file.size) };
      if (!(await source.isOver())) throw new PacketError("invalid_input", "The packet is longer than its head says.");
    },
  };
}

/** The text whose SHA-256 stands for all files of a packet in its token: their own hashes in hex, in their order. */
export function textOfHashes(hashes: readonly string[]): string {
  return hashes.join("\n");
}

/** The whole of some chunks. */
export async function joined(chunks: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for await (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function parseHead(bytes: Uint8Array): PacketHead {
  const parsed = headSchema.safeParse(parseJson(new TextDecoder().decode(bytes)));
  if (!parsed.success) throw new PacketError("invalid_input", "The head of the packet is not what it should be.");
  const { body, files } = parsed.data;
  const judged = files.map((file) => ({ ...file, path: pathOf(file.path) }));
  if (new Set(judged.map(({ path }) => path)).size < judged.length)
    throw new PacketError("invalid_input", "Two files of the packet have the same path.");
  return { body, files: judged };
}

function pathOf(raw: string): string {
  const judged = judgeForm(raw);
  if (!judged.ok) throw new PacketError("invalid_input", judged.error.message);
  return judged.value;
}

async function readLength(source: ByteSource): Promise<number> {
  let digits = "";
  for (;;) {
    const [byte = LINE_FEED] = await source.exactly(1);
    if (byte === LINE_FEED) break;
    digits += String.fromCharCode(byte);
    if (digits.length > MAX_LENGTH_DIGITS) break;
  }
  if (!/^\d{1,9}$/.test(digits)) throw new PacketError("invalid_input", "This is no packet.");
  if (Number(digits) > MAX_HEAD_BYTES) throw new PacketError("too_large", `The head has ${digits} bytes.`);
  return Number(digits);
}

interface ByteSource {
  exactly(count: number): Promise<Uint8Array>;
  /** So many bytes, as they come. */
  upTo(count: number): AsyncGenerator<Uint8Array>;
  isOver(): Promise<boolean>;
}

function byteSource(pull: Pull): ByteSource {
  let held: Uint8Array = new Uint8Array(0);

  async function next(): Promise<void> {
    const chunk = await pull();
    if (chunk === null) throw new PacketError("invalid_input", "The packet breaks off.");
    held = chunk;
  }

  async function* upTo(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      while (held.length === 0) await next();
      const part = held.subarray(0, left);
      held = held.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  return {
    upTo,
    exactly: async (count) => await joined(upTo(count), count),
    async isOver() {
      for (;;) {
        if (held.length > 0) return false;
        const chunk = await pull();
        if (chunk === null) return true;
        held = chunk;
      }
    },
  };
}
