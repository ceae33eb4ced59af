/** What every `ModelPort` does alike. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ModelChunk, ModelPort, ModelRequest } from "../../../core/ports/model.ts";
import type { FakeReply } from "../../fakes/model.ts";

/** A port, and the means to say what comes from the other side. */
export interface ModelUnderTest {
  readonly model: ModelPort;
  answer(reply: FakeReply): void;
  close(): Promise<void>;
}

/** A request with everything filled in. */
export function modelRequest(over: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "scripted",
    messages: [{ role: "user", content: "hello" }],
    tools: [],
    maxOutputTokens: 100,
    timeoutMs: 20_000,
    idleTimeoutMs: 20_000,
    signal: new AbortController().signal,
    ...over,
  };
}

/** Every chunk of a call. */
export async function chunksOf(model: ModelPort, request: ModelRequest): Promise<ModelChunk[]> {
  const chunks: ModelChunk[] = [];
  for await (const chunk of model.stream(request)) chunks.push(chunk);
  return chunks;
}

/** The last chunk of a call, which has to be the only one of its kind. */
export async function lastOf(
  model: ModelPort,
  request: ModelRequest,
): Promise<Exclude<ModelChunk, { type: "text" | "progress" }>> {
  const chunks = await chunksOf(model, request);
  const ends = chunks.filter(({ type }) => type !== "text" && type !== "progress");
  expect(ends).toHaveLength(1);
  const last = chunks.at(-1);
  if (last === undefined || last.type === "text" || last.type === "progress")
    throw new Error("the stream did not end with done or failed");
  return last;
}

/** Runs the contract. */
export function modelContract(name: string, start: () => Promise<ModelUnderTest>): void {
  describe(`model contract: ${name}`, () => {
    let under: ModelUnderTest;
    beforeAll(async () => {
      under = await start();
    });
    afterAll(() => under.close());

    test("text comes in pieces that add up to the text of the end", async () => {
      const text = "Grüße, 世界 👋. A sentence that is long enough to come in several pieces.";
      under.answer({ text, usage: { input: 7, output: 3 } });
      const chunks = await chunksOf(under.model, modelRequest());
      const pieces = chunks.flatMap((chunk) => (chunk.type === "text" ? [chunk.text] : []));
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join("")).toBe(text);
      expect(chunks.at(-1)).toEqual({
        type: "done",
        text,
        calls: [],
        usage: { inputTokens: 7, outputTokens: 3, estimated: false },
        finish: "stop",
      });
    });

    test("calls come in the order in which the model made them, with their arguments as it wrote them", async () => {
      const calls = [
        { name: "write_file", arguments: '{"filename": "a.md",  "content":"x"}' },
        { name: "write_file", arguments: '{"filename":"b.md"' },
        { name: "no_such_tool", arguments: "not json at all" },
        { name: "wait", arguments: "{}" },
      ];
      under.answer({ text: "Working.", calls, usage: { input: 1, output: 1 } });
      const last = await lastOf(
        under.model,
        modelRequest({ tools: [{ name: "wait", description: "", parameters: { type: "object" } }] }),
      );
      expect(last).toMatchObject({ type: "done", text: "Working.", calls, finish: "calls" });
    });

    test("a reply without usage is estimated and marked", async () => {
      under.answer({ text: "some words", usage: null });
      const last = await lastOf(under.model, modelRequest());
      if (last.type !== "done") throw new Error("expected a reply");
      expect(last.usage.estimated).toBe(true);
      expect(last.usage.inputTokens).toBeGreaterThan(0);
      expect(last.usage.outputTokens).toBeGreaterThan(0);
    });

    test("a reply that was cut at its limit says so", async () => {
      under.answer({ text: "half a", usage: { input: 1, output: 100 }, finish: "length" });
      expect(await lastOf(under.model, modelRequest())).toMatchObject({
        type: "done",
        text: "half a",
        finish: "length",
      });
    });

    test("a reply with neither text nor calls is a reply, with what it used", async () => {
      under.answer({ text: "", usage: { input: 4, output: 1 } });
      expect(await lastOf(under.model, modelRequest())).toMatchObject({
        type: "done",
        text: "",
        calls: [],
        usage: { inputTokens: 4, outputTokens: 1 },
      });
    });

    test("a model that never answers is given up after the total time", async () => {
      under.answer({ hang: true });
      expect(await lastOf(under.model, modelRequest({ timeoutMs: 50 }))).toMatchObject({
        type: "failed",
        failure: { kind: "timeout", retryable: true },
      });
    });

    test("a model that goes quiet is given up after the idle time", async () => {
      under.answer({ hang: true });
      expect(await lastOf(under.model, modelRequest({ idleTimeoutMs: 50 }))).toMatchObject({
        type: "failed",
        failure: { kind: "timeout", retryable: true },
      });
    });

    test("a call that is cancelled while it waits ends with a failure", async () => {
      under.answer({ hang: true });
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 30);
      expect(await lastOf(under.model, modelRequest({ signal: controller.signal }))).toMatchObject({ type: "failed" });
    });

    test("a call that was cancelled before it began ends with a failure", async () => {
      under.answer({ text: "too late" });
      expect(await lastOf(under.model, modelRequest({ signal: AbortSignal.abort() }))).toMatchObject({
        type: "failed",
      });
    });
  });
}
