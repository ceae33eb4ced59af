import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { HASHING_MODEL, hashingEmbedder } from "../../../adapters/embeddings/hashing.ts";
import { openAiEmbedder } from "../../../adapters/embeddings/openai.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { embedderContract } from "./embedder-suite.ts";

/** A server of OpenAI's embeddings: vectors of eight dimensions from the characters of a text, in a shuffled list. */
let server: Server;
let baseUrl: string;
/** What it answers in the place of vectors; null: it works. */
let fault: ((request: IncomingMessage, response: ServerResponse) => void) | null = null;
let asked: { path: string; authorization: string; body: { model: string; input: string[]; encoding_format: string } }[];

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  baseUrl = `http://127.0.0.1:${await listenOnLoopback(server, 0)}/v1`;
});
afterAll(() => closeServer(server));
beforeEach(() => {
  fault = null;
  asked = [];
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const body = JSON.parse(text);
  asked.push({ path: request.url ?? "", authorization: request.headers.authorization ?? "", body });
  if (fault !== null) return fault(request, response);
  const data = body.input.map((input: string, index: number) => ({
    object: "embedding",
    index,
    embedding: play(input),
  }));
  response.end(
    JSON.stringify({ object: "list", data: data.toReversed(), model: body.model, usage: { prompt_tokens: 1 } }),
  );
}

function play(text: string): number[] {
  const values = Array.from({ length: 8 }, (_, index) => index + 1);
  for (const [index, character] of Array.from(text).entries())
    values[index % 8] = (values[index % 8] ?? 0) + ((character.codePointAt(0) ?? 0) % 97);
  return values;
}

const open = (apiKey: string | null = "sk-canary-123456") => openAiEmbedder({ baseUrl, apiKey, model: "embed-1" });
const { signal } = new AbortController();

embedderContract("feature hashing", hashingEmbedder);
embedderContract("a server of OpenAI's API", () => open());

describe("feature hashing", () => {
  const similar = async (left: string, right: string) => {
    const embedded = await hashingEmbedder().embed([left, right], signal);
    const [a, b] = embedded.ok ? embedded.value : [];
    return a?.reduce((sum, value, index) => sum + value * (b?.[index] ?? 0), 0) ?? 0;
  };

  it("names its model, and returns the vectors that stored memories were embedded with", async () => {
    const embedder = hashingEmbedder();
    expect([embedder.model, embedder.dimensions]).toEqual([HASHING_MODEL, 384]);
    const embedded = await embedder.embed(["The customer database runs on Postgres. 会議"], signal);
    const values = embedded.ok ? [...(embedded.value[0] ?? [])] : [];
    const places = values.flatMap((value, index) => (value === 0 ? [] : [index * Math.sign(value)]));
    // Another list means other vectors: then the name has to change too.
    expect(places.reduce((sum, place, index) => sum + place * (index + 1), 0)).toBe(HASHED);
  });

  it("finds texts near that share words or parts of them, and others not", async () => {
    const query = "How do we deploy the billing service?";
    const near = await similar(query, "Deployments of the billing service run every Tuesday.");
    const half = await similar(query, "The billing address of the customer changed.");
    const far = await similar(query, "Ana prefers tea without sugar.");
    expect(near).toBeGreaterThan(0.3);
    expect(near).toBeGreaterThan(half);
    expect(Math.abs(far)).toBeLessThan(0.15);
    expect(await similar("会議の時間は何時ですか", "会議の時間は三時です")).toBeGreaterThan(0.3);
    expect(await similar("same words here", "SAME  words, here!")).toBeCloseTo(1, 5);
  });
});

describe("a server of OpenAI's API", () => {
  it("gets its texts in one request, with the key and the model", async () => {
    await open().embed(["a", "b"], signal);
    expect(asked).toEqual([
      {
        path: "/v1/embeddings",
        authorization: "Bearer sk-canary-123456",
        body: { model: "embed-1", input: ["a", "b"], encoding_format: "float" },
      },
    ]);
    await open(null).embed(["a"], signal);
    expect(asked[1]?.authorization).toBe("Bearer none");
  });

  const status = (code: number, body: object = {}, headers: Record<string, string> = {}) => {
    return (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(code, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(body));
    };
  };
  const said = (message: string) => ({ error: { message } });
  const body = (value: unknown) => status(200, value as object);
  const vector = (index: number, embedding: unknown) => ({ index, embedding });

  it.each([
    ["limits requests", status(429, said("slow down"), { "retry-after": "7" }), "rate_limited", 7_000],
    ["has a used-up account", status(429, said("insufficient_quota")), "upstream_failed", undefined],
    ["fails", status(500), "upstream_failed", 1_000],
    ["is overloaded", status(503, {}, { "retry-after": "3" }), "upstream_failed", 3_000],
    ["does not know the key", status(401, said("bad key sk-canary-123456")), "upstream_failed", undefined],
    ["has no such model", status(404), "upstream_failed", undefined],
    ["refuses the text", status(400, said("maximum context length is 512 tokens")), "invalid_input", undefined],
    ["leads elsewhere", status(302, {}, { location: "http://127.0.0.1:1/" }), "upstream_failed", undefined],
    ["gives too few vectors", body({ data: [vector(0, [1, 0])] }), "upstream_failed", undefined],
    ["gives too many", body({ data: [0, 1, 2].map((at) => vector(at, [1, 0])) }), "upstream_failed", undefined],
    ["gives one twice", body({ data: [0, 0].map((at) => vector(at, [1, 0])) }), "upstream_failed", undefined],
    ["gives other lengths", body({ data: [vector(0, [1, 0]), vector(1, [1])] }), "upstream_failed", undefined],
    ["gives a vector to nowhere", body({ data: [vector(0, [1, 0]), vector(1, [0, 0])] }), "upstream_failed", undefined],
    ["gives no numbers", body({ data: [vector(0, "AAAA"), vector(1, "AAAA")] }), "upstream_failed", undefined],
    ["gives no list", body({ data: null }), "upstream_failed", undefined],
    ["gives nothing", body([]), "upstream_failed", undefined],
  ])("that %s is a failure that says so, and reveals no key", async (_what, wrong, code, retryAfterMs) => {
    fault = wrong;
    const failed = await open().embed(["a", "b"], signal);
    expect(failed).toMatchObject({ ok: false, error: { code } });
    if (failed.ok) return;
    expect(failed.error.retryAfterMs).toBe(retryAfterMs);
    expect(JSON.stringify(failed.error)).not.toContain("canary");
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["no JSON", (_, response) => void response.end("<html>")],
    ["half of its JSON", (_, response) => void response.end('{"data": [{"index": 0, "embe')],
    ["a cut connection", (request) => void request.socket.destroy()],
    ["twenty megabytes", (_, response) => void response.end("x".repeat(20_000_000))],
  ])("that sends %s is a failure", async (_what, wrong) => {
    fault = wrong;
    expect(await open().embed(["a"], signal)).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
  });

  it("that does not answer is given up with the caller", async () => {
    fault = () => undefined;
    const given = new AbortController();
    const embedding = open().embed(["a"], given.signal);
    setTimeout(() => given.abort(), 30);
    expect(await embedding).toMatchObject({ ok: false, error: { code: "timeout", retryAfterMs: 1_000 } });
  });

  it("that is not there is a failure that can be tried again", async () => {
    const nowhere = openAiEmbedder({ baseUrl: "http://127.0.0.1:9/v1", apiKey: null, model: "m" });
    expect(await nowhere.embed(["a"], signal)).toMatchObject({
      ok: false,
      error: { code: "upstream_failed", retryAfterMs: 1_000 },
    });
  });
});

const HASHED = -63_700;
