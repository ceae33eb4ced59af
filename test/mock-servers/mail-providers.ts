/**
 * Mock mail providers on loopback: an SMTP server, one that requires TLS and a password, and Resend's API. `GET /mails?{address}` lists mails
 * to an address from all of them. `POST /forget?{address}` makes Resend's API forget the keys of those mails, as it does after a day. The
 * local part of a recipient selects what happens to the mail:
 *
 * - `refused`: always refused. `busy`: refused for now. `unwanted` (SMTP): refused after its data. `forbidden` (Resend): key not allowed.
 * - `broken`: accepted, but the connection closes without a reply. `held`: accepted, but the reply waits for `POST /release?{address}`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import type { MailAddresses } from "../setup/provided-context.ts";
import { LOOPBACK_CERTIFICATE, OTHER_CERTIFICATE } from "./certificates.ts";
import { closeServer, listenOnLoopback } from "./listen.ts";
import { startOddSmtp } from "./odd-smtp.ts";

/** A received mail. `raw` is the SMTP data in base64 or Resend's request body. `user` logged in; `isSecret` means over TLS. */
export interface ArrivedMail {
  readonly to: readonly string[];
  readonly from: string;
  readonly raw: string;
  readonly key: string | null;
  readonly user: string | null;
  readonly isSecret: boolean;
}

export interface MailProviders extends MailAddresses {
  close(): Promise<void>;
}

export async function startMailProviders(): Promise<MailProviders> {
  const arrived: ArrivedMail[] = [];
  const forgotten = new Set<ArrivedMail>();
  const holds = new Map<string, () => void>();
  const servers = [
    smtpServer(arrived, holds, { authOptional: true, hideSTARTTLS: true }),
    smtpServer(arrived, holds, {}),
    smtpServer(arrived, holds, { hideSTARTTLS: true, allowInsecureAuth: true }),
    smtpServer(arrived, holds, LOOPBACK_CERTIFICATE),
    smtpServer(arrived, holds, { secure: true, ...LOOPBACK_CERTIFICATE }),
    smtpServer(arrived, holds, { secure: true, ...OTHER_CERTIFICATE }),
  ];
  const http = createServer((request, response) => {
    answer(request, response, { arrived, forgotten, holds }).catch(() => response.destroy());
  });
  const port = await listenOnLoopback(http, 0);
  const ports = await Promise.all(servers.map(listening));
  const odd = await startOddSmtp();
  return {
    url: `http://127.0.0.1:${port}`,
    smtpPort: ports[0] ?? 0,
    strictSmtpPort: ports[1] ?? 0,
    plainSmtpPort: ports[2] ?? 0,
    upgradingSmtpPort: ports[3] ?? 0,
    secureSmtpPort: ports[4] ?? 0,
    otherNameSmtpPort: ports[5] ?? 0,
    oddSmtpPort: odd.port,
    muteSmtpPort: odd.mutePort,
    async close() {
      for (const release of holds.values()) release();
      await Promise.all([odd.close(), closeServer(http), ...servers.map(closeSmtpServer)]);
    },
  };
}

function smtpServer(arrived: ArrivedMail[], holds: Map<string, () => void>, options: SMTPServerOptions): SMTPServer {
  const server: SMTPServer = new SMTPServer({
    ...options,
    logger: false,
    closeTimeout: 100,
    onAuth({ username, password }, _session, done) {
      if (username === "otto" && password === "right") done(null, { user: "otto" });
      else done(refusal(535, "wrong password"));
    },
    onRcptTo({ address }, _session, done) {
      const wish = getWish(address);
      if (wish === "refused") done(refusal(550, "no such user"));
      else if (wish === "busy") done(refusal(451, "greylisted"));
      else done();
    },
    onData(stream, session, done) {
      const give = (failure: Error | null) => {
        if (failure === null) done();
        else done(failure);
      };
      // The client can go away in the middle of its mail.
      answerData(stream, session, { server, arrived, holds, give }).catch(() => undefined);
    },
  });
  // A client that goes away is part of many tests.
  server.on("error", () => undefined);
  return server;
}

interface DataAnswer {
  readonly server: SMTPServer;
  readonly arrived: ArrivedMail[];
  readonly holds: Map<string, () => void>;
  give(failure: Error | null): void;
}

