/** Reads a reply that may be large: its memory is reserved first, since an isolate has 128 MB for all its requests. */
import { ok, type Result } from "../../core/base/errors.ts";
import type { WebStream } from "../../core/ports/web.ts";
import { type ResultMemory, resultMemory } from "../sidecar/result-memory.ts";
import type { ExchangeLimits, Reply } from "./follow.ts";

/** A reply with a higher limit is read with a reservation. */
export const SMALL_REPLY_BYTES = 4 * 1024 * 1024;

/** Reads the body up to the limit. Rejects when the connection breaks. */
export async function readLargeReply(
  { status, headers, body }: Pick<WebStream, "status" | "headers"> & { readonly body: WebStream["body"] | null },
  { maxBytes, signal }: Pick<ExchangeLimits, "maxBytes" | "signal">,
  memory: ResultMemory = resultMemory,
): Promise<Result<Reply>> {
  const declared = readLength(headers);
  const release = await memory.reserve(Math.min(declared ?? maxBytes, maxBytes), signal);
  try {
    const read = body === null ? EMPTY : await readUpTo(body, maxBytes);
    return ok({ status, headers, ...read, release });
  } catch (error) {
    release();
    throw error;
  }
}

const EMPTY = { body: new Uint8Array(), truncated: false };

/** The length of a body that is not encoded; null for any other. */
function readLength(headers: WebStream["headers"]): number | null {
  const find = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const length = find("content-length") ?? "";
  return find("content-encoding") === undefined && /^\d{1,12}$/.test(length) ? Number(length) : null;
}

async function readUpTo(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly body: Uint8Array; readonly truncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  const joined = new Uint8Array(Math.min(bytes, maxBytes));
  let at = 0;
  for (let chunk = chunks.shift(); chunk !== undefined && at < joined.length; chunk = chunks.shift()) {
    const part = chunk.subarray(0, joined.length - at);
    joined.set(part, at);
    at += part.length;
  }
  return { body: joined, truncated: bytes > maxBytes };
}
