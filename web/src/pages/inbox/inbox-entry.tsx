import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { agentName, agentsQuery } from "../../api/agents.ts";
import { PendingCard } from "../../pending/pending-card.tsx";
import { Time } from "../../ui/time.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import type { ShownEntry } from "./follow-inbox.ts";
import { Name } from "../../ui/name.tsx";

interface InboxEntryProps {
  readonly shown: ShownEntry;
  /** From 1. */
  readonly place: number;
  /** How many there are; -1: more than are shown. */
  readonly of: number;
  readonly onDone: () => void;
}

/** One thing that waits, with its task: an article of a feed (https://www.w3.org/WAI/ARIA/apg/patterns/feed/). */
export function InboxEntryArticle({ shown: { key, entry, isSettled }, place, of, onDone }: InboxEntryProps) {
  const { data: agents, isPending } = useQuery(agentsQuery);
  const titleId = useId();
  const { task, pending, since } = entry;
  return (
    <article
      data-entry={key}
      data-task={task.id}
      tabIndex={0}
      aria-labelledby={titleId}
      aria-posinset={place}
      aria-setsize={of}
      className="flex scroll-mt-16 flex-col gap-2 rounded-xl p-2 focus-within:bg-sunken focus-visible:outline-2 lg:scroll-mt-4"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 px-1">
        <h2 id={titleId} className="min-w-0 font-medium">
          <Link to="/tasks/$taskId" params={{ taskId: task.id }} className="hover:underline">
            <bdi>{task.title === "" ? "Task" : honestProse(task.title)}</bdi>
          </Link>
        </h2>
        <p className="flex flex-wrap gap-x-3 text-sm text-quiet">
          <Name>{isPending ? "…" : agentName(agents, task.agent)}</Name>
          {task.project === null ? null : <span>Project {task.project}</span>}
          <Time at={since} />
        </p>
      </div>
      <PendingCard taskId={task.id} entry={pending} isSettled={isSettled} onDone={onDone} />
    </article>
  );
}
