/**
 * The order of actions for a request, by the first of three tiers that finds any: names in the request, the search over
 * all fields, then words of names and descriptions. Pure; `resolve.ts` reads the schemas of the best.
 */
import { searchTools } from "../../lib/tool-search/search.ts";
import type { Segment } from "../../lib/tool-search/segment.ts";
import { toTerms } from "../../lib/tool-search/words.ts";
import type { ListedAction } from "../../ports/app-catalogue.ts";
import type { ActionIndex } from "./action-index.ts";
import type { Intent } from "../intent/intent.ts";
import { orderFound, type RatedAction } from "./order-found.ts";
import { isInside, isReading } from "../intent/serve-intent.ts";

/** How actions were found. `none`: no action of the allowed apps fits. */
export type Strategy = "exact_lookup" | "sdk_search" | "cache_ranked" | "none";

/** A request, and the apps that it may use. */
export interface RankRequest {
  /** The words of the task's actors. */
  readonly text: string;
  readonly intent: Intent;
  /** The apps that the agent and its caller may use. */
  readonly apps: ReadonlySet<string>;
  /** True for an action that the agent may call. Absent: it may call every action of these apps. */
  readonly admits?: (action: ListedAction) => boolean;
}

export interface Ranked {
  readonly strategy: Strategy;
  /** The best first; more than are chosen, because some may have an invalid schema. */
  readonly actions: readonly ListedAction[];
}

/** The most ranked actions. */
const MAX_RANKED = 120;
/** With fewer found actions inside the request than this, those that only a capability fits follow them. */
const FEW = 6;
/** Weights of a word in a name and in a description. */
const [IN_NAME, IN_DESCRIPTION] = [3, 1];
/** The most different terms of a request that are compared. */
const MAX_TERMS = 40;

/** Ranks actions. The third tier answers while the search index is not built, and where a capability fits and no word does. */
export function rankActions(request: RankRequest, index: ActionIndex): Ranked {
  const named = findNamed(request, index);
  if (named.length > 0) return { strategy: "exact_lookup", actions: named };
  const fitting = listFitting(request, index);
  const segment = index.segment();
  if (segment === null) return toRanked("cache_ranked", rankByWords(request, fitting, index));
  const found = search(request, fitting, index, segment);
  const inside = found.filter(({ capabilities }) => isInside(capabilities, request.intent));
  if (inside.length >= FEW) return toRanked("sdk_search", found);
  const outside = found.filter((action) => !inside.includes(action));
  const others = listCapable(request, fitting, index).filter((action) => !inside.includes(action));
  return toRanked(inside.length > 0 ? "sdk_search" : "cache_ranked", [...inside, ...others, ...outside]);
}

/** What one tier finds. */
interface Tier {
  readonly tier: Exclude<Strategy, "none">;
  readonly actions: readonly ListedAction[];
}

/** Returns what each tier finds for a request, whether it is used or not: for an administrator. */
export function listTiers(request: RankRequest, index: ActionIndex): Tier[] {
  const fitting = listFitting(request, index);
  const segment = index.segment();
  return [
    { tier: "exact_lookup", actions: findNamed(request, index) },
    { tier: "sdk_search", actions: segment === null ? [] : search(request, fitting, index, segment) },
    { tier: "cache_ranked", actions: rankByWords(request, fitting, index) },
  ];
}

function toRanked(strategy: Strategy, actions: readonly ListedAction[]): Ranked {
  return { strategy: actions.length === 0 ? "none" : strategy, actions: actions.slice(0, MAX_RANKED) };
}

/** Finds the actions that the request names. An app whose name begins another's does not get the other's actions. */
function findNamed({ intent, apps, admits }: RankRequest, { actions, numbers }: ActionIndex): ListedAction[] {
  return [...intent.actions].flatMap((name) => {
    const action = actions[numbers.get(name) ?? -1];
    return action !== undefined && apps.has(action.app) && admits?.(action) !== false ? [action] : [];
  });
}

/** Lists the numbers of the allowed apps' actions that serve the request. */
function listFitting({ intent, apps, admits }: RankRequest, index: ActionIndex): number[] {
  const { actions, byApp, capabilities, capabilitiesOf } = index;
  const fit = capabilities.map((one) => fits(one, intent));
  const mayUse = (number: number): boolean => {
    const action = actions[number];
    return action !== undefined && admits?.(action) !== false;
  };
  return [...apps].flatMap((app) =>
    (byApp.get(app) ?? []).filter((number) => fit[capabilitiesOf[number] ?? -1] === true && mayUse(number)),
  );
}

/** Nothing outside the request that does more than read. */
function fits(capabilities: readonly string[], intent: Intent): boolean {
  return isInside(capabilities, intent) || isReading(capabilities);
}

function search(
  request: RankRequest,
  fitting: readonly number[],
  { actions }: ActionIndex,
  segment: Segment,
): ListedAction[] {
  const admitted = new Uint8Array(segment.size);
  for (const number of fitting) admitted[number] = 1;
  const found = searchTools([{ segment, admitted }], request.text, MAX_RANKED).flatMap(
    ({ tool, rating }): RatedAction[] => {
      const action = actions[tool];
      return action === undefined ? [] : [{ action, rating }];
    },
  );
  return orderFound(found, request.text, request.intent);
}

interface Scored {
  readonly action: ListedAction;
  readonly score: number;
}

/** Lists the actions that a capability fits. “My inbox” has no word of `GMAIL_FETCH_EMAILS`. */
function listCapable({ intent }: RankRequest, fitting: readonly number[], { actions }: ActionIndex): ListedAction[] {
  if (intent.isGeneric) return [];
  const capable = fitting
    .flatMap((number) => actions[number] ?? [])
    .filter(({ capabilities }) => capabilities.length > 0 && isInside(capabilities, intent));
  return capable.sort((one, other) => compareNames(one.action, other.action));
}

function rankByWords(request: RankRequest, fitting: readonly number[], index: ActionIndex): ListedAction[] {
  const terms = [...new Set(toTerms(request.text))].slice(0, MAX_TERMS);
  const scored = fitting.flatMap((number): Scored[] => {
    const action = index.actions[number];
    const score = action === undefined ? 0 : scoreWords(action, terms);
    return action === undefined || score === 0 ? [] : [{ action, score }];
  });
  scored.sort((one, other) => other.score - one.score || compareNames(one.action.action, other.action.action));
  return scored.length > 0 ? scored.map(({ action }) => action) : listCapable(request, fitting, index);
}

/** A short name is the plain case of a longer one. */
function compareNames(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}

function scoreWords({ action, description }: ListedAction, terms: readonly string[]): number {
  const inName = new Set(toTerms(action));
  const inDescription = new Set(toTerms(description));
  let score = 0;
  for (const term of terms) score += (inName.has(term) ? IN_NAME : 0) + (inDescription.has(term) ? IN_DESCRIPTION : 0);
  return score;
}
