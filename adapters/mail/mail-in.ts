/** Received mail: stored completely in the bucket until it is processed, and parsed by postal-mime. */
import PostalMime, { type Address, addressParser } from "postal-mime";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { htmlToText } from "../../core/channels/mail/html-text.ts";
import type { MailHeader } from "../../core/channels/mail/authentication.ts";
import { catchFailure } from "../files/r2.ts";
import { deleteExpiredAfter } from "../files/forget-old.ts";

/** Maximum bytes of all headers, and levels of nested parts. No person writes a mail beyond these. */
const MAX_HEADERS = 100_000;
const MAX_NESTING = 32;
/**
 * postal-mime's time and memory grow with the square of the parts and of the lines of text: 10,000 take many seconds.
 * Lines of 60 characters or more, as in base64, cost nothing.
 */
const MAX_PARTS = 1_000;
const MAX_SHORT_LINES = 30_000;
const SHORT_LINE = 60;
/** Longer than an inbox stores a waiting mail or a dead letter. */
const RETENTION_MS = 45 * 86_400_000;

export interface MailInFile {
  /** As the sender wrote it; null if absent. */
  readonly filename: string | null;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** The headers of a mail: unverified claims. */
export interface MailHead {
  /** The topmost first. */
  readonly headers: readonly MailHeader[];
  /** Every address of every `From` header. */
  readonly from: readonly string[];
  readonly subject: string;
}

/** The content below the headers. */
export interface MailBody {
  readonly text: string;
  readonly files: readonly MailInFile[];
}

export interface MailsIn {
  /**
   * Stores a mail under an id; false if one is stored already. `size` is the length of the stream. Throws when the
   * bucket is unavailable.
   */
  keep(tenant: string, id: string, raw: ReadableStream<Uint8Array>, size: number): Promise<boolean>;
  /**
   * Parses only the headers, which is cheap for any input. `not_found`: the mail was processed and deleted;
   * `invalid_input`: it cannot be parsed.
   */
  readHead(tenant: string, id: string): Promise<Result<MailHead>>;
  /** Fails like `readHead`. */
  readBody(tenant: string, id: string): Promise<Result<MailBody>>;
  /** Deletes a mail. Never throws: leftovers expire. */
  forget(tenant: string, id: string): Promise<void>;
}

export function openMailsIn(bucket: R2Bucket): MailsIn {
  return {
    async keep(tenant, id, raw, size) {
      const key = getKey(tenant, id);
      if ((await bucket.head(key)) !== null) return false;
      const { readable, writable } = new FixedLengthStream(size);
      const stop = new AbortController();
      // A rejected put reads nothing, and the pipe would wait for it.
      const [put] = await Promise.allSettled([
        bucket.put(key, readable, { onlyIf: { etagDoesNotMatch: "*" } }).finally(() => stop.abort()),
        raw.pipeTo(writable, { signal: stop.signal }),
      ]);
      if (put.status === "rejected") throw put.reason;
      await deleteExpiredAfter(bucket, { prefix: getPrefix(tenant), key, retentionMs: RETENTION_MS });
      return put.value !== null;
    },
    readHead: (tenant, id) =>
      catchFailure(async () => {
        const blob = await bucket.get(getKey(tenant, id), { range: { offset: 0, length: MAX_HEADERS } });
        if (blob === null || blob.size === 0) return NO_SUCH_MAIL;
        const bytes = new Uint8Array(await blob.arrayBuffer());
        const end = findHeadEnd(bytes);
        if (end === null && blob.size > bytes.length) return UNREADABLE;
        return await parseHead(bytes.slice(0, end ?? bytes.length));
      }),
    readBody: (tenant, id) =>
      catchFailure(async () => {
        const blob = await bucket.get(getKey(tenant, id));
        if (blob === null || blob.size === 0) return NO_SUCH_MAIL;
        const bytes = new Uint8Array(await blob.arrayBuffer());
        return isReadable(bytes) ? await parseBody(bytes) : UNREADABLE;
      }),
    async forget(tenant, id) {
      await bucket.delete(getKey(tenant, id)).catch(() => undefined);
    },
  };
}

function getPrefix(tenant: string): string {
  return `${tenant}/mail/in/`;
}

function getKey(tenant: string, id: string): string {
  return getPrefix(tenant) + id;
}

const NO_SUCH_MAIL = failed("not_found", "There is no such mail.");
const UNREADABLE = failed("invalid_input", "The mail cannot be read.");
const OPTIONS = {
  maxHeadersSize: MAX_HEADERS,
  maxNestingDepth: MAX_NESTING,
  attachmentEncoding: "arraybuffer",
} as const;

async function parseHead(bytes: Uint8Array): Promise<Result<MailHead>> {
  try {
    const { headers, subject = "" } = await PostalMime.parse(bytes, OPTIONS);
    // The parser's own `from` is the first address of one header, which hides a second sender.
    const from = headers.filter(({ key }) => key === "from").flatMap(({ value }) => addressParser(value));
    const addresses = from.flatMap((one) => listAddresses(one));
    return ok({ headers: headers.map(({ key, value }) => ({ key, value })), from: addresses, subject });
  } catch {
    return UNREADABLE;
  }
}

async function parseBody(bytes: Uint8Array): Promise<Result<MailBody>> {
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

/** Returns where the empty line after the headers ends; null without one. */
function findHeadEnd(bytes: Uint8Array): number | null {
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    const next = bytes[at + 1] === CR ? at + 2 : at + 1;
    if (bytes[next] === LF) return next + 1;
  }
  return null;
}

/** True if the mail has few enough parts and lines to be parsed. */
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
function listAddresses(from: Address): string[] {
  return (from.group ?? [from]).flatMap(({ address }) => (address === "" ? [] : [address]));
}
