/**
 * What the actors of a task asked for, as capabilities. Read from their own words alone, never from a tool's result.
 *
 * 1. Quoted text is content, and what follows a negation is not wanted: neither asks for anything.
 * 2. A request may be read too narrowly, never as a wish for something destructive that it does not name.
 */
import { splitWords, toTerms } from "../../lib/tool-search/words.ts";
import { findExplicitNames } from "./explicit-names.ts";
import { isDestructiveCapability } from "../effects/capabilities.ts";
import { canSend, findCategory, findSpokenVerb, PREPOSITIONS, toCapability } from "../effects/taxonomy.ts";
import { toWordSet } from "../effects/action-words.ts";

/** What a request asks for. */
export interface Intent {
  readonly capabilities: ReadonlySet<string>;
  /** Actions that it names, such as `GMAIL_SEND_EMAIL`. */
  readonly actions: ReadonlySet<string>;
  /** True if no word names a capability; `capabilities` are then the fallback. */
  readonly isGeneric: boolean;
  /** Categories that a part of it names without a known verb, such as `issue`: what is done to them is not understood. */
  readonly open: ReadonlySet<string>;
  /** The share of its parts that name a capability, from 0 to 1. */
  readonly confidence: number;
}

/** What the gate reads of a request. */
export type GateIntent = Pick<Intent, "actions" | "capabilities">;

/** What a request without a known capability may use. */
const FALLBACK: ReadonlySet<string> = new Set(["data.query", "search.general", "message.read", "file.list"]);

/** Limits of the characters of a request and of its parts. */
export const MAX_REQUEST = 8_000;
const MAX_CLAUSES = 64;

