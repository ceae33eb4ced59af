/** Which headers a caller may set, and how a reply's headers are joined. */
import { failed, ok, type Result } from "../base/errors.ts";

const MAX_HEADERS = 64;
const MAX_HEADER_CHARACTERS = 16_384;

/** RFC 9110, section 5.6.2: a token. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Headers of the connection (RFC 9110, section 7.6.1, and message framing). */
const OF_THE_CONNECTION = new Set([
  "connection",
  "accept-encoding",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Validates headers and returns them in lower case. Errors name `headers`. */
export function checkHeaders(given: Readonly<Record<string, string>>): Result<Map<string, string>> {
  const refuse = (reason: string) => failed("invalid_input", `headers: ${reason}`, { field: "headers" });
  const headers = new Map<string, string>();
  let characters = 0;
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    const quoted = JSON.stringify(name.slice(0, 60));
    if (!isHeaderName(name)) return refuse(`${quoted} is not a header name`);
    if (isOfTheConnection(lower)) return refuse(`${lower} cannot be set`);
    if (!isHeaderValue(value)) return refuse(`the value of ${lower} contains characters that a header cannot`);
    if (headers.has(lower)) return refuse(`${lower} is given twice`);
    headers.set(lower, value.trim());
    characters += name.length + value.length;
  }
  if (headers.size > MAX_HEADERS) return refuse(`there are more than ${MAX_HEADERS}`);
  if (characters > MAX_HEADER_CHARACTERS)
    return refuse(`together they have more than ${MAX_HEADER_CHARACTERS} characters`);
  return ok(headers);
}

export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

/** True for a header, in lower case, that the connection sets. */
export function isOfTheConnection(name: string): boolean {
  return OF_THE_CONNECTION.has(name) || name.startsWith("proxy-");
}

/** RFC 9110, section 5.5: visible characters, spaces and tabs, and the upper half of Latin-1. */
export function isHeaderValue(value: string): boolean {
  for (let i = 0; i < value.length; i += 1) {
    const unit = value.charCodeAt(i);
    if ((unit < 0x20 && unit !== 0x09) || unit === 0x7f || unit > 0xff) return false;
  }
  return true;
}

/** A reply's headers by name, in lower case; repeated ones are joined by RFC 9110, section 5.3. */
export function joinHeaders(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    const before = joined.get(lower);
    joined.set(lower, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(joined);
}

/** What a request asks for where its caller says nothing: a page that is text already, else HTML, else anything. */
const ACCEPT_TO_READ = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.9, */*;q=0.8";
const ACCEPT_TO_WRITE = "application/json, */*;q=0.8";

/** Sets `Accept` unless the caller did. */
export function setAccept(headers: Map<string, string>, isRead: boolean): void {
  if (!headers.has("accept")) headers.set("accept", isRead ? ACCEPT_TO_READ : ACCEPT_TO_WRITE);
}
