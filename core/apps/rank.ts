/**
 * The order of actions for a request, by the first of three tiers that finds any: names in the request, the search over
 * all fields, then words of names and descriptions. Pure; `resolve.ts` reads the schemas of the best.
 */
import { searchTools } from "../lib/tool-search/search.ts";
import type { Segment } from "../lib/tool-search/segment.ts";
import { toTerms } from "../lib/tool-search/words.ts";
import type { ListedAction } from "../ports/app-catalogue.ts";
import type { ActionIndex } from "./action-index.ts";
import { type Intent, isAskedFor } from "./intent.ts";

/** How actions were found. `none`: no action of the allowed apps fits. */
export type Strategy = "exact_lookup" | "sdk_search" | "cache_ranked" | "none";

/** What is asked of which apps. */
export interface RankRequest {
  /** The words of the task's actors. */
  readonly text: string;
  readonly intent: Intent;
  /** The apps that the agent and its caller may use. */
  readonly apps: ReadonlySet<string>;
}

export interface Ranked {
  readonly strategy: Strategy;
  /** The best first; more than are chosen, because some may have an invalid schema. */
  readonly actions: readonly ListedAction[];
}

/** The most ranked actions. */
const MAX_RANKED = 120;
/** With fewer found actions than this, those that the words of the third tier find follow. */
const FEW = 6;
/** Weights of a word in a name and in a description. */
const [IN_NAME, IN_DESCRIPTION] = [3, 1];
/** The most different terms of a request that are compared. */
const MAX_TERMS = 40;

/** Ranks actions. `segment` null: the search index is not there, and the third tier answers. */
export function rankActions(request: RankRequest, index: ActionIndex, segment: Segment | null): Ranked {
  const named = findNamed(request, index);
  if (named.length > 0) return { strategy: "exact_lookup", actions: named };
  const fitting = listFitting(request, index);
  const found = segment === null ? [] : search(request.text, fitting, index, segment);
  if (found.length >= FEW) return { strategy: "sdk_search", actions: found };
  const others = rankByWords(request, fitting, index).filter((action) => !found.includes(action));
  if (found.length > 0) return { strategy: "sdk_search", actions: [...found, ...others] };
  return others.length > 0 ? { strategy: "cache_ranked", actions: others } : { strategy: "none", actions: [] };
}

/** Finds the actions that the request names. An app whose name begins another's does not get the other's actions. */
function findNamed({ intent, apps }: RankRequest, { actions, numbers }: ActionIndex): ListedAction[] {
  return [...intent.actions].flatMap((name) => {
    const action = actions[numbers.get(name) ?? -1];
    return action !== undefined && apps.has(action.app) ? [action] : [];
  });
}

/** Lists the numbers of the allowed apps' actions that serve the request. */
function listFitting({ intent, apps }: RankRequest, { actions, byApp }: ActionIndex): number[] {
  const fitting: number[] = [];
  for (const app of apps) {
    for (const number of byApp.get(app) ?? []) {
      const action = actions[number];
      if (action !== undefined && fits(action, intent)) fitting.push(number);
    }
  }
  return fitting;
}

/** Nothing outside the request, unless it is only generic. An action without capabilities may serve what is not understood. */
function fits(action: ListedAction, intent: Intent): boolean {
  if (intent.isGeneric) return true;
  return action.capabilities.length === 0 ? intent.hasOther : isAskedFor(action, intent);
}

function search(text: string, fitting: readonly number[], { actions }: ActionIndex, segment: Segment): ListedAction[] {
  const admitted = new Uint8Array(segment.size);
  for (const number of fitting) admitted[number] = 1;
  return searchTools([{ segment, admitted }], text, MAX_RANKED).flatMap(({ tool }) => actions[tool] ?? []);
}

interface Scored {
  readonly action: ListedAction;
  readonly score: number;
}

/** An action that a capability fits needs no word of the request: “my inbox” has no word of `GMAIL_FETCH_EMAILS`. */
function rankByWords(
  { text, intent }: RankRequest,
  fitting: readonly number[],
  { actions }: ActionIndex,
): ListedAction[] {
  const terms = [...new Set(toTerms(text))].slice(0, MAX_TERMS);
  const scored = fitting.flatMap((number): Scored[] => {
    const action = actions[number];
    if (action === undefined) return [];
    const score = scoreWords(action, terms);
    return score > 0 || (!intent.isGeneric && action.capabilities.length > 0) ? [{ action, score }] : [];
  });
  const isBefore = (one: string, other: string) => one.length - other.length || (one < other ? -1 : 1);
  scored.sort((one, other) => other.score - one.score || isBefore(one.action.action, other.action.action));
  return scored.slice(0, MAX_RANKED).map(({ action }) => action);
}

function scoreWords({ action, description }: ListedAction, terms: readonly string[]): number {
  const inName = new Set(toTerms(action));
  const inDescription = new Set(toTerms(description));
  let score = 0;
  for (const term of terms) score += (inName.has(term) ? IN_NAME : 0) + (inDescription.has(term) ? IN_DESCRIPTION : 0);
  return score;
}
