/**
 * Looks for hosts, links, values and shared runs in texts. Every search is linear in the text (`indexOf`, or one pass), and
 * the places that are examined closely are bounded: what is not found within the bound counts as absent.
 */

/** Places in a text that one search examines closely. */
const MAX_PLACES = 256;
/** Characters of a URL that are compared. */
const MAX_LINK = 8_192;
/** Characters that are cut from a link's end before it counts as another: the punctuation of the sentence around it. */
const MAX_TRAILING = 8;
/** Names with characters beyond ASCII that one search converts. */
const MAX_NAMES = 64;
const MAX_NAME_CHARACTERS = 253;

/** What a URL in running text cannot hold. */
const END_OF_LINK = /[\s"'`<>\\^{}|\p{Cc}]/u;
const TRAILING = "….,;:!?)]*_~";

/** A text with the forms in which it is searched, each made when it is first needed. */
export class SearchedText {
  readonly text: string;
  private lowered: string | null = null;
  private compared: string | null = null;

  constructor(text: string) {
    this.text = text;
  }

  get lower(): string {
    return (this.lowered ??= this.text.toLowerCase());
  }

  /** Letters and digits alone, in lower case. */
  get comparable(): string {
    return (this.compared ??= toComparable(this.text));
  }
}

/** Whether a text writes out this URL's host and port. `www.` in front is the same host; another subdomain is not. */
export function namesHost({ text, lower }: SearchedText, url: URL): boolean {
  const host = hostOf(url);
  const twin = host.startsWith("www.") ? host.slice(4) : `www.${host}`;
  if (hasName(lower, host, url.port) || hasName(lower, twin, url.port)) return true;
  return host.includes("xn--") && hasForeignName(text, host, url.port);
}

/** The host in lower case, without a final dot. */
function hostOf({ hostname }: URL): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

function hasName(lower: string, host: string, port: string): boolean {
  for (const at of placesOf(lower, host)) {
    const before = lower[at - 1];
    if (before !== undefined && /[a-z0-9._@%-]/.test(before)) continue;
    const rest = lower.slice(at + host.length, at + host.length + 8);
    if (/^(?:[a-z0-9_%@-]|\.[a-z0-9_-])/.test(rest)) continue;
    const [, written] = /^\.?:(\d{1,5})(?!\d)/.exec(rest) ?? [];
    if (portOf(written) === port) return true;
  }
  return false;
}

/** A port as a URL has it: empty when it is the scheme's own. */
function portOf(written = ""): string {
  return written === "" || written === "443" || written === "80" ? "" : String(Number(written));
}

/** A URL has such a name in punycode; a text has it as people write it. */
function hasForeignName(text: string, host: string, port: string): boolean {
  const names = text.split(/[^\p{L}\p{N}\p{M}.:_-]+/u);
  const foreign = names.filter(
    (name) => name.length <= MAX_NAME_CHARACTERS && name.includes(".") && /\P{ASCII}/u.test(name),
  );
  return foreign.slice(0, MAX_NAMES).some((name) => {
    const url = URL.parse(`https://${name.replace(/[.:]+$/, "")}/`);
    return url !== null && hostOf(url) === host && portOf(url.port) === port;
  });
}

/**
 * Whether a text has exactly this link: neither a beginning of a longer one nor one with something appended. Case of the
 * host, default ports, a final slash, fragments, equal percent-encodings and `http` for `https` make no difference.
 */
export function hasLink({ text, lower }: SearchedText, url: URL): boolean {
  if (lower.length !== text.length) return false;
  const host = hostOf(url);
  const wanted = toNormalLink(url);
  for (const at of placesOf(lower, host)) {
    const before = lower.slice(Math.max(0, at - 3), at);
    if (!before.endsWith("//") && /[a-z0-9._@%-]$/.test(before)) continue;
    const written = text.slice(at, endOfLink(text, at)).replaceAll("\\/", "/");
    if (readings(written).some((reading) => isLink(reading, wanted))) return true;
  }
  return false;
}

function isLink(reading: string, wanted: string): boolean {
  const url = URL.parse(`https://${reading}`);
  return url !== null && toNormalLink(url) === wanted;
}

/** What a link in running text may mean: as it is, without the punctuation behind it, with HTML's `&amp;` read. */
function readings(written: string): string[] {
  const found = [written];
  let end = written.length;
  while (end > 0 && written.length - end < MAX_TRAILING && TRAILING.includes(written[end - 1] ?? " ")) {
    end -= 1;
    found.push(written.slice(0, end));
  }
  for (const close of [")", "]"]) {
    const at = written.indexOf(close);
    if (at > 0) found.push(written.slice(0, at));
  }
  return written.includes("&amp;") ? [...found, ...found.map((one) => one.replaceAll("&amp;", "&"))] : found;
}

function endOfLink(text: string, from: number): number {
  const limit = Math.min(text.length, from + MAX_LINK + 1);
  for (let at = from; at < limit; at += 1) {
    const unit = text[at] ?? "";
    if (END_OF_LINK.test(unit) && !(unit === "\\" && text[at + 1] === "/")) return at;
  }
  return limit;
}

/** Two URLs with one normal form fetch the same. */
export function toNormalLink(url: URL): string {
  const path = decodeUnreserved(url.pathname).replace(/\/$/, "");
  const port = portOf(url.port);
  return `${url.username}:${url.password}@${hostOf(url)}:${port}${path}${decodeUnreserved(url.search)}`;
}

/** RFC 3986, section 6.2.2: unreserved characters need no encoding, and hex digits have no case. */
function decodeUnreserved(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : code.toUpperCase();
  });
}

