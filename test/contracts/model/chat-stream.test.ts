/** What a chat-completions stream is read as, however it is written and wherever it is cut. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChatReader } from "../../../adapters/model/openai/chat-reader.ts";
import { Reply } from "../../../adapters/model/reply.ts";
import type { ModelChunk } from "../../../core/ports/model.ts";
import { chatEvents } from "../../mock-servers/model-wire.ts";
import { modelRequest } from "./suite.ts";

const KEY = "sk-canary-0123456789abcdef";

/** Everything that a reader says of a stream that comes in these pieces. */
function readPieces(pieces: readonly Uint8Array[]): ModelChunk[] {
  const reader = new ChatReader(KEY, new Reply("o200k"));
  const chunks: ModelChunk[] = [];
  for (const piece of pieces) {
    const { texts, failure } = reader.take(piece);
    for (const text of texts) chunks.push({ type: "text", text });
    if (failure !== null) return [...chunks, { type: "failed", failure }];
  }
  return [...chunks, reader.conclude(modelRequest())];
}

function read(stream: string): ModelChunk[] {
  return readPieces([new TextEncoder().encode(stream)]);
}

function lastOf(stream: string): ModelChunk | undefined {
  return read(stream).at(-1);
}

/** A stream of events with these choices, which ends as it should. */
function streamOf(deltas: readonly unknown[], finish: string | null = "stop"): string {
  const choices = [
    ...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
    { index: 0, delta: {}, finish_reason: finish },
  ];
  return `${choices.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`).join("")}data: [DONE]\n\n`;
}

const piece = (index: unknown, name?: string | null, args?: string | null, id?: string | null): unknown => ({
  tool_calls: [{ index, id, function: { name, arguments: args } }],
});

describe("the form of the stream", () => {
  const plain = streamOf([{ role: "assistant", content: "" }, { content: "Grüße, " }, { content: "世界 👋" }]);
  const whole = read(plain);

  test.each([
    ["lines that end in CR LF", plain.replaceAll("\n", "\r\n")],
    ["lines that end in CR", plain.replaceAll("\n", "\r")],
    ["a byte order mark", `\uFEFF${plain}`],
    ["comments between the events", plain.replaceAll("\n\n", "\n\n: keep-alive\n\n")],
    ["no space after the colon", plain.replaceAll("data: ", "data:")],
    ["fields besides data", plain.replaceAll("data: ", "event: message\nid: 7\nretry: 1000\ndata: ")],
    ["fields that nobody knows", plain.replaceAll("data: ", "colour: green\ndata: ")],
    ["an event on two lines", plain.replaceAll('"choices":', '\ndata: "choices":')],
    ["no closing event", plain.replace("data: [DONE]\n\n", "")],
    ["an event that is not ended, after the last", `${plain}data: {"choices":[{"delta":{"content":"mo`],
  ])("%s changes nothing", (_name, stream) => {
    expect(whole.map((chunk) => (chunk.type === "text" ? chunk.text : chunk.type))).toEqual([
      "Grüße, ",
      "世界 👋",
      "done",
    ]);
    expect(read(stream)).toEqual(whole);
  });

  test("wherever the bytes are cut, the chunks are the same", () => {
    const replies = fc.record({
      text: fc.string({ unit: "grapheme", maxLength: 60 }),
      calls: fc.array(fc.record({ name: fc.constantFrom("wait", "write_file"), arguments: fc.json({ maxDepth: 1 }) }), {
        maxLength: 3,
      }),
      pieceCharacters: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(
        replies,
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat({ max: 4000 }), { maxLength: 40 }),
        (reply, lineEnd, cuts) => {
          const events = `\uFEFF${chatEvents(reply, "m").join("")}data: [DONE]\n\n`;
          const bytes = new TextEncoder().encode(events.replaceAll("\n", lineEnd));
          const at = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((one, other) => one - other), bytes.length];
          const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
          expect(readPieces(pieces)).toEqual(readPieces([bytes]));
        },
      ),
      { numRuns: 150 },
    );
    const bytes = new TextEncoder().encode(plain);
    expect(readPieces(Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)))).toEqual(whole);
  });
});

