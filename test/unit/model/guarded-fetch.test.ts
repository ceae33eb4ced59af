/** How much of a stream is read before anybody parses it. */
import { expect, test, vi } from "vitest";
import { CallWatch } from "../../../adapters/model/call-watch.ts";
import { openEventStream } from "../../../adapters/model/guarded-fetch.ts";

const MIB = 1_048_576;
const TOO_MUCH = {
  failure: { kind: "cut_off", message: expect.stringContaining("exceeded the maximum size of a reply") },
};

/** Reads a body of these pieces to its end; its length. */
async function lengthRead(pieces: readonly Uint8Array[]): Promise<number> {
  const response = new Response(ReadableStream.from(pieces), { headers: { "content-type": "text/event-stream" } });
  vi.stubGlobal("fetch", () => Promise.resolve(response));
  const watch = new CallWatch({ timeoutMs: 20_000, idleTimeoutMs: 20_000 }, new AbortController().signal);
  try {
    const bytes = await openEventStream("http://model.invalid/v1", {}, watch, null);
    let length = 0;
    for (let next = await bytes.read(); next !== null; next = await bytes.read()) length += next.length;
    return length;
  } finally {
    watch.end();
  }
}

const piece = (length: number, lineEndsAt: readonly number[] = []): Uint8Array => {
  const bytes = new Uint8Array(length).fill(120);
  for (const at of lineEndsAt) bytes[at] = 10;
  return bytes;
};

test("a line of 4 MiB is read, and one of a byte more is not", async () => {
  const line = [piece(MIB), piece(MIB), piece(MIB), piece(MIB)];
  expect(await lengthRead(line)).toBe(4 * MIB);
  await expect(lengthRead([...line, piece(1)])).rejects.toMatchObject(TOO_MUCH);
});

test("a line is counted from the last line end, wherever in the bytes that is", async () => {
  const half = piece(2 * MIB, [0, MIB]);
  expect(await lengthRead([half, half, half, half])).toBe(8 * MIB);
  await expect(lengthRead([half, piece(2 * MIB), piece(MIB), piece(2)])).rejects.toMatchObject(TOO_MUCH);
});
