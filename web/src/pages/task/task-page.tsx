/** One task: what it was asked, how it stands, and its views. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { Suspense } from "react";
import { toApiError } from "../../api/problem.ts";
import { isFinal } from "../../api/types.ts";
import type { Task } from "../../api/types.generated.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Citations } from "./citations.tsx";
import { PendingCards, PendingNotice } from "./pending-cards.tsx";
import { TaskActions } from "./task-actions.tsx";
import { TaskFacts } from "./task-facts.tsx";
import { taskQuery, titleOf } from "./task-query.ts";
import { TASK_VIEWS } from "./task-views.ts";

export function TaskPage() {
  const { taskId } = useParams({ from: "/console/tasks/$taskId" });
  const { data: task, error, refetch } = useQuery(taskQuery(taskId));
  if (error !== null && toApiError(error).status === 404) return <NoTask />;
  if (task === undefined) {
    return (
      <Page title="Task">
        {error === null ? (
          <Skeleton rows={6} label="Loading the task" />
        ) : (
          <ProblemNotice error={error} doing="Couldn't load the task" onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  return <ShownTask key={task.id} task={task} />;
}

/** An address of a task that never was, or was erased, even while its page stood open. */
function NoTask() {
  return (
    <Page title="Task">
      <Empty
        title="Task not found"
        action={
          <Link to="/tasks" className={buttonClasses("primary")}>
            To the tasks
          </Link>
        }
      >
        It may have been erased, or be another tenant’s.
      </Empty>
    </Page>
  );
}

function ShownTask({ task }: { readonly task: Task }) {
  const { view } = useSearch({ from: "/console/tasks/$taskId" });
  const Current = (TASK_VIEWS.find((one) => one.view === view) ?? TASK_VIEWS[0])?.Component;
  const shown = (
    <Suspense fallback={<Skeleton rows={5} label="Loading the view" />}>
      {Current === undefined ? null : <Current task={task} />}
    </Suspense>
  );
  return (
    <Page title={titleOf(task)} actions={<TaskActions task={task} hasEnded={isFinal(task.status)} />}>
      <TaskFacts task={task} />
      {view === undefined ? <PendingNotice count={task.pending.length} /> : <PendingCards task={task} />}
      <Tabs
        label="Views of the task"
        tabs={TASK_VIEWS.map((one) => ({
          label: one.label,
          isCurrent: one.Component === Current,
          link: {
            to: "/tasks/$taskId",
            params: { taskId: task.id },
            search: one.view === undefined ? {} : { view: one.view },
          },
        }))}
      />
      {view === undefined ? <Citations output={task.output}>{shown}</Citations> : shown}
    </Page>
  );
}
