/** The actions of one snapshot of the catalogue, prepared for searches: built once, and shared by all tenants of an isolate. */
import type { Segment } from "../lib/tool-search/segment.ts";
import { createToolList, type ListedTool, type ToolList } from "../lib/tool-search/tool-list.ts";
import type { ListedAction } from "../ports/app-catalogue.ts";

/** An index. An action is its number in `actions`. */
export interface ActionIndex {
  readonly actions: readonly ListedAction[];
  readonly numbers: ReadonlyMap<string, number>;
  readonly byApp: ReadonlyMap<string, readonly number[]>;
  /** Builds the search index at the first call, in portions. */
  segment(): Promise<Segment>;
}

/** An action as the search reads it. */
interface SearchedAction extends ListedTool {
  readonly parameters: readonly string[];
}

/** Indexes actions. Called by the isolate that loaded a snapshot (`resolveActions`). */
export function indexActions(actions: readonly ListedAction[]): ActionIndex {
  const byApp = new Map<string, number[]>();
  for (const [number, { app }] of actions.entries()) {
    const known = byApp.get(app);
    if (known === undefined) byApp.set(app, [number]);
    else known.push(number);
  }
  let list: ToolList | null = null;
  return {
    actions,
    numbers: new Map(actions.map(({ action }, number) => [action, number])),
    byApp,
    async segment() {
      list ??= createToolList(actions.map(toSearched), ({ parameters }) => ({
        properties: Object.fromEntries(parameters.map((name) => [name, {}])),
      }));
      return await list.segment();
    },
  };
}

function toSearched({ action, app, title, description, capabilities, parameters }: ListedAction): SearchedAction {
  const category = capabilities.join(" ");
  return { name: action, summary: `${title}. ${description}`, toolbox: app, category, parameters };
}
