/** The search through tools: for a task those inside its envelope, and no others. */
import { ok, type Result } from "../base/errors.ts";
import type { ToolSearchPort } from "../ports/tool-search.ts";
import { searchTools } from "../lib/tool-search/search.ts";
import type { Searched } from "../lib/tool-search/score.ts";
import type { ToolList } from "../lib/tool-search/tool-list.ts";
import type { Tool } from "../tool/tool.ts";
import { isSearchTool } from "./shown-tools.ts";
import type { Toolset } from "./toolset.ts";

/** A list with the source that its tools come from; null: they are built in. */
export interface SourcedList {
  readonly source: string | null;
  readonly list: ToolList;
}

/** Which tools may be found: those of `names`, each the tool that its name means. */
export interface Reach {
  resolve(name: string): Pick<Tool, "written"> | null;
  readonly names: readonly string[];
}

/** By reach and list: 1 for each tool of the list that may be found. */
const masks = new WeakMap<Reach, WeakMap<ToolList, Uint8Array>>();

const reaches = new WeakMap<Pick<Toolset, "resolve" | "names">, Reach>();

/** The port of a task's tools. `readLists` gives the lists that the toolset was made of. */
export function openToolSearch(
  toolset: Pick<Toolset, "resolve" | "names" | "specOf">,
  readLists: () => Promise<Result<readonly SourcedList[]>>,
): ToolSearchPort {
  return {
    async find(request, limit) {
      const lists = await readLists();
      if (!lists.ok) return lists;
      const found = await findTools(lists.value, reachOf(toolset), request, limit);
      return ok(found.flatMap((name) => toolset.specOf(name) ?? []));
    },
  };
}

/** The names of at most `limit` tools that fit a request, the best first. */
export async function findTools(
  lists: readonly SourcedList[],
  reach: Reach,
  request: string,
  limit: number,
): Promise<string[]> {
  const searched = await Promise.all(
    lists.map(async (sourced): Promise<Searched> => {
      return { segment: await sourced.list.segment(), admitted: maskOf(reach, sourced) };
    }),
  );
  const found = searchTools(searched, request, limit);
  return found.flatMap(({ segment, tool }) => lists[segment]?.list.tools[tool]?.name ?? []);
}

/** A toolset's reach, the same one each time: the masks are kept under it. */
function reachOf(toolset: Pick<Toolset, "resolve" | "names">): Reach {
  const known = reaches.get(toolset);
  if (known !== undefined) return known;
  const names = toolset.names.filter((name) => !isSearchTool(name));
  const reach = { resolve: (name: string) => toolset.resolve(name), names };
  reaches.set(toolset, reach);
  return reach;
}

function maskOf(reach: Reach, { source, list }: SourcedList): Uint8Array {
  const ofReach = masks.get(reach) ?? new WeakMap<ToolList, Uint8Array>();
  masks.set(reach, ofReach);
  const known = ofReach.get(list);
  if (known !== undefined) return known;
  const inside = new Set(reach.names);
  const mask = Uint8Array.from(list.tools, ({ name }) => {
    // A tool that another one of this name stands before is not the one that a call would reach.
    const isThis = (reach.resolve(name)?.written?.source ?? null) === source;
    return isThis && inside.has(name) ? 1 : 0;
  });
  ofReach.set(list, mask);
  return mask;
}
