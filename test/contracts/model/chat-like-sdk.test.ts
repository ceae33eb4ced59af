/** The chat-completions adapter and the vendor's SDK say the same of the same streams, and ask in the same words. */
import { createOpenAI } from "@ai-sdk/openai";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Reply } from "../../../adapters/model/reply.ts";
import { ChatReader } from "../../../adapters/model/openai/chat-reader.ts";
import { formatChatBody } from "../../../adapters/model/openai/chat-wire.ts";
import { fromThrown } from "../../../adapters/model/model-failure.ts";
import { toSdkPrompt, toSdkTools } from "../../../adapters/model/ai-sdk/prompt.ts";
import type { Message } from "../../../core/model/messages.ts";
import { toSpec } from "../../../core/steps/toolset.ts";
import type { ModelRequest, ToolSpec } from "../../../core/ports/model.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { modelRequest } from "./suite.ts";

/** What a reply came to. `usage` null: none that counts. */
type Outcome =
  | {
      readonly text: string;
      readonly calls: readonly { readonly name: string; readonly arguments: string }[];
      readonly finish: string;
      readonly usage: readonly [input: number, output: number] | null;
    }
  | { readonly text: string; readonly failed: string };

function ourOutcome(pieces: readonly Uint8Array[]): Outcome {
  const reader = new ChatReader("", new Reply("o200k"));
  let text = "";
  for (const piece of pieces) {
    const news = reader.take(piece);
    text += news.texts.join("");
    if (news.failure !== null) return { text, failed: news.failure.kind };
  }
  const last = reader.conclude(modelRequest());
  if (last.type === "text" || last.type === "progress") throw new Error("a reply ends with done or failed");
  if (last.type === "failed") return { text, failed: last.failure.kind };
  const { finish, usage } = last;
  const calls = last.calls.map(({ name, arguments: given }) => ({ name, arguments: given }));
  expect(last.text).toBe(text);
  return { text, calls, finish, usage: usage.estimated ? null : [usage.inputTokens, usage.outputTokens] };
}

async function sdkOutcome(pieces: readonly Uint8Array[]): Promise<Outcome> {
  let text = "";
  const calls: { name: string; arguments: string }[] = [];
  try {
    const { stream } = await sdkCall(modelRequest(), new Response(ReadableStream.from(pieces), EVENT_STREAM));
    for await (const part of stream) {
      if (part.type === "text-delta") text += part.delta;
      if (part.type === "tool-call") calls.push({ name: part.toolName, arguments: part.input });
      if (part.type === "error") return { text, failed: sdkFailure(part.error) };
      if (part.type !== "finish") continue;
      const reason = part.finishReason.unified;
      if (reason === "interrupted") return { text, failed: "cut_off" };
      if (reason === "content-filter" && text === "" && calls.length === 0) return { text, failed: "refused" };
      const { inputTokens, outputTokens } = part.usage;
      const [input = 0, output = 0] = [inputTokens.total, outputTokens.total];
      const whole = calls.length > 0 ? "calls" : "stop";
      const finish = reason === "content-filter" ? "filtered" : reason === "length" ? "length" : whole;
      return { text, calls, finish, usage: input === 0 && output === 0 ? null : [input, output] };
    }
  } catch (thrown) {
    return { text, failed: sdkFailure(thrown) };
  }
  throw new Error("the SDK's stream did not end with finish");
}

function sdkFailure(error: unknown): string {
  return typeof error === "object" && error !== null && "statusCode" in error ? fromThrown(error, "").kind : "cut_off";
}

const EVENT_STREAM = { headers: { "content-type": "text/event-stream" } };

/** One call by the SDK, which gets this response and whose request body is noted. */
async function sdkCall(request: ModelRequest, response: Response, note: (body: unknown) => void = () => undefined) {
  const provider = createOpenAI({
    baseURL: "http://model.invalid/v1",
    apiKey: "key",
    fetch: (_, init) => {
      note(JSON.parse(init?.body as string));
      return Promise.resolve(response);
    },
  });
  const tools = toSdkTools(request.tools);
  return await provider.chat(request.model).doStream({
    prompt: toSdkPrompt(request.messages),
    maxOutputTokens: request.maxOutputTokens,
    ...(tools === undefined ? {} : { tools }),
  });
}

