/**
 * The security level and the effect class of an action, from its provider's tags and the whole words of its name.
 *
 * 1. Words only tighten what tags say. Nothing here loosens.
 * 2. An action without tags counts as a write that can be neither repeated nor taken back.
 */
import { type NamedAction, splitActionName, toInfinitive, toWordSet } from "./action-words.ts";
import type { ActionJudgement, DescribedAction } from "../catalogue.ts";

/** Verbs that take something away. */
const DESTROYING = toWordSet(`
  delete remove archive revoke purge erase destroy wipe trash truncate drop uninstall terminate deprovision clear ban kick
`);

/** Verbs that write, wherever they are in a name. */
const WRITING = toWordSet(`
  create update send add set post merge upload edit modify write insert upsert patch put replace rename move copy duplicate
  clone import publish unpublish reply forward invite append assign unassign approve reject accept decline cancel reopen lock
  unlock pin unpin unstar follow unfollow unlike subscribe unsubscribe enable disable activate deactivate suspend execute
  submit pay charge refund withdraw buy sell grant unshare join mark unmark attach detach unlink connect disconnect register
  deregister mutate mutation save reset restore undo revert rollback deploy rotate regenerate upgrade downgrade promote demote transfer reorder
`);

/** Words that write only as the first one of a name. Elsewhere they are nouns: `GET_A_RELEASE`, `LIST_RUN_STEPS`. */
const WRITING_FIRST = toWordSet(`
  close open start stop pause resume run trigger schedule book order release commit push share like star vote react label tag
  link comment fork sync leave request report block generate make log track transition star complete resolve bulk batch empty
`);

/** Verbs that another person receives, or that add the same thing twice. */
const SENDING = toWordSet("send post reply append publish invite");

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint"];

/** Words with which a name says that it reads. */
const READING = toWordSet("get list search find fetch count download");

/** What decides the effect of an action. */
export type TaggedAction = NamedAction & Pick<DescribedAction, "tags">;

/** Rules on an action. `because` is one sentence for the console. Called by `judgeAction` (`judge.ts`). */
export function ruleEffect(action: TaggedAction): Pick<ActionJudgement, "effect" | "security" | "because"> {
  const has = (tag: string) => action.tags.includes(tag);
  const words = splitActionName(action);
  const destroying = findVerb(words, DESTROYING);
  if (has("destructiveHint") || destroying !== null) {
    const because =
      destroying === null ? "Its provider says that it destroys data" : `Its name has the word “${destroying}”`;
    return has("idempotentHint")
      ? { security: "critical", effect: "keyed", because: `${because}, and a repeat changes nothing more.` }
      : { security: "critical", effect: "probe", because: `${because}.` };
  }
  const writing = findWritingWord(words);
  if (has("readOnlyHint") && writing === null) {
    return {
      security: "cautious",
      effect: "none",
      because: "Its provider says that it only reads, and no word of its name writes.",
    };
  }
  if (has("idempotentHint")) return { security: "dangerous", ...ruleRepeatable(words) };
  const because =
    writing === null || !has("readOnlyHint")
      ? "Its provider does not say that it only reads."
      : `Its provider says that it only reads, but its name has the word “${writing}”.`;
  return { security: "dangerous", effect: "probe", because };
}

/** Rules on a write whose provider says that a repeat changes nothing more. A repeated message has a second reader. */
function ruleRepeatable(words: readonly string[]): Pick<ActionJudgement, "effect" | "because"> {
  const sending = findVerb(words, SENDING);
  if (sending === null) return { effect: "keyed", because: "Its provider says that a repeat changes nothing more." };
  const because = `Its provider says that a repeat changes nothing, but its name has the word “${sending}”.`;
  return { effect: "probe", because };
}

/** Returns the first word that writes; null without one. */
function findWritingWord(words: readonly string[]): string | null {
  const [first = ""] = words;
  const found = findVerb(words, DESTROYING) ?? findVerb(words, WRITING);
  return found ?? (WRITING_FIRST.has(first) || isThirdPerson(words, WRITING_FIRST) ? first : null);
}

/** Returns the first word of a set, also as the third person with which a name begins: `SENDS_A_MESSAGE`. */
function findVerb(words: readonly string[], verbs: ReadonlySet<string>): string | null {
  const found = words.find((word) => verbs.has(word)) ?? null;
  return found ?? (isThirdPerson(words, verbs) ? (words[0] ?? null) : null);
}

/** `UPDATES_A_MESSAGE` has a verb; `UPDATES_LIST` has a plural, unless the verb takes something away. */
function isThirdPerson([first = "", ...rest]: readonly string[], verbs: ReadonlySet<string>): boolean {
  if (!verbs.has(toInfinitive(first))) return false;
  return verbs === DESTROYING || ["a", "an", "the"].includes(rest[0] ?? "") || !READING.has(rest.at(-1) ?? "");
}

/** An action whose name says that it reads. */
export interface NamedReader {
  readonly action: string;
  /** True if all of its scopes only read, which is evidence for the name. */
  readonly hasReadScopes: boolean;
}

/**
 * Lists the actions of one app whose names say that they read, for an administrator to confirm on the app's page. Empty
 * for an app with a hint on any action: there the absence of a hint says something.
 */
export function listNamedReaders(actions: readonly (TaggedAction & Pick<DescribedAction, "scopes">)[]): NamedReader[] {
  if (actions.some(({ tags }) => tags.some((tag) => HINTS.includes(tag)))) return [];
  return actions.filter(saysThatItReads).map(({ action, scopes }) => ({
    action,
    hasReadScopes: scopes.length > 0 && scopes.every((scope) => /(?:\.readonly|:read)$/i.test(scope)),
  }));
}

function saysThatItReads(action: TaggedAction): boolean {
  const words = splitActionName(action);
  const [first = "", last = ""] = [words[0], words.at(-1)];
  return (READING.has(toInfinitive(first)) || READING.has(last)) && findWritingWord(words) === null;
}
