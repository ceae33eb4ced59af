/** One connection to a server of SMTP (RFC 5321): commands and their replies, STARTTLS (RFC 3207) and AUTH (RFC 4954). */
import { connect } from "cloudflare:sockets";
import { toBase64 } from "../../core/base/base64.ts";

/** A reply that is longer is none of a server of mail. */
const MAX_REPLY = 65_536;
const NO_SMTP = "the server of mail does not speak SMTP";

export interface SmtpAddress {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; else STARTTLS where the server offers it. */
  readonly secure: boolean;
}

/** `text` is what the server says, for operators: it may name whoever the mail goes to. */
export interface SmtpReply {
  readonly code: number;
  readonly text: string;
}

/** The server refuses a command, or one recipient. */
export class SmtpRefusal extends Error {
  readonly reply: SmtpReply;
  readonly recipient: string | null;

  constructor(reply: SmtpReply, recipient: string | null) {
    super(`the server of mail answered ${reply.code}`);
    this.name = "SmtpRefusal";
    this.reply = reply;
    this.recipient = recipient;
  }
}

/** A password would go over the wire as it is. */
export class SmtpInTheClear extends Error {}

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
    [this.reader, this.writer] = streamsOf(this.socket);
    this.isSecure = secure;
  }

  /** Waits for the server's greeting, says hello, and makes the connection secret where it can be. */
  async greet(name: string): Promise<Extensions> {
    await this.socket.opened;
    expect(await this.reply(), 2);
    const offered = await this.hello(name);
    if (this.isSecure || !offered.has("STARTTLS")) return offered;
    expect(await this.command("STARTTLS"), 2);
    // What stands behind the answer was said before there was a secret, by anybody.
    this.expectSilence();
    this.reader.releaseLock();
    this.writer.releaseLock();
    this.socket = this.socket.startTls();
    [this.reader, this.writer] = streamsOf(this.socket);
    this.isSecure = true;
    return await this.hello(name);
  }

  /** Throws `SmtpInTheClear` before a password would leave a machine in the clear. */
  async authenticate(user: { readonly name: string; readonly password: string }, offered: Extensions, isHere: boolean) {
    if (!this.isSecure && !isHere) throw new SmtpInTheClear();
    const ways = offered.get("AUTH") ?? [];
    if (ways.includes("PLAIN") || !ways.includes("LOGIN")) {
      expect(await this.command(`AUTH PLAIN ${base64(`\0${user.name}\0${user.password}`)}`), 2);
      return;
    }
    expect(await this.command("AUTH LOGIN"), 3);
    expect(await this.command(base64(user.name)), 3);
    expect(await this.command(base64(user.password)), 2);
  }

  async command(line: string): Promise<SmtpReply> {
    this.expectSilence();
    await this.write(`${line}\r\n`);
    return await this.reply();
  }

  /** Throws when the server has said more than it was asked: that would be taken for its answer to what comes next. */
  expectSilence(): void {
    if (this.unread !== "") throw new Error("the server of mail answers what it was not asked");
  }

  async write(text: string): Promise<void> {
    await this.writer.write(new TextEncoder().encode(text));
  }

  /** Throws when the connection ends first, and at a line that no server of mail says. */
  async reply(): Promise<SmtpReply> {
    let text = "";
    for (;;) {
      const line = await this.line(MAX_REPLY - text.length);
      text += line;
      const [, code, sign] = /^(\d{3})([- \r\n])/.exec(line) ?? [];
      if (code === undefined) throw new Error(NO_SMTP);
      if (sign !== "-") return { code: Number(code), text };
    }
  }

  /** Says goodbye. What becomes of that changes nothing. */
  leave(): void {
    this.write("QUIT\r\n").catch(() => undefined);
    this.socket.close().catch(() => undefined);
  }

  /**
   * Ends whatever is under way, and waits for nothing: closing a socket waits until the server has read what was written, and
   * until a connection that is being made is made.
   */
  cutOff(): void {
    this.writer.abort().catch(() => undefined);
    this.reader.cancel().catch(() => undefined);
    this.socket.close().catch(() => undefined);
  }

  /** With its end. */
  private async line(maxCharacters: number): Promise<string> {
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

/** What a server offers, in upper case, with what it says of each. */
export type Extensions = ReadonlyMap<string, readonly string[]>;

/** Throws an `SmtpRefusal` unless the reply is of this hundred. `recipient`: whom the command names. */
export function expect(reply: SmtpReply, hundred: 2 | 3, recipient: string | null = null): void {
  if (Math.floor(reply.code / 100) !== hundred) throw new SmtpRefusal(reply, recipient);
}

/** What goes wrong with a connection is told by what is read and written. */
function streamsOf(socket: Socket) {
  socket.closed.catch(() => undefined);
  socket.opened.catch(() => undefined);
  return [
    (socket.readable as ReadableStream<Uint8Array>).getReader(),
    (socket.writable as WritableStream<Uint8Array>).getWriter(),
  ] as [ReadableStreamDefaultReader<Uint8Array>, WritableStreamDefaultWriter<Uint8Array>];
}

function base64(text: string): string {
  return toBase64(new TextEncoder().encode(text));
}
