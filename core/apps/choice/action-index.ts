/** Actions, prepared for searches: the pinned ones of a task, or all of a catalogue. */
import type { JsonSchema } from "../../lib/json-schema/json-schema.ts";
import { mergeSegments, type SegmentPart } from "../../lib/tool-search/merge-segments.ts";
import type { NamedSegment } from "../../lib/tool-search/segment-file.ts";
import type { Segment } from "../../lib/tool-search/segment.ts";
import { createToolList, type ListedTool, type ToolList } from "../../lib/tool-search/tool-list.ts";
import type { ListedAction } from "../../ports/app-catalogue.ts";
import { toSearched } from "./action-segment.ts";

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
  /**
   * Builds the search index, in portions, after which searches use it. Every call waits for the same one. If all parts
   * are compiled it is built before the call returns.
   */
  build(): Promise<void>;
}

/** Some of the actions, by number, and their compiled index; null: it has to be built. */
export interface IndexPart {
  readonly actions: readonly number[];
  readonly compiled: NamedSegment | null;
}

/** How the search index of actions is made. */
export interface IndexOptions {
  /**
   * Reads an action's input. Without it, the search knows the names of parameters alone, because the list of all actions
   * has no schemas.
   */
  readonly getInput?: (action: ListedAction) => JsonSchema;
  /** Each action and each app is in one part. Without it all are one part that is not compiled. */
  readonly parts?: readonly IndexPart[];
}

/** An action as the search reads it. */
interface SearchedAction extends ListedTool {
  readonly listed: ListedAction;
}

/** Indexes actions. */
export function indexActions(
  actions: readonly ListedAction[],
  { getInput = toInput, parts }: IndexOptions = {},
): ActionIndex {
  const byApp = new Map<string, number[]>();
  const capabilities = new Map<string, readonly string[]>();
  const capabilitiesOf = new Uint16Array(actions.length);
  const lists = new Map<string, number>();
  for (const [number, action] of actions.entries()) {
    const known = byApp.get(action.app);
    if (known === undefined) byApp.set(action.app, [number]);
    else known.push(number);
    const key = action.capabilities.join(" ");
    const list = lists.get(key) ?? lists.size;
    lists.set(key, list);
    capabilities.set(key, action.capabilities);
    capabilitiesOf[number] = list;
  }
  const numbers = new Map(actions.map(({ action }, number) => [action, number]));
  // Compiled indexes are dropped with their parts once they are joined.
  let open: readonly OpenPart[] = [];
  let opening: readonly IndexPart[] | null = parts ?? [{ actions: [...actions.keys()], compiled: null }];
  let segment: Segment | null = null;
  return {
    actions,
    numbers,
    byApp,
    capabilities: [...capabilities.values()],
    capabilitiesOf,
    segment: () => segment,
    async build() {
      if (opening !== null) open = openParts({ actions, numbers, getInput }, opening);
      opening = null;
      const made: SegmentPart[] = [];
      for (const { index, numbers: ofPart } of open) {
        const built = "segment" in index ? await index.segment() : index;
        made.push({ segment: built, numbers: ofPart });
      }
      segment ??= mergeSegments(made, actions.length);
      open = [];
    },
  };
}

/** A part with its compiled index, or with the list from which it is built. */
interface OpenPart extends Pick<SegmentPart, "numbers"> {
  readonly index: Segment | ToolList;
}

function openParts(
  { actions, numbers, getInput }: Pick<ActionIndex, "actions" | "numbers"> & Required<Pick<IndexOptions, "getInput">>,
  parts: readonly IndexPart[],
): OpenPart[] {
  return parts.map(({ actions: ofPart, compiled }) => {
    if (compiled !== null) {
      const own = new Set(ofPart);
      const found = compiled.names.map((name) => numbers.get(name) ?? -1);
      return { index: compiled.segment, numbers: Int32Array.from(found, (number) => (own.has(number) ? number : -1)) };
    }
    const searched = ofPart.flatMap((number): SearchedAction[] => {
      const listed = actions[number];
      return listed === undefined ? [] : [{ ...toSearched(listed), listed }];
    });
    return { index: createToolList(searched, ({ listed }) => getInput(listed)), numbers: Int32Array.from(ofPart) };
  });
}

function toInput({ parameters }: ListedAction): JsonSchema {
  return { properties: Object.fromEntries(parameters.map((name) => [name, NOTHING_SAID])) };
}
const NOTHING_SAID = {};