const QUOTED = /"[^"\n]{0,2000}"|“[^”\n]{0,2000}”|```[\s\S]{0,8000}?(?:```|$)|`[^`\n]{0,500}`/g;
const ADDRESS = /[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}/g;
const HASHED = /(?<![\w&/])#([\w-]{1,80})/g;
const NEGATED = /\b(?:not|never|without|n't|don['’]t|doesn['’]t|do not|avoid|instead of|rather than)\b.*$/i;
const BETWEEN_CLAUSES = /[.!?;,:](?=\s|$)|\n+|\b(?:and|then|also|or|but|afterwards)\b/i;

/** Words that are verbs only where a sentence has its verb: “text Ana”, “the text”. */
const ALSO_NOUNS = toWordSet(`
  message messages email emails mail mails dm dms text report reports review reviews start record records note notes set log
  logs copy count plan book schedule label labels tag tags comment comments open mark draft drafts release order file files
  lock pin star store share post posts query change changes update updates search archive read move close export import answer answers duplicate
`);
/** Words after which a verb comes. */
const BEFORE_VERBS = toWordSet("to please you can could should will would i we must let me us just now first finally");

/** Reads the intent of the texts, each of one actor. */
export function readIntent(texts: readonly string[]): Intent {
  const capabilities = new Set<string>();
  const actions = new Set<string>();
  const open = new Set<string>();
  let [known, all] = [0, 0];
  for (const text of texts) {
    const request = text.slice(0, MAX_REQUEST);
    for (const name of findExplicitNames(request)) actions.add(name);
    const clauses = splitClauses(request);
    for (const { wanted, isOpen } of readClauses(clauses)) {
      all += 1;
      if (wanted.length > 0) known += 1;
      for (const capability of wanted) for (const one of widen(capability)) capabilities.add(one);
      if (isOpen) for (const capability of wanted) open.add(getCategory(capability));
    }
  }
  const isGeneric = capabilities.size === 0;
  return {
    capabilities: isGeneric ? FALLBACK : capabilities,
    actions,
    isGeneric,
    open,
    confidence: all === 0 ? 0 : known / all,
  };
}

/** Returns the `message` of `message.send`. */
export function getCategory(capability: string): string {
  return capability.slice(0, capability.indexOf("."));
}

/** The words of a part of a request. */
type Clause = readonly string[];

function splitClauses(request: string): Clause[] {
  const plain = request
    .replaceAll(QUOTED, " ")
    .replaceAll(ADDRESS, " email_address ")
    .replaceAll(HASHED, (_, name: string) => (/^\d+$/.test(name) ? " issue " : " channel "));
  const parts = plain.split(BETWEEN_CLAUSES).slice(0, MAX_CLAUSES);
  return parts
    .map((part) => splitWords(part.replace(NEGATED, " ")))
    .filter((words) => toTerms(words.join(" ")).length > 0);
}

/** What a clause asks for; open: it says of what, and not what to do. */
interface ReadClause {
  readonly wanted: readonly string[];
  readonly isOpen: boolean;
}

/** Reads each clause. “Find the branches and delete them” deletes branches. */
function readClauses(clauses: readonly Clause[]): ReadClause[] {
  let last: string | null = null;
  return clauses.map((words) => {
    const categories = words.map((_, at) => findCategory(words, at));
    const verbs = findVerbs(words, categories);
    const before = last;
    last = categories.findLast((category) => category !== null) ?? last;
    if (verbs.length === 0) {
      const named = categories.flatMap((category) => (category === null ? [] : [`${category}.read`]));
      return { wanted: named, isOpen: !isQuestion(words) };
    }
    const wanted = verbs.flatMap((verb, index) => {
      const end = verbs[index + 1]?.at ?? words.length;
      return toCapabilities(verb.action, { words, categories, from: verb.from, end, before });
    });
    return { wanted, isOpen: false };
  });
}

/** Words that begin a question. */
const QUESTIONS = toWordSet("which whose how is are was were am do does did has have any what who when where");

function isQuestion([first = ""]: Clause): boolean {
  return QUESTIONS.has(first);
}

/** Returns what a text asks to do, as actions of capabilities: `create`, `list`. Empty if no verb is known. */
export function readVerbs(text: string): ReadonlySet<string> {
  const verbs = new Set<string>();
  for (const words of splitClauses(text.slice(0, MAX_REQUEST))) {
    const categories = words.map((_, at) => findCategory(words, at));
    for (const { action } of findVerbs(words, categories)) verbs.add(action);
    if (words.some((word, at) => word === "how" && words[at + 1] === "many")) verbs.add("query");
    else if (isQuestion(words)) for (const verb of ["read", "list", "search"]) verbs.add(verb);
  }
  return verbs;
}

/** A verb of a clause. Its object begins at `from`: “email Ana” has the email in the verb. */
interface SpokenVerb {
  readonly action: string;
  readonly at: number;
  readonly from: number;
}

function findVerbs(words: Clause, categories: readonly (string | null)[]): SpokenVerb[] {
  return words.flatMap((word, at): SpokenVerb[] => {
    const action = isCreating(words, at) ? "create" : findSpokenVerb(word);
    if (action === null || isOfPair(words, at)) return [];
    const isPlaced = at === 0 || BEFORE_VERBS.has(words[at - 1] ?? "");
    if (ALSO_NOUNS.has(word) && !isPlaced) return [];
    return [{ action, at, from: categories[at] === null ? at + 1 : at }];
  });
}

/** “Open an issue”, “leave a comment” and “set up a call” create something; “open the mail” reads it. */
function isCreating(words: Clause, at: number): boolean {
  const [word = "", next = ""] = words.slice(at, at + 2);
  return word === "set" ? next === "up" : OPENS.has(word) && NEW.has(next);
}
const OPENS = toWordSet("open file leave");
const NEW = toWordSet("a an another new");

/** True for the first word of “merge request”, which is no verb. */
function isOfPair(words: Clause, at: number): boolean {
  const pair = words.slice(at, at + 2);
  return findCategory(pair, 0) !== null && findCategory(pair.slice(0, 1), 0) === null;
}

interface VerbPlace {
  readonly words: Clause;
  readonly categories: readonly (string | null)[];
  readonly from: number;
  readonly end: number;
  /** The last category of earlier clauses. */
  readonly before: string | null;
}

function toCapabilities(action: string, place: VerbPlace): string[] {
  const objects = place.words.slice(place.from, place.end);
  const found = place.categories.slice(place.from, place.end);
  const named = found.filter((category) => category !== null);
  if (action === "send") return toSent(named, place.before);
  const isComment = objects.some((word) => word === "comment" || word === "comments");
  if (isComment && action === "create") return [toCapability(named[0] ?? "message", "comment")];
  const at = objects.findIndex((word) => PREPOSITIONS.has(word));
  const head = found.slice(0, at < 0 ? objects.length : at).findLast((category) => category !== null);
  if (head !== undefined && head !== null) return [toCapability(head, action)];
  const [object] = named;
  // “Remove Ana from the channel” changes the channel, and takes a person out of it.
  if (object !== undefined && at > 0) return [...toChange(object, action), ...toPersonal(action)];
  const category = object ?? place.before;
  if (category !== null) return [toCapability(category, action)];
  return action === "search" ? ["search.general"] : action === "query" ? ["data.query"] : [];
}

function toSent(named: readonly string[], before: string | null): string[] {
  const sent = named.filter(canSend).map((category) => toCapability(category, "send"));
  if (sent.length > 0) return sent;
  const shared = named[0] ?? before;
  return ["message.send", "email.send", ...(shared === "file" || shared === "sheet" ? ["file.share"] : [])];
}

function toChange(category: string, action: string): string[] {
  const changes = ["create", "delete", "remove", "merge", "archive", "revoke", "manage"].includes(action);
  return [toCapability(category, changes ? "update" : action)];
}

function toPersonal(action: string): string[] {
  if (action === "remove") return ["user.remove"];
  return action === "create" || action === "invite" ? ["user.invite"] : [];
}

/** Categories in which people mean the same by creating and changing. */
const CONTENT = ["sheet", "file", "data", "database"];
/** What reads, among the actions of capabilities. */
export const READING = ["read", "list", "search", "query"];
const COMMENTED = ["message", "issue", "pr", "task", "project", "file"];

/** Adds what a capability needs or may be called: reading in its category, an email for a message, an issue for a task. */
function widen(capability: string): string[] {
  const [category = "", action = ""] = capability.split(".");
  const widened = [capability, ...READING.map((one) => `${category}.${one}`)];
  if (action === "send" && category === "message") widened.push("email.send");
  // The messages of a channel are read through either.
  if (category === "message" || category === "channel") {
    const other = category === "message" ? "channel" : "message";
    widened.push(...READING.map((one) => `${other}.${one}`));
  }
  // A comment whose name does not say on what.
  if (action === "comment") widened.push(...COMMENTED.map((one) => `${one}.comment`));
  if (category === "task" || category === "issue") {
    const other = category === "task" ? "issue" : "task";
    if (!isDestructiveCapability(capability))
      widened.push(`${other}.${action}`, ...READING.map((one) => `${other}.${one}`));
  }
  if (CONTENT.includes(category) && ["create", "update", "upload"].includes(action))
    widened.push(`${category}.create`, `${category}.update`, `${category}.upload`);
  if (category === "sheet" && action === "share") widened.push("file.share");
  if (category === "database" || category === "data") widened.push(`${category}.query`);
  return widened.filter((one) => one === capability || !isDestructiveCapability(one));
}