const wireText = fc.string({ unit: "grapheme", maxLength: 12 });

/** Pieces of one call: named by the first, and by all of them from some servers. */
const callPieces = (index: number): fc.Arbitrary<unknown[]> =>
  fc
    .record({
      name: fc.constantFrom("wait", "write_file", "no_such_tool"),
      args: fc.oneof(fc.json({ maxDepth: 2 }), fc.constant('{"broken'), fc.constant("no json")),
      size: fc.integer({ min: 1, max: 30 }),
      repeats: fc.boolean(),
      nameFirst: fc.boolean(),
      id: fc.constantFrom(null, "", `call_${index}`),
    })
    .map(({ name, args, size, repeats, nameFirst, id }) => {
      const parts = args.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [""];
      if (nameFirst) parts.unshift("");
      return parts.map((part, at) => ({
        index,
        ...(at === 0 || repeats ? { id, type: "function" } : {}),
        function: { ...(at === 0 || repeats ? { name } : {}), arguments: part },
      }));
    });

/** The pieces of several calls, each call's in order, mixed by the picks. */
function mix(lists: readonly (readonly unknown[])[], picks: readonly number[]): unknown[] {
  const left = lists.map((list) => [...list]).filter((list) => list.length > 0);
  const mixed: unknown[] = [];
  for (let turn = 0; left.length > 0; turn += 1) {
    const at = (picks[turn] ?? 0) % left.length;
    mixed.push(left[at]?.shift());
    if (left[at]?.length === 0) left.splice(at, 1);
  }
  return mixed;
}

const choiceEvent = (delta: unknown, finish: string | null = null): unknown => ({
  id: "c",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const count = fc.constantFrom(undefined, null, 0, 7);
const anyEvent = fc.oneof(
  { weight: 8, arbitrary: wireText.map((content) => choiceEvent({ role: "assistant", content })) },
  { weight: 2, arbitrary: fc.constant(choiceEvent({ content: null })) },
  { weight: 1, arbitrary: wireText.map((refusal) => choiceEvent({ refusal })) },
  { weight: 1, arbitrary: fc.constant({ choices: [], prompt_filter_results: [] }) },
  {
    weight: 2,
    arbitrary: fc.tuple(count, count).map(([input, output]) => ({
      choices: [],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: 1 },
    })),
  },
);
const badEvent = fc.constantFrom<unknown>(
  7,
  null,
  [],
  {},
  { choices: {} },
  choiceEvent({ content: 7 }),
  choiceEvent({ tool_calls: [{ index: "0", function: { name: "a" } }] }),
  ...["rate_limit_exceeded", "insufficient_quota", "context_length_exceeded", "server_error", "not_found", "503"].map(
    (code) => ({ error: { code, message: "because" } }),
  ),
  { error: { type: "authentication_error", message: "because" } },
  { error: { type: "overloaded_error", message: "because" } },
);

const wire = fc
  .record({
    texts: fc.array(anyEvent, { maxLength: 8 }),
    calls: fc.tuple(callPieces(0), callPieces(1), callPieces(2)),
    callCount: fc.nat({ max: 3 }),
    picks: fc.array(fc.nat({ max: 5 }), { maxLength: 60 }),
    finish: fc.constantFrom("stop", "length", "tool_calls", "content_filter", "something", null),
    bad: fc.option(badEvent, { freq: 5 }),
    lineEnd: fc.constantFrom("\n", "\r\n"),
    /** The stream stops here; past its end, it does not. */
    stopsAt: fc.oneof(
      { weight: 4, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.double({ min: 0, max: 1 }) },
    ),
    cuts: fc.array(fc.nat({ max: 5000 }), { maxLength: 12 }),
  })
  .map(({ texts, calls, callCount, picks, finish, bad, lineEnd, stopsAt, cuts }) => {
    const asked = mix(calls.slice(0, callCount), picks).map((piece) => choiceEvent({ tool_calls: [piece] }));
    const events = mix([texts, asked], picks.toReversed());
    if (bad !== null) events.splice((picks[0] ?? 0) % (events.length + 1), 0, bad);
    if (finish !== null) events.push(choiceEvent({}, finish));
    const lines = [...events.map((event) => JSON.stringify(event)), "[DONE]"];
    const bytes = new TextEncoder().encode(lines.map((line) => `data: ${line}${lineEnd}${lineEnd}`).join(""));
    const end = Math.floor(bytes.length * stopsAt);
    const at = [0, ...cuts.map((cut) => cut % (end + 1)).toSorted((one, other) => one - other), end];
    return at.slice(1).map((to, index) => bytes.subarray(at[index], to));
  });

test("a stream comes to the same text, calls, usage and end", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(wire, async (pieces) => {
      const ours = ourOutcome(pieces);
      expect(ours).toEqual(await sdkOutcome(pieces));
      seen.add("failed" in ours ? ours.failed : ours.finish);
    }),
    { numRuns: 600 },
  );
  for (const outcome of ["stop", "calls", "length", "filtered", "cut_off", "refused", "rate_limited", "unavailable"]) {
    expect(seen).toContain(outcome);
  }
});

