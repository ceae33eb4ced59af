/**
 * Formats the hints of a new task (a part of its system message, written once from the actions that `resolve.ts` chose) and
 * the note after a message. Names and descriptions come from a provider, so each is one line without control characters and
 * brackets.
 */
import { estimateTokens } from "../../model/tokens.ts";
import type { CatalogueAction } from "../../ports/app-catalogue.ts";
import type { Intent } from "../intent/intent.ts";
import { listParameters } from "../parameters.ts";
import type { DateRange } from "../intent/relative-dates.ts";
import { countKeywords, readKeywords, scoreForIntent } from "../intent/score.ts";

/** The most tokens of the hints and of the shown specs of the actions, together. */
const MAX_TOKENS = 800;
/** The most hinted actions, and parameters of one. */
const MAX_HINTED = 15;
/** The same for the note after a message. Each message of a task adds one to its conversation. */
const MAX_OF_MESSAGE = 5;
const MAX_MESSAGE_TOKENS = 250;
const MAX_PARAMETERS = 5;
/** The most characters of a purpose and of another name. */
const MAX_PURPOSE = 100;
const MAX_NAME = 64;

export interface HintRequest {
  /** The resolved actions, the best first. */
  readonly actions: readonly CatalogueAction[];
  /** The words of the task's actors. */
  readonly texts: readonly string[];
  readonly intent: Intent;
  /** True for a task of a schedule, a hook or a skill, whose words somebody chose with care: they alone count. */
  readonly isRecipe: boolean;
  /** The names of apps that could serve and are not connected. */
  readonly suggestedApps: readonly string[];
  readonly dates: readonly DateRange[];
  /** The tokens of the specs of those actions that the request shows as tools. */
  readonly shownTokens: number;
  /** The name under which the task has an action as a tool. */
  readonly nameOf: (action: CatalogueAction) => string;
}

/** Formats the hints; empty if there is nothing to say. Actions that do not fit the tokens are left out, the last ones first. */
export function formatHints(request: HintRequest): string {
  return formatWithin(request, { head: HEAD, actions: MAX_HINTED, tokens: MAX_TOKENS - request.shownTokens });
}

/** Formats the note after a message to a running task; empty if there is nothing to say. */
export function formatMessageHints(request: Omit<HintRequest, "isRecipe" | "shownTokens">): string {
  const text = formatWithin(
    { ...request, isRecipe: false },
    { head: MESSAGE_HEAD, actions: MAX_OF_MESSAGE, tokens: MAX_MESSAGE_TOKENS },
  );
  return text === "" ? "" : `${NOTE}${text}`;
}

interface HintLimits {
  readonly head: string;
  readonly actions: number;
  readonly tokens: number;
}

function formatWithin(request: Omit<HintRequest, "shownTokens">, limits: HintLimits): string {
  const { suggestedApps, dates, nameOf } = request;
  const last = [formatSuggestion(suggestedApps), ...dates.map(formatDates)].filter((line) => line !== "");
  const lines = chooseHinted(request)
    .slice(0, limits.actions)
    .map((action) => formatAction(nameOf(action), action));
  for (;;) {
    const text = [...(lines.length > 0 ? [limits.head, ...lines] : []), ...last].join("\n");
    if (estimateTokens(text) <= limits.tokens) return text;
    if (lines.pop() === undefined && last.pop() === undefined) return "";
  }
}

const HEAD = "Actions of connected apps that fit this task, called like tools:";
const MESSAGE_HEAD = "Actions of connected apps that fit this message, called like tools:";
/** What begins a note after a message: the person did not write it. */
const NOTE = "Note of Otto. ";

/** Chat: what the request asks for, else shared words, else the best of the search. Recipe: shared words alone. */
function chooseHinted({ actions, texts, intent, isRecipe }: Omit<HintRequest, "shownTokens">): CatalogueAction[] {
  const keywords = readKeywords(texts);
  const byWords = orderBy(actions, (action) => countKeywords(action, keywords));
  if (isRecipe) return byWords.slice(0, MAX_HINTED);
  const capable = intent.isGeneric
    ? []
    : actions.filter(({ capabilities }) => capabilities.some((one) => intent.capabilities.has(one)));
  const chosen = [orderBy(capable, (action) => scoreForIntent(action, intent, keywords)), byWords, actions];
  return chosen.find(({ length }) => length > 0)?.slice(0, MAX_HINTED) ?? [];
}

/** Returns those with a score, the highest first; of equals the better found. */
function orderBy(actions: readonly CatalogueAction[], score: (action: CatalogueAction) => number): CatalogueAction[] {
  const scored = actions.map((action) => ({ action, score: score(action) })).filter((one) => one.score > 0);
  return scored.toSorted((one, other) => other.score - one.score).map(({ action }) => action);
}

function formatAction(name: string, { description, title, input }: CatalogueAction): string {
  const purpose = toLine(description.split(/(?<=[.!?])\s/, 1)[0] ?? title, MAX_PURPOSE).replace(/[.!?]$/, "");
  const parameters = listParameters(input)
    .slice(0, MAX_PARAMETERS)
    .map((parameter) => toLine(parameter, MAX_NAME));
  return `- ${toLine(name, MAX_NAME)}: ${purpose}${parameters.length > 0 ? ` (${parameters.join(", ")})` : ""}`;
}

function formatSuggestion(apps: readonly string[]): string {
  if (apps.length === 0) return "";
  const named = apps.map((app) => toLine(app, MAX_NAME)).join(", ");
  return `Could do this, not connected: ${named}. Ask for it with request_connection.`;
}

function formatDates({ phrase, from, to }: DateRange): string {
  return from === to ? `“${phrase}” is ${from}.` : `“${phrase}” is ${from} to ${to}.`;
}

/** Returns a text as a part of a line: without line breaks, control characters and brackets. */
function toLine(text: string, most: number): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}[\]<>]/gu, " ").replaceAll(/\s+/g, " ");
  return plain.trim().slice(0, most).toWellFormed();
}
