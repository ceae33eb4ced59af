/** A task's trace and the waits that its log tells. Of a log, what was read once is not read again. */
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { answered, api } from "../../../api/client.ts";
import type { EventPage } from "../../../api/types.generated.ts";
import { tellsOfWaits } from "./waterfall.ts";

/** Events of one page: the most that the API gives. */
const PAGE = 500;

interface WaitEvents {
  readonly events: EventPage["data"];
  /** The last sequence number that was read. */
  readonly last: number;
}

export function traceQuery(taskId: string) {
  return queryOptions({
    queryKey: ["tasks", taskId, "trace"],
    queryFn: async () => await answered(api.GET("/v1/tasks/{id}/trace", { params: { path: { id: taskId } } })),
  });
}

export function waitEventsQuery(taskId: string, cache: QueryClient) {
  const queryKey = ["tasks", taskId, "wait-events"];
  return queryOptions({
    queryKey,
    queryFn: async (): Promise<WaitEvents> => {
      const known = cache.getQueryData<WaitEvents>(queryKey) ?? { events: [], last: 0 };
      const events = [...known.events];
      for (let after = known.last; ; ) {
        const page = await readPage(taskId, after);
        events.push(...page.data.filter(tellsOfWaits));
        if (page.next_cursor === null) return { events, last: page.last };
        after = page.last;
      }
    },
  });
}

async function readPage(taskId: string, after: number): Promise<EventPage> {
  return await answered(
    api.GET("/v1/tasks/{id}/log", { params: { path: { id: taskId }, query: { after, limit: PAGE } } }),
  );
}
