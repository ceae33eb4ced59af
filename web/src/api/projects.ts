/** The projects of the tenant, for choices. */
import { queryOptions } from "@tanstack/react-query";
import { answered, api } from "./client.ts";

/** The first of them by name; others are typed. */
const SHOWN = 100;

export const projectsQuery = queryOptions({
  queryKey: ["projects", "all"],
  queryFn: async (): Promise<string[]> => {
    const { data } = await answered(api.GET("/v1/projects", { params: { query: { limit: SHOWN } } }));
    return data.map(({ name }) => name);
  },
  staleTime: 60_000,
});
