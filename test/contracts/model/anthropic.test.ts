/** Anthropic's Messages API: what Otto sends, and what each reply and error of the reference comes to. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { anthropicModel } from "../../../adapters/model/anthropic/open.ts";
import type { ModelFailure, ModelPort } from "../../../core/ports/model.ts";
import { anthropicError } from "../../mock-servers/anthropic-wire.ts";
import { type ModelServer, type ScriptedReply, startModelServer } from "../../mock-servers/model-server.ts";
import { chunksOf, lastOf, modelRequest } from "./suite.ts";

const KEY = "sk-ant-canary-0123456789";
const TOOLS = [{ name: "wait", description: "Waits.", parameters: { type: "object" } }];
let reply: ScriptedReply = {};
let server: ModelServer;
let model: ModelPort;

beforeAll(async () => {
  server = await startModelServer({ script: () => reply });
  model = anthropicModel({ baseUrl: server.url, apiKey: KEY });
});
afterAll(() => server.close());

test("a request carries the key, the version, the conversation and the tools as the API takes them", async () => {
  reply = { text: "ok" };
  await chunksOf(
    model,
    modelRequest({
      maxOutputTokens: 321,
      tools: TOOLS,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Go." },
        { role: "assistant", content: "", calls: [{ id: "call_x_1_0", name: "wait", arguments: '{"seconds":1}' }] },
        { role: "tool", callId: "call_x_1_0", name: "wait", content: "waited" },
        { role: "user", content: "lone \ud800 surrogate" },
      ],
    }),
  );
  const sent = server.requests.at(-1);
  expect(sent?.headers).toMatchObject({ "x-api-key": KEY, "anthropic-version": "2023-06-01" });
  expect(sent?.authorization).toBeNull();
  expect(sent?.path).toBe("/v1/messages");
  expect(sent?.body).toMatchObject({
    model: "scripted",
    max_tokens: 321,
    stream: true,
    system: [{ type: "text", text: "Be brief." }],
    tools: [{ name: "wait", description: "Waits.", input_schema: { type: "object" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Go." }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "call_x_1_0", name: "wait", input: { seconds: 1 } }],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_x_1_0", content: "waited" },
          { type: "text", text: "lone \ufffd surrogate" },
        ],
      },
    ],
  });
});

test("blank texts, malformed arguments and a last request without tools are sent as the API accepts them", async () => {
  reply = { text: "ok" };
  const call = (id: string, args: string) => ({ id, name: "a tool!", arguments: args });
  const last = await lastOf(
    model,
    modelRequest({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: " \n" },
        { role: "assistant", content: "" },
        { role: "user", content: "Go." },
        { role: "assistant", content: "\n", calls: [call("c1", "{broken"), call("c2", '{"a":"\\ud800"}')] },
        { role: "tool", callId: "c1", name: "a tool!", content: "these arguments are no JSON" },
        { role: "tool", callId: "c2", name: "a tool!", content: "" },
      ],
    }),
  );
  expect(last).toMatchObject({ type: "done", text: "ok" });
  const body = server.requests.at(-1)?.body;
  expect(body?.["tool_choice"]).toEqual({ type: "none" });
  expect(body?.tools).toMatchObject([{ name: "a_tool_" }]);
  expect(body?.messages[3]?.content).toMatchObject([
    { type: "tool_use", input: {} },
    { type: "tool_use", input: { a: "\ufffd" } },
  ]);
});

test("text and calls come in parts and add up, with the use that the last count states", async () => {
  const calls = [
    { name: "wait", arguments: `{"text":"${"x".repeat(10_000)}"}` },
    { name: "wait", arguments: "{}" },
  ];
  reply = { text: "Working on it. ".repeat(5), calls, usage: { input: 11, output: 222 } };
  const chunks = await chunksOf(model, modelRequest({ tools: TOOLS }));
  expect(chunks.filter(({ type }) => type === "text").length).toBeGreaterThan(1);
  const usage = { inputTokens: 11, outputTokens: 222, estimated: false };
  expect(chunks.at(-1)).toEqual({ type: "done", text: reply.text, calls, usage, finish: "calls" });
});

test.each([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "filtered"],
  ["a reason of a later version", "stop"],
])("the stop reason %s is %s", async (reason, finish) => {
  reply = { text: "some text", finish: reason };
  expect(await lastOf(model, modelRequest())).toMatchObject({ type: "done", text: "some text", finish });
});

test("a refusal without text is a refusal, and is not retried", async () => {
  reply = { finish: "refusal" };
  expect(await lastOf(model, modelRequest())).toMatchObject({ failure: { kind: "refused", retryable: false } });
});

test("a call without a name states its fault", async () => {
  reply = { calls: [{ name: "", arguments: "{}" }] };
  const last = await lastOf(model, modelRequest({ tools: TOOLS }));
  expect(last).toMatchObject({ type: "done", calls: [{ name: "unnamed", fault: expect.stringContaining("no tool") }] });
});

test("arguments over the bound of a reply are dropped, state their fault, and close the connection", async () => {
  reply = { calls: [{ name: "wait", arguments: `{"text":"${"x".repeat(400_000)}"}` }] };
  const last = await lastOf(model, modelRequest({ tools: TOOLS }));
  const fault = expect.stringContaining("150000 characters") as string;
  expect(last).toMatchObject({ type: "done", finish: "calls", calls: [{ name: "wait", arguments: "", fault }] });
  expect(last).toMatchObject({ usage: { estimated: true } });
});

const unavailable = { kind: "unavailable", retryable: true } as const;
const refused = { kind: "refused", retryable: false } as const;
const rateLimited = { kind: "rate_limited", retryable: true } as const;
const overflow = { kind: "context_overflow", retryable: false } as const;
const TOO_LONG = "prompt is too long: 208310 tokens > 200000 maximum";
const OVER_LIMIT = "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length";
const ERRORS: readonly (readonly [string, number, string, Partial<ModelFailure>])[] = [
  ["overloaded", 529, "Overloaded", unavailable],
  ["a rate limit", 429, "This request would exceed your organization's rate limit", rateLimited],
  ["an invalid key", 401, "invalid x-api-key", refused],
  ["no permission", 403, "Your API key does not have permission", refused],
  ["an unknown model", 404, "model: claude-none", refused],
  ["a conversation over the window", 400, TOO_LONG, overflow],
  ["a conversation and output over the window", 400, OVER_LIMIT, overflow],
  ["a request of too many bytes", 413, "Request exceeds the maximum size", overflow],
  ["an error of the server", 500, "Internal server error", unavailable],
];

test.each(ERRORS)("%s, as a reply (%i) and as an event", async (_name, status, message, failure) => {
  const error = anthropicError(status, message);
  reply = { fault: { kind: "status", status, retryAfter: "7", body: JSON.stringify(error) } };
  const retryAfterMs = failure.retryable === true ? 7000 : null;
  expect(await lastOf(model, modelRequest())).toMatchObject({
    failure: { ...failure, retryAfterMs, message: expect.stringContaining(message) },
  });
  reply = { fault: { kind: "error_event", error: (error as { error: unknown }).error } };
  expect(await lastOf(model, modelRequest())).toMatchObject({
    failure: { ...failure, message: expect.stringContaining(message) },
  });
});

test("a stream that is cut off after its first words or inside a call is reported as cut off", async () => {
  reply = { text: "some words and more of them", calls: [{ name: "wait", arguments: '{"seconds":1}' }] };
  for (const afterEvents of [4, 6, 10, 11]) {
    const cut = { ...reply, fault: { kind: "cut_stream", afterEvents } as const };
    const before = reply;
    reply = cut;
    expect(await lastOf(model, modelRequest({ tools: TOOLS }))).toMatchObject({
      failure: { kind: "cut_off", retryable: true },
    });
    reply = before;
  }
});

test("no message repeats the key", async () => {
  const body = JSON.stringify(anthropicError(401, `invalid x-api-key: ${KEY}`));
  reply = { fault: { kind: "status", status: 401, body } };
  expect(JSON.stringify(await lastOf(model, modelRequest()))).not.toContain("canary");
});
