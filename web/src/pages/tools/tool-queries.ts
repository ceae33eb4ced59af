import { queryOptions } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import type { ToolsSearch } from "./tools-search.ts";

/** Every tool there is, or those that fit a search. The bus changes seldom. */
export function toolsQuery(search: ToolsSearch = {}) {
  return queryOptions({
    queryKey: ["tools", search],
    queryFn: async () => (await answered(api.GET("/v1/tools", { params: { query: search } }))).data,
    staleTime: 60_000,
  });
}

export function toolQuery(name: string) {
  return queryOptions({
    queryKey: ["tools", "one", name],
    queryFn: async () => await answered(api.GET("/v1/tools/{name}", { params: { path: { name } } })),
    staleTime: 60_000,
  });
}

export const toolSourcesQuery = queryOptions({
  queryKey: ["tools", "sources"],
  queryFn: async () => (await answered(api.GET("/v1/tool-sources"))).data,
});
