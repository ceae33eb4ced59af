/** Every fault of a model server has a documented end, and the connection to it is closed. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anthropicModel } from "../../../adapters/model/anthropic/open.ts";
import { openAiModel } from "../../../adapters/model/openai/open.ts";
import type { ModelFailure, ModelPort } from "../../../core/ports/model.ts";
import {
  type ModelFault,
  type ModelServer,
  type ScriptedReply,
  startModelServer,
} from "../../mock-servers/model-server.ts";
import { chunksOf, lastOf, modelRequest } from "./suite.ts";
import { findUnusedPort } from "../../mock-servers/listen.ts";

const KEY = "sk-canary-0123456789abcdef";
let reply: ScriptedReply = {};
let server: ModelServer;
let model: ModelPort;
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);

beforeAll(async () => {
  process.on("unhandledRejection", onUnhandled);
  server = await startModelServer({ script: () => reply });
  model = openAiModel({ baseUrl: server.url, apiKey: KEY }, "chat");
});
afterAll(async () => {
  process.removeListener("unhandledRejection", onUnhandled);
  await server.close();
});

type Row = readonly [name: string, fault: ModelFault, failure: Partial<ModelFailure>];
const body = (error: unknown): string => JSON.stringify({ error });
const FAULTS: readonly Row[] = [
  ["a reset before the reply", { kind: "reset" }, { kind: "unavailable", retryable: true }],
  ["a reset in the middle of the reply", { kind: "reset", afterEvents: 6 }, { kind: "cut_off", retryable: true }],
  ["a hang before the reply", { kind: "hang" }, { kind: "timeout", retryable: true }],
  ["a hang in the middle of the reply", { kind: "hang", afterEvents: 2 }, { kind: "timeout", retryable: true }],
  ["a stream that ends too early", { kind: "cut_stream", afterEvents: 3 }, { kind: "cut_off", retryable: true }],
  ["a stream that is empty", { kind: "cut_stream", afterEvents: 0 }, { kind: "cut_off", retryable: true }],
  ["JSON that stops in the middle", { kind: "cut_json" }, { kind: "cut_off", retryable: true }],
  ["a page of HTML", { kind: "wrong_type" }, { kind: "unavailable", retryable: true }],
  ["a line without end", { kind: "huge_line" }, { kind: "cut_off", retryable: true }],
  ["comments without end", { kind: "huge_comments" }, { kind: "cut_off", retryable: true }],
  [
    "429 with seconds",
    { kind: "status", status: 429, retryAfter: "7" },
    { kind: "rate_limited", retryable: true, retryAfterMs: 7000 },
  ],
  [
    "429 without a time",
    { kind: "status", status: 429 },
    { kind: "rate_limited", retryable: true, retryAfterMs: null },
  ],
  [
    "429 because the account is empty",
    { kind: "status", status: 429, body: body({ code: "insufficient_quota", message: "pay first" }) },
    { kind: "refused", retryable: false },
  ],
  ["500", { kind: "status", status: 500 }, { kind: "unavailable", retryable: true }],
  [
    "503 with seconds",
    { kind: "status", status: 503, retryAfter: "2" },
    { kind: "unavailable", retryable: true, retryAfterMs: 2000 },
  ],
  ["529", { kind: "status", status: 529 }, { kind: "unavailable", retryable: true }],
  ["401", { kind: "status", status: 401 }, { kind: "refused", retryable: false }],
  ["403", { kind: "status", status: 403 }, { kind: "refused", retryable: false }],
  ["404", { kind: "status", status: 404 }, { kind: "refused", retryable: false }],
  ["400", { kind: "status", status: 400 }, { kind: "refused", retryable: false }],
  [
    "400 because the conversation is too long",
    { kind: "status", status: 400, body: body({ code: "context_length_exceeded", message: "too long" }) },
    { kind: "context_overflow", retryable: false },
  ],
  [
    "400 in another server's words for the same",
    { kind: "status", status: 400, body: body({ message: "This model's maximum context length is 4096 tokens." }) },
    { kind: "context_overflow", retryable: false },
  ],
  ["413", { kind: "status", status: 413 }, { kind: "context_overflow", retryable: false }],
  [
    "a content filter's refusal",
    { kind: "status", status: 400, body: body({ code: "content_filter", message: "no" }) },
    { kind: "refused", retryable: false },
  ],
  [
    "an error page that is no JSON",
    { kind: "status", status: 502, body: "<html>bad gateway</html>" },
    { kind: "unavailable", retryable: true },
  ],
];
/** Errors that come after a reply began with 200, in the words of OpenAI; anthropic.test.ts has those of Anthropic. */
const ERROR_EVENTS: readonly Row[] = [
  [
    "a rate limit as an event of the stream",
    { kind: "error_event", error: { code: "rate_limit_exceeded", message: "slow down" } },
    { kind: "rate_limited", retryable: true },
  ],
  [
    "an overlong conversation as an event of the stream",
    { kind: "error_event", error: { code: "context_length_exceeded", message: "too long" } },
    { kind: "context_overflow", retryable: false },
  ],
  [
    "a server error as an event of the stream",
    { kind: "error_event", error: { type: "server_error", message: "sorry" } },
    { kind: "unavailable", retryable: true },
  ],
];

