/** How a task stands: its status, whose work it is, when, and why it ended. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Bot, Coins, CornerLeftUp, Folder, Hourglass } from "lucide-react";
import type { ReactNode } from "react";
import type { Task } from "../../api/types.generated.ts";
import { count, dollars, shortCount } from "../../ui/amounts.ts";
import { StatusBadge } from "../../ui/badge.tsx";
import { Notice } from "../../ui/notice.tsx";
import { duration } from "../../ui/relative-time.ts";
import { Time } from "../../ui/time.tsx";
import { TaskDetails } from "./task-details.tsx";
import { reasonInWords } from "./reasons.ts";
import { agentNameQuery } from "./task-query.ts";
import { Name } from "../../ui/name.tsx";

export function TaskFacts({ task }: { readonly task: Task }) {
  const { status, reason, project, parent_id: parent, created_at, started_at, ended_at, error } = task;
  const why = reasonInWords(reason);
  return (
    <div className="flex flex-col gap-3">
      <ul aria-label="About the task" className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm text-quiet">
        <li>
          <StatusBadge status={status} />
        </li>
        <li>
          <AgentLink agent={task.agent} />
        </li>
        {project === null ? null : (
          <Fact icon={<Folder aria-hidden className="size-4 shrink-0" />} name="Project">
            <Link to="/tasks" search={{ project }} className="text-accent underline">
              {project}
            </Link>
          </Fact>
        )}
        {parent === null ? null : (
          <li>
            <Link
              to="/tasks/$taskId"
              params={{ taskId: parent }}
              className="inline-flex items-center gap-1.5 text-accent underline"
            >
              <CornerLeftUp aria-hidden className="size-4 shrink-0" />
              The task that gave it out
            </Link>
          </li>
        )}
        <li>
          Created <Time at={created_at} />
        </li>
        {started_at === null || ended_at === null ? null : (
          <Fact icon={<Hourglass aria-hidden className="size-4 shrink-0" />} name="Took">
            {duration(Date.parse(ended_at) - Date.parse(started_at))}
          </Fact>
        )}
        <Fact icon={<Coins aria-hidden className="size-4 shrink-0" />} name="Used">
          {usedInWords(task)}
        </Fact>
      </ul>
      <TaskDetails task={task} />
      {error === null ? (
        why === null ? null : (
          <Notice tone={status === "completed" ? "warn" : "info"} title={why} />
        )
      ) : (
        <Notice tone="danger" title={why ?? "The task failed."}>
          <span dir="auto" className="[unicode-bidi:isolate]">
            {error.message}
          </span>
        </Notice>
      )}
    </div>
  );
}

/** Steps of the task itself; tokens and money with those of its subtasks. */
function usedInWords({ usage, budget }: Task): string {
  const { steps, input_tokens, output_tokens, cost_usd } = usage;
  const most = budget === null ? "" : ` of ${count(budget.max_steps)}`;
  const word = budget === null && steps === 1 ? "step" : "steps";
  const tokens = shortCount(input_tokens + output_tokens);
  return `${count(steps)}${most} ${word}, ${tokens} tokens${cost_usd === 0 ? "" : `, ${dollars(cost_usd)}`}`;
}

function AgentLink({ agent }: { readonly agent: Task["agent"] }) {
  const { data: name, isPending } = useQuery(agentNameQuery(agent.id));
  return (
    <Link
      to="/agents/$agentId"
      params={{ agentId: agent.id }}
      className="inline-flex items-center gap-1.5 text-accent underline"
    >
      <Bot aria-hidden className="size-4 shrink-0" />
      <span>
        {/* An id is longer than names are: below a line that it breaks, everything would jump when the name comes. */}
        <Name>{name ?? (isPending ? "…" : agent.id)}</Name>, version {agent.version}
      </span>
    </Link>
  );
}

function Fact({
  icon,
  name,
  children,
}: {
  readonly icon: ReactNode;
  readonly name: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="inline-flex min-w-0 items-center gap-1.5">
      {icon}
      <span className="sr-only">{name}</span>
      <bdi className="min-w-0">{children}</bdi>
    </li>
  );
}