/** Does not reply to a client that disconnects during the data. */
async function answerData(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  { server, arrived, holds, give }: DataAnswer,
): Promise<void> {
  const [first = ""] = await take(stream, session, arrived);
  const wish = getWish(first);
  if (wish === "unwanted") give(refusal(554, "spam"));
  else if (wish === "broken") hangUp(server, session.id);
  else if (wish === "held") holds.set(first, () => give(null));
  else give(null);
}

async function take(stream: SMTPServerDataStream, session: SMTPServerSession, arrived: ArrivedMail[]) {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  const to = session.envelope.rcptTo.map(({ address }) => address);
  const { mailFrom } = session.envelope;
  const from = mailFrom === false ? "" : mailFrom.address;
  const user = typeof session.user === "string" ? session.user : null;
  arrived.push({ to, from, raw: Buffer.concat(parts).toString("base64"), key: null, user, isSecret: session.secure });
  return to;
}

/** `smtp-server` exposes its connections with their sockets. */
function hangUp(server: SMTPServer, id: string): void {
  const { connections } = server as unknown as {
    readonly connections: Set<{ readonly id: string; readonly _socket: { destroy(): void } }>;
  };
  for (const connection of connections) if (connection.id === id) connection._socket.destroy();
}

interface Arrivals {
  readonly arrived: ArrivedMail[];
  /** Mails whose keys Resend has forgotten. */
  readonly forgotten: Set<ArrivedMail>;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { arrived, forgotten, holds }: Arrivals & { readonly holds: Map<string, () => void> },
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { pathname, search } = new URL(request.url ?? "/", "http://desk");
  const address = decodeURIComponent(search.slice(1));
  if (pathname === "/mails")
    return reply(
      response,
      200,
      arrived.filter(({ to }) => to.includes(address)),
    );
  if (pathname === "/release") {
    holds.get(address)?.();
    holds.delete(address);
    return reply(response, 200, {});
  }
  if (pathname === "/forget") {
    for (const mail of arrived) if (mail.to.includes(address)) forgotten.add(mail);
    return reply(response, 200, {});
  }
  if (request.method !== "POST" || pathname !== "/emails")
    return reply(response, 404, problem(404, "not_found", "There is no such path."));
  takeByResend(request, response, Buffer.concat(parts).toString("utf8"), { arrived, forgotten });
}

/** https://resend.com/docs/api-reference/emails/send-email, and its errors. */
function takeByResend(
  request: IncomingMessage,
  response: ServerResponse,
  raw: string,
  { arrived, forgotten }: Arrivals,
): void {
  // A firewall in front of the API answers these, in HTML.
  if (request.headers["user-agent"] === undefined) return void response.writeHead(403).end("error code: 1010");
  if (request.headers.authorization !== "Bearer re_right")
    return reply(response, 401, problem(401, "invalid_api_key", "API key is invalid"));
  const { to, from } = JSON.parse(raw) as { readonly to: readonly string[]; readonly from: string };
  const addresses = to.map((mailbox) => /<([^>]+)>$/.exec(mailbox)?.[1] ?? mailbox);
  const wish = getWish(addresses[0] ?? "");
  if (wish === "refused") return reply(response, 422, problem(422, "validation_error", "Invalid `to` field."));
  if (wish === "busy") return reply(response, 429, problem(429, "rate_limit_exceeded", "Too many requests."));
  if (wish === "forbidden")
    return reply(response, 403, problem(403, "invalid_from_address", "The domain is not verified."));
  const key = String(request.headers["idempotency-key"] ?? "");
  const earlier = arrived.findIndex((mail) => mail.key === key && !forgotten.has(mail));
  if (earlier !== -1 && arrived[earlier]?.raw !== raw) {
    const message = "This idempotency key was used with another payload.";
    return reply(response, 409, problem(409, "invalid_idempotent_request", message));
  }
  if (earlier === -1) arrived.push({ to: addresses, from, raw, key, user: null, isSecret: false });
  if (earlier === -1 && wish === "broken") {
    request.socket.resetAndDestroy();
    return;
  }
  reply(response, 200, { id: `resend-${earlier === -1 ? arrived.length - 1 : earlier}` });
}

function problem(statusCode: number, name: string, message: string) {
  return { statusCode, name, message };
}

function reply(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

/** Returns the part before the first dot: `held` for `held.1@example.com`. */
function getWish(address: string): string {
  return /^[a-z]+/.exec(address)?.[0] ?? "";
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

async function listening(server: SMTPServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return ((server as unknown as { readonly server: Server }).server.address() as AddressInfo).port;
}

async function closeSmtpServer(server: SMTPServer): Promise<void> {
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
