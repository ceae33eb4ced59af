/**
 * Greets a new process once. Since revision 2026-07-28 a client asks for the server's versions (`server/discover`); before, it sent
 * `initialize`. Some servers exit at any message before `initialize`, so after such an exit the restarted process gets `initialize` at once.
 */
import { awaitWithin } from "../../core/base/deadline.ts";
import type { Exchange, ExchangeFailure } from "./exchange.ts";
import { isObject, type Message } from "./json-rpc.ts";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
/** After this time without an answer to `server/discover`, the server gets `initialize`. */
const DISCOVER_TIMEOUT_MS = 5_000;

const CLIENT = { name: "otto", title: "Otto", version: "1" };

/** The result of `server/discover` or of `initialize`. */
export interface Greeting {
  readonly era: "modern" | "legacy";
  readonly result: Message;
}

/** `sentDiscover` means that the process ended when only `server/discover` had been sent. */
export type GreetingResult =
  | { readonly ok: true; readonly greeting: Greeting }
  | { readonly ok: false; readonly failure: ExchangeFailure; readonly sentDiscover: boolean };

/** Sends `initialize` at once if `canDiscover` is false. */
export async function greet(exchange: Exchange, canDiscover: boolean): Promise<GreetingResult> {
  if (!canDiscover) return await initialize(exchange);
  const discovery = send(exchange, "server/discover", {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientInfo": CLIENT,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  });
  const first = await awaitWithin(globalThis, DISCOVER_TIMEOUT_MS, discovery, null);
  if (first !== null && !first.ok) return { ...first, sentDiscover: true };
  const modern = first === null ? null : parseModernGreeting(first.message);
  if (modern !== null) return modern;
  const initialized = await initialize(exchange);
  if (first !== null || initialized.ok) return initialized;
  // It started slowly and does not know `initialize`, so use its late answer.
  const late = await discovery;
  return late.ok ? (parseModernGreeting(late.message) ?? initialized) : { ...late, sentDiscover: true };
}

function parseModernGreeting(message: Message): GreetingResult | null {
  const { result } = message;
  if (!isObject(result)) return null;
  const versions = result["supportedVersions"];
  if (!Array.isArray(versions) || !versions.includes(MODERN)) return null;
  return { ok: true, greeting: { era: "modern", result } };
}

async function initialize(exchange: Exchange): Promise<GreetingResult> {
  const reply = await send(exchange, "initialize", { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT });
  if (!reply.ok) return { ...reply, sentDiscover: false };
  const { result } = reply.message;
  if (!isObject(result) || typeof result["protocolVersion"] !== "string") {
    const failure = { code: "upstream_failed", message: "it does not answer as an MCP server" } as const;
    return { ok: false, failure, sentDiscover: false };
  }
  exchange.notify({ jsonrpc: "2.0", method: "notifications/initialized" });
  return { ok: true, greeting: { era: "legacy", result } };
}

type Reply =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly failure: ExchangeFailure };

async function send(exchange: Exchange, method: string, params: Message): Promise<Reply> {
  return await new Promise((resolve) => {
    exchange.request(
      { id: 0, message: { jsonrpc: "2.0", method, params } },
      {
        notify: () => undefined,
        answer: (message) => resolve({ ok: true, message }),
        fail: (failure) => resolve({ ok: false, failure }),
      },
    );
  });
}
