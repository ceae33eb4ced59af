import { queryOptions } from "@tanstack/react-query";
import { answered, answeredWithTag, api } from "../../api/client.ts";
import type { Agent } from "../../api/types.generated.ts";

/** The agent of a task that names none. It ships with Otto and never changes. */
export const BUILT_IN_AGENT = "agent_default";

/** An agent at its latest version, with the tag that says which. */
export function agentQuery(id: string) {
  return queryOptions({
    queryKey: ["agents", "one", id],
    queryFn: async (): Promise<{ readonly agent: Agent; readonly etag: string | null }> => {
      const { body, etag } = await answeredWithTag(api.GET("/v1/agents/{id}", { params: { path: { id } } }));
      if (typeof body !== "object" || !("id" in body)) throw new TypeError("The agent was read as a file.");
      return { agent: body, etag };
    },
  });
}

/** What is set of the apps of an agent. Only for administrators. */
export function agentAppsQuery(id: string) {
  return queryOptions({
    queryKey: ["agents", "apps", id],
    queryFn: async () => await answered(api.GET("/v1/agents/{id}/apps", { params: { path: { id } } })),
  });
}
