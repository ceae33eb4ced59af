/** Actions, prepared for searches: the pinned ones of a task, or all of a catalogue. */
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import type { Segment } from "../lib/tool-search/segment.ts";
import { createToolList, type ListedTool, type ToolList } from "../lib/tool-search/tool-list.ts";
import { splitActionName } from "./action-words.ts";
import type { ListedAction } from "../ports/app-catalogue.ts";

/** An index. An action is its number in `actions`. */
export interface ActionIndex {
  readonly actions: readonly ListedAction[];
  readonly numbers: ReadonlyMap<string, number>;
  readonly byApp: ReadonlyMap<string, readonly number[]>;
  /** The different lists of capabilities, some hundreds, and the one of each action: a request judges a list once. */
  readonly capabilities: readonly (readonly string[])[];
  readonly capabilitiesOf: Uint16Array;
  /** The search index; null until it is built. */
  segment(): Segment | null;
  /** Builds the search index, in portions, after which searches use it. Every call waits for the same one. */
  build(): Promise<void>;
}

/** An action as the search reads it. */
interface SearchedAction extends ListedTool {
  readonly listed: ListedAction;
}

/**
 * Indexes actions. `getInput` reads an action's input; without it, the search knows the names of parameters alone, because the
 * list of all actions has no schemas.
 */
export function indexActions(
  actions: readonly ListedAction[],
  getInput: (action: ListedAction) => JsonSchema = toInput,
): ActionIndex {
  const byApp = new Map<string, number[]>();
  const capabilities = new Map<string, readonly string[]>();
  const capabilitiesOf = new Uint16Array(actions.length);
  const numbers = new Map<string, number>();
  for (const [number, action] of actions.entries()) {
    const known = byApp.get(action.app);
    if (known === undefined) byApp.set(action.app, [number]);
    else known.push(number);
    const key = action.capabilities.join(" ");
    const list = numbers.get(key) ?? numbers.size;
    numbers.set(key, list);
    capabilities.set(key, action.capabilities);
    capabilitiesOf[number] = list;
  }
  let list: ToolList | null = null;
  let segment: Segment | null = null;
  return {
    actions,
    numbers: new Map(actions.map(({ action }, number) => [action, number])),
    byApp,
    capabilities: [...capabilities.values()],
    capabilitiesOf,
    segment: () => segment,
    async build() {
      list ??= createToolList(actions.map(toSearched), ({ listed }) => getInput(listed));
      segment = await list.segment();
    },
  };
}

function toInput({ parameters }: ListedAction): JsonSchema {
  return { properties: Object.fromEntries(parameters.map((name) => [name, NOTHING_SAID])) };
}
const NOTHING_SAID = {};

/** The app is the toolbox: as the start of every name it would only make names longer. */
function toSearched(listed: ListedAction): SearchedAction {
  const { app, title, description, capabilities } = listed;
  const name = splitActionName(listed).join(" ");
  const summary = description === "" ? title : description;
  return { name, summary, toolbox: app, category: capabilities.join(" "), listed };
}
