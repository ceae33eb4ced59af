/** The words of capabilities: `category.action`, such as `message.send`. Each list has whole words. */
import { toInfinitive, toWordSet } from "./action-words.ts";

/** A credential. Its capabilities are those of `auth`. */
const TOKEN = "token";

/** The categories, each with the words that name it. A pair is two adjacent words joined by a space. */
const CATEGORIES: readonly (readonly [category: string, words: string])[] = [
  ["message", "message messages dm dms chat chats sms mms thread threads"],
  ["channel", "channel channels conversation conversations room rooms"],
  ["user", "user users member members contact contacts person people teammate teammates"],
  [
    "file",
    "file files document documents doc docs folder folders directory directories attachment attachments image images",
  ],
  ["data", "data record records entry entries dataset datasets object objects"],
  ["repo", "repo repos repository repositories"],
  ["branch", "branch branches"],
  ["commit", "commit commits"],
  ["issue", "issue issues bug bugs ticket tickets"],
  ["pr", "pr prs"],
  ["release", "release releases"],
  ["event", "event events meeting meetings calendar calendars appointment appointments"],
  ["email", "email emails mail mails inbox mailbox draft drafts"],
  ["task", "task tasks todo todos subtask subtasks reminder reminders"],
  ["project", "project projects board boards"],
  ["notification", "notification notifications alert alerts"],
  ["webhook", "webhook webhooks hook hooks"],
  ["auth", "auth permission permissions"],
  ["token", "token tokens credential credentials password passwords secret secrets"],
  ["admin", "admin admins administrator administrators"],
  ["analytics", "analytics metric metrics statistic statistics stats insight insights"],
  ["sheet", "sheet sheets spreadsheet spreadsheets worksheet worksheets row rows column columns cell cells"],
  ["database", "database databases table tables sql"],
];

const PAIRS: ReadonlyMap<string, string> = new Map([
  ["pull request", "pr"],
  ["pull requests", "pr"],
  ["merge request", "pr"],
  ["merge requests", "pr"],
  ["api key", "token"],
  ["api keys", "token"],
]);

/** The verbs of names, by action. */
const NAME_VERBS: readonly (readonly [action: string, words: string])[] = [
  ["read", "get read fetch retrieve view show describe download export check"],
  ["list", "list enumerate"],
  ["search", "search find lookup"],
  ["query", "query count"],
  ["create", "create make insert generate new add append compose schedule fork clone copy duplicate import register"],
  [
    "update",
    `update edit modify change patch set put rename replace upsert move mark close reopen assign unassign lock unlock
    label pin unpin enable disable activate accept decline convert transfer star unstar customize resolve complete`,
  ],
  ["delete", "delete erase destroy purge trash drop wipe clear truncate"],
  ["remove", "remove kick ban leave"],
  ["send", "send post reply forward publish"],
  ["comment", "comment"],
  ["invite", "invite"],
  ["upload", "upload attach"],
  ["share", "share"],
  ["merge", "merge"],
  ["archive", "archive"],
  ["revoke", "revoke"],
  ["manage", "manage suspend deactivate promote demote"],
  ["schema", "alter migrate"],
];

/** Verbs that people also use, beyond those of names. */
const SPOKEN_VERBS: readonly (readonly [action: string, words: string])[] = [
  ["read", "summarize summarise review open look tell what who when check report analyze analyse explain recap"],
  ["search", "locate where"],
  ["create", "write draft book plan start note build prepare log save store put record"],
  ["update", "adjust extend postpone reschedule fix correct finish reassign tag overwrite"],
  ["delete", "cancel discard rid"],
  ["send", "notify message email mail text dm ping tell remind announce answer respond"],
  ["invite", "onboard"],
];

/** Words that end the name of the thing: `LIST_COMMITS_ON_A_PULL_REQUEST`. */
export const PREPOSITIONS = toWordSet(
  "on of for from in into to by with at via as based about using called named titled",
);

const CATEGORY_OF: ReadonlyMap<string, string> = new Map([
  ...CATEGORIES.flatMap(([category, words]) => Array.from(toWordSet(words), (word) => [word, category] as const)),
  ...PAIRS,
]);
const NAME_VERB_OF = toVerbs(NAME_VERBS);
const SPOKEN_VERB_OF = toVerbs([...SPOKEN_VERBS, ...NAME_VERBS]);

function toVerbs(verbs: readonly (readonly [action: string, words: string])[]): ReadonlyMap<string, string> {
  const actions = new Map<string, string>();
  for (const [action, words] of verbs)
    for (const word of toWordSet(words)) if (!actions.has(word)) actions.set(word, action);
  return actions;
}

/** Returns the category that the word at `at` names, alone or with the next one; null for neither. */
export function findCategory(words: readonly string[], at: number): string | null {
  const [word = "", next = ""] = words.slice(at, at + 2);
  const pair = CATEGORY_OF.get(`${word} ${next}`);
  const category = pair ?? CATEGORY_OF.get(word) ?? null;
  return category === TOKEN && isDescribing(words[at + (pair === undefined ? 1 : 2)]) ? null : category;
}

/** True for a word that makes a token the description of something else: a token's price is no credential. */
function isDescribing(next: string | undefined): boolean {
  return next !== undefined && !PREPOSITIONS.has(next) && !NAME_VERB_OF.has(next);
}

/** Returns the action of a verb in a name. The first word of a name may be in the third person: `SENDS_A_MESSAGE`. */
export function findNameVerb(word: string, isFirst: boolean): string | null {
  return NAME_VERB_OF.get(word) ?? (isFirst ? (NAME_VERB_OF.get(toInfinitive(word)) ?? null) : null);
}

/** Returns the action of a verb in a request. */
export function findSpokenVerb(word: string): string | null {
  return SPOKEN_VERB_OF.get(word) ?? SPOKEN_VERB_OF.get(toInfinitive(word)) ?? null;
}

/** Returns the capability of a verb on a category, by the word that is usual for it. */
export function toCapability(category: string, action: string): string {
  if (action === "send") return `${sendable(category)}.${canSend(category) ? "send" : "create"}`;
  if (category === "channel" && action === "comment") return "message.send";
  if (category === "message" && action === "create") return "message.send";
  if (category === TOKEN) return `auth.${["read", "create", "update"].includes(action) ? "token" : action}`;
  if (category === "database" && ["create", "delete", "schema"].includes(action)) return "database.schema";
  if (action === "schema") return `${category}.update`;
  if (action === "invite") return "user.invite";
  if (action === "remove") return category === "user" ? "user.remove" : `${category}.delete`;
  if (action === "manage")
    return category === "user" || category === "admin" ? `${category}.manage` : `${category}.update`;
  return `${category}.${action}`;
}

/** True for what people send: a message, also to a channel, an email, a notification. */
export function canSend(category: string): boolean {
  return ["message", "email", "notification", "channel"].includes(category);
}

/** What is sent to a channel is a message. */
function sendable(category: string): string {
  return category === "channel" ? "message" : category;
}
