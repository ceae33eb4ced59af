/** What a new task gets of its apps: the actions that its requests show, the hints, and what was asked for. Pure. */
import { ok, type Result } from "../../base/errors.ts";
import type { PatternsPort } from "../../lib/patterns.ts";
import { measureTokens } from "../../model/tokens.ts";
import type { ToolSpec } from "../../ports/model.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Tool } from "../../tool/tool.ts";
import { formatHints } from "./hints.ts";
import { type Intent, readIntent } from "../intent/intent.ts";
import type { PinnedActions } from "./pinned-actions.ts";
import type { RankRequest } from "./rank.ts";
import { type Resolution, resolveActions } from "./resolve.ts";
import { readDates, readTaskIntent, type TaskApps, type WrittenAt } from "../intent/task-apps.ts";

/** The most tokens of the specs of actions that a request shows. */
export const MAX_SHOWN_TOKENS = 600;
/** What the wire adds to a spec. */
const TOKENS_PER_SPEC = 8;

/** A new task. */
export interface ChoiceRequest {
  /** The words of its actors, the first text first. */
  readonly texts: readonly string[];
  readonly writtenAt: WrittenAt;
  /** True for a task of a schedule, a hook or a skill. */
  readonly isRecipe: boolean;
  /** The apps that its agent may use, with an account or without a need of one. */
  readonly usable: ReadonlySet<string>;
  /** The apps that a person could connect for it. */
  readonly unconnected: ReadonlySet<string>;
  /** True for a tool that the agent may call. */
  readonly mayCall: (tool: Tool) => boolean;
}

export interface ChoiceSources {
  readonly actions: PinnedActions;
  readonly patterns: PatternsPort;
  readonly clock: Clock;
  readonly specOf: (tool: Tool) => ToolSpec;
}

export interface ChosenActions {
  readonly apps: TaskApps;
  readonly resolution: Resolution;
  /** What was ranked, for an explanation (`listTiers`). */
  readonly ranked: RankRequest;
}

/** Chooses the actions of a task. Its texts may be empty: then it has none, and finds them by search. */
export async function chooseActions(request: ChoiceRequest, sources: ChoiceSources): Promise<Result<ChosenActions>> {
  const { texts, writtenAt, isRecipe } = request;
  const { actions: pinned, specOf } = sources;
  const intent = readIntent(texts);
  const ranked = toRankRequest(request, intent, pinned);
  const resolved = await resolvePinned({ ...ranked, unconnected: request.unconnected }, sources);
  if (!resolved.ok) return resolved;
  const tools = resolved.value.actions.flatMap(({ action }) => pinned.byAction.get(action)?.tool ?? []);
  const shown = chooseShown(tools, specOf);
  const names = new Set(shown.names);
  const nameOf = (action: string) => pinned.byAction.get(action)?.tool.name ?? action;
  const hints = formatHints({
    actions: resolved.value.actions.filter(({ action }) => !names.has(nameOf(action))),
    texts,
    intent,
    isRecipe,
    suggestedApps: resolved.value.suggestedApps,
    dates: readDates(texts, writtenAt),
    shownTokens: shown.tokens,
    nameOf: ({ action }) => nameOf(action),
  });
  const apps = { intent: readTaskIntent(texts, writtenAt), shown: shown.names, hints };
  return ok({ apps, resolution: resolved.value, ranked });
}

/** What is ranked for the words of a request: the actions that may be called. */
export function toRankRequest(
  { texts, usable, mayCall }: Pick<ChoiceRequest, "texts" | "usable" | "mayCall">,
  intent: Intent,
  pinned: PinnedActions,
): RankRequest {
  const admits = ({ action }: { readonly action: string }) => {
    const found = pinned.byAction.get(action);
    return found !== undefined && mayCall(found.tool);
  };
  return { text: texts.join("\n"), intent, apps: usable, admits };
}

/** Finds the pinned actions that fit the words of a request. */
export async function resolvePinned(
  request: RankRequest & Pick<ChoiceRequest, "unconnected">,
  { actions: pinned, patterns, clock }: Omit<ChoiceSources, "specOf">,
): Promise<Result<Resolution>> {
  const snapshot = { actionsOf: async (app: string) => await Promise.resolve(ok(pinned.byApp.get(app) ?? [])) };
  return await resolveActions(request, { index: pinned.index, snapshot, patterns, clock });
}

/** Takes the best tools whose specs fit together. A large one is left to the hints and the search. */
function chooseShown(tools: readonly Tool[], specOf: ChoiceSources["specOf"]): { names: string[]; tokens: number } {
  const names: string[] = [];
  let tokens = 0;
  for (const tool of tools) {
    const needed = measureTokens(JSON.stringify(specOf(tool))) + TOKENS_PER_SPEC;
    if (tokens + needed > MAX_SHOWN_TOKENS) continue;
    tokens += needed;
    names.push(tool.name);
  }
  return { names, tokens };
}
