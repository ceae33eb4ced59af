/** Reads a request's body against a limit: by its declared length before anything is read, and by count while it arrives. */

/** What is read and dropped of a body that is too large, so that a client that is still sending comes to read the answer. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/** The bytes; null when there are more than `maxBytes`. Never holds more than that in memory. */
export async function readCounted(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const body: ReadableStream<Uint8Array> | null = request.body;
  if (body === null) return new Uint8Array();
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > maxBytes) {
    await discard(body, declared);
    return null;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      reader.releaseLock();
      await discard(body, 0);
      return null;
    }
    chunks.push(value);
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : joined(chunks, size);
}

async function discard(body: ReadableStream<Uint8Array>, declared: number): Promise<void> {
  const reader = body.getReader();
  let dropped = 0;
  while (declared <= MAX_DISCARDED_BYTES && dropped <= MAX_DISCARDED_BYTES) {
    const { done, value } = await reader.read();
    if (done) return;
    dropped += value.byteLength;
  }
  await reader.cancel();
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
