/** A task and its agent, as the pages of one task read them. */
import { queryOptions } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import type { Task } from "../../api/types.generated.ts";
import { oneLine } from "../../ui/visible-text.ts";

/** Read again by the live feed, and by the timeline when an event says that the task changed. */
export function taskQuery(taskId: string) {
  return queryOptions({
    queryKey: ["tasks", taskId],
    queryFn: async () => await answered(api.GET("/v1/tasks/{id}", { params: { path: { id: taskId } } })),
  });
}

/** The tree of the task. */
export function treeQuery(taskId: string) {
  return queryOptions({
    queryKey: ["tasks", taskId, "tree"],
    queryFn: async () => await answered(api.GET("/v1/tasks/{id}/tree", { params: { path: { id: taskId } } })),
  });
}

/** The name of an agent; null when it was deleted, or the key may not read agents. */
export function agentNameQuery(agentId: string) {
  return queryOptions({
    queryKey: ["agents", agentId, "name"],
    queryFn: async (): Promise<string | null> => {
      const agent = await answered(api.GET("/v1/agents/{id}", { params: { path: { id: agentId } } }));
      return typeof agent === "object" && "name" in agent ? agent.name : null;
    },
    retry: false,
    staleTime: 60_000,
  });
}

/** Characters of a title. */
const TITLE = 120;

/** The first line of what was asked; of messages, of the last, as in every list. */
export function titleOf({ input }: Pick<Task, "input">): string {
  const text = typeof input === "string" ? input : (input.at(-1)?.content ?? "");
  const line = oneLine(text.trim().split("\n", 1)[0] ?? "", TITLE);
  return line === "" ? "Task" : line;
}
