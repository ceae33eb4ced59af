/**
 * A mock server of OpenAI's chat completions and Responses API, streaming and not, and of Anthropic's Messages API, streaming, on
 * loopback. Its replies are a function of the request, so killing the runtime during a task does not change them. It records every request.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { anthropicError, anthropicEvents, anthropicTextEvents, findRequestFault } from "./anthropic-wire.ts";
import { closeServer, listenOnLoopback } from "./listen.ts";
import { chatBody, chatEvents, errorEvent, responsesEvents, textEvent, type WireApi } from "./model-wire.ts";

/** A message of a chat request, as received. */
export interface WireMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content: string | null | readonly { readonly type: string; readonly text?: string }[];
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** A request body. `messages` is empty for the Responses API, which has `input`. */
export interface WireBody {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly tools?: readonly { readonly function?: { readonly name: string; readonly parameters: unknown } }[];
  readonly [field: string]: unknown;
}

/** A fault of the server. */
export type ModelFault =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly retryAfter?: string;
      readonly body?: string;
      readonly location?: string;
    }
  /** Resets the connection, after `afterEvents` events if given. */
  | { readonly kind: "reset"; readonly afterEvents?: number }
  /** Stops sending. Sends not even headers unless `afterEvents` is given. */
  | { readonly kind: "hang"; readonly afterEvents?: number }
  /** Ends the stream cleanly but too early. */
  | { readonly kind: "cut_stream"; readonly afterEvents: number }
  /** Sends an event with truncated JSON. */
  | { readonly kind: "cut_json" }
  | { readonly kind: "wrong_type" }
  /** Sends endless text as fast as the reader accepts it. */
  | { readonly kind: "huge" }
  /** Sends one endless line. */
  | { readonly kind: "huge_line" }
  /** Sends endless comments. */
  | { readonly kind: "huge_comments" }
  /** Sends an error as an event of the stream. */
  | { readonly kind: "error_event"; readonly error: unknown };

/** The server's reply. `arguments` may be invalid JSON. `usage: null` omits the usage. */
export interface ScriptedReply {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly fault?: ModelFault;
  readonly delayMs?: number;
  readonly usage?: { readonly input: number; readonly output: number } | null;
  readonly finish?: string;
  readonly pieceCharacters?: number;
  /** Pause between two events of a stream, so that a test can watch it. */
  readonly pieceDelayMs?: number;
}

/** Computes a reply from the request. */
export type ModelScript = (messages: readonly WireMessage[], body: WireBody) => ScriptedReply;

/** A received request. Times are `performance.now()` milliseconds; `step` counts from 1. */
export interface ModelRecord {
  readonly seq: number;
  readonly at: number;
  readonly step: number;
  readonly path: string;
  readonly authorization: string | null;
  readonly headers: IncomingHttpHeaders;
  readonly body: WireBody;
  /** When the last byte of the reply was written. Null until then, or if the reply was cut off. */
  repliedAt: number | null;
  /** True if the client disconnected before the complete reply. */
  dropped: boolean;
}

export interface ModelServerOptions {
  readonly script: ModelScript;
  readonly port?: number;
  /** Awaited after a request is recorded and before it is answered. `body` is complete even if it is not stored. */
  readonly beforeReply?: (record: ModelRecord, body: WireBody) => Promise<void> | void;
  /** False stores no bodies, for long runs. */
  readonly keepBodies?: boolean;
  readonly onReplied?: (record: ModelRecord) => void;
}

/** A running server. `url` is a base URL (`…/v1`). */
export interface ModelServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ModelRecord[];
  /** Closes every connection and refuses new ones until `comeBack`. */
  goAway(): Promise<void>;
  /** Closes every connection, as a restart does, then listens again. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/** The environment variables that connect a system to this server. */
export function toModelEnv({ url }: Pick<ModelServer, "url">): Record<string, string> {
  return { OPENAI_API_KEY: "mock-key", OPENAI_BASE_URL: url, OTTO_MODEL: "mock-model" };
}