const APIS = {
  chat: (baseUrl: string) => openAiModel({ baseUrl, apiKey: KEY }, "chat"),
  responses: (baseUrl: string) => openAiModel({ baseUrl, apiKey: KEY }, "responses"),
  messages: (baseUrl: string) => anthropicModel({ baseUrl, apiKey: KEY }),
};

describe.each(Object.entries(APIS))("%s", (api, open) => {
  test.each(api === "messages" ? FAULTS : [...FAULTS, ...ERROR_EVENTS])(
    "%s ends as a failure that says what it was",
    async (_name, fault, failure) => {
      reply = { text: "one two three four five six seven eight nine ten", fault };
      const last = await lastOf(
        open(server.url),
        modelRequest({ idleTimeoutMs: failure.kind === "timeout" ? 300 : 20_000 }),
      );
      expect(last).toMatchObject({ type: "failed", failure: { ...failure, message: expect.stringMatching(/.{10}/) } });
    },
  );

  test("a reply without end is cut at the bound of a reply, and its connection is closed", async () => {
    reply = { text: "x", fault: { kind: "huge" } };
    const last = await lastOf(open(server.url), modelRequest());
    expect(last).toMatchObject({ type: "done", finish: "length", usage: { estimated: true } });
    expect(last.type === "done" && last.text.length).toBe(150_000);
    await until(() => server.requests.at(-1)?.dropped === true);
  });

  test("a reader that stops early closes the connection", async () => {
    reply = { text: "x", fault: { kind: "huge" } };
    for await (const chunk of open(server.url).stream(modelRequest())) {
      expect(chunk.type).toBe("text");
      break;
    }
    await until(() => server.requests.at(-1)?.dropped === true);
  });
});

test("no fault causes an unhandled rejection", async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(unhandled).toEqual([]);
});

test("a refused connection is unavailable, and may be tried again", async () => {
  const away = openAiModel({ baseUrl: `http://127.0.0.1:${await findUnusedPort()}/v1`, apiKey: KEY }, "chat");
  expect(await lastOf(away, modelRequest())).toMatchObject({ failure: { kind: "unavailable", retryable: true } });
});

test("an invalid base URL is a failure, not a throw", async () => {
  const nowhere = openAiModel({ baseUrl: "not a url", apiKey: KEY }, "chat");
  expect(await lastOf(nowhere, modelRequest())).toMatchObject({ type: "failed" });
});

test("Retry-After as an HTTP date is a time from now", async () => {
  reply = { fault: { kind: "status", status: 429, retryAfter: new Date(Date.now() + 60_000).toUTCString() } };
  const last = await lastOf(model, modelRequest());
  if (last.type !== "failed") throw new Error("expected a failure");
  expect(last.failure.retryAfterMs).toBeGreaterThan(50_000);
  expect(last.failure.retryAfterMs).toBeLessThanOrEqual(60_000);
});

