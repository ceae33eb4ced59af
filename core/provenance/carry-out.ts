/**
 * Reads that carry data out: a call that changes nothing elsewhere can still tell an outsider what the task knows, by its
 * URL, its headers or its arguments. Once text from outside is in the step's context, such a call runs only where its
 * destination or its content is vouched for. Anything else needs a person. No rule of an agent's approval policy lifts this;
 * `allowed_domains` does, because it names the hosts.
 */
import { hostIsNamed } from "../host-pattern.ts";
import { hasValue } from "./find-text.ts";
import {
  findCopiedRecord,
  findOrigin,
  type Ground,
  isGroundedValue,
  isKnownLink,
  isNamedHost,
  toShownText,
} from "./ground.ts";

/** What a call tells its destination. */
export type Carried =
  /** A GET or HEAD whose URL and headers the model wrote. */
  | { readonly kind: "request"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  /** A query of a search engine, which has no host of the model's choice. */
  | { readonly kind: "search"; readonly query: string }
  /** Arguments of a tool that a tenant brought. `url` null: the tool's server has none. */
  | {
      readonly kind: "arguments";
      readonly tool: string;
      /** The tool's MCP server, or the tool itself: what its arguments are told to. */
      readonly source: string;
      readonly url: string | null;
      readonly values: unknown;
      /** JSON of the tool's input schema: its property names and listed values carry nothing. */
      readonly schema: string;
    };

/** Lists of the agent that the rule reads. */
export interface CarryRules {
  /** The agent's `allowed_domains`; `*` vouches for no host. */
  readonly allowedDomains: readonly string[] | null;
}

/** Characters of a value that a reason quotes. */
const MAX_QUOTED = 80;
/** Values of one call that are examined; with more it needs a person. */
const MAX_VALUES = 256;

/**
 * Judges a call of a step whose context has text from outside. Gives why a person has to approve it, as sentences that name
 * the destination and where it came from; null: it may run. A URL that cannot be parsed may run, because its call fails.
 */
export function judgeCarryOut(carried: Carried, ground: Ground, rules: CarryRules): string | null {
  switch (carried.kind) {
    case "search":
      return judgeSearch(carried.query, ground);
    case "request":
      return judgeRequest(carried, ground, rules);
    case "arguments":
      return judgeArguments(carried, ground, rules);
  }
}

function judgeSearch(query: string, ground: Ground): string | null {
  const record = findCopiedRecord(query, ground);
  return record === null ? null : `To the search engine: the query has text from ${record.about.from}.`;
}

function judgeRequest(
  { url: written, headers }: Extract<Carried, { kind: "request" }>,
  ground: Ground,
  rules: CarryRules,
): string | null {
  const url = parseWebUrl(written);
  if (url === null || isAllowedHost(url, rules)) return null;
  const isKnown = isKnownLink(url, ground);
  if (isNamedHost(url, ground)) {
    const told = [...(isKnown ? [] : [tellingParts(url)]), ...Object.values(headers)].join("\n");
    const record = findCopiedRecord(told, ground);
    return record === null ? null : `To ${toHost(url)}: the request has text from ${record.about.from}.`;
  }
  if (!isKnown) return describeHost(url, ground);
  const telling = Object.entries(headers).find(([name, value]) => !isPlainHeader(name, value, ground));
  if (telling === undefined) return null;
  return `To ${toHost(url)}: its header ${quote(telling[0])} is not in your instructions.`;
}

/** What the URL tells its host beyond the host's own name. */
function tellingParts({ username, password, pathname, search }: URL): string {
  return `${username} ${password} ${pathname} ${search}`;
}

/** Values of headers that choose among what a server offers, and tell it nothing else. */
const PLAIN_ACCEPT = new Set([
  "*/*",
  "text/*",
  "text/html",
  "text/plain",
  "text/markdown",
  "text/csv",
  "text/xml",
  "application/json",
  "application/xml",
  "application/xhtml+xml",
  "application/atom+xml",
  "application/rss+xml",
  "application/pdf",
  "application/vnd.github+json",
]);
const PLAIN_LANGUAGE = /^[a-z]{2}(?:-[a-z]{2})?$/i;

function isPlainHeader(name: string, value: string, { trusted }: Ground): boolean {
  const items = value.split(",").map((item) => item.replace(/;\s*q=(?:0(?:\.\d)?|1(?:\.0)?)\s*$/i, "").trim());
  const lower = name.toLowerCase();
  if (
    lower === "accept" &&
    items.length <= PLAIN_ACCEPT.size &&
    items.every((item) => PLAIN_ACCEPT.has(item.toLowerCase()))
  )
    return true;
  if (
    lower === "accept-language" &&
    items.length <= 3 &&
    items.every((item) => PLAIN_LANGUAGE.test(item) || item === "*")
  )
    return true;
  return trusted.some((text) => hasValue(text, value) && hasValue(text, name));
}

function judgeArguments(
  { tool, source, url: written, values, schema }: Extract<Carried, { kind: "arguments" }>,
  ground: Ground,
  rules: CarryRules,
): string | null {
  const url = written === null ? null : parseWebUrl(written);
  if (url !== null && isAllowedHost(url, rules)) return null;
  const told = tellingValues(values, schema);
  const ungrounded = told?.find(({ text }) => !isGroundedValue(text, source, ground));
  if (told !== null && ungrounded === undefined) return null;
  const isNamed = isNamedSource(tool, source, ground) || (url !== null && isNamedHost(url, ground));
  if (isNamed) {
    const record = findCopiedRecord(JSON.stringify(values), ground);
    return record === null ? null : `To ${tool}: its arguments have text from ${record.about.from}.`;
  }
  if (ungrounded === undefined) return `To ${tool}: it has more than ${MAX_VALUES} arguments.`;
  const { path, text } = ungrounded;
  return `To ${tool}: ${path} (${quote(text)}) is not in your instructions${originOf(text, ground)}.`;
}

/** Whether a person or the operator wrote the name of the tool, or of its server. */
function isNamedSource(tool: string, source: string, { trusted }: Ground): boolean {
  return trusted.some((text) => hasValue(text, tool) || (source !== tool && hasValue(text, source)));
}

/** A value that tells the destination something, with its place. */
interface ToldValue {
  readonly path: string;
  readonly text: string;
}

/** The texts and numbers of the arguments, and names that the schema does not have; null: too many. */
function tellingValues(values: unknown, schema: string): ToldValue[] | null {
  const found: ToldValue[] = [];
  const open: { readonly path: string; readonly value: unknown }[] = [{ path: "", value: values }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value } = next;
    if (found.length + open.length > MAX_VALUES) return null;
    if (typeof value === "string" || typeof value === "number") {
      if (!schema.includes(JSON.stringify(value)) || typeof value === "number")
        found.push({ path, text: String(value) });
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) open.push({ path: `${path}[${index}]`, value: item });
    } else if (typeof value === "object" && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        const inside = path === "" ? name : `${path}.${name}`;
        if (!schema.includes(JSON.stringify(name))) found.push({ path: inside, text: name });
        open.push({ path: inside, value: item });
      }
    }
  }
  return found;
}

function describeHost(url: URL, ground: Ground): string {
  const host = toHost(url);
  const rest = `${url.pathname}${url.search}`;
  const record = findCopiedRecord(tellingParts(url), ground);
  const copied = record === null ? "" : ` It has text from ${record.about.from}.`;
  const sent = rest === "/" ? "" : ` It would send ${quote(rest)}.`;
  return `To ${host}: not in your instructions${originOf(url.hostname, ground)}.${sent}${copied}`;
}

function originOf(wanted: string, ground: Ground): string {
  const origin = findOrigin(wanted, ground);
  return origin === null ? "" : `; came from ${origin.from}, line ${origin.line}: ${quote(origin.excerpt)}`;
}

/** Whether an entry of the agent's list names the host. `*` names none. */
function isAllowedHost(url: URL, { allowedDomains }: CarryRules): boolean {
  return hostIsNamed(url, allowedDomains ?? []);
}

function parseWebUrl(written: string): URL | null {
  const url = URL.parse(written);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url : null;
}

function toHost(url: URL): string {
  return toShownText(url.host);
}

function quote(text: string): string {
  const shown = toShownText(text);
  return JSON.stringify(shown.length <= MAX_QUOTED ? shown : `${shown.slice(0, MAX_QUOTED)}…`);
}