describe("calls", () => {
  const finished = (deltas: readonly unknown[]): ModelChunk | undefined => lastOf(streamOf(deltas, "tool_calls"));
  const calls = (...pairs: readonly (readonly [name: string, args: string])[]): object => ({
    type: "done",
    finish: "calls",
    calls: pairs.map(([name, args]) => ({ name, arguments: args })),
  });

  test("pieces that come by turns are joined by their index, and the calls are in its order", () => {
    const deltas = [
      piece(1, "b", "", "id1"),
      piece(0, "a", '{"x', "id0"),
      piece(1, null, '{"y":'),
      piece(0, null, '":1}'),
      piece(1, null, "2}"),
    ];
    expect(finished(deltas)).toMatchObject(calls(["a", '{"x":1}'], ["b", '{"y":2}']));
  });

  test("a server that repeats name and id in every piece means one call", () => {
    const deltas = [
      piece(0, "a", "", "id"),
      piece(0, "a", '{"x":', "id"),
      piece(0, "a", '{"y":1}', "id"),
      piece(0, "a", "}", "id"),
    ];
    expect(finished(deltas)).toMatchObject(calls(["a", '{"x":{"y":1}}']));
  });

  test("a server that numbers every call 0 means several", () => {
    const other = [piece(0, "a", '{"x":1}', "id0"), piece(0, "b", '{"x":2}', "id1")];
    expect(finished(other)).toMatchObject(calls(["a", '{"x":1}'], ["b", '{"x":2}']));
    const sameName = [piece(0, "a", '{"x":1}', "id0"), piece(0, "a", '{"x":2}', "id1")];
    expect(finished(sameName)).toMatchObject(calls(["a", '{"x":1}'], ["a", '{"x":2}']));
    const withoutIds = [piece(0, "a", '{"x":1}', ""), piece(0, "a", '{"x":2}', "")];
    expect(finished(withoutIds)).toMatchObject(calls(["a", '{"x":1}'], ["a", '{"x":2}']));
    const byTurns = [
      piece(0, "a", "{", "id0"),
      piece(0, "b", "{", "id1"),
      piece(0, null, "}", "id0"),
      piece(0, null, "}", "id1"),
    ];
    expect(finished(byTurns)).toMatchObject(calls(["a", "{}"], ["b", "{}"]));
  });

  test("a piece that says nothing is nothing", () => {
    expect(finished([piece(0, "a", "{}", "id"), piece(0, "", ""), piece(5, "", null)])).toMatchObject(
      calls(["a", "{}"]),
    );
  });

  test.each([
    ["without an index", piece(undefined, "a", "{}")],
    ["with text for an index", piece("0", "a", "{}")],
    ["without a function", { tool_calls: [{ index: 0, id: "id" }] }],
    ["whose arguments are no text", { tool_calls: [{ index: 0, function: { name: "a", arguments: {} } }] }],
  ])("a piece %s makes the reply unreadable", (_name, delta) => {
    expect(finished([delta])).toMatchObject({ type: "failed", failure: { kind: "cut_off", retryable: true } });
  });

  test("a call without a name gets a fault, and a name that servers accept", () => {
    for (const name of [null, "", "  "]) {
      expect(finished([piece(0, name, "{}", "id"), piece(1, "b", "{}")])).toMatchObject({
        type: "done",
        finish: "calls",
        calls: [{ name: "unnamed", fault: expect.stringContaining("names no tool") }, { name: "b" }],
      });
    }
  });

  test("two calls with the same id are two calls", () => {
    const twins = [piece(0, "a", '{"x":1}', "id"), piece(1, "a", '{"x":2}', "id")];
    expect(finished(twins)).toMatchObject(calls(["a", '{"x":1}'], ["a", '{"x":2}']));
    const atOneIndex = [piece(0, "a", '{"x":1}', "id"), piece(0, "a", '{"x":2}', "id")];
    expect(finished(atOneIndex)).toMatchObject(calls(["a", '{"x":1}'], ["a", '{"x":2}']));
  });

  test("more calls than a reply may ask for are not read", () => {
    const many = Array.from({ length: 1001 }, (_, index) => piece(index, "a", ""));
    const last = finished(many);
    expect(last?.type === "done" && [last.calls.length, last.finish]).toEqual([1000, "calls"]);
  });

  test("arguments beyond the bound of a reply make only their call invalid, and are not stored", () => {
    const long = "x".repeat(75_001);
    expect(finished([piece(0, "a", long)])).toMatchObject({ type: "done" });
    const pieces = Array.from({ length: 900 }, () => piece(1, null, "y".repeat(1000)));
    const last = finished([piece(0, "a", "{}"), piece(1, "b", '{"content":"'), ...pieces, piece(2, "c", "{}")]);
    expect(last).toMatchObject({
      type: "done",
      finish: "calls",
      calls: [
        { name: "a", arguments: "{}" },
        { name: "b", arguments: "", fault: expect.stringContaining("150000") },
      ],
      usage: { estimated: true },
    });
    expect(last?.type === "done" && last.usage.outputTokens).toBeGreaterThan(10_000);
    expect(JSON.stringify(last).length).toBeLessThan(1000);
  });

  test("a text beyond the bound of a reply ends there, as at a limit of output", () => {
    const last = finished(Array.from({ length: 200 }, () => ({ content: "word ".repeat(200) })));
    expect(last).toMatchObject({ type: "done", finish: "length", calls: [], usage: { estimated: true } });
    expect(last?.type === "done" && last.text.length).toBe(150_000);
  });

  test("streamed reasoning is counted and is no part of the reply", () => {
    const reply = new Reply("o200k");
    const reader = new ChatReader(KEY, reply);
    for (const field of ["reasoning_content", "reasoning"])
      reader.take(new TextEncoder().encode(streamOf([{ [field]: "a thought ".repeat(500) }], null)));
    expect(reply.takeProgress()).toBeGreaterThan(1500);
    expect(finished([{ reasoning: ["in", "parts"] }, { content: "text" }])).toMatchObject({ text: "text" });
  });
});

