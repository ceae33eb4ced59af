/** A task that waits for its files. It has an address, so that neither a reload nor a lost connection loses it. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Play, RotateCw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { queryClient } from "../../api/query-client.ts";
import { bytes, count } from "../../ui/amounts.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { taskQuery, titleOf } from "../task/task-query.ts";
import { FileDrop } from "../../ui/file-drop.tsx";
import { addFiles, tooLarge } from "./upload-names.ts";
import type { Upload, UploadQueue } from "./upload-queue.ts";
import { forgetUploads, useUploads } from "./uploads.ts";
import { Name } from "../../ui/name.tsx";
import { visibleText } from "../../ui/visible-text.ts";

/** Files of the sandbox that are named; the task's own page lists all. */
const NAMED = 100;

export function HeldTask({ taskId }: { readonly taskId: string }) {
  const task = useQuery(taskQuery(taskId));
  if (task.isError) return <ProblemNotice error={task.error} onRetry={() => void task.refetch()} />;
  if (task.data === undefined) return <Skeleton rows={4} height="h-16" />;
  if (task.data.status !== "queued")
    return <Notice title="This task was started already" action={<OpenTask taskId={taskId} />} />;
  return <Waiting taskId={taskId} title={titleOf(task.data)} />;
}

function Waiting({ taskId, title }: { readonly taskId: string; readonly title: string }) {
  const { queue, items } = useUploads(taskId);
  const [isFirstVisit] = useState(items.length > 0);
  const start = useStart(taskId);
  const failed = items.filter(({ state }) => state === "failed");
  const isSending = items.some(({ state }) => state === "waiting" || state === "sending");
  const isWhole = items.length > 0 && failed.length === 0 && !isSending;
  useOnceWhen(isWhole && isFirstVisit, start.mutate);
  return (
    <Card className="flex flex-col gap-5">
      <h2 className="font-semibold">
        <Name>{title}</Name>
      </h2>
      {isFirstVisit ? null : <There taskId={taskId} />}
      <UploadList queue={queue} items={items} />
      {failed.length === 0 || isSending ? null : (
        <Notice tone="warn" title={`${failed.length} of ${items.length} files did not arrive`}>
          The task waits for them. Try them again, leave them out, or start without them.
        </Notice>
      )}
      <MoreFiles queue={queue} items={items} />
      {start.isError ? <NotStarted taskId={taskId} error={start.error} /> : null}
      <div className="flex flex-wrap gap-2">
        {failed.length === 0 ? null : (
          <Button look="primary" icon={<RotateCw aria-hidden className="size-4" />} onClick={() => queue.retryFailed()}>
            Try again
          </Button>
        )}
        <Button
          look={failed.length === 0 ? "primary" : "plain"}
          disabled={isSending}
          isBusy={start.isPending}
          icon={<Play aria-hidden className="size-4" />}
          onClick={() => start.mutate()}
        >
          {failed.length === 0 ? "Start" : "Start without them"}
        </Button>
        <CancelButton taskId={taskId} />
      </div>
    </Card>
  );
}

/** A task that is queued may be held, or started and waiting for its turn: the words of the refusal say which. */
function NotStarted({ taskId, error }: { readonly taskId: string; readonly error: Error }) {
  const { status, message } = toApiError(error);
  if (status !== 409) return <ProblemNotice error={error} doing="Couldn't start" />;
  return <Notice tone="danger" title={message} action={<OpenTask taskId={taskId} />} />;
}

function OpenTask({ taskId }: { readonly taskId: string }) {
  return (
    <Link to="/tasks/$taskId" params={{ taskId }} className={buttonClasses("primary", "small")}>
      Open the task
    </Link>
  );
}

