/** The actions that a task has as tools, as resolution and hints read them. Their names and schemas are the pinned ones. */
import type { CatalogueAction, ListedAction } from "../../ports/app-catalogue.ts";
import type { NamedSegment } from "../../lib/tool-search/segment-file.ts";
import type { Tool } from "../../tool/tool.ts";
import { type ActionIndex, indexActions } from "./action-index.ts";
import { listParameters } from "../parameters.ts";

/** An action, and its tool. */
export interface PinnedAction {
  readonly tool: Tool;
  readonly action: CatalogueAction;
}

/** The actions of tools, indexed for searches. */
export interface PinnedActions {
  readonly index: ActionIndex;
  readonly byAction: ReadonlyMap<string, PinnedAction>;
  readonly byApp: ReadonlyMap<string, readonly CatalogueAction[]>;
}

/**
 * Indexes the actions among tools. Of two tools of one action the first counts. `compiled` has the search indexes of
 * sources by name; those that it lacks are built.
 */
export function indexPinnedActions(
  tools: readonly Tool[],
  compiled: ReadonlyMap<string, NamedSegment> = new Map(),
): PinnedActions {
  const byAction = new Map<string, PinnedAction>();
  const actions: (CatalogueAction & ListedAction)[] = [];
  const bySource = new Map<string, number[]>();
  for (const tool of tools) {
    const action = toAction(tool);
    if (action === null || byAction.has(action.action)) continue;
    byAction.set(action.action, { tool, action });
    const source = tool.written?.source ?? "";
    const ofSource = bySource.get(source);
    if (ofSource === undefined) bySource.set(source, [actions.length]);
    else ofSource.push(actions.length);
    actions.push(action);
  }
  return {
    index: indexActions(actions, {
      getInput: ({ action }) => byAction.get(action)?.action.input ?? {},
      parts: Array.from(bySource, ([source, ofSource]) => ({
        actions: ofSource,
        compiled: compiled.get(source) ?? null,
      })),
    }),
    byAction,
    byApp: Map.groupBy(actions, ({ app }) => app),
  };
}

/** A pinned tool says of its action what the calls and their judgement need; the rest of the catalogue's row is empty. */
function toAction({ action, summary, security, written, app }: Tool): (CatalogueAction & ListedAction) | null {
  if (action === undefined || written === undefined || typeof security === "function") return null;
  return {
    action: action.action,
    app: action.app,
    effect: action.effect,
    capabilities: action.capabilities,
    isDestructive: action.isDestructive,
    title: "",
    description: summary,
    tags: [],
    scopes: [],
    input: written.input,
    output: written.output,
    version: "",
    isOpen: app === undefined,
    security,
    because: "",
    schemaHash: "",
    // Read of the chosen actions alone.
    get parameters() {
      return listParameters(written.input);
    },
  };
}
