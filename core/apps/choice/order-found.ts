/**
 * The order of found actions: the rating of the search, and three things that only actions of apps have. Their names have
 * a verb, they have capabilities, and providers have variants of the same action. The weights are hand-set and round;
 * docs/decisions/0160-the-search-for-actions.md says what they do.
 */
import { splitWords } from "../../lib/tool-search/words.ts";
import type { ListedAction } from "../../ports/app-catalogue.ts";
import { splitActionName } from "../effects/action-words.ts";
import { findActionVerb } from "../effects/capabilities.ts";
import { type Intent, readVerbs } from "../intent/intent.ts";
import { isInside } from "../intent/serve-intent.ts";

/** A found action with its rating by the search. */
export interface RatedAction {
  readonly action: ListedAction;
  readonly rating: number;
}

/** What is added to a rating, whose neighbours differ by some tenths. */
const WEIGHTS = { verb: 1, unrequestedLoss: -2, outside: -1, variant: -2 } as const;
/** The share of a verb that is of the kind of the request's: a search for “list”. */
const SAME_KIND = 0.6;

const KINDS: readonly (readonly string[])[] = [
  ["read", "list", "search", "query"],
  ["create", "send", "comment", "upload", "share", "invite"],
  ["update", "manage", "merge"],
  ["delete", "remove", "archive", "revoke"],
];
const KIND_OF: ReadonlyMap<string, number> = new Map(
  KINDS.flatMap((verbs, kind) => verbs.map((verb) => [verb, kind] as const)),
);
/** The kind that takes something away. */
const LOSS = KINDS.length - 1;

/** Orders the actions for a request, the best first. */
export function orderFound(found: readonly RatedAction[], text: string, intent: Intent): ListedAction[] {
  const verbs = readVerbs(text);
  const words = new Set(splitWords(text));
  const names = new Set(found.map(({ action }) => action.action));
  const rated = found.map(({ action, rating }, rank) => {
    const added =
      rateVerb(action, verbs) +
      (isInside(action.capabilities, intent) ? 0 : WEIGHTS.outside) +
      WEIGHTS.variant * rateVariant(action, names, words);
    return { action, rank, rating: rating + added };
  });
  return rated.sort((one, other) => other.rating - one.rating || one.rank - other.rank).map(({ action }) => action);
}

function rateVerb(action: ListedAction, requested: ReadonlySet<string>): number {
  const verb = findActionVerb(action);
  const kinds = new Set(Array.from(requested, (one) => KIND_OF.get(one)));
  const kind = verb === null ? undefined : KIND_OF.get(verb);
  if (kind === LOSS && !kinds.has(LOSS)) return WEIGHTS.unrequestedLoss;
  if (verb === null || requested.size === 0) return 0;
  if (requested.has(verb)) return WEIGHTS.verb;
  return kind !== undefined && kinds.has(kind) ? SAME_KIND * WEIGHTS.verb : 0;
}

/** Returns how far an action is a variant of another found one, by the words of its name that nobody asked for: 0 to 1. */
function rateVariant(action: ListedAction, names: ReadonlySet<string>, words: ReadonlySet<string>): number {
  const plain = findPlain(action.action, names);
  if (plain === null) return 0;
  const more = splitActionName({ action: action.action.slice(plain.length + 1), app: "" });
  return more.filter((word) => !words.has(word)).length / Math.max(1, more.length);
}

/** Finds the shortest of the names with which a longer name begins. */
function findPlain(name: string, names: ReadonlySet<string>): string | null {
  for (let at = name.indexOf("_"); at >= 0; at = name.indexOf("_", at + 1)) {
    const start = name.slice(0, at);
    if (names.has(start)) return start;
  }
  return null;
}