/** What an earlier visit of this page has brought already. */
function There({ taskId }: { readonly taskId: string }) {
  const { data } = useQuery({
    queryKey: ["tasks", taskId, "files", "held"],
    queryFn: async () =>
      await answered(api.GET("/v1/tasks/{id}/files", { params: { path: { id: taskId }, query: { limit: NAMED } } })),
  });
  if (data === undefined) return <Skeleton rows={1} />;
  if (data.data.length === 0) return <Notice title="No files yet">Choose files, or start without them.</Notice>;
  return (
    <div className="flex flex-col gap-1">
      <p className="text-sm font-medium">There already</p>
      <ul>
        {data.data.map(({ path, size }) => (
          <li key={path} className="flex justify-between gap-3">
            <bdi className="min-w-0">{visibleText(path)}</bdi>
            <span className="text-sm whitespace-nowrap text-quiet">{bytes(size)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface UploadsProps {
  readonly queue: UploadQueue;
  readonly items: readonly Upload[];
}

function UploadList({ queue, items }: UploadsProps) {
  if (items.length === 0) return null;
  const done = items.filter(({ state }) => state === "done").length;
  return (
    <div className="flex flex-col gap-2">
      <p role="status" className="text-sm text-quiet">
        There: {count(done)} of {count(items.length)}
      </p>
      <ul className="max-h-96 divide-y divide-line overflow-auto">
        {items.map((item) => (
          <UploadRow key={item.name} item={item} queue={queue} />
        ))}
      </ul>
    </div>
  );
}

const STATE_WORDS: Readonly<Record<Upload["state"], string>> = {
  waiting: "Waiting",
  sending: "Sending",
  done: "There",
  failed: "Not there",
};

function UploadRow({ item, queue }: { readonly item: Upload; readonly queue: UploadQueue }) {
  const { name, file, state, share, fault } = item;
  return (
    <li className="flex flex-col gap-1 py-2">
      <div className="flex flex-wrap items-center gap-x-3">
        <bdi className="min-w-0 flex-1 basis-40">{visibleText(name)}</bdi>
        <span className="text-sm whitespace-nowrap text-quiet">
          {bytes(file.size)} · {state === "sending" ? `${Math.round(share * 100)} %` : STATE_WORDS[state]}
        </span>
        {state === "failed" ? (
          <Button size="small" aria-label={`Leave out ${name}`} onClick={() => queue.leaveOut(name)}>
            Leave out
          </Button>
        ) : null}
      </div>
      <progress
        aria-label={name}
        value={share}
        max={1}
        className="h-1.5 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
      />
      {fault === null ? null : <p className="text-sm text-danger">{fault}</p>}
    </li>
  );
}

function MoreFiles({ queue, items }: UploadsProps) {
  const [refused, setRefused] = useState<readonly string[]>([]);
  const add = (files: readonly File[]): void => {
    const added = addFiles(items, files).slice(items.length);
    const large = tooLarge(added);
    setRefused(large.map(({ name }) => name));
    queue.add(added.filter((one) => !large.includes(one)));
  };
  return (
    <FileDrop onFiles={add}>
      {refused.length === 0 ? null : (
        <p role="alert" className="text-sm text-danger">
          Over 50 MB, not uploaded: {refused.join(", ")}
        </p>
      )}
    </FileDrop>
  );
}

function useStart(taskId: string) {
  const navigate = useNavigate();
  const goOn = async (): Promise<void> => {
    forgetUploads(taskId);
    void queryClient.invalidateQueries({ queryKey: ["tasks"] });
    await navigate({ to: "/tasks/$taskId", params: { taskId }, replace: true });
  };
  return useMutation({
    mutationFn: async () =>
      await answered(api.POST("/v1/tasks/{id}/start", { params: { path: { id: taskId } }, body: {} })),
    onSuccess: goOn,
    onError: async (thrown) => {
      if (toApiError(thrown).status !== 409) return;
      // Started from elsewhere, or the tenant is stopped.
      const task = await queryClient.fetchQuery({ ...taskQuery(taskId), staleTime: 0 }).catch(() => null);
      if (task !== null && task.status !== "queued") await goOn();
    },
  });
}

function CancelButton({ taskId }: { readonly taskId: string }) {
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const cancelling = useMutation({
    mutationFn: async () =>
      await answered(api.POST("/v1/tasks/{id}/cancel", { params: { path: { id: taskId } }, body: {} })),
    onSuccess: async () => {
      forgetUploads(taskId);
      void queryClient.invalidateQueries({ queryKey: ["tasks"] });
      await navigate({ to: "/tasks" });
    },
  });
  return (
    <>
      <Button look="quiet" onClick={() => setAsking(true)}>
        Cancel the task
      </Button>
      <Confirm
        isOpen={isAsking}
        title="Cancel this task?"
        action="Cancel the task"
        isBusy={cancelling.isPending}
        onConfirm={() => cancelling.mutate()}
        onClose={() => setAsking(false)}
      >
        <p>It has not begun, and will not. Its text stays in the list of tasks.</p>
        {cancelling.isError ? <ProblemNotice error={cancelling.error} /> : null}
      </Confirm>
    </>
  );
}

/** Runs `act` once, when `isTime` first holds. */
function useOnceWhen(isTime: boolean, act: () => void): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (!isTime || isDone.current) return;
    isDone.current = true;
    act();
  }, [isTime, act]);
}
