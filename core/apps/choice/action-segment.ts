/**
 * The search index of an app's actions, compiled when its tools are published. An isolate joins those of a task's apps and
 * does not build one. The same fields are read here and where an index is built.
 */
import type { JsonSchema } from "../../lib/json-schema/json-schema.ts";
import type { NamedSegment } from "../../lib/tool-search/segment-file.ts";
import { SegmentBuilder } from "../../lib/tool-search/segment.ts";
import { type ListedTool, listParameters } from "../../lib/tool-search/tool-list.ts";
import type { ListedAction } from "../../ports/app-catalogue.ts";
import type { OutsideTool } from "../../tool/source.ts";
import { splitActionName } from "../effects/action-words.ts";

type SearchedFields = Pick<ListedAction, "action" | "app" | "title" | "description" | "capabilities">;

/** Returns what the search reads of an action. The app is the toolbox: as the start of every name it would only make names longer. */
export function toSearched(action: SearchedFields): ListedTool {
  const { app, title, description, capabilities } = action;
  const summary = description === "" ? title : description;
  return { name: splitActionName(action).join(" "), summary, toolbox: app, category: capabilities.join(" ") };
}

/** Compiles the index of an app's tools, in their order. Null if one of them is no action. */
export function compileActions(tools: readonly OutsideTool[]): NamedSegment | null {
  const actions = tools.flatMap(toCompiled);
  if (actions.length !== tools.length) return null;
  const builder = new SegmentBuilder(actions.length, (number) => {
    const action = actions[number];
    return action === undefined ? null : { ...toSearched(action), parameters: listParameters(action.input) };
  });
  return { names: actions.map(({ action }) => action), segment: builder.build() };
}

function toCompiled({ origin, summary, input }: OutsideTool): (SearchedFields & { readonly input: JsonSchema })[] {
  if (origin.kind !== "app") return [];
  const { action, app, capabilities } = origin;
  return [{ action, app, capabilities, title: "", description: summary, input }];
}
