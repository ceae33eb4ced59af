/** The files of a task's sandbox: as folders, and the one that the address names beside them. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { isFinal } from "../../../api/types.ts";
import type { SandboxFile, Task } from "../../../api/types.generated.ts";
import { bytes, count } from "../../../ui/amounts.ts";
import { classes } from "../../../ui/classes.ts";
import { More } from "../../../ui/more.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../../ui/notice.tsx";
import { Section } from "../../../ui/page.tsx";
import { treeQuery } from "../task-query.ts";
import { FileList } from "./file-list.tsx";
import { FilePanel } from "./file-panel.tsx";
import { filesQuery } from "./file-query.ts";
import { UploadButton } from "./file-upload.tsx";

export function TaskFiles({ task }: { readonly task: Task }) {
  const { file: chosen = null } = useSearch({ from: "/console/tasks/$taskId" });
  const navigate = useNavigate({ from: "/tasks/$taskId" });
  const files = useInfiniteQuery(filesQuery(task.id));
  // A tree shares its files: the live feed knows by the root of a subtask what they are changed by.
  useQuery({ ...treeQuery(task.id), enabled: task.parent_id !== null, notifyOnChangeProps: [] });
  const all = useMemo(() => files.data?.pages.flatMap(({ data }) => data) ?? [], [files.data]);
  const file = all.find(({ path }) => path === chosen) ?? null;
  const { hasNextPage, isFetching, isError, fetchNextPage } = files;
  // The file of the address may stand on a later page.
  const readsOn = chosen !== null && file === null && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    if (readsOn) void fetchNextPage();
  }, [readsOn, fetchNextPage]);
  const mayChange = !isFinal(task.status);
  const choose = async (path: string | null): Promise<void> =>
    await navigate({
      search: ({ file: _, ...rest }) => (path === null ? rest : { ...rest, file: path }),
      resetScroll: false,
    });
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(17rem,22rem)_minmax(0,1fr)]">
      <div className={classes("min-w-0", chosen !== null && "max-lg:hidden")}>
        <Section
          title="Files"
          actions={
            mayChange ? <UploadButton taskId={task.id} known={all} onDone={(path) => void choose(path)} /> : undefined
          }
        >
          {files.isError ? <ProblemNotice error={files.error} onRetry={() => void files.refetch()} /> : null}
          {files.isPending ? <Skeleton rows={5} height="h-8" label="Loading the files" /> : null}
          {files.isSuccess && all.length === 0 ? <NoFiles mayChange={mayChange} /> : null}
          {all.length === 0 ? null : (
            <>
              <FileList files={all} attached={listAttached(task)} chosen={chosen} />
              <More
                hasMore={files.hasNextPage}
                isBusy={files.isFetchingNextPage}
                onMore={() => void files.fetchNextPage()}
                shown={all.length}
              />
              <Sum files={all} isWhole={!files.hasNextPage} />
            </>
          )}
        </Section>
      </div>
      {chosen === null ? (
        <Choose hasFiles={all.length > 0} />
      ) : (
        <FilePanel
          key={chosen}
          {...{ task, mayChange, file }}
          path={chosen}
          isRead={files.isSuccess && !files.hasNextPage}
          problem={files.isError ? <ProblemNotice error={files.error} onRetry={() => void files.refetch()} /> : null}
          onClose={() => void choose(null).then(() => focusFile(chosen))}
        />
      )}
    </div>
  );
}

/** Back to the place in the list that one came from. */
function focusFile(path: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-file="${CSS.escape(path)}"]`)?.focus());
}

/** The paths that the task delivers with its answer. */
function listAttached({ output }: Task): ReadonlySet<string> {
  return new Set(output?.files.map(({ path }) => path) ?? []);
}

function NoFiles({ mayChange }: { readonly mayChange: boolean }) {
  return (
    <Empty title="No files">
      {mayChange
        ? "Files that the task writes appear here. You can give it some of your own."
        : "This task ended without any files."}
    </Empty>
  );
}

function Choose({ hasFiles }: { readonly hasFiles: boolean }) {
  return hasFiles ? (
    <p className="hidden rounded-lg border border-dashed border-edge px-6 py-12 text-center text-quiet lg:block">
      Choose a file to see it here.
    </p>
  ) : null;
}

function Sum({ files, isWhole }: { readonly files: readonly SandboxFile[]; readonly isWhole: boolean }) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return (
    <p className="text-sm text-quiet">
      {count(files.length)}
      {isWhole ? "" : " or more"} {files.length === 1 ? "file" : "files"}, {bytes(size)}. Subtasks share them.
    </p>
  );
}
