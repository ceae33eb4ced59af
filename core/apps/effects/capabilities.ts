/**
 * What an action can do, as `category.action`, from the whole words of its name, its tags and its description. The name
 * decides; tags and the description count only where it names no category.
 */
import { type NamedAction, splitActionName, toWordSet } from "./action-words.ts";
import type { DescribedAction } from "../catalogue.ts";
import { findCategory, findNameVerb, PREPOSITIONS, toCapability } from "./taxonomy.ts";
import { splitWords } from "../../lib/tool-search/words.ts";

/** What capabilities are compiled from. */
export type TaggableAction = NamedAction & Pick<DescribedAction, "title" | "description" | "tags">;

/** The most characters of a description that count. Its first sentence says what an action does, later ones its limits. */
const MAX_DESCRIPTION = 200;
const SENTENCE_END = /[.!?](?:\s|$)/;

/** Words of the description of a mail app. */
const MAIL = toWordSet("email emails mail mails gmail mailbox inbox");

/** Verbs whose object is before a preposition: a label is removed *from an issue*, which is thereby changed. */
const CHANGES = ["create", "delete", "remove", "merge", "archive", "revoke", "manage", "schema"];

/** Capabilities of actions that destroy or take away rights. */
const DESTRUCTIVE = new Set(["channel.archive", "database.schema", "auth.revoke", "user.remove", "user.manage"]);

/** Capabilities that need an approval unless the agent's policy says otherwise, also where the provider says “only reads”. */
const APPROVED_FIRST = new Set([
  "repo.create",
  "pr.merge",
  "branch.merge",
  "email.send",
  "notification.send",
  "auth.token",
  "webhook.create",
]);

export function isDestructiveCapability(capability: string): boolean {
  return capability.endsWith(".delete") || capability.startsWith("admin.") || DESTRUCTIVE.has(capability);
}

export function needsApproval(capability: string): boolean {
  return APPROVED_FIRST.has(capability);
}

/** Lists the capabilities of an action; empty if its words name none. Called by `judgeAction` (`judge.ts`). */
export function listCapabilities(action: TaggableAction): string[] {
  const words = splitActionName(action);
  const [sentence = ""] = action.description.slice(0, MAX_DESCRIPTION).split(SENTENCE_END, 1);
  const description = splitWords(sentence);
  const verb = findMainVerb(words);
  const found = findNamedCategory(words) ?? findOtherCategory(action, description);
  const isComment = words.some((word) => word === "comment" || word === "comments");
  if (found === null && !isComment) return listGeneral(verb);
  const { category, isHead } = found ?? { category: "message", isHead: true };
  const used = verb ?? findMainVerb(description) ?? "read";
  const capability = toCapability(category, chooseAction(used, { isHead, isComment }));
  // A message of a mail app is an email.
  const isMail = capability.startsWith("message.") && description.some((word) => MAIL.has(word));
  return isMail ? [capability, capability.replace("message.", "email.")] : [capability];
}

function chooseAction(verb: string, { isHead, isComment }: { isHead: boolean; isComment: boolean }): string {
  if (isComment && ["create", "send", "update"].includes(verb)) return "comment";
  return (isHead && !isComment) || !CHANGES.includes(verb) ? verb : "update";
}

/** Without a category, a search is one of everything, and a query one of data. */
function listGeneral(verb: string | null): string[] {
  if (verb === "search") return ["search.general"];
  return verb === "query" ? ["data.query"] : [];
}

/** Returns what an action does, by the first verb of its name: `create` for `GMAIL_ADD_LABEL`. Null for a name without one. */
export function findActionVerb(action: NamedAction): string | null {
  return findMainVerb(splitActionName(action));
}

/** Returns the first verb of a name. */
function findMainVerb(words: readonly string[]): string | null {
  for (const [at, word] of words.entries()) {
    const verb = findNameVerb(word, at === 0);
    if (verb !== null) return verb;
  }
  return null;
}

/** A category of a name. The head is what the action is done to. */
interface NamedCategory {
  readonly category: string;
  readonly isHead: boolean;
}

/**
 * Finds what a name is about: the last category before a preposition, because `ISSUE_EVENTS` are events, else the first
 * one after it.
 */
function findNamedCategory(words: readonly string[]): NamedCategory | null {
  const at = words.findIndex((word) => PREPOSITIONS.has(word));
  const end = at < 0 ? words.length : at;
  const head = listCategories(words.slice(0, end)).at(-1);
  if (head !== undefined) return { category: head, isHead: true };
  const [object] = listCategories(words.slice(end));
  // `REPLY_TO_A_THREAD` has nothing between verb and preposition.
  return object === undefined ? null : { category: object, isHead: end <= 1 };
}

function listCategories(words: readonly string[]): string[] {
  return words.flatMap((_, at) => findCategory(words, at) ?? []);
}

/**
 * Finds a category in the provider's tags, else in the title and the description. Rights are never guessed from these. What
 * a text names after a preposition is only changed: an emoji is added *to a message*.
 */
function findOtherCategory({ tags, title }: TaggableAction, description: readonly string[]): NamedCategory | null {
  const ofTags = listCategories(tags.flatMap(splitWords)).find(isGuessed);
  if (ofTags !== undefined) return { category: ofTags, isHead: true };
  const found = [splitWords(title), description].map(findNamedCategory);
  return found.find((one) => one !== null && isGuessed(one.category)) ?? null;
}

function isGuessed(category: string): boolean {
  return !["auth", "token", "admin"].includes(category);
}
