/** One file: what it is, what can be done with it, how it looks, and what it was before. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ChevronLeft, Download, Trash2, X } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { fileAddress } from "../../../api/client.ts";
import type { SandboxFile, Task } from "../../../api/types.generated.ts";
import { bytes } from "../../../ui/amounts.ts";
import { Button, buttonClasses, IconButton } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../../ui/notice.tsx";
import { Time } from "../../../ui/time.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { fileKind } from "./file-kind.ts";
import { FilePreview } from "./file-preview.tsx";
import { request } from "./file-query.ts";
import { nameOf } from "./file-tree.ts";
import { UploadButton } from "./file-upload.tsx";
import { FileVersionList } from "./file-versions.tsx";
import { visibleText } from "../../../ui/visible-text.ts";

interface FilePanelProps {
  readonly task: Task;
  readonly path: string;
  /** Null: it is not in what was read of the list. */
  readonly file: SandboxFile | null;
  /** Whether the list was read to its end. */
  readonly isRead: boolean;
  /** Why it was not read on; null: nothing went wrong. */
  readonly problem: ReactNode;
  readonly mayChange: boolean;
  readonly onClose: () => void;
}

export function FilePanel({ task, path, file, isRead, problem, mayChange, onClose }: FilePanelProps) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // On a narrow window the file replaces the list.
    if (window.matchMedia("(width < 64rem)").matches) title.current?.focus();
  }, []);
  return (
    <section aria-label={`File ${path}`} className="flex min-w-0 flex-col gap-4">
      <Button
        size="small"
        look="quiet"
        className="self-start lg:hidden"
        icon={<ChevronLeft aria-hidden className="size-4" />}
        onClick={onClose}
      >
        All files
      </Button>
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-48">
          <h2 ref={title} tabIndex={-1} className="scroll-mt-20 text-base font-semibold outline-none">
            <bdi>{visibleText(path)}</bdi>
          </h2>
          {file === null ? null : (
            <p className="text-sm text-quiet">
              {fileKind(path).word} · {bytes(file.size)} · <Time at={file.modified_at} />
            </p>
          )}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {file === null ? null : (
            <a href={fileAddress(task.id, path)} download={nameOf(path)} className={buttonClasses("plain", "small")}>
              <Download aria-hidden className="size-4" />
              Download
            </a>
          )}
          {mayChange && file !== null ? (
            <>
              <UploadButton taskId={task.id} known={[file]} replaces={path} onDone={() => undefined} />
              <DeleteButton taskId={task.id} path={path} onDone={() => title.current?.focus()} />
            </>
          ) : null}
          <IconButton label="Close the file" className="max-lg:hidden" onClick={onClose}>
            <X aria-hidden className="size-5" />
          </IconButton>
        </div>
      </header>
      {file === null ? (
        <Missing {...{ isRead, problem, mayChange }} />
      ) : (
        <FilePreview key={file.modified_at} taskId={task.id} file={file} />
      )}
      <FileVersionList {...{ path, mayChange }} taskId={task.id} />
    </section>
  );
}

function Missing({ isRead, problem, mayChange }: Pick<FilePanelProps, "isRead" | "problem" | "mayChange">) {
  // On a wide window the list shows the problem.
  if (problem !== null) return <div className="lg:hidden">{problem}</div>;
  if (!isRead) return <Skeleton rows={4} label="Loading the file" />;
  return (
    <Empty title="File not found">
      {mayChange
        ? "It may have been deleted or moved. When versions of it are remembered, they stand below and can be restored."
        : "It may have been deleted or moved before the task ended."}
    </Empty>
  );
}

interface DeleteButtonProps {
  readonly taskId: string;
  readonly path: string;
  readonly onDone: () => void;
}

function DeleteButton({ taskId, path, onDone }: DeleteButtonProps) {
  const cache = useQueryClient();
  const say = useToast();
  const [isOpen, setOpen] = useState(false);
  const deleting = useMutation({
    mutationFn: async () => await request(fileAddress(taskId, path), { method: "DELETE" }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: ["tasks", taskId, "files"] });
      setOpen(false);
      onDone();
      say(`${nameOf(path)} is deleted.`);
    },
  });
  return (
    <>
      <Button
        size="small"
        look="danger"
        icon={<Trash2 aria-hidden className="size-4" />}
        onClick={() => {
          deleting.reset();
          setOpen(true);
        }}
      >
        Delete
      </Button>
      <Confirm
        isOpen={isOpen}
        title="Delete this file?"
        action="Delete the file"
        isBusy={deleting.isPending}
        onConfirm={() => deleting.mutate()}
        onClose={() => setOpen(false)}
      >
        <p>
          The task will not find <bdi className="font-medium">{visibleText(path)}</bdi> any more. Its versions stay: it
          can be restored while the task lives.
        </p>
        {deleting.isError ? <ProblemNotice error={deleting.error} doing="Couldn't delete the file" /> : null}
      </Confirm>
    </>
  );
}
