/** Giving an agent something to do. With files, the task is made first and held until they are there. */
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { taskQuery } from "../task/task-query.ts";
import { Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { HeldTask } from "./held-task.tsx";
import { EMPTY_TASK, likeTask } from "./new-task.ts";
import { NewTaskForm } from "./new-task-form.tsx";

const LEAD = "Say what you want done. You can watch it work, steer it and stop it.";

export function NewTaskPage() {
  const { held, from, agent = "", input = "" } = useSearch({ from: "/console/tasks/new" });
  if (held !== undefined) {
    return (
      <Page title="New task" lead="The task is made. It begins when its files are there.">
        <HeldTask key={held} taskId={held} />
      </Page>
    );
  }
  return (
    <Page title="New task" lead={LEAD}>
      {from === undefined ? (
        <NewTaskForm
          key={`${agent} ${input}`}
          draftName={`new task ${agent} ${input}`}
          start={{ ...EMPTY_TASK, agent, input }}
        />
      ) : (
        <FormLike key={from} taskId={from} />
      )}
    </Page>
  );
}

function FormLike({ taskId }: { readonly taskId: string }) {
  const { data, error, refetch } = useQuery({ ...taskQuery(taskId), staleTime: Number.POSITIVE_INFINITY });
  if (error !== null)
    return (
      <>
        <ProblemNotice error={error} doing="Couldn't load the task to start from" onRetry={() => void refetch()} />
        <NewTaskForm draftName="new task" start={EMPTY_TASK} />
      </>
    );
  if (data === undefined) return <Skeleton rows={5} height="h-16" />;
  return (
    <>
      <Notice title="Filled in from an earlier task">
        Its files are not taken along, nor where its result was delivered to.
      </Notice>
      <NewTaskForm draftName={`new task like ${taskId}`} start={likeTask(data)} />
    </>
  );
}
