/** What the pages of MCP servers read, and what they keep of an answer. */
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import type { McpServerDetail } from "../../api/types.generated.ts";

/** Milliseconds between looks while a person is away to give consent. */
const CONSENT_MS = 4_000;

export const serversQuery = queryOptions({
  queryKey: ["mcp-servers", "list"],
  queryFn: async () => (await answered(api.GET("/v1/mcp-servers"))).data,
});

export const serverQuery = (name: string) =>
  queryOptions({
    queryKey: ["mcp-servers", "one", name],
    queryFn: async () => await answered(api.GET("/v1/mcp-servers/{name}", { params: { path: { name } } })),
    refetchInterval: ({ state }) => (state.data?.status === "authorization_needed" ? CONSENT_MS : false),
  });

/**
 * Where a person gives consent: only an answer to adding or looking names it, so it is kept beside what is read. It is never
 * read, so that nothing that reads everything again loses it.
 */
export const consentQuery = (name: string) =>
  queryOptions<string | null>({ queryKey: ["mcp-consent", name], queryFn: () => null, enabled: false });

/** Keeps a server as an answer shows it, and reads again what shows its tools. */
export async function keepServer(queries: QueryClient, server: McpServerDetail): Promise<void> {
  queries.setQueryData(serverQuery(server.name).queryKey, server);
  queries.setQueryData(consentQuery(server.name).queryKey, server.authorization_url);
  await queries.invalidateQueries({ queryKey: serversQuery.queryKey });
  await queries.invalidateQueries({ queryKey: ["tools"] });
}