describe("the end", () => {
  test.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content_filter", "filtered"],
    ["tool_calls", "stop"],
    ["a reason that nobody knows", "stop"],
  ])("%s is %s for a reply of text", (reason, finish) => {
    expect(lastOf(streamOf([{ content: "text" }], reason))).toMatchObject({ type: "done", text: "text", finish });
  });

  test("no reason: the reply was cut off, even with its closing event", () => {
    expect(lastOf(streamOf([{ content: "text" }], null))).toMatchObject({ failure: { kind: "cut_off" } });
  });

  test("a filter that held everything back refused", () => {
    expect(lastOf(streamOf([], "content_filter"))).toMatchObject({ failure: { kind: "refused", retryable: false } });
  });

  test("what a model writes when it declines is text, and the reply is filtered", () => {
    expect(lastOf(streamOf([{ refusal: "I can" }, { refusal: "not." }]))).toMatchObject({
      type: "done",
      text: "I cannot.",
      finish: "filtered",
    });
  });

  test("the last usage counts; an absent or zero usage is estimated", () => {
    const usage = (prompt: unknown, completion: unknown): string =>
      `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion } })}\n\n`;
    const stream = streamOf([{ content: "text" }]);
    expect(lastOf(usage(1, 1) + stream + usage(7, null))).toMatchObject({
      usage: { inputTokens: 7, outputTokens: 0, estimated: false },
    });
    expect(lastOf(stream)).toMatchObject({ usage: { estimated: true } });
    expect(lastOf(stream + usage(0, 0))).toMatchObject({ usage: { estimated: true } });
    expect(lastOf(stream + usage("7", 1))).toMatchObject({ failure: { kind: "cut_off" } });
  });

  test.each([
    ["no object", "7"],
    ["a list", "[]"],
    ["null", "null"],
    ["no JSON", "{"],
    ["nothing of the API's", "{}"],
  ])("an event that is %s ends the reply", (_name, data) => {
    expect(lastOf(`data: ${data}\n\n${streamOf([])}`)).toMatchObject({ failure: { kind: "cut_off", retryable: true } });
  });

  test("an error ends the reply, after the text before it, with any further fields", () => {
    const beside = {
      choices: [{ delta: { content: "lost" }, finish_reason: "error" }],
      error: { code: 429, message: `slow, ${KEY}` },
    };
    const chunks = read(`${streamOf([{ content: "kept" }], null)}data: ${JSON.stringify(beside)}\n\n`);
    expect(chunks).toMatchObject([
      { type: "text", text: "kept" },
      { type: "failed", failure: { kind: "rate_limited", retryable: true } },
    ]);
    expect(JSON.stringify(chunks)).not.toContain(KEY);
  });

  test.each([
    [{ type: "authentication_error", message: "who?" }, "refused"],
    [{ code: "503", message: "later" }, "unavailable"],
    [{ type: "overloaded_error", message: "later" }, "unavailable"],
    [{ code: "insufficient_quota", message: "pay first" }, "refused"],
    ["broken", "unavailable"],
  ])("the error %j is %s", (error, kind) => {
    expect(lastOf(`data: ${JSON.stringify({ error })}\n\n`)).toMatchObject({ type: "failed", failure: { kind } });
  });

  test("an event of many lines is bounded like one line", () => {
    const line = new TextEncoder().encode(`data: ${"x".repeat(1_000_000)}\n`);
    expect(readPieces([line, line, line])).toMatchObject([{ failure: { kind: "cut_off" } }]);
    expect(readPieces([line, line, line, line, line])).toMatchObject([
      { failure: { message: expect.stringContaining("exceeded the maximum size of a reply") } },
    ]);
  });
});
