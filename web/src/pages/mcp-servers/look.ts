import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import { keepServer } from "./server-queries.ts";

/** Connects to the server and refreshes its tools. */
export function useLook(name: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => await answered(api.POST("/v1/mcp-servers/{name}/reload", { params: { path: { name } } })),
    onSuccess: async (server) => await keepServer(queries, server),
  });
}
