/** Mail that came in: kept whole in the bucket until it was worked, and read by postal-mime. */
import PostalMime, { type Address, addressParser } from "postal-mime";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { htmlToText } from "../../core/channels/mail/html-text.ts";
import type { MailHeader } from "../../core/channels/mail/authentication.ts";
import { guarded } from "../files/r2.ts";
import { forgetOldBehind } from "../files/forget-old.ts";

/** Bytes of the headers together, and levels of parts within parts: what is over is no mail that a person wrote. */
const MAX_HEADERS = 100_000;
const MAX_NESTING = 32;
/**
 * postal-mime's time and memory grow with the square of the parts, and of the lines of text: 10,000 of these take it many
 * seconds. A file in base64 has lines of 60 characters or more, which cost nothing.
 */
const MAX_PARTS = 1_000;
const MAX_SHORT_LINES = 30_000;
const SHORT_LINE = 60;
/** Longer than an inbox lets a mail wait, and remembers one that is dead. */
const KEPT_MS = 45 * 86_400_000;

export interface MailInFile {
  /** As the sender wrote it; null: it has none. */
  readonly filename: string | null;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** What a mail says of itself in its headers: nothing of it is proven. */
export interface MailHead {
  /** The topmost first. */
  readonly headers: readonly MailHeader[];
  /** Every address of every `From` header. */
  readonly from: readonly string[];
  readonly subject: string;
}

/** What stands below the headers. */
export interface MailBody {
  readonly text: string;
  readonly files: readonly MailInFile[];
}

export interface MailsIn {
  /**
   * Keeps a mail under an id, unless one is there: then `false`. `size` is what the stream has in all. Throws when the bucket
   * is away.
   */
  keep(tenant: string, id: string, raw: ReadableStream<Uint8Array>, size: number): Promise<boolean>;
  /**
   * Reads the headers alone, which takes little whoever wrote them. `not_found`: the mail was worked and forgotten;
   * `invalid_input`: it cannot be read.
   */
  readHead(tenant: string, id: string): Promise<Result<MailHead>>;
  /** Failures are those of `readHead`. */
  readBody(tenant: string, id: string): Promise<Result<MailBody>>;
  /** Leaves nothing of it. Never fails: what is left over goes when it is old. */
  forget(tenant: string, id: string): Promise<void>;
}

export function openMailsIn(bucket: R2Bucket): MailsIn {
  return {
    async keep(tenant, id, raw, size) {
      const key = keyOf(tenant, id);
      if ((await bucket.head(key)) !== null) return false;
      const { readable, writable } = new FixedLengthStream(size);
      const stop = new AbortController();
      // A put that is refused reads nothing, and the pipe would wait for it.
      const [put] = await Promise.allSettled([
        bucket.put(key, readable, { onlyIf: { etagDoesNotMatch: "*" } }).finally(() => stop.abort()),
        raw.pipeTo(writable, { signal: stop.signal }),
      ]);
      if (put.status === "rejected") throw put.reason;
      await forgetOldBehind(bucket, { prefix: prefixOf(tenant), key, keptMs: KEPT_MS });
      return put.value !== null;
    },
    readHead: (tenant, id) =>
      guarded(async () => {
        const blob = await bucket.get(keyOf(tenant, id), { range: { offset: 0, length: MAX_HEADERS } });
        if (blob === null || blob.size === 0) return NO_SUCH_MAIL;
        const bytes = new Uint8Array(await blob.arrayBuffer());
        const end = endOfHead(bytes);
        if (end === null && blob.size > bytes.length) return UNREADABLE;
        return await headOf(bytes.slice(0, end ?? bytes.length));
      }),
    readBody: (tenant, id) =>
      guarded(async () => {
        const blob = await bucket.get(keyOf(tenant, id));
        if (blob === null || blob.size === 0) return NO_SUCH_MAIL;
        const bytes = new Uint8Array(await blob.arrayBuffer());
        return isReadable(bytes) ? await bodyOf(bytes) : UNREADABLE;
      }),
    async forget(tenant, id) {
      await bucket.delete(keyOf(tenant, id)).catch(() => undefined);
    },
  };
}

function prefixOf(tenant: string): string {
  return `${tenant}/mail/in/`;
}

function keyOf(tenant: string, id: string): string {
  return prefixOf(tenant) + id;
}

const NO_SUCH_MAIL = failed("not_found", "There is no such mail.");
const UNREADABLE = failed("invalid_input", "The mail cannot be read.");
const OPTIONS = {
  maxHeadersSize: MAX_HEADERS,
  maxNestingDepth: MAX_NESTING,
  attachmentEncoding: "arraybuffer",
} as const;

async function headOf(bytes: Uint8Array): Promise<Result<MailHead>> {
  try {
    const { headers, subject = "" } = await PostalMime.parse(bytes, OPTIONS);
    // The parser's own `from` is the first address of one header and hides a second sender.
    const from = headers.filter(({ key }) => key === "from").flatMap(({ value }) => addressParser(value));
    const addresses = from.flatMap((one) => addressesOf(one));
    return ok({ headers: headers.map(({ key, value }) => ({ key, value })), from: addresses, subject });
  } catch {
    return UNREADABLE;
  }
}

async function bodyOf(bytes: Uint8Array): Promise<Result<MailBody>> {
  try {
    const { text = "", html = "", attachments } = await PostalMime.parse(bytes, OPTIONS);
    return ok({
      text: text.trim() === "" ? htmlToText(html, { marksQuotes: true }) : text,
      files: attachments.map(({ filename, mimeType, content }) => {
        return { filename, contentType: mimeType, bytes: new Uint8Array(content as ArrayBuffer) };
      }),
    });
  } catch {
    return UNREADABLE;
  }
}

/** Where the empty line behind the headers ends; null: there is none. */
function endOfHead(bytes: Uint8Array): number | null {
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    const next = bytes[at + 1] === CR ? at + 2 : at + 1;
    if (bytes[next] === LF) return next + 1;
  }
  return null;
}

/** Whether it has so few parts and lines that it can be parsed. */
function isReadable(bytes: Uint8Array): boolean {
  let [parts, shortLines] = [0, 0];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LF, start);
    const end = found === -1 ? bytes.length : found;
    if (bytes[start] === DASH && bytes[start + 1] === DASH) parts += 1;
    if (end - start < SHORT_LINE) shortLines += 1;
    start = end + 1;
  }
  return parts <= MAX_PARTS && shortLines <= MAX_SHORT_LINES;
}

const [LF, CR, DASH] = [10, 13, 45];

/** Includes the members of a group. */
function addressesOf(from: Address): string[] {
  return (from.group ?? [from]).flatMap(({ address }) => (address === "" ? [] : [address]));
}
