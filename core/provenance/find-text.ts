/**
 * Searches texts for hosts, links, values and headers. Every search is linear in the text (`indexOf`, or one pass), and
 * closely examines a bounded number of positions: what is not found within the bound counts as absent if it would vouch
 * for a call, and as present if it would speak against one.
 */
import { toBareHost, toHostName } from "../web/host-pattern.ts";
import { isFileLike } from "./file-endings.ts";
import { countPlaces, foldText, toComparable } from "./shared-runs.ts";

/** The least number of positions that one search examines: more for short values, whose comparison costs less. */
const MAX_PLACES = 256;
/** Characters that one search compares at such positions. */
const MAX_COMPARED = 262_144;
/** Links of a host that one search parses before it examines only those that begin like the wanted one. */
const MAX_PARSED = 256;
/** Characters by which unparsed links are compared. */
const MAX_BEGINNING = 64;
/** The most compared characters of a URL. */
const MAX_LINK = 8_192;
/** The most characters at a link's end that may be punctuation of the sentence. */
const MAX_TRAILING = 8;
/** The most non-ASCII names that one search converts. */
const MAX_NAMES = 64;
const MAX_NAME_CHARACTERS = 253;

/** The characters that end a URL in running text. */
const END_OF_LINK = /[\s"'`<>\\^{}|\p{Cc}]/u;
const TRAILING = "….,;:!?)]*_~";

/** A text with its search forms, each computed on first use. */
export class SearchedText {
  readonly text: string;
  private folded: string | null = null;
  private compared: Uint16Array | null = null;
  private counted: number | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** The text in lower case, with every character at its position. */
  get lower(): string {
    return (this.folded ??= foldText(this.text));
  }

  /** The form in which runs are compared: letters and digits in lower case, each run of anything else as one space. */
  get comparable(): Uint16Array {
    return (this.compared ??= toComparable(this.lower));
  }

  /** The number of positions at which a value can begin. */
  get places(): number {
    return (this.counted ??= countPlaces(this.text));
  }
}

/**
 * Whether a text names this URL's host and port. A leading `www.` is the same host; another subdomain is not. A name
 * that could be a file's counts only after `https://`, `http://` or `www.`; with `asLink`, every name counts only after
 * the first two.
 */
export function namesHost(searched: SearchedText, url: URL, { asLink = false } = {}): boolean {
  const bare = toBareHost(url);
  if (bare === "") return false;
  const isLink = asLink || isFileLike(bare);
  if (hasName(searched.lower, bare, url.port, isLink)) return true;
  if (hasName(searched.lower, `www.${bare}`, url.port, asLink)) return true;
  const host = toHostName(url);
  return host.includes("xn--") && hasForeignName(searched.text, host, url.port, isLink);
}

function hasName(lower: string, host: string, port: string, isLink: boolean): boolean {
  for (const at of listPlaces(lower, host)) {
    const before = lower[at - 1];
    if (before !== undefined && /[a-z0-9._@%-]/.test(before)) continue;
    if (isLink && !isBehindScheme(lower, at, host)) continue;
    const rest = lower.slice(at + host.length, at + host.length + 8);
    if (/^(?:[a-z0-9_%@-]|\.[a-z0-9_-])/.test(rest)) continue;
    const [, written] = /^\.?:(\d{1,5})(?!\d)/.exec(rest) ?? [];
    if (toPort(written) === port) return true;
  }
  return false;
}

const ENDS_WITH_SCHEME = /https?:\\?\/\\?\/$/i;
/**
 * The separators between the text of a link and its address: `[name](http://name)`, `name (http://name)`, `name
 * <http://name>`.
 */
const OPENS_ADDRESS = /(?:\]\(| \(| ?<)https?:\/\/$/i;
const MAX_SCHEME = 12;

/**
 * Whether the scheme of a link precedes the name at a position. Slack and mail programs turn a typed `report.md` into a
 * link with this text; such a link does not count.
 */
function isBehindScheme(text: string, at: number, name: string): boolean {
  const before = text.slice(Math.max(0, at - MAX_SCHEME), at);
  if (!ENDS_WITH_SCHEME.test(before)) return false;
  const [opening] = OPENS_ADDRESS.exec(before) ?? [];
  return opening === undefined || !text.slice(0, at - opening.length).endsWith(name);
}

/** Normalises a port like a URL: empty for the scheme's default. */
function toPort(written = ""): string {
  return written === "" || written === "443" || written === "80" ? "" : String(Number(written));
}

/** Finds a non-ASCII name: a URL has it in punycode, a text as people write it. */
function hasForeignName(text: string, host: string, port: string, isLink: boolean): boolean {
  let left = MAX_NAMES;
  for (const { 0: name, index } of text.matchAll(/[\p{L}\p{N}\p{M}.:_-]+/gu)) {
    if (name.length > MAX_NAME_CHARACTERS || !name.includes(".") || !/\P{ASCII}/u.test(name)) continue;
    if (left === 0) return false;
    left -= 1;
    const url = URL.parse(`https://${name.replace(/[.:]+$/, "")}/`);
    if (url === null || toHostName(url) !== host || toPort(url.port) !== port) continue;
    if (!isLink || isBehindScheme(text, index, name)) return true;
  }
  return false;
}

/**
 * Whether a text has exactly this link: neither the start of a longer one nor one with an appendix. Ignores the case of
 * the host, default ports, a final slash, fragments, and `http` for `https`. Its percent-encodings have to be those of
 * the text, or the minimal ones, because the choice of encoded characters could carry data.
 */
export function hasLink(searched: SearchedText, url: URL): boolean {
  const spelling = toSpelling(url);
  let beginnings: readonly string[] | null = null;
  const found = findLink(searched, url, {
    mayBe: (at) => beginsLike(searched.text, at, (beginnings ??= listBeginnings(url))),
    accepts: (link) => [toSpelling(link), decodeUnreserved(toSpelling(link))].includes(spelling),
  });
  return found === "found";
}

/** Whether a text has this link in any equal spelling, or too many of its host to tell. */
export function mayHaveLink(searched: SearchedText, url: URL): boolean {
  return findLink(searched, url, { mayBe: () => true, accepts: () => true }) !== "absent";
}

/** `mayBe`: whether to parse the link whose host ends at a position, after many were parsed. */
interface LinkSearch {
  readonly mayBe: (at: number) => boolean;
  readonly accepts: (link: URL) => boolean;
}

function findLink(
  { text, lower }: SearchedText,
  url: URL,
  { mayBe, accepts }: LinkSearch,
): "found" | "absent" | "unknown" {
  const host = toHostName(url);
  const first = host === "" ? -1 : lower.indexOf(host);
  if (first === -1) return "absent";
  const wanted = toNormalLink(url);
  let parsed = 0;
  for (let at = first; at !== -1; at = lower.indexOf(host, at + host.length)) {
    if (parsed >= MAX_PARSED && !mayBe(at + host.length)) continue;
    const before = lower.slice(Math.max(0, at - 3), at);
    if (!before.endsWith("//") && /[a-z0-9._@%-]$/.test(before)) continue;
    parsed += 1;
    if (parsed > 2 * MAX_PARSED) return "unknown";
    const written = text.slice(at, findLinkEnd(text, at)).replaceAll("\\/", "/");
    for (const reading of listReadings(written)) {
      const link = URL.parse(`https://${reading}`);
      if (link !== null && toNormalLink(link) === wanted && accepts(link)) return "found";
    }
  }
  return "absent";
}

/** Returns how a text may continue after the host of this link: its path and query in the usual spellings. */
function listBeginnings(url: URL): readonly string[] {
  const written = [toSpelling(url), `${url.pathname}${url.search}`];
  const plain = [...new Set([...written, ...written.map(decodeUnreserved)])];
  const forms = plain.flatMap((form) => [form, form.replaceAll("&", "&amp;"), form.replaceAll("/", "\\/")]);
  return [...new Set(forms)];
}

/** False when the link has a different or longer path. */
function beginsLike(text: string, from: number, beginnings: readonly string[]): boolean {
  const [port = ""] = text[from] === ":" ? (/^:\d{1,5}/.exec(text.slice(from, from + 6)) ?? []) : [];
  const start = from + port.length;
  return beginnings.some((form) => {
    if (form.length > MAX_BEGINNING) return text.startsWith(form.slice(0, MAX_BEGINNING), start);
    if (!text.startsWith(form, start)) return false;
    const rest = text.slice(start + form.length, start + form.length + 3).replace(/^\\?\//, "");
    return !/^[\p{L}\p{N}%=&+$/-]/u.test(rest);
  });
}

/**
 * Returns the possible readings of a link in running text: unchanged, without trailing punctuation, and with HTML's
 * `&amp;` decoded.
 */
function listReadings(written: string): string[] {
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

function findLinkEnd(text: string, from: number): number {
  const limit = Math.min(text.length, from + MAX_LINK + 1);
  for (let at = from; at < limit; at += 1) {
    const unit = text[at] ?? "";
    if (END_OF_LINK.test(unit) && !(unit === "\\" && text[at + 1] === "/")) return at;
  }
  return limit;
}

/** Returns the normal form of a URL. URLs with equal forms fetch the same resource. */
export function toNormalLink(url: URL): string {
  return `${url.username}:${url.password}@${toHostName(url)}:${toPort(url.port)}${decodeUnreserved(toSpelling(url))}`;
}

/** Returns the part of the URL in a request line, without a final slash. */
function toSpelling({ pathname, search }: URL): string {
  return `${pathname.replace(/\/$/, "")}${search}`;
}

/**
 * Normalises percent-encodings (RFC 3986, section 6.2.2): decodes unreserved characters and uses upper-case hex digits.
 */
function decodeUnreserved(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : code.toUpperCase();
  });
}

/** Whether the reply from `page` links to this URL of the same origin without naming the host. */
export function hasRelativeLink({ text }: SearchedText, page: URL, url: URL): boolean {
  if (toHostName(page) !== toHostName(url) || page.port !== url.port) return false;
  const whole = `${url.pathname}${url.search}`;
  const folder = page.pathname.slice(0, page.pathname.lastIndexOf("/") + 1);
  const forms = [whole, ...(whole.startsWith(folder) ? [whole.slice(folder.length)] : [])];
  return forms.some((form) => {
    if (form.length <= 1) return false;
    return isQuoted(text, form) || (form.includes("&") && isQuoted(text, form.replaceAll("&", "&amp;")));
  });
}

/** Whether a text has this between the quotes of an attribute or the parentheses of a Markdown link. */
function isQuoted(text: string, form: string): boolean {
  for (const at of listPlaces(text, form)) {
    const before = text[at - 1] ?? "";
    const after = text[at + form.length] ?? "";
    if ((before === '"' || before === "'") && (after === before || after === "#")) return true;
    if (before === "(" && (after === ")" || after === "#" || after === " ")) return true;
  }
  return false;
}

/** Finds a value as a whole word: exactly, or in another case. */
export function findValue({ text, lower }: SearchedText, value: string): "exact" | "folded" | null {
  if (value === "") return null;
  if (hasWord(text, value)) return "exact";
  return hasWord(lower, foldText(value)) ? "folded" : null;
}

function hasWord(text: string, wanted: string): boolean {
  for (const at of listPlaces(text, wanted)) {
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + wanted.length])) return true;
  }
  return false;
}

