/** The search through the tools that a task may use: those inside its envelope, and no others. */
import { ok, type Result } from "../errors.ts";
import type { ToolSpec, ToolsPort } from "../ports.ts";
import { searchTools } from "../tool-search/search.ts";
import type { Searched } from "../tool-search/score.ts";
import type { ToolList } from "../tool-search/tool-list.ts";
import { isSearchTool } from "./shown-tools.ts";
import type { Toolset } from "./toolset.ts";

/** A list with the source that its tools come from; null: they are built in. */
export interface SourcedList {
  readonly source: string | null;
  readonly list: ToolList;
}

type Reach = Pick<Toolset, "resolve" | "names" | "specOf">;

/** By toolset and list: 1 for each tool that the task may use. */
const admitted = new WeakMap<Reach, WeakMap<ToolList, Uint8Array>>();

/** The port of a task's tools. `readLists` gives the lists that the toolset was made of. */
export function openFinder(toolset: Reach, readLists: () => Promise<Result<readonly SourcedList[]>>): ToolsPort {
  return {
    async find(request, limit) {
      const lists = await readLists();
      if (!lists.ok) return lists;
      const searched = await Promise.all(
        lists.value.map(async (sourced): Promise<Searched> => {
          return { segment: await sourced.list.segment(), admitted: admittedOf(toolset, sourced) };
        }),
      );
      const specs = searchTools(searched, request, limit).map(({ segment, tool }): ToolSpec | null => {
        const name = lists.value[segment]?.list.tools[tool]?.name;
        return name === undefined ? null : toolset.specOf(name);
      });
      return ok(specs.filter((spec) => spec !== null));
    },
  };
}

function admittedOf(toolset: Reach, { source, list }: SourcedList): Uint8Array {
  const ofToolset = admitted.get(toolset) ?? new WeakMap<ToolList, Uint8Array>();
  admitted.set(toolset, ofToolset);
  const known = ofToolset.get(list);
  if (known !== undefined) return known;
  const inside = new Set(toolset.names);
  const mask = Uint8Array.from(list.tools, ({ name }) => {
    // A tool that another one of this name stands before is not the one that a call would reach.
    const isThis = (toolset.resolve(name)?.written?.source ?? null) === source;
    return isThis && inside.has(name) && !isSearchTool(name) ? 1 : 0;
  });
  ofToolset.set(list, mask);
  return mask;
}
