/**
 * The format of jobs and results between the Worker and the sidecar: the length of the head in bytes as decimal digits, a line feed, the
 * head as JSON, and the bytes of its files in order. Both sides stream packets.
 */
import { z } from "zod";
import { judgeForm } from "../../core/sandbox/path.ts";
import { parseJson } from "../../core/base/parse-json.ts";

/** Limits the head, which may contain the text of a large document. */
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

/** Limits of a received packet. */
export interface PacketLimits {
  readonly files: number;
  /** Limits all files together. */
  readonly bytes: number;
}

/** A packet after its head was read. */
export interface OpenPacket {
  readonly head: PacketHead;
  /** The received bytes, for their hash. */
  readonly headBytes: Uint8Array;
  /** Streams the files in order. Read all chunks of a file before the next. */
  contents(): AsyncGenerator<{ readonly file: PacketFile; readonly chunks: AsyncGenerator<Uint8Array> }>;
}

/** Returns the next bytes, or null at the end. */
export type Pull = () => Promise<Uint8Array | null>;

/** An invalid packet, or one beyond the limits (`too_large`). */
export class PacketError extends Error {
  readonly code: "invalid_input" | "too_large";

  constructor(code: PacketError["code"], message: string) {
    super(message);
    this.name = "PacketError";
    this.code = code;
  }
}

/** Encodes the head. */
export function headBytes(head: PacketHead): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(head));
}

/** Streams a packet. Throws if `open` returns more or fewer bytes than a file's size. */
export async function* streamPacket(
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
  const source = makeByteSource(pull);
  const read = await source.read(await readLength(source));
  const head = parseHead(read);
  if (head.files.length > limits.files)
    throw new PacketError("too_large", `The packet has ${head.files.length} files (at most ${limits.files}).`);
  const bytes = head.files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > limits.bytes)
    throw new PacketError("too_large", `The files have ${bytes} bytes (at most ${limits.bytes}).`);
  return {
    head,
    headBytes: read,
    async *contents() {
      for (const file of head.files) yield { file, chunks: source.stream(file.size) };
      if (!(await source.isAtEnd())) throw new PacketError("invalid_input", "The packet is longer than its head says.");
    },
  };
}

/** Builds the text whose SHA-256 covers all files of a packet in its token: their hashes in hex, in order. */
export function joinHashes(hashes: readonly string[]): string {
  return hashes.join("\n");
}

/** Joins chunks of a known total size. */
export async function joinChunks(chunks: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
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
  if (!parsed.success) throw new PacketError("invalid_input", "The head of the packet is invalid.");
  const { body, files } = parsed.data;
  const judged = files.map((file) => ({ ...file, path: checkPath(file.path) }));
  if (new Set(judged.map(({ path }) => path)).size < judged.length)
    throw new PacketError("invalid_input", "Two files of the packet have the same path.");
  return { body, files: judged };
}

function checkPath(raw: string): string {
  const judged = judgeForm(raw);
  if (!judged.ok) throw new PacketError("invalid_input", judged.error.message);
  return judged.value;
}

async function readLength(source: ByteSource): Promise<number> {
  let digits = "";
  for (;;) {
    const [byte = LINE_FEED] = await source.read(1);
    if (byte === LINE_FEED) break;
    digits += String.fromCharCode(byte);
    if (digits.length > MAX_LENGTH_DIGITS) break;
  }
  if (!/^\d{1,9}$/.test(digits)) throw new PacketError("invalid_input", "This is not a packet.");
  if (Number(digits) > MAX_HEAD_BYTES) throw new PacketError("too_large", `The head has ${digits} bytes.`);
  return Number(digits);
}

interface ByteSource {
  read(count: number): Promise<Uint8Array>;
  /** Streams exactly this many bytes. */
  stream(count: number): AsyncGenerator<Uint8Array>;
  isAtEnd(): Promise<boolean>;
}

function makeByteSource(pull: Pull): ByteSource {
  let buffered: Uint8Array = new Uint8Array(0);

  async function next(): Promise<void> {
    const chunk = await pull();
    if (chunk === null) throw new PacketError("invalid_input", "The packet breaks off.");
    buffered = chunk;
  }

  async function* stream(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      while (buffered.length === 0) await next();
      const part = buffered.subarray(0, left);
      buffered = buffered.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  return {
    stream,
    read: async (count) => await joinChunks(stream(count), count),
    async isAtEnd() {
      for (;;) {
        if (buffered.length > 0) return false;
        const chunk = await pull();
        if (chunk === null) return true;
        buffered = chunk;
      }
    },
  };
}