/** Starts a server. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const requests: ModelRecord[] = [];
  const server: Server = createServer((request, response) => {
    answer(options, requests, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `mock server: ${String(error)}` } }));
    });
  });
  server.keepAliveTimeout = 60_000;
  const port = await listenOnLoopback(server, options.port ?? 0);
  const close = (): Promise<void> => closeServer(server);
  const comeBack = async (): Promise<void> => {
    if (server.listening) await close();
    await listenOnLoopback(server, port);
  };
  return { url: `http://127.0.0.1:${port}/v1`, port, requests, goAway: close, comeBack, close };
}

async function answer(
  options: ModelServerOptions,
  requests: ModelRecord[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(request.url ?? "/", "http://model.test").pathname;
  const text = await readBody(request);
  const at = performance.now();
  if (request.method !== "POST" || !/\/(chat\/completions|responses|messages)$/.test(path)) {
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "there is no such route", type: "invalid_request_error" } }));
    return;
  }
  const body = { messages: [], ...(JSON.parse(text) as object) } as unknown as WireBody;
  const record: ModelRecord = {
    seq: requests.length + 1,
    at,
    step: countStep(body.messages),
    path,
    authorization: request.headers.authorization ?? null,
    headers: request.headers,
    body: options.keepBodies === false ? { ...body, messages: [] } : body,
    repliedAt: null,
    dropped: false,
  };
  requests.push(record);
  response.on("close", () => {
    if (record.repliedAt === null) record.dropped = true;
  });
  await options.beforeReply?.(record, body);
  const refusal = findApi(path) === "messages" ? findRequestFault(request.headers, body) : null;
  if (refusal !== null) {
    response.writeHead(refusal[0], { "content-type": "application/json" });
    response.end(JSON.stringify(anthropicError(...refusal)));
    record.repliedAt = performance.now();
    return;
  }
  const reply = options.script(body.messages, body);
  if (reply.delayMs !== undefined) await sleep(reply.delayMs);
  if (response.destroyed) return;
  const finished = await send(reply, body, path, response);
  if (!finished) return;
  record.repliedAt = performance.now();
  options.onReplied?.(record);
}

/** Returns the step of a request: one more than the model's replies in it. */
export function countStep(messages: readonly WireMessage[]): number {
  return messages.filter((message) => message.role === "assistant").length + 1;
}

const EVENTS: Readonly<Record<WireApi, (reply: ScriptedReply, model: string) => string[]>> = {
  chat: chatEvents,
  responses: responsesEvents,
  messages: anthropicEvents,
};

function findApi(path: string): WireApi {
  if (path.endsWith("/messages")) return "messages";
  return path.endsWith("/responses") ? "responses" : "chat";
}

/** True if the complete reply was written. */
async function send(reply: ScriptedReply, body: WireBody, path: string, response: ServerResponse): Promise<boolean> {
  const fault = reply.fault;
  if (fault?.kind === "status") {
    response.writeHead(fault.status, {
      "content-type": "application/json",
      ...(fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter }),
      ...(fault.location === undefined ? {} : { location: fault.location }),
    });
    const message = `scripted ${fault.status}`;
    const error =
      findApi(path) === "messages" ? anthropicError(fault.status, message) : { error: { message, type: "scripted" } };
    response.end(fault.body ?? JSON.stringify(error));
    return true;
  }
  if (fault?.kind === "wrong_type") {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>a proxy's own page</title>");
    return true;
  }
  if (fault?.kind === "reset" && fault.afterEvents === undefined) {
    response.socket?.resetAndDestroy();
    return false;
  }
  if (fault?.kind === "hang" && fault.afterEvents === undefined) return false;

  if (body.stream !== true) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(chatBody(reply, body.model)));
    return true;
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  const api = findApi(path);
  const end = api === "chat" ? "data: [DONE]\n\n" : "";
  if (fault?.kind === "huge" || fault?.kind === "huge_line" || fault?.kind === "huge_comments") {
    return await flood(fault.kind, api, response);
  }
  if (fault?.kind === "error_event") {
    response.end(`data: ${JSON.stringify(errorEvent(fault.error, api))}\n\n${end}`);
    return true;
  }
  const events = EVENTS[api](reply, body.model);
  if (fault?.kind === "cut_json") {
    response.end(`${events[0] ?? ""}data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"con\n\n`);
    return true;
  }
  const sentEvents = fault?.afterEvents === undefined ? events : events.slice(0, fault.afterEvents);
  if (fault === undefined && reply.pieceDelayMs !== undefined) {
    for (const event of sentEvents) {
      if (response.destroyed) return false;
      response.write(event);
      await sleep(reply.pieceDelayMs);
    }
    response.end(end);
    return true;
  }
  if (fault === undefined) {
    response.end(sentEvents.join("") + end);
    return true;
  }
  await new Promise<void>((resolve) => response.write(sentEvents.join(""), () => resolve()));
  if (fault.kind === "reset") response.socket?.resetAndDestroy();
  if (fault.kind === "cut_stream") response.end();
  return false;
}

async function flood(
  kind: "huge" | "huge_line" | "huge_comments",
  api: WireApi,
  response: ServerResponse,
): Promise<boolean> {
  const filler = "x".repeat(60_000);
  const event = kind === "huge_comments" ? `: ${filler}` : `data: ${JSON.stringify(textEvent(filler, api))}`;
  const piece = kind === "huge_line" ? filler : `${event}\n\n`;
  if (api === "messages") response.write(anthropicTextEvents(filler).first);
  if (kind === "huge_line") response.write("data: ");
  while (!response.destroyed) {
    if (!response.write(piece)) {
      await new Promise<void>((resolve) => {
        const go = (): void => {
          response.off("drain", go);
          response.off("close", go);
          resolve();
        };
        response.on("drain", go);
        response.on("close", go);
      });
    }
  }
  return false;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
