/** The choice of actions over any tools, as if each tool were an action of the app of its toolbox; and `find_tools` over these. */
import { indexActions } from "../../core/apps/choice/action-index.ts";
import { readIntent } from "../../core/apps/intent/intent.ts";
import { judgeAction } from "../../core/apps/effects/judge.ts";
import { rankActions } from "../../core/apps/choice/rank.ts";
import { searchTools } from "../../core/lib/tool-search/search.ts";
import { type SearchableTool, SegmentBuilder } from "../../core/lib/tool-search/segment.ts";
import type { ListedAction } from "../../core/ports/app-catalogue.ts";

/** Returns the numbers of the best tools, the best first. */
export type Search = (text: string, limit: number) => readonly number[];

/** Opens both searches. They know the same of an action: its name, description, app, and parameters. */
export async function openChoice(
  tools: readonly SearchableTool[],
): Promise<{ readonly choose: Search; readonly find: Search }> {
  const actions = tools.map(toAction);
  const numbers = new Map(actions.map((action, number) => [action, number]));
  const inputs = new Map(actions.map((action, number) => [action, toInput(tools[number])]));
  const index = indexActions(actions, { getInput: (action) => inputs.get(action) ?? {} });
  await index.build();
  const apps = new Set(index.byApp.keys());
  const segment = new SegmentBuilder(tools.length, (number) => toTool(tools[number], actions[number])).build();
  return {
    choose(text, limit) {
      const { actions: ranked } = rankActions({ text, intent: readIntent([text]), apps }, index);
      return ranked.slice(0, limit).flatMap((action) => numbers.get(action) ?? []);
    },
    find: (text, limit) => searchTools([{ segment, admitted: null }], text, limit).map(({ tool }) => tool),
  };
}

function toAction({ name, summary, toolbox, category, parameters }: SearchableTool): ListedAction {
  const app = toSlug(toolbox).toLowerCase() || "app";
  const described = {
    action: `${app}_${toSlug(name)}`.toUpperCase(),
    app,
    title: name,
    description: summary,
    tags: [category],
  };
  return {
    ...described,
    ...judgeAction(described),
    isOpen: false,
    parameters: parameters.map((parameter) => parameter.name),
  };
}

/** As a task has an action as a tool. */
function toTool(tool: SearchableTool | undefined, action: ListedAction | undefined): SearchableTool | null {
  if (tool === undefined || action === undefined) return null;
  return { ...tool, name: `composio_${action.action}`, toolbox: `app:${action.app}`, category: "api" };
}

function toInput(tool: SearchableTool | undefined): { readonly properties: Readonly<Record<string, unknown>> } {
  const described = (tool?.parameters ?? []).map(({ name, description }) => [name, { description }] as const);
  return { properties: Object.fromEntries(described) };
}

function toSlug(text: string): string {
  const apart = text.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll(/[^A-Za-z0-9]+/g, "_");
  return apart.replaceAll(/^_|_$/g, "");
}
