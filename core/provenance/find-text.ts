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
  private compared: Uint16Array | null = null;

  constructor(text: string) {
    this.text = text;
  }

  get lower(): string {
    return (this.lowered ??= this.text.toLowerCase());
  }

  /** The form in which runs are compared: letters and digits in lower case, each run of anything else as one space. */
  get comparable(): Uint16Array {
    return (this.compared ??= toComparable(this.lower));
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

const SPACE = 0x20;
const WORD = 1;
const SEPARATOR = 2;
/** What each UTF-16 unit is, filled as units are met: a class of Unicode in a pattern costs a hundred times as much. */
const UNIT_CLASSES = new Uint8Array(0x10000);

function toComparable(lower: string): Uint16Array {
  const units = new Uint16Array(lower.length);
  let length = 0;
  let isAfterSpace = false;
  for (let at = 0; at < lower.length; at += 1) {
    const unit = lower.charCodeAt(at);
    const isWord = (UNIT_CLASSES[unit] || classifyUnit(unit)) === WORD;
    if (isEmojiHalf(unit) && isLowHalf(lower.charCodeAt(at + 1))) at += 1;
    if (!isWord && isAfterSpace) continue;
    units[length] = isWord ? unit : SPACE;
    length += 1;
    isAfterSpace = !isWord;
  }
  return units.subarray(0, length);
}

/** A half of a pair counts as a letter's, except the first of an emoji. */
function classifyUnit(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  const isWord = isSurrogate ? !isEmojiHalf(unit) : /[\p{L}\p{N}]/u.test(String.fromCharCode(unit));
  const found = isWord ? WORD : SEPARATOR;
  UNIT_CLASSES[unit] = found;
  return found;
}

/** The first half of U+1F000 to U+1FBFF. */
function isEmojiHalf(unit: number): boolean {
  return unit >= 0xd83c && unit <= 0xd83e;
}

function isLowHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Base of the hash, and the bits of it that a table remembers. */
const BASE = 65_599;
const TABLE_BITS = 0xffff;

/** Finds the runs of `length` characters that a text shares with others, by their comparable forms. */
export class SharedRuns {
  private readonly length: number;
  /** Every run has a gram of this length at a place that is a multiple of `stride`, so only those are looked up. */
  private readonly gram: number;
  private readonly stride: number;
  private readonly runs = new Set<string>();
  private readonly table = new Uint8Array(TABLE_BITS + 1);

  constructor({ comparable: given }: SearchedText, length: number) {
    this.length = length;
    this.gram = Math.ceil(length / 2);
    this.stride = length - this.gram + 1;
    for (let at = 0; at + length <= given.length; at += 1) this.runs.add(toText(given, at, length));
    if (this.runs.size === 0) return;
    for (let at = 0; at + this.gram <= given.length; at += 1) this.table[hashGram(given, at, this.gram)] = 1;
  }

  /** Each shared run once. Linear in the text's length: about 1 ms for 120,000 characters. */
  findIn(searched: SearchedText): ReadonlySet<string> {
    const found = new Set<string>();
    if (this.runs.size === 0) return found;
    const text = searched.comparable;
    for (let at = 0; at + this.gram <= text.length; at += this.stride) {
      if (this.table[hashGram(text, at, this.gram)] === 0) continue;
      const last = Math.min(at, text.length - this.length);
      for (let start = Math.max(0, at - this.stride + 1); start <= last; start += 1) {
        const run = toText(text, start, this.length);
        if (this.runs.has(run)) found.add(run);
      }
    }
    return found;
  }
}

function hashGram(text: Uint16Array, from: number, length: number): number {
  let hash = 0;
  for (let at = from; at < from + length; at += 1) hash = (Math.imul(hash, BASE) + (text[at] ?? 0)) | 0;
  // The low bits of a product depend on low bits alone, so the high ones are mixed in.
  return (hash ^ (hash >>> 15)) & TABLE_BITS;
}

function toText(units: Uint16Array, from: number, length: number): string {
  return String.fromCharCode(...units.subarray(from, from + length));
}

function* placesOf(text: string, wanted: string): Generator<number> {
  let at = text.indexOf(wanted);
  for (let count = 0; at !== -1 && count < MAX_PLACES; count += 1) {
    yield at;
    at = text.indexOf(wanted, at + 1);
  }
}
