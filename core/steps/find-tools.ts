/** The search for tools. For a task, it finds only the tools inside its envelope. */
import { ok, type Result } from "../base/errors.ts";
import type { AppConnectionsPort } from "../ports/app-connections.ts";
import type { ToolSearchPort } from "../ports/tool-search.ts";
import { searchTools } from "../lib/tool-search/search.ts";
import type { Searched } from "../lib/tool-search/score.ts";
import type { ToolList } from "../lib/tool-search/tool-list.ts";
import type { Tool } from "../tool/tool.ts";
import type { Toolset } from "./toolset.ts";

/** A list of tools with its source; null for built-in tools. */
export interface SourcedList {
  readonly source: string | null;
  readonly list: ToolList;
}

/** The tools that may be found: those of `names`, each resolved by its name. */
export interface Reach {
  resolve(name: string): Pick<Tool, "written"> | null;
  readonly names: readonly string[];
}

/** Cached masks by reach and list: 1 for each tool of the list that may be found. */
const masks = new WeakMap<Reach, WeakMap<ToolList, Uint8Array>>();

const reaches = new WeakMap<Pick<Toolset, "resolve" | "findable">, Reach>();

/** Found tools of apps that are not connected take no position of others. */
const MORE_WITH_APPS = 3;
/** The most unconnected apps that a search names. */
const MAX_UNCONNECTED = 3;

/**
 * Opens the search port of a task's tools. `readLists` returns the lists of the toolset. `apps`: the apps of the task;
 * absent: none.
 */
export function openToolSearch(
  toolset: Pick<Toolset, "resolve" | "findable" | "specOf">,
  readLists: () => Promise<Result<readonly SourcedList[]>>,
  apps?: AppConnectionsPort,
): ToolSearchPort {
  return {
    async find(request, limit) {
      const lists = await readLists();
      if (!lists.ok) return lists;
      const most = apps === undefined ? limit : limit * MORE_WITH_APPS;
      const found = await findTools(lists.value, getReach(toolset), request, most);
      const unconnected = apps === undefined ? [] : await findUnconnected(found, toolset, apps);
      const usable = found.filter((name) => !unconnected.includes(toolset.resolve(name)?.action?.app ?? ""));
      return ok({
        tools: usable.slice(0, limit).flatMap((name) => toolset.specOf(name) ?? []),
        unconnected: unconnected.slice(0, MAX_UNCONNECTED),
      });
    },
  };
}

/** Returns the apps of found tools that cannot be used until a person connects them, in the order of their first tool. */
async function findUnconnected(
  found: readonly string[],
  toolset: Pick<Toolset, "resolve">,
  apps: AppConnectionsPort,
): Promise<string[]> {
  const named = [...new Set(found.flatMap((name) => toolset.resolve(name)?.action?.app ?? []))];
  const states = await Promise.all(named.map(async (app) => await apps.find(app)));
  return named.filter((_, at) => {
    const state = states[at];
    return state?.ok === true && state.value.kind === "needed";
  });
}

/** Returns the names of at most `limit` tools that match a request, the best first. */
export async function findTools(
  lists: readonly SourcedList[],
  reach: Reach,
  request: string,
  limit: number,
): Promise<string[]> {
  const searched = await Promise.all(
    lists.map(async (sourced): Promise<Searched> => {
      return { segment: await sourced.list.segment(), admitted: getMask(reach, sourced) };
    }),
  );
  const found = searchTools(searched, request, limit);
  return found.flatMap(({ segment, tool }) => lists[segment]?.list.tools[tool]?.name ?? []);
}

/** Returns the reach of a toolset, always the same object, because it is the key of the masks. */
function getReach(toolset: Pick<Toolset, "resolve" | "findable">): Reach {
  const known = reaches.get(toolset);
  if (known !== undefined) return known;
  const reach = { resolve: (name: string) => toolset.resolve(name), names: toolset.findable };
  reaches.set(toolset, reach);
  return reach;
}

function getMask(reach: Reach, { source, list }: SourcedList): Uint8Array {
  const reachMasks = masks.get(reach) ?? new WeakMap<ToolList, Uint8Array>();
  masks.set(reach, reachMasks);
  const known = reachMasks.get(list);
  if (known !== undefined) return known;
  const inside = new Set(reach.names);
  const mask = Uint8Array.from(list.tools, ({ name }) => {
    // An earlier tool of the same name shadows this one.
    const isThis = (reach.resolve(name)?.written?.source ?? null) === source;
    return isThis && inside.has(name) ? 1 : 0;
  });
  reachMasks.set(list, mask);
  return mask;
}
