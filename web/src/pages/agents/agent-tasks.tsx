/** The latest tasks of an agent. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { answered, api } from "../../api/client.ts";
import type { Task } from "../../api/types.generated.ts";
import { StatusBadge } from "../../ui/badge.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { titleOf } from "../task/task-query.ts";
import { Name } from "../../ui/name.tsx";

const SHOWN = 20;

const COLUMNS: readonly Column<Task>[] = [
  {
    title: "Task",
    isMain: true,
    cell: (task) => (
      <Link to="/tasks/$taskId" params={{ taskId: task.id }} className="text-accent underline">
        <Name>{titleOf(task)}</Name>
      </Link>
    ),
  },
  { title: "Version", isNumber: true, cell: ({ agent }) => agent.version },
  { title: "State", cell: ({ status }) => <StatusBadge status={status} /> },
  { title: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
];

export function AgentTasks({ agentId }: { readonly agentId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["tasks", "of agent", agentId],
    queryFn: async () =>
      await answered(api.GET("/v1/tasks", { params: { query: { agent: agentId, limit: SHOWN, view: "short" } } })),
  });
  if (data === undefined)
    return error === null ? (
      <Skeleton rows={5} label="Loading the tasks" />
    ) : (
      <ProblemNotice error={error} doing="Couldn't load the tasks" onRetry={() => void refetch()} />
    );
  if (data.data.length === 0)
    return (
      <Empty
        title="It has had no task yet"
        action={
          <Link to="/tasks/new" search={{ agent: agentId }} className={buttonClasses("primary")}>
            Give it one
          </Link>
        }
      />
    );
  return (
    <Section
      title="Latest tasks"
      actions={
        <Link to="/tasks" search={{ agent: agentId }} className={buttonClasses("plain", "small")}>
          All of its tasks
        </Link>
      }
    >
      <Table caption="Latest tasks of the agent" columns={COLUMNS} rows={data.data} rowKey={({ id }) => id} />
    </Section>
  );
}
