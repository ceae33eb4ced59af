/** The agents of the tenant by their names, for choices and for the names of ids. */
import { queryOptions } from "@tanstack/react-query";
import { answered, api } from "./client.ts";
import type { Agent } from "./types.generated.ts";

/** As many as a page of the API holds. */
const PAGE = 100;
/** Pages that are read; a choice of more is no choice. */
const PAGES = 5;

export const agentsQuery = queryOptions({
  queryKey: ["agents", "all"],
  queryFn: async (): Promise<Agent[]> => {
    const agents: Agent[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES; page += 1) {
      const read = await answered(
        api.GET("/v1/agents", { params: { query: { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) } } }),
      );
      agents.push(...read.data);
      if (read.next_cursor === null) break;
      cursor = read.next_cursor;
    }
    return agents.toSorted((one, other) => one.name.localeCompare(other.name));
  },
  staleTime: 60_000,
});

/** The name of an agent by its id; the id itself when the agent is not there any more. */
export function agentName(agents: readonly Agent[] | undefined, id: string): string {
  return agents?.find((agent) => agent.id === id)?.name ?? id;
}
