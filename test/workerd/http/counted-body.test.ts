import { describe, expect, test } from "vitest";
import { readCounted } from "../../../workers/http/counted-body.ts";

const MAX_BYTES = 1_000_000;

/** Bytes that tell their place, in pieces of this size. */
function pieces(size: number, pieceBytes: number): { stream: ReadableStream<Uint8Array>; bytes: Uint8Array } {
  const bytes = new Uint8Array(size).map((_, index) => (index * 7) % 251);
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= size) return controller.close();
      controller.enqueue(bytes.slice(at, at + pieceBytes));
      at += pieceBytes;
    },
  });
  return { stream, bytes };
}

function request(body: ReadableStream<Uint8Array>, contentLength?: number): Request {
  const headers = new Headers(contentLength === undefined ? {} : { "content-length": String(contentLength) });
  return new Request("http://otto.test/", { method: "PUT", body, headers });
}

describe("a counted body", () => {
  test.each([
    [0, 10],
    [1, 10],
    [65_536, 1000],
    [65_537, 65_537],
    [300_001, 7777],
    [MAX_BYTES, 9999],
  ])("of %i bytes in pieces of %i is read in full, with or without a stated length", async (size, pieceBytes) => {
    const counted = pieces(size, pieceBytes);
    expect(await readCounted(request(counted.stream, size), MAX_BYTES)).toEqual(counted.bytes);
    const untold = pieces(size, pieceBytes);
    expect(await readCounted(request(untold.stream), MAX_BYTES)).toEqual(untold.bytes);
  });

  test("with a stated length is read into a buffer of that length", async () => {
    const { stream } = pieces(300_000, 7777);
    const bytes = await readCounted(request(stream, 300_000), MAX_BYTES);
    expect(bytes?.buffer.byteLength).toBe(300_000);
  });

  test("that does not is the used part of a buffer that grew, never over the limit", async () => {
    const { stream } = pieces(300_000, 7777);
    const bytes = await readCounted(request(stream), MAX_BYTES);
    expect(bytes?.buffer.byteLength).toBeGreaterThan(300_000);
    expect(bytes?.buffer.byteLength).toBeLessThanOrEqual(600_000);
    const most = pieces(MAX_BYTES, 7777);
    expect((await readCounted(request(most.stream), MAX_BYTES))?.buffer.byteLength).toBe(MAX_BYTES);
  });

  test("over the limit is null, also when it said that it is smaller", async () => {
    expect(await readCounted(request(pieces(MAX_BYTES + 1, 9999).stream), MAX_BYTES)).toBeNull();
    expect(await readCounted(request(pieces(10, 5).stream, MAX_BYTES + 1), MAX_BYTES)).toBeNull();
    expect(await readCounted(request(pieces(MAX_BYTES + 1, 9999).stream, 10), MAX_BYTES)).toBeNull();
  });
});
