/** The codebases of the tenant: all of them come in one page. */
import { queryOptions } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import { isUnderWay } from "./code-words.ts";

const READ_AGAIN_MS = 2_000;

/** They are followed while one is being indexed. */
export const codebasesQuery = queryOptions({
  queryKey: ["codebases", "list"],
  queryFn: async () => (await answered(api.GET("/v1/codebases"))).data,
  refetchInterval: ({ state }) => (state.data?.some(isUnderWay) === true ? READ_AGAIN_MS : false),
});

export function codebaseQuery(id: string) {
  return queryOptions({
    queryKey: ["codebases", "one", id],
    queryFn: async () => await answered(api.GET("/v1/codebases/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data !== undefined && isUnderWay(state.data) ? READ_AGAIN_MS : false),
  });
}