test("a redirect is not followed, and its target sees no request", async () => {
  const thief = await startModelServer({ script: () => ({ text: "mine" }) });
  try {
    for (const status of [301, 302, 307, 308]) {
      reply = { fault: { kind: "status", status, location: `${thief.url}/chat/completions` } };
      expect(await lastOf(model, modelRequest())).toMatchObject({ failure: { kind: "refused", retryable: false } });
    }
    expect(thief.requests).toHaveLength(0);
  } finally {
    await thief.close();
  }
});

test("no message repeats the key, not even when the server does", async () => {
  for (const status of [400, 401, 429, 500]) {
    reply = {
      fault: {
        kind: "status",
        status,
        body: body({ message: `Incorrect API key provided: ${KEY}. See https://x.test/a?token=${KEY}` }),
      },
    };
    const last = await lastOf(model, modelRequest());
    expect(JSON.stringify(last)).not.toContain(KEY);
    expect(JSON.stringify(last)).not.toContain("canary");
    expect(JSON.stringify(last)).not.toContain("token=");
  }
  reply = { fault: { kind: "error_event", error: { code: "invalid_api_key", message: `bad ${KEY}` } } };
  expect(JSON.stringify(await lastOf(model, modelRequest()))).not.toContain(KEY);
});

test("a cancelled call closes its connection", async () => {
  for (const fault of [{ kind: "hang" }, { kind: "hang", afterEvents: 3 }] as const) {
    reply = { text: "one two three four five six seven", fault };
    const before = server.requests.length;
    const controller = new AbortController();
    const ended = lastOf(model, modelRequest({ signal: controller.signal }));
    await until(() => server.requests.length > before);
    controller.abort();
    expect(await ended).toMatchObject({ type: "failed" });
    await until(() => server.requests.at(-1)?.dropped === true);
  }
});

test("the request asks for a stream with usage, bounds the output and sends our call ids back", async () => {
  reply = { text: "ok" };
  await chunksOf(
    model,
    modelRequest({
      maxOutputTokens: 321,
      tools: [
        {
          name: "wait",
          description: "Waits.",
          parameters: { type: "object", properties: { seconds: { type: "integer" } } },
        },
      ],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Go." },
        { role: "assistant", content: "", calls: [{ id: "call_x_1_0", name: "wait", arguments: '{"seconds":1}' }] },
        { role: "tool", callId: "call_x_1_0", name: "wait", content: "waited" },
        { role: "user", content: "lone \ud800 surrogate" },
      ],
    }),
  );
  const sent = server.requests.at(-1)?.body;
  expect(sent).toMatchObject({
    model: "scripted",
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 321,
    tools: [{ type: "function", function: { name: "wait", description: "Waits." } }],
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Go." },
      {
        role: "assistant",
        tool_calls: [{ id: "call_x_1_0", type: "function", function: { name: "wait", arguments: '{"seconds":1}' } }],
      },
      { role: "tool", tool_call_id: "call_x_1_0", content: "waited" },
      { role: "user", content: "lone \ufffd surrogate" },
    ],
  });
  expect(server.requests.at(-1)?.authorization).toBe(`Bearer ${KEY}`);
});

test("a call without tools sends no empty list of them", async () => {
  reply = { text: "ok" };
  await chunksOf(model, modelRequest());
  expect(server.requests.at(-1)?.body).not.toHaveProperty("tools");
});

test("arguments that were no JSON go back to the server as an empty object, which it accepts", async () => {
  reply = { text: "ok" };
  await chunksOf(
    model,
    modelRequest({
      messages: [
        { role: "user", content: "Go." },
        { role: "assistant", content: "", calls: [{ id: "call_x_1_0", name: "wait", arguments: "{broken" }] },
        { role: "tool", callId: "call_x_1_0", name: "wait", content: "these arguments are no JSON" },
      ],
    }),
  );
  expect(server.requests.at(-1)?.body.messages[1]?.tool_calls?.[0]?.function.arguments).toBe("{}");
});

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 5000;
  while (!holds()) {
    if (Date.now() > end) throw new Error("it did not happen within 5 s");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
