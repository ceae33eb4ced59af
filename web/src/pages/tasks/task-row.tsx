import { Link } from "@tanstack/react-router";
import { Hand } from "lucide-react";
import type { Task } from "../../api/types.generated.ts";
import { count, dollars } from "../../ui/amounts.ts";
import { StatusBadge } from "../../ui/badge.tsx";
import { classes } from "../../ui/classes.ts";
import { Time } from "../../ui/time.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import { titleOf } from "../task/task-query.ts";
import { whatWaits } from "./what-waits.ts";
import { Name } from "../../ui/name.tsx";

interface TaskRowProps {
  readonly task: Task;
  readonly agent: string;
  /** It fits the filters no longer. */
  readonly isGone: boolean;
}

/** One task of the list; a press anywhere on it opens it. */
export function TaskRow({ task, agent, isGone }: TaskRowProps) {
  const { steps, cost_usd } = task.usage;
  const waits = whatWaits(task.pending);
  return (
    <li
      className={classes(
        "relative grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover focus-within:bg-hover sm:grid-cols-[minmax(0,1fr)_11rem_7.5rem]",
        isGone && "bg-sunken",
      )}
    >
      <div className="col-span-2 min-w-0 sm:col-span-1">
        <Link
          to="/tasks/$taskId"
          params={{ taskId: task.id }}
          data-row
          className="line-clamp-2 font-medium text-ink after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          <bdi>{honestProse(titleOf(task))}</bdi>
        </Link>
        <p className="mt-0.5 flex flex-wrap gap-x-3 gap-y-0.5 text-sm text-quiet">
          <span>
            <Name>{agent}</Name>
          </span>
          {task.project === null ? null : <span>Project {task.project}</span>}
          {task.parent_id === null ? null : <span>Subtask</span>}
          {waits === null ? null : (
            <span className="inline-flex items-center gap-1 font-medium text-warn">
              <Hand aria-hidden className="size-3.5" />
              Waiting for you: {waits}
            </span>
          )}
          {isGone ? <span>No longer fits the filters</span> : null}
        </p>
      </div>
      <div className="sm:pt-px">
        <StatusBadge status={task.status} />
      </div>
      <div className="text-right text-sm text-quiet tabular-nums">
        <Time at={task.created_at} />
        <span className="block whitespace-nowrap">
          {steps === 1 ? "1 step" : `${count(steps)} steps`}
          {cost_usd > 0 ? ` · ${dollars(cost_usd)}` : ""}
        </span>
      </div>
    </li>
  );
}
