/**
 * The package's transport with two changes, because Otto opens a connection for each operation:
 * 1. Request ids start at a random number. The package counts from 0 on each connection, but the calls of one session,
 *    and a call that is repeated with answers, need different ids
 *    (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).
 * 2. A result without `resultType` is complete: servers of 2026-07-28 that omit it are in use.
 */
import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from "@modelcontextprotocol/client";

/** Every id fits into 31 bits, because some servers read ids as such integers. */
const MAX_FIRST_ID = 2 ** 30;

type Receive = NonNullable<Transport["onmessage"]>;

export class OperationTransport implements Transport {
  readonly hasPerRequestStream = true;
  private readonly inner: Transport;
  private readonly firstId: number;
  private receive: Receive | undefined;

  /** `inner` sends over streamable HTTP and has the session. */
  constructor(inner: Transport) {
    this.inner = inner;
    const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
    this.firstId = 1 + (random % MAX_FIRST_ID);
  }

  get sessionId(): string | undefined {
    return this.inner.sessionId;
  }

  get onclose(): Transport["onclose"] {
    return this.inner.onclose;
  }

  set onclose(handler: Transport["onclose"]) {
    this.inner.onclose = handler;
  }

  get onerror(): Transport["onerror"] {
    return this.inner.onerror;
  }

  set onerror(handler: Transport["onerror"]) {
    this.inner.onerror = handler;
  }

  get onmessage(): Receive | undefined {
    return this.receive;
  }

  set onmessage(handler: Receive | undefined) {
    this.receive = handler;
    this.inner.onmessage =
      handler === undefined
        ? undefined
        : (message: JSONRPCMessage, extra?: MessageExtraInfo) => handler(this.fromWire(message), extra);
  }

  start(): Promise<void> {
    return this.inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.inner.send(this.toWire(message), options);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version);
  }

  /** Replies to a server's own requests carry the server's ids and stay as they are. */
  private toWire(message: JSONRPCMessage): JSONRPCMessage {
    if (!("method" in message)) return message;
    if ("id" in message) return { ...message, id: shift(message.id, this.firstId) };
    if (message.method !== "notifications/cancelled" || message.params === undefined) return message;
    const { requestId } = message.params;
    return { ...message, params: { ...message.params, requestId: shift(requestId, this.firstId) } };
  }

  private fromWire(message: JSONRPCMessage): JSONRPCMessage {
    if ("method" in message) return message;
    if ("error" in message) return { ...message, id: shift(message.id, -this.firstId) };
    const { result } = message;
    return {
      ...message,
      id: shift(message.id, -this.firstId),
      result: result["resultType"] === undefined ? { ...result, resultType: "complete" } : result,
    };
  }
}

/** The id of the package's `server/discover` is a text, and stays. */
function shift<T>(id: T, by: number): T | number {
  return typeof id === "number" ? id + by : id;
}