/** Whether the reply from `page` links to this URL of the same origin without naming the host. */
export function hasRelativeLink({ text }: SearchedText, page: URL, url: URL): boolean {
  if (hostOf(page) !== hostOf(url) || page.port !== url.port) return false;
  const whole = `${url.pathname}${url.search}`;
  const folder = page.pathname.slice(0, page.pathname.lastIndexOf("/") + 1);
  const forms = [whole, ...(whole.startsWith(folder) ? [whole.slice(folder.length)] : [])];
  return forms
    .filter((form) => form.length > 1)
    .flatMap((form) => [form, form.replaceAll("&", "&amp;")])
    .some((form) => isQuoted(text, form));
}

/** Whether a text has this between the quotes of an attribute or the parentheses of a Markdown link. */
function isQuoted(text: string, form: string): boolean {
  for (const at of placesOf(text, form)) {
    const before = text[at - 1] ?? "";
    const after = text[at + form.length] ?? "";
    if ((before === '"' || before === "'") && (after === before || after === "#")) return true;
    if (before === "(" && (after === ")" || after === "#" || after === " ")) return true;
  }
  return false;
}

/** Whether a text has this value as a whole: no letter or digit continues it on either side. Case makes no difference. */
export function hasValue({ lower }: SearchedText, value: string): boolean {
  const wanted = value.trim().toLowerCase();
  if (wanted === "") return true;
  for (const at of placesOf(lower, wanted)) {
    if (!isWordCharacter(lower[at - 1]) && !isWordCharacter(lower[at + wanted.length])) return true;
  }
  return false;
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** Letters and digits in lower case, each run of anything else as one space: the form in which runs are compared. */
function toComparable(text: string): string {
  const lower = text.toLowerCase();
  // Classes of Unicode cost about thirty times as much.
  return /\P{ASCII}/u.test(lower) ? lower.replace(/[^\p{L}\p{N}]+/gu, " ") : lower.replace(/[^a-z0-9]+/g, " ");
}

/** Base of the rolling hash, and the bits of it that a table remembers. */
const BASE = 65_599;
const TABLE_BITS = 0xffff;

/**
 * The runs of `length` characters that both have (Rabin and Karp). Both are in comparable form; linear in the sum of their
 * lengths.
 */
export function findSharedRuns(given: string, record: string, length: number): string[] {
  if (given.length < length || record.length < length) return [];
  const runs = new Set<string>();
  const table = new Uint8Array(TABLE_BITS + 1);
  visitRuns(given, length, (at, hash) => {
    runs.add(given.slice(at, at + length));
    table[hash & TABLE_BITS] = 1;
  });
  const found: string[] = [];
  visitRuns(record, length, (at, hash) => {
    if (table[hash & TABLE_BITS] === 0) return;
    const run = record.slice(at, at + length);
    if (runs.delete(run)) found.push(run);
  });
  return found;
}

/** Visits each run of `length` characters with its hash, a 32-bit integer. */
function visitRuns(text: string, length: number, visit: (at: number, hash: number) => void): void {
  let leading = 1;
  for (let power = 0; power < length; power += 1) leading = Math.imul(leading, BASE);
  let hash = 0;
  for (let end = 0; end < text.length; end += 1) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(end)) | 0;
    if (end >= length) hash = (hash - Math.imul(text.charCodeAt(end - length), leading)) | 0;
    // The low bits of a product depend on low bits alone, so the high ones are mixed in.
    if (end >= length - 1) visit(end - length + 1, hash ^ (hash >>> 15));
  }
}

function* placesOf(text: string, wanted: string): Generator<number> {
  let at = text.indexOf(wanted);
  for (let count = 0; at !== -1 && count < MAX_PLACES; count += 1) {
    yield at;
    at = text.indexOf(wanted, at + 1);
  }
}
