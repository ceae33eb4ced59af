import { describe, expect, it } from "vitest";
import { readLargeReply } from "../../../adapters/egress/large-reply.ts";

const signal = new AbortController().signal;

function openMemory() {
  const reserved: number[] = [];
  let released = 0;
  const reserve = async (bytes: number) => {
    reserved.push(bytes);
    return await Promise.resolve(() => {
      released += 1;
    });
  };
  return { memory: { reserve }, reserved, countReleased: () => released };
}

function stream(pieces: readonly Uint8Array[], breaks = false): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (breaks) controller.error(new Error("lost"));
      else controller.close();
    },
  });
}

const BODY = [new Uint8Array([1, 2, 3]), new Uint8Array([4, 5])];

describe("a large reply", () => {
  it("is read whole, and holds its memory until it is released", async () => {
    const { memory, reserved, countReleased } = openMemory();
    const headers = [["Content-Length", "5"]] as const;
    const read = await readLargeReply({ status: 200, headers, body: stream(BODY) }, { maxBytes: 10, signal }, memory);
    if (!read.ok) throw new Error(read.error.message);
    expect({ body: [...read.value.body], truncated: read.value.truncated }).toEqual({
      body: [1, 2, 3, 4, 5],
      truncated: false,
    });
    expect([reserved, countReleased()]).toEqual([[5], 0]);
    read.value.release?.();
    expect(countReleased()).toBe(1);
  });

  it.each([
    ["of unknown length", []],
    [
      "that is encoded",
      [
        ["content-length", "2"],
        ["content-encoding", "gzip"],
      ] as const,
    ],
    ["that declares too much", [["content-length", "99"]] as const],
  ])("%s reserves its limit, and is cut there", async (_, headers) => {
    const { memory, reserved } = openMemory();
    const read = await readLargeReply({ status: 200, headers, body: stream(BODY) }, { maxBytes: 4, signal }, memory);
    expect(read).toMatchObject({ ok: true, value: { body: new Uint8Array([1, 2, 3, 4]), truncated: true } });
    expect(reserved).toEqual([4]);
  });

  it("that breaks off releases its memory", async () => {
    const { memory, countReleased } = openMemory();
    const reply = { status: 200, headers: [], body: stream(BODY, true) };
    await expect(readLargeReply(reply, { maxBytes: 10, signal }, memory)).rejects.toThrow("lost");
    expect(countReleased()).toBe(1);
  });
});
