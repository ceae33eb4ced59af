/** What the tenant's tasks do, as it happens: what the page shows of them is read again where an event is about it. */
import { useEffect, useState } from "react";
import { followEvents, type StreamState } from "./event-stream.ts";
import { FeedNews, type News } from "./feed-news.ts";
import { gatherChanges } from "./gather-changes.ts";
import { useIsSeen } from "./is-seen.ts";
import { isTouched } from "./is-touched.ts";
import { queryClient } from "./query-client.ts";
import { readAgain } from "./read-again.ts";
import { sessionQuery } from "./session.ts";
import type { Task, TaskTree } from "./types.generated.ts";

/** Follows the feed while the window is seen; says how the connection is. */
export function useLiveFeed(): StreamState {
  const [state, setState] = useState<StreamState>("connecting");
  const isSeen = useIsSeen();
  useEffect(() => {
    if (!isSeen) return undefined;
    const leaving = new AbortController();
    const news = new FeedNews();
    const gather = gatherChanges(async () => await readTouched(news.take()), leaving.signal);
    void followEvents("/v1/events", {
      signal: leaving.signal,
      onEvent: (event) => {
        news.add(event);
        gather();
      },
      onState: (next, error) => {
        setState(next);
        if (error?.status === 401) void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      },
    });
    return () => leaving.abort();
  }, [isSeen]);
  return state;
}

async function readTouched(news: News): Promise<void> {
  await readAgain(queryClient, {
    predicate: ({ queryKey, state: { data } }) => isTouched(news, { queryKey, data }, rootOf),
  });
}

/** Out of what was read: a task without a parent is one itself, and a tree names it. */
function rootOf(task: string): string | null {
  const tree = queryClient.getQueryData<TaskTree>(["tasks", task, "tree"]);
  if (tree !== undefined) return tree.root;
  return queryClient.getQueryData<Task>(["tasks", task])?.parent_id === null ? task : null;
}
