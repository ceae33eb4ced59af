/**
 * The choice of a task's actions, made once when the task is created, so that the start of its prompt stays the same.
 * Called by `choose-actions.ts`; the account of each call is chosen later, by the account stage.
 */
import { ok, type Result } from "../../base/errors.ts";
import { compileSchema } from "../../lib/json-schema/compile.ts";
import type { PatternsPort } from "../../lib/patterns.ts";
import type { CatalogueAction, CatalogueSnapshot, ListedAction } from "../../ports/app-catalogue.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ActionIndex } from "./action-index.ts";
import { rankActions, type RankRequest, type Strategy } from "./rank.ts";
import { isInside } from "../intent/serve-intent.ts";

/** The most actions of a task, apps of them, and actions of one app. Named actions are limited by the first alone. */
export const MAX_ACTIONS = 30;
const MAX_APPS = 12;
const MAX_OF_APP = 6;
/** The most apps that are suggested although they are not connected. */
const MAX_SUGGESTED = 3;

export interface ResolveRequest extends RankRequest {
  /** Apps that the agent may use and that nobody connected. */
  readonly unconnected: ReadonlySet<string>;
}

/** Where actions and their schemas are. */
export interface ResolveSources {
  readonly index: ActionIndex;
  readonly snapshot: Pick<CatalogueSnapshot, "actionsOf">;
  readonly patterns: PatternsPort;
  readonly clock: Clock;
}

export interface Resolution {
  /** The best first. */
  readonly actions: readonly CatalogueAction[];
  /** Their names. */
  readonly actionSet: ReadonlySet<string>;
  /** Their apps, in the order of the first action of each. */
  readonly appNames: readonly string[];
  /** Apps that could serve the request and are not connected. */
  readonly suggestedApps: readonly string[];
  readonly strategy: Strategy;
  readonly searchMs: number;
}

/**
 * Chooses the actions of a task. An action with an invalid schema is left out, and the next one takes its position.
 * Fails as `actionsOf` does; the task then has no actions of its own, and finds them by search.
 */
export async function resolveActions(request: ResolveRequest, sources: ResolveSources): Promise<Result<Resolution>> {
  const begun = sources.clock.now();
  const { strategy, actions: ranked } = rankActions(request, sources.index);
  const isNamed = strategy === "exact_lookup";
  const schemas = new SchemaReader(sources);
  let chosen = choose(ranked, isNamed);
  for (;;) {
    const read = await schemas.read(chosen);
    if (!read.ok) return read;
    if (read.value === 0) break;
    chosen = choose(
      ranked.filter(({ action }) => !schemas.isInvalid(action)),
      isNamed,
    );
  }
  const actions = chosen.flatMap(({ action }) => schemas.find(action) ?? []);
  return ok({
    actions,
    actionSet: new Set(actions.map(({ action }) => action)),
    appNames: [...new Set(actions.map(({ app }) => app))],
    suggestedApps: suggestApps(request, sources.index),
    strategy,
    searchMs: sources.clock.now() - begun,
  });
}

/** Takes the first actions within the limits. */
function choose(ranked: readonly ListedAction[], isNamed: boolean): ListedAction[] {
  if (isNamed) return ranked.slice(0, MAX_ACTIONS);
  const counts = new Map<string, number>();
  const chosen: ListedAction[] = [];
  for (const action of ranked) {
    const count = counts.get(action.app) ?? 0;
    if (count === MAX_OF_APP || (count === 0 && counts.size === MAX_APPS)) continue;
    counts.set(action.app, count + 1);
    chosen.push(action);
    if (chosen.length === MAX_ACTIONS) break;
  }
  return chosen;
}

/** Reads the schemas of actions, those of an app together. */
class SchemaReader {
  readonly #sources: ResolveSources;
  readonly #byApp = new Map<string, ReadonlyMap<string, CatalogueAction>>();
  /** True for a valid schema. */
  readonly #judged = new Map<string, boolean>();

  constructor(sources: ResolveSources) {
    this.#sources = sources;
  }

  /** Reads and checks those that are new; returns how many are invalid. */
  async read(actions: readonly ListedAction[]): Promise<Result<number>> {
    const missing = [...new Set(actions.map(({ app }) => app))].filter((app) => !this.#byApp.has(app));
    const read = await Promise.all(missing.map(async (app) => await this.#sources.snapshot.actionsOf(app)));
    for (const [at, app] of missing.entries()) {
      const found = read[at];
      if (found === undefined) continue;
      if (!found.ok) return found;
      this.#byApp.set(app, new Map(found.value.map((action) => [action.action, action])));
    }
    const added = actions.filter(({ action }) => !this.#judged.has(action));
    for (const action of added) this.#judged.set(action.action, this.#isValid(action));
    return ok(added.filter(({ action }) => this.isInvalid(action)).length);
  }

  isInvalid(action: string): boolean {
    return this.#judged.get(action) === false;
  }

  find(action: string): CatalogueAction | null {
    for (const actions of this.#byApp.values()) {
      const found = actions.get(action);
      if (found !== undefined) return found;
    }
    return null;
  }

  #isValid({ action, app }: ListedAction): boolean {
    const found = this.#byApp.get(app)?.get(action);
    return found?.input["type"] === "object" && compileSchema(found.input, this.#sources.patterns).ok;
  }
}

function suggestApps(request: ResolveRequest, index: ActionIndex): string[] {
  if (request.unconnected.size === 0) return [];
  const { actions } = rankActions({ ...request, apps: request.unconnected }, index);
  const inside = actions.filter(({ capabilities }) => isInside(capabilities, request.intent));
  return [...new Set(inside.map(({ app }) => app))].slice(0, MAX_SUGGESTED);
}