/** Between a header's name and its value: `name: value`, `"name": "value"`, `name = value`, with or without backticks. */
const HEADER_SEPARATOR = /^["'`]?[ \t]{0,4}[:=][ \t]{0,4}["'`]?/;
const MAX_SEPARATOR = 12;
const ENDS_HEADER = /^[\s"'`,;.)\]}]?$/;

/** Whether a text states this header with exactly this value. */
export function hasHeader({ text, lower }: SearchedText, name: string, value: string): boolean {
  const [wanted, stated] = [foldText(name), value.trim()];
  if (wanted === "" || stated === "") return false;
  for (const at of listPlaces(lower, wanted)) {
    const after = at + wanted.length;
    if (isNameCharacter(lower[at - 1])) continue;
    const [separator = ""] = HEADER_SEPARATOR.exec(text.slice(after, after + MAX_SEPARATOR)) ?? [];
    const from = after + separator.length;
    const next = text[from + stated.length] ?? "";
    if (separator !== "" && text.startsWith(stated, from) && ENDS_HEADER.test(next)) return true;
  }
  return false;
}

function isNameCharacter(character: string | undefined): boolean {
  return isWordCharacter(character) || character === "-" || character === "_";
}

/** Words that mark a plain name as a tool or server, rather than a word of a sentence. */
const DIRECTS = /(?:^|[^\p{L}\p{N}_])(?:use|using|via|mcp|server) $/iu;
const IN_SENTENCE = /[\p{Ll}\p{Lo}\p{N},;)] $/u;
const IS_SERVER = /^ (?:mcp|server)(?![\p{L}\p{N}_])/iu;
const MAX_DIRECTING = 12;

/**
 * Whether a text names a tool or its MCP server. A name with `_` or `.`, such as `crm_find`, is not an ordinary word. A
 * plain one, such as `notes`, could be, so it counts in backticks, with a capital inside a sentence ("in Notes"), after
 * "use", "using" or "via", and next to "server" or "MCP".
 */
export function namesTool({ text, lower }: SearchedText, name: string): boolean {
  const wanted = foldText(name);
  if (wanted === "") return false;
  if (/[_.]/.test(name)) return hasWord(lower, wanted) || hasWord(lower, wanted.replaceAll(".", "_"));
  for (const at of listPlaces(lower, wanted)) {
    const end = at + wanted.length;
    if (isNameCharacter(text[at - 1]) || isNameCharacter(text[end])) continue;
    if (text[at - 1] === "`" && text[end] === "`") return true;
    const before = text.slice(Math.max(0, at - MAX_DIRECTING), at);
    const isCapital = /^\p{Lu}/u.test(text.slice(at, end));
    if ((isCapital && IN_SENTENCE.test(before)) || DIRECTS.test(before)) return true;
    if (IS_SERVER.test(text.slice(end, end + MAX_DIRECTING))) return true;
  }
  return false;
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

function* listPlaces(text: string, wanted: string): Generator<number> {
  const most = Math.max(MAX_PLACES, Math.floor(MAX_COMPARED / wanted.length));
  let at = text.indexOf(wanted);
  for (let count = 0; at !== -1 && count < most; count += 1) {
    yield at;
    at = text.indexOf(wanted, at + 1);
  }
}
