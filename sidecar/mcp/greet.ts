/**
 * The greeting of a process, once in its life. Since 2026-07-28 a server is asked what it speaks (`server/discover`), before
 * that it is told (`initialize`). There are servers that end at any word before `initialize`: who starts one again after
 * that does not ask.
 */
import { awaitWithin } from "../../core/base/deadline.ts";
import type { Exchange, ExchangeFailure } from "./exchange.ts";
import { isObject, type Message } from "./json-rpc.ts";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
/** A server that keeps silent to a word that it does not know is told `initialize` after so long. */
const PATIENCE_MS = 5_000;

const CLIENT = { name: "otto", title: "Otto", version: "1" };

/** What a process said of itself: the result of the one request or of the other. */
export interface Greeting {
  readonly era: "modern" | "legacy";
  readonly result: Message;
}

/** How the greeting ended. `wasAsked`: it ended while only `server/discover` was there to be answered. */
export type Greeted =
  | { readonly ok: true; readonly greeting: Greeting }
  | { readonly ok: false; readonly failure: ExchangeFailure; readonly wasAsked: boolean };

/** `mayAsk` false: it is told `initialize` at once. */
export async function greet(exchange: Exchange, mayAsk: boolean): Promise<Greeted> {
  if (!mayAsk) return await initialize(exchange);
  const asked = send(exchange, "server/discover", {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientInfo": CLIENT,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  });
  const first = await awaitWithin(globalThis, PATIENCE_MS, asked, null);
  if (first !== null && !first.ok) return { ...first, wasAsked: true };
  const modern = first === null ? null : modernIn(first.message);
  if (modern !== null) return modern;
  const told = await initialize(exchange);
  if (first !== null || told.ok) return told;
  // It took longer to start than it was waited for, and knows nothing of `initialize`.
  const late = await asked;
  return late.ok ? (modernIn(late.message) ?? told) : { ...late, wasAsked: true };
}

function modernIn(message: Message): Greeted | null {
  const { result } = message;
  if (!isObject(result)) return null;
  const versions = result["supportedVersions"];
  if (!Array.isArray(versions) || !versions.includes(MODERN)) return null;
  return { ok: true, greeting: { era: "modern", result } };
}

async function initialize(exchange: Exchange): Promise<Greeted> {
  const told = await send(exchange, "initialize", { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT });
  if (!told.ok) return { ...told, wasAsked: false };
  const { result } = told.message;
  if (!isObject(result) || typeof result["protocolVersion"] !== "string") {
    const failure = { code: "upstream_failed", message: "it does not answer as an MCP server does" } as const;
    return { ok: false, failure, wasAsked: false };
  }
  exchange.notify({ jsonrpc: "2.0", method: "notifications/initialized" });
  return { ok: true, greeting: { era: "legacy", result } };
}

type Sent =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly failure: ExchangeFailure };

async function send(exchange: Exchange, method: string, params: Message): Promise<Sent> {
  return await new Promise((resolve) => {
    exchange.ask(
      { id: 0, message: { jsonrpc: "2.0", method, params } },
      {
        tell: () => undefined,
        answer: (message) => resolve({ ok: true, message }),
        fail: (failure) => resolve({ ok: false, failure }),
      },
    );
  });
}
