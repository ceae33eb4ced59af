/**
 * Judges reads that carry data out: a call that changes nothing outside can still send the task's data to an outsider,
 * by its URL, headers or arguments. Once text from outside is in the step's context, such a call runs only if its
 * destination or content is vouched for; otherwise a person has to approve it. The approval policy cannot lift this
 * rule; `allowed_domains` can, because it names the hosts.
 */
import { isHostNamed } from "../web/host-pattern.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import { type CountedChoice, countChoice, MAX_CHOICE_BITS, MAX_ENTRIES } from "./count-choice.ts";
import { findTellingHeader } from "./count-headers.ts";
import {
  countValueChoice,
  findCopiedRecord,
  findOrigin,
  type Ground,
  isKnownLink,
  isNamedHost,
  isNamedTool,
  cleanText,
} from "./ground.ts";

/** What a call sends to its destination. */
export type Carried =
  /** A GET or HEAD whose URL and headers the model wrote. */
  | { readonly kind: "request"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  /** A query of a search engine, whose host the model cannot choose. */
  | { readonly kind: "search"; readonly query: string }
  /** Arguments of a tenant's own tool. `url` is null if the tool's server has none. */
  | {
      readonly kind: "arguments";
      readonly tool: string;
      /** The MCP server or the host that receives its arguments, or the tool itself. */
      readonly source: string;
      readonly url: string | null;
      readonly values: unknown;
      /** The schema of the tool's input, which limits its arguments. */
      readonly schema: JsonSchema;
      /** Paths of the files that it sends. Absent: none. */
      readonly files?: readonly string[];
    };

/** Lists of the agent that the rule reads. */
export interface CarryRules {
  /** The agent's `allowed_domains`; `*` vouches for no host. */
  readonly allowedDomains: readonly string[] | null;
}

/** Characters of a value that a reason quotes. */
const MAX_QUOTED = 80;

/**
 * Judges a call of a step whose context has text from outside. Returns why a person has to approve it, as sentences
 * that name the destination and its source; null if it may run. A URL that cannot be parsed may run, because its call
 * fails.
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
    const sent = [...(isKnown ? [] : [listSentParts(url)]), ...Object.entries(headers).flat()].join("\n");
    const record = findCopiedRecord(sent, ground);
    return record === null ? null : `To ${toHost(url)}: the request has text from ${record.about.from}.`;
  }
  if (!isKnown) return describeHost(url, ground);
  const telling = findTellingHeader(headers, ground);
  return telling === null ? null : `To ${toHost(url)}: its header ${quote(telling)} is not in your instructions.`;
}

/** Returns what the URL sends to its host besides the host's name. */
function listSentParts({ username, password, pathname, search }: URL): string {
  return `${username} ${password} ${pathname} ${search}`;
}

function judgeArguments(
  { tool, source, url: written, values, schema, files = [] }: Extract<Carried, { kind: "arguments" }>,
  ground: Ground,
  rules: CarryRules,
): string | null {
  const url = written === null ? null : parseWebUrl(written);
  if (url !== null && isAllowedHost(url, rules)) return null;
  const [file] = files;
  if (file !== undefined) return `To ${tool}: it sends the file ${quote(file)}.`;
  const choice = countChoice(values, schema, (value) => countValueChoice(value, source, ground));
  if (choice.kind === "bounded") return null;
  const isNamed = isNamedTool(tool, url === null && source !== tool ? source : null, ground);
  if (isNamed || (url !== null && isNamedHost(url, ground))) {
    const record = findCopiedRecord(toPlainText(values), ground);
    return record === null ? null : `To ${tool}: its arguments have text from ${record.about.from}.`;
  }
  return `To ${tool}: ${describeChoice(choice, ground)}.`;
}

function describeChoice(choice: Exclude<CountedChoice, { kind: "bounded" }>, ground: Ground): string {
  switch (choice.kind) {
    case "free":
      return `${choice.path} (${quote(choice.text)}) is not in your instructions${describeOrigin(choice.text, ground)}`;
    case "long":
      return `${cleanText(choice.path)} has more than ${MAX_ENTRIES} entries, whose choice could carry data`;
    case "much":
      return `what was chosen for its arguments could carry more than ${MAX_CHOICE_BITS} bits of data, most of it in ${cleanText(choice.path)}`;
  }
}

/** Returns the names and values of arguments in order, without JSON escapes, which would split copied text. */
function toPlainText(values: unknown): string {
  return JSON.stringify(values).replace(/\\(?:u[0-9a-f]{4}|.)/gi, " ");
}

function describeHost(url: URL, ground: Ground): string {
  const host = toHost(url);
  const rest = `${url.pathname}${url.search}`;
  const record = findCopiedRecord(listSentParts(url), ground);
  const copied = record === null ? "" : ` It has text from ${record.about.from}.`;
  const sent = rest === "/" ? "" : ` It would send ${quote(rest)}.`;
  return `To ${host}: not in your instructions${describeOrigin(url.hostname, ground)}.${sent}${copied}`;
}

function describeOrigin(wanted: string, ground: Ground): string {
  const origin = findOrigin(wanted, ground);
  return origin === null ? "" : `; came from ${origin.from}, line ${origin.line}: ${quote(origin.excerpt)}`;
}

/** Whether an entry of the agent's list names the host. `*` does not. */
function isAllowedHost(url: URL, { allowedDomains }: CarryRules): boolean {
  return isHostNamed(url, allowedDomains ?? []);
}

function parseWebUrl(written: string): URL | null {
  const url = URL.parse(written);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url : null;
}

function toHost(url: URL): string {
  return cleanText(url.host);
}

function quote(text: string): string {
  const cleaned = cleanText(text);
  return JSON.stringify(cleaned.length <= MAX_QUOTED ? cleaned : `${cleaned.slice(0, MAX_QUOTED)}…`);
}
