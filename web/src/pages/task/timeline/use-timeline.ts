/** Follows the log of a task while the window is seen; a timeline that was read before continues where it was. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { followEvents, type StreamState } from "../../../api/event-stream.ts";
import { useIsSeen } from "../../../api/is-seen.ts";
import type { ApiError } from "../../../api/problem.ts";
import type { StreamEvent } from "../../../api/stream-event.ts";
import { taskQuery } from "../task-query.ts";
import { applyEvents, EMPTY_TIMELINE, isTerminal, markLost } from "./timeline.ts";
import type { Timeline } from "./timeline-items.ts";

/** Milliseconds over which events are gathered before the page shows them: a text that streams is laid out no oftener. */
const GATHERED_MS = 100;
/** Of these, an event leaves the task as it was. */
const UNCHANGING = ["message.delta", "step.started", "call.started", "call.completed", "tool-data", "skill.loaded"];

export interface FollowedTimeline {
  readonly timeline: Timeline;
  readonly state: StreamState;
  /** Why the stream is over although the log may go on. */
  readonly error: ApiError | null;
}

export function useTimeline(taskId: string): FollowedTimeline {
  const client = useQueryClient();
  const isSeen = useIsSeen();
  // Beside what is read again by the live feed: its key begins with another word.
  const [timeline, setTimeline] = useState<Timeline>(
    () => client.getQueryData<Timeline>(["timeline", taskId]) ?? EMPTY_TIMELINE,
  );
  const [connection, setConnection] = useState<Omit<FollowedTimeline, "timeline">>({
    state: "connecting",
    error: null,
  });
  const latest = useRef(timeline);
  useEffect(() => {
    if (!isSeen || latest.current.isOver) return undefined;
    const leaving = new AbortController();
    let gathered: StreamEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    const show = (next: Timeline): void => {
      latest.current = next;
      client.setQueryData(["timeline", taskId], next);
      setTimeline(next);
    };
    const flush = (): void => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (gathered.length === 0) return;
      const events = gathered;
      gathered = [];
      // The task was read when the page opened; what stood in the log by then changes nothing in it.
      const isNews = latest.current.last > 0 && events.some(({ event }) => !UNCHANGING.includes(event));
      show(applyEvents(latest.current, events));
      if (isNews) void client.invalidateQueries({ queryKey: taskQuery(taskId).queryKey, exact: true });
    };
    void followEvents(`/v1/tasks/${encodeURIComponent(taskId)}/events`, {
      after: latest.current.last === 0 ? null : String(latest.current.last),
      signal: leaving.signal,
      isLast: isTerminal,
      onEvent: (event) => {
        gathered.push(event);
        timer ??= setTimeout(flush, GATHERED_MS);
      },
      onState: (state, error) => {
        if (leaving.signal.aborted) return;
        flush();
        if (state === "lost") show(markLost(latest.current));
        setConnection({ state, error });
      },
    });
    return () => {
      leaving.abort();
      flush();
      // Nobody listens to what is written until the next connection.
      latest.current = markLost(latest.current);
      client.setQueryData(["timeline", taskId], latest.current);
    };
  }, [client, isSeen, taskId]);
  return { timeline, ...connection };
}
