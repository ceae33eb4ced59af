/** The names of agents and keys, for pages that hold their ids. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { agentsQuery } from "./agents.ts";
import { answered, api } from "./client.ts";

/** Keys of one page; a tenant with more sees the ids of the others. */
const MOST = 100;

const keysQuery = queryOptions({
  queryKey: ["keys", "names"],
  queryFn: async () => await answered(api.GET("/v1/keys", { params: { query: { limit: MOST } } })),
  staleTime: 60_000,
});

/** By id. Empty while they are read, and for a key that may not see them. `isWanted` is false where no agent is to be named. */
export function useAgentNames(isWanted = true): ReadonlyMap<string, string> {
  const { data } = useQuery({ ...agentsQuery, enabled: isWanted });
  return new Map((data ?? []).map(({ id, name }) => [id, name]));
}

/** By id, as above. */
export function useKeyNames(isWanted = true): ReadonlyMap<string, string> {
  const { data } = useQuery({ ...keysQuery, enabled: isWanted });
  return new Map((data?.data ?? []).map(({ id, name }) => [id, name]));
}
