import { describe, expect, it } from "vitest";
import { readLargeReply, SMALL_REPLY_BYTES, type StreamedReply } from "../../../adapters/egress/large-reply.ts";

const signal = new AbortController().signal;
const MB = 1_048_576;
const LIMIT = 50 * MB;

/** A memory that notes what is reserved, and what of it is reserved still. */
function openMemory() {
  const reserved: number[] = [];
  const present: number[] = [];
  const hold = (bytes: number) => {
    present.push(bytes);
    return () => void present.splice(present.indexOf(bytes), 1);
  };
  const reserve = async (bytes: number) => {
    reserved.push(bytes);
    return await Promise.resolve(hold(bytes));
  };
  return { memory: { reserve, hold }, reserved, present };
}

/** A body of this many bytes in pieces of one megabyte, and whether its reader cancelled it. */
function createBody(bytes: number, breaks = false) {
  let left = bytes;
  const state = { isCancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = new Uint8Array(Math.min(left, MB)).fill(7);
      left -= piece.length;
      if (piece.length > 0) controller.enqueue(piece);
      else if (breaks) controller.error(new Error("lost"));
      else controller.close();
    },
    cancel: () => void (state.isCancelled = true),
  });
  return { body, state };
}

async function read(reply: Omit<StreamedReply, "status" | "headers">, maxBytes = LIMIT) {
  const { memory, reserved, present } = openMemory();
  const done = await readLargeReply({ status: 200, headers: [], ...reply }, { maxBytes, signal }, memory);
  if (!done.ok) throw new Error(done.error.message);
  return { reply: done.value, reserved, present };
}

describe("a reply that may be large", () => {
  it.each([
    ["without a body", null, 0],
    ["of a few bytes", createBody(5).body, 5],
    ["as large as a small one", createBody(SMALL_REPLY_BYTES).body, SMALL_REPLY_BYTES],
  ])("%s reserves nothing", async (_, body, bytes) => {
    const { reply, reserved, present } = await read({ body });
    expect([reply.body.length, reply.truncated, reserved, present]).toEqual([bytes, false, [], []]);
  });

  it.each([
    ["of unknown length reserves its limit", undefined, LIMIT],
    ["of known length reserves that", 6 * MB, 6 * MB],
    ["that states too much reserves its limit", 99 * MB, LIMIT],
    ["that states too little reserves that", 5 * MB, 5 * MB],
  ])("%s, then holds what it has until it is released", async (_, length, expected) => {
    const { reply, reserved, present } = await read({ body: createBody(6 * MB).body, length });
    expect([reply.body.length, reply.truncated]).toEqual([6 * MB, false]);
    expect(reply.body.every((byte) => byte === 7)).toBe(true);
    expect([reserved, present]).toEqual([[expected], [6 * MB]]);
    reply.release?.();
    expect(present).toEqual([]);
  });

  it("is cut at its limit, and the rest is cancelled", async () => {
    const { body, state } = createBody(9 * MB);
    const cut = await read({ body }, 5 * MB);
    expect([cut.reply.body.length, cut.reply.truncated, state.isCancelled]).toEqual([5 * MB, true, true]);
    const short = await read({ body: createBody(5).body }, 4);
    expect([short.reply.body.length, short.reply.truncated]).toEqual([4, true]);
    const whole = await read({ body: createBody(5 * MB).body }, 5 * MB);
    expect([whole.reply.body.length, whole.reply.truncated]).toEqual([5 * MB, false]);
  });

  it("is in memory once", async () => {
    const { reply } = await read({ body: createBody(30 * MB).body });
    expect(reply.body.buffer.byteLength).toBe(LIMIT);
    const short = await read({ body: createBody(6 * MB).body });
    expect(short.reply.body.buffer.byteLength).toBe(6 * MB);
  });

  it.each([3, 6])("of %i MB that breaks off releases its memory", async (size) => {
    const { memory, present } = openMemory();
    const { body } = createBody(size * MB, true);
    const reading = readLargeReply({ status: 200, headers: [], body }, { maxBytes: LIMIT, signal }, memory);
    await expect(reading).rejects.toThrow("lost");
    expect(present).toEqual([]);
  });
});
