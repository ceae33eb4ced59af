/** A client that sends a complete body over a plain socket, even after the reply has begun, and returns the reply. */
import { connect } from "node:net";

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Size of the body in bytes. */
  readonly size: number;
  /** Uses chunked encoding. */
  readonly isChunked?: boolean;
  /** Delays the body until the first byte of the reply. */
  readonly isPatient?: boolean;
}

export interface RawAnswer {
  /** The status of every response, interim ones included. */
  readonly statuses: readonly number[];
  /** The body of the last response. */
  readonly body: string;
  /** Bytes of the body sent before the first byte of the reply. */
  readonly sentBefore: number;
  readonly sent: number;
  /** The code of the socket's error, such as `ECONNRESET`. Null if the server closed the connection cleanly. */
  readonly error: string | null;
}

const PIECE_BYTES = 65_536;
const TIMEOUT_MS = 60_000;

/** Sends one request to a local server and reads until the connection closes. */
export async function sendRaw(url: string, request: RawRequest): Promise<RawAnswer> {
  const { port } = new URL(url);
  const { size, isChunked = false, isPatient = false } = request;
  const socket = connect(Number(port), "127.0.0.1");
  const closed = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const received: Buffer[] = [];
  let [sent, sentBefore] = [0, 0];
  let error: string | null = null;
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("timeout")));
  socket.on("data", (bytes) => {
    if (received.length === 0) sentBefore = sent;
    received.push(bytes);
    answered.resolve();
  });
  socket.on("error", (thrown: NodeJS.ErrnoException) => (error = thrown.code ?? thrown.message));
  socket.on("close", () => {
    closed.resolve();
    answered.resolve();
  });
  const write = async (bytes: Buffer | string): Promise<void> => {
    const drained = Promise.withResolvers<void>();
    socket.write(bytes, () => drained.resolve());
    await Promise.race([drained.promise, closed.promise]);
  };
  await write(buildHead(request));
  if (isPatient) await answered.promise;
  for (const piece = Buffer.alloc(PIECE_BYTES, "a"); sent < size && !socket.destroyed; ) {
    const bytes = piece.subarray(0, Math.min(PIECE_BYTES, size - sent));
    await write(isChunked ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]) : bytes);
    sent += bytes.length;
  }
  if (isChunked && !socket.destroyed) await write("0\r\n\r\n");
  await closed.promise;
  return { ...parse(Buffer.concat(received).toString("latin1")), sentBefore, sent, error };
}

/** Sends raw text, which may be invalid HTTP, and reads until the connection closes. */
export async function sendText(url: string, text: string): Promise<Pick<RawAnswer, "statuses" | "body">> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("timeout")));
  socket.write(text);
  const received: Buffer[] = [];
  for await (const bytes of socket) received.push(bytes as Buffer);
  return parse(Buffer.concat(received).toString("latin1"));
}

const CRLF = Buffer.from("\r\n");

function buildHead({ method = "POST", path, headers = {}, size, isChunked = false }: RawRequest): string {
  const length = isChunked ? "transfer-encoding: chunked" : `content-length: ${size}`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const host = "host" in headers ? [] : ["host: localhost"];
  return [`${method} ${path} HTTP/1.1`, ...host, "connection: close", length, ...lines, "", ""].join("\r\n");
}

function parse(text: string): Pick<RawAnswer, "statuses" | "body"> {
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
  const last = text.slice(text.lastIndexOf("HTTP/1.1 "));
  const [head = "", ...rest] = last.split("\r\n\r\n");
  const body = rest.join("\r\n\r\n");
  // A small reply has one chunk and the last one, so its text is between the size lines.
  const isChunked = /^transfer-encoding: chunked$/im.test(head);
  return {
    statuses,
    body: isChunked
      ? body
          .split("\r\n")
          .filter((_, line) => line % 2 === 1)
          .join("")
      : body,
  };
}