const MODELS = (
  "gpt-4o gpt-4o-mini-2024-07-18 gpt-4.1-mini gpt-3.5-turbo gpt-5-chat-latest gpt-5 gpt-5-mini gpt-5.2-chat-latest " +
  "gpt-5.4-nano gpt-5.6 gpt-5.6-luna gpt-6-sol o1 o3-mini o4-mini-2025-04-16 o openai/gpt-5 llama-3.3-70b scripted"
).split(" ");

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constantFrom("system" as const, "user" as const), content: anyText() }),
  fc.record({ role: fc.constant("tool" as const), callId: fc.constant("call_1"), name: anyText(), content: anyText() }),
  fc.record(
    {
      role: fc.constant("assistant" as const),
      content: anyText(),
      calls: fc.array(
        fc.record({
          id: fc.constant("call_1"),
          name: fc.constant("wait"),
          arguments: fc.oneof(safeJson(), anyText(), fc.constant('{"a":"\ud800"}')),
        }),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: ["role", "content"] },
  ),
);

/** Any text, lone surrogates with it. */
function anyText(): fc.Arbitrary<string> {
  return fc.oneof(fc.constant(""), fc.string({ unit: "binary", maxLength: 8 }), fc.constant("lone \ud800 surrogate"));
}

/** The SDK sends `{}` in place of arguments with names that JavaScript gives a meaning; they are data to us. */
function safeJson(): fc.Arbitrary<string> {
  return fc.json({ maxDepth: 2 }).filter((text) => !/__proto__|constructor/.test(text));
}

const TOOLS: readonly ToolSpec[] = [
  ...catalogue.map((tool) => toSpec(tool, tool.name)),
  {
    name: "patterns",
    description: "Takes schemas that OpenAI refuses.",
    parameters: {
      type: "object",
      properties: {
        pattern: { type: "string", pattern: "^(?!x)a" },
        behind: { type: "string", pattern: "(?<=a)b" },
        plain: { type: "string", pattern: "[(?=]\\(?=(?:a)" },
        propertyNames: {
          type: "object",
          propertyNames: { type: "string" },
          additionalProperties: { pattern: "(?=a)" },
        },
        either: { anyOf: [{ type: "string", pattern: "(?=a)" }, { $ref: "#/$defs/other" }] },
        listed: { type: "array", items: { pattern: "(?!a)" }, examples: [{ pattern: "(?!a)" }] },
      },
      $defs: { other: { type: "object", propertyNames: { minLength: 1 } } },
    },
  },
];

test("a request has the same body", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...MODELS),
      fc.array(message, { maxLength: 6 }),
      fc.subarray([...TOOLS]),
      async (model, messages, tools) => {
        const request = modelRequest({ model, messages, tools });
        let body: unknown;
        await sdkCall(request, new Response("data: [DONE]\n\n", EVENT_STREAM), (sent) => {
          body = sent;
        });
        // The second time with the tools' text that was made the first time.
        for (const ours of [formatChatBody(request), formatChatBody(request)]) {
          expect(JSON.parse(ours)).toEqual(body);
          // The escape of a lone surrogate, which servers refuse.
          expect(ours).not.toMatch(/\\ud[89a-f]/);
        }
      },
    ),
    { numRuns: 300 },
  );
});
