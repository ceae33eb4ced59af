/** What one can do with a task as a whole. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { CircleSlash, Paperclip, RotateCcw, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { answered, api } from "../../api/client.ts";
import type { Task } from "../../api/types.generated.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/code.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { taskQuery } from "./task-query.ts";

export function TaskActions({ task, hasEnded }: { readonly task: Task; readonly hasEnded: boolean }) {
  return (
    <>
      <CopyButton text={task.id} label="Copy the task's id" />
      {task.status === "queued" ? (
        <Link to="/tasks/new" search={{ held: task.id }} className={buttonClasses()}>
          <Paperclip aria-hidden className="size-4" />
          Add files or start
        </Link>
      ) : null}
      <Link to="/tasks/new" search={{ from: task.id }} className={buttonClasses()}>
        <RotateCcw aria-hidden className="size-4" />
        Run again
      </Link>
      {hasEnded ? <Erase task={task} /> : <Cancel task={task} />}
    </>
  );
}

function Cancel({ task }: { readonly task: Task }) {
  const [isAsking, setAsking] = useState(false);
  const say = useToast();
  const client = useQueryClient();
  useEffect(
    () => () => {
      // The button disappears when the task ends. If it had the focus, nothing has it now.
      if (document.activeElement === document.body)
        document.getElementById("page-title")?.focus({ preventScroll: true });
    },
    [],
  );
  const cancelling = useMutation({
    mutationFn: async () => await answered(api.POST("/v1/tasks/{id}/cancel", { params: { path: { id: task.id } } })),
    onSuccess: (now) => {
      client.setQueryData(taskQuery(task.id).queryKey, now);
      void client.invalidateQueries({ queryKey: ["tasks"] });
      setAsking(false);
      say("The task is cancelled.");
    },
  });
  return (
    <>
      <Button look="danger" icon={<CircleSlash aria-hidden className="size-4" />} onClick={() => setAsking(true)}>
        Cancel
      </Button>
      <Confirm
        isOpen={isAsking}
        title="Cancel the task?"
        action="Cancel the task"
        keep="Keep it running"
        isBusy={cancelling.isPending}
        onConfirm={() => cancelling.mutate()}
        onClose={() => setAsking(false)}
      >
        <p>
          It ends now, and with it every subtask below it. What was done outside stays done; its log and its files are
          kept.
        </p>
        {cancelling.isError ? <ProblemNotice error={cancelling.error} doing="Couldn't cancel" /> : null}
      </Confirm>
    </>
  );
}

function Erase({ task }: { readonly task: Task }) {
  const [isAsking, setAsking] = useState(false);
  const say = useToast();
  const client = useQueryClient();
  const navigate = useNavigate();
  const erasing = useMutation({
    mutationFn: async () => await answered(api.DELETE("/v1/tasks/{id}", { params: { path: { id: task.id } } })),
    onSuccess: async () => {
      await navigate({ to: "/tasks" });
      client.removeQueries({ queryKey: ["tasks", task.id] });
      void client.invalidateQueries({ queryKey: ["tasks"] });
      say("The task is erased.");
    },
  });
  return (
    <>
      <Button look="danger" icon={<Trash2 aria-hidden className="size-4" />} onClick={() => setAsking(true)}>
        Erase
      </Button>
      <Confirm
        isOpen={isAsking}
        title="Erase the task?"
        action="Erase permanently"
        isBusy={erasing.isPending}
        onConfirm={() => erasing.mutate()}
        onClose={() => setAsking(false)}
      >
        <p>Its log, its results and its files are deleted. Nobody can bring them back.</p>
        {erasing.isError ? <ProblemNotice error={erasing.error} doing="Couldn't erase" /> : null}
      </Confirm>
    </>
  );
}
