/** One connection to an SMTP server (RFC 5321): commands and replies, STARTTLS (RFC 3207) and AUTH (RFC 4954). */
import { connect } from "cloudflare:sockets";
import { toBase64 } from "../../core/base/base64.ts";

/** Maximum characters of a reply of a mail server. */
const MAX_REPLY = 65_536;
const NO_SMTP = "the mail server does not speak SMTP";

export interface SmtpAddress {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS if the server offers it. */
  readonly secure: boolean;
}

/** `text` is the server's text, for operators only: it may name the recipient. */
export interface SmtpReply {
  readonly code: number;
  readonly text: string;
}

/** The server rejected a command, or one recipient. */
export class SmtpRefusal extends Error {
  readonly reply: SmtpReply;
  readonly recipient: string | null;

  constructor(reply: SmtpReply, recipient: string | null) {
    super(`the mail server replied ${reply.code}`);
    this.name = "SmtpRefusal";
    this.reply = reply;
    this.recipient = recipient;
  }
}

/** A password would be sent unencrypted. */
export class SmtpUnencrypted extends Error {}

export class SmtpSession {
  private socket: Socket;
  private reader: ReadableStreamDefaultReader<Uint8Array>;
  private writer: WritableStreamDefaultWriter<Uint8Array>;
  private readonly decoder = new TextDecoder();
  private unread = "";
  private isSecure: boolean;

  constructor({ host, port, secure }: SmtpAddress) {
    const secureTransport = secure ? "on" : "starttls";
    this.socket = connect({ hostname: host, port }, { secureTransport, allowHalfOpen: false });
    [this.reader, this.writer] = openStreams(this.socket);
    this.isSecure = secure;
  }

  /** Waits for the greeting, sends EHLO, and encrypts the connection if possible. */
  async greet(name: string): Promise<Extensions> {
    await this.socket.opened;
    expect(await this.readReply(), 2);
    const offered = await this.hello(name);
    if (this.isSecure || !offered.has("STARTTLS")) return offered;
    expect(await this.command("STARTTLS"), 2);
    // Bytes after the STARTTLS reply arrived unencrypted (response injection). Reject them.
    this.expectSilence();
    this.reader.releaseLock();
    this.writer.releaseLock();
    this.socket = this.socket.startTls();
    [this.reader, this.writer] = openStreams(this.socket);
    this.isSecure = true;
    return await this.hello(name);
  }

  /** Throws `SmtpInTheClear` before a password would leave the machine unencrypted. */
  async authenticate(user: { readonly name: string; readonly password: string }, offered: Extensions, isHere: boolean) {
    if (!this.isSecure && !isHere) throw new SmtpUnencrypted();
    const ways = offered.get("AUTH") ?? [];
    if (ways.includes("PLAIN") || !ways.includes("LOGIN")) {
      expect(await this.command(`AUTH PLAIN ${encodeBase64(`\0${user.name}\0${user.password}`)}`), 2);
      return;
    }
    expect(await this.command("AUTH LOGIN"), 3);
    expect(await this.command(encodeBase64(user.name)), 3);
    expect(await this.command(encodeBase64(user.password)), 2);
  }

  async command(line: string): Promise<SmtpReply> {
    this.expectSilence();
    await this.write(`${line}\r\n`);
    return await this.readReply();
  }

  /** Throws when the server sent more than it was asked for: it would be read as the reply to the next command. */
  expectSilence(): void {
    if (this.unread !== "") throw new Error("the mail server sent an unexpected reply");
  }

  async write(text: string): Promise<void> {
    await this.writer.write(new TextEncoder().encode(text));
  }

  /** Throws when the connection ends first, and for a line that is not SMTP. */
  async readReply(): Promise<SmtpReply> {
    let text = "";
    for (;;) {
      const line = await this.readLine(MAX_REPLY - text.length);
      text += line;
      const [, code, sign] = /^(\d{3})([- \r\n])/.exec(line) ?? [];
      if (code === undefined) throw new Error(NO_SMTP);
      if (sign !== "-") return { code: Number(code), text };
    }
  }

  /** Sends QUIT. The outcome does not matter. */
  quit(): void {
    this.write("QUIT\r\n").catch(() => undefined);
    this.socket.close().catch(() => undefined);
  }

  /**
   * Ends all activity without waiting: closing a socket would wait until the server has read everything, and until a
   * pending connection is open.
   */
  abort(): void {
    this.writer.abort().catch(() => undefined);
    this.reader.cancel().catch(() => undefined);
    this.socket.close().catch(() => undefined);
  }

  /** Includes the end of the line. */
  private async readLine(maxCharacters: number): Promise<string> {
    for (;;) {
      const end = this.unread.indexOf("\n") + 1;
      if (Math.max(end, this.unread.length) > maxCharacters) throw new Error(NO_SMTP);
      if (end > 0) {
        const line = this.unread.slice(0, end);
        this.unread = this.unread.slice(end);
        return line;
      }
      const { done, value } = await this.reader.read();
      if (done) throw new Error("the server of mail hung up");
      this.unread += this.decoder.decode(value, { stream: true });
    }
  }

  private async hello(name: string): Promise<Extensions> {
    const reply = await this.command(`EHLO ${name}`);
    if (reply.code >= 500) {
      expect(await this.command(`HELO ${name}`), 2);
      return new Map();
    }
    expect(reply, 2);
    const lines = reply.text.split(/\r?\n/).slice(1);
    return new Map(
      lines.map((line) => line.slice(4).toUpperCase().split(/[ =]/)).map(([word = "", ...of]) => [word, of]),
    );
  }
}

/** The server's extensions in upper case, with their parameters. */
export type Extensions = ReadonlyMap<string, readonly string[]>;

/** Throws an `SmtpRefusal` unless the reply has this first digit. `recipient`: the one that the command names. */
export function expect(reply: SmtpReply, hundred: 2 | 3, recipient: string | null = null): void {
  if (Math.floor(reply.code / 100) !== hundred) throw new SmtpRefusal(reply, recipient);
}

/** Reads and writes report failures of the connection. */
function openStreams(socket: Socket) {
  socket.closed.catch(() => undefined);
  socket.opened.catch(() => undefined);
  return [
    (socket.readable as ReadableStream<Uint8Array>).getReader(),
    (socket.writable as WritableStream<Uint8Array>).getWriter(),
  ] as [ReadableStreamDefaultReader<Uint8Array>, WritableStreamDefaultWriter<Uint8Array>];
}

function encodeBase64(text: string): string {
  return toBase64(new TextEncoder().encode(text));
}
