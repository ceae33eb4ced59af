/** What a file was before: each version can be downloaded, and brought back while the task lives. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Download, History } from "lucide-react";
import { fileAddress, newRequestKey, once } from "../../../api/client.ts";
import { toApiError } from "../../../api/problem.ts";
import type { FileVersions } from "../../../api/types.generated.ts";
import { bytes } from "../../../ui/amounts.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button, buttonClasses } from "../../../ui/button.tsx";
import { ProblemNotice } from "../../../ui/notice.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { Time } from "../../../ui/time.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { request, versionsAddress, versionsQuery } from "./file-query.ts";
import { nameOf } from "./file-tree.ts";

type Version = FileVersions["data"][number];

interface FileVersionsProps {
  readonly taskId: string;
  readonly path: string;
  readonly mayChange: boolean;
}

export function FileVersionList({ taskId, path, mayChange }: FileVersionsProps) {
  const versions = useQuery(versionsQuery(taskId, path));
  const restoring = useRestore(taskId, path);
  if (versions.isError)
    // A path that never held a file has no versions either.
    return toApiError(versions.error).status === 404 ? null : (
      <ProblemNotice error={versions.error} onRetry={() => void versions.refetch()} />
    );
  const all = versions.data?.data ?? [];
  if (all.length === 0 || (all.length === 1 && all[0]?.is_current === true)) return null;
  return (
    <details className="rounded-lg border border-line bg-surface" open={all.every(({ is_current }) => !is_current)}>
      <summary className="flex min-h-10 items-center gap-2 px-3 py-2 font-medium">
        <History aria-hidden className="size-4 text-quiet" />
        Versions
        <span className="text-sm font-normal text-quiet">{all.length}</span>
      </summary>
      <div className="flex flex-col gap-3 p-3 pt-0">
        {restoring.isError ? <ProblemNotice error={restoring.error} doing="Couldn't restore the version" /> : null}
        <Table
          caption={`Versions of ${nameOf(path)}`}
          columns={createColumns(taskId, path, mayChange ? restoring : null)}
          rows={all}
          rowKey={({ version }) => String(version)}
        />
      </div>
    </details>
  );
}

function useRestore(taskId: string, path: string) {
  const cache = useQueryClient();
  const say = useToast();
  return useMutation({
    mutationFn: async (version: number) =>
      await request(versionsAddress(taskId, path), {
        method: "POST",
        headers: { "content-type": "application/json", ...once(newRequestKey()) },
        body: JSON.stringify({ version }),
      }),
    onSuccess: async (_, version) => {
      await cache.invalidateQueries({ queryKey: ["tasks", taskId, "files"] });
      say(`Version ${version} is the file now.`);
    },
  });
}

function createColumns(
  taskId: string,
  path: string,
  restoring: ReturnType<typeof useRestore> | null,
): Column<Version>[] {
  return [
    {
      title: "Version",
      cell: ({ version, is_current }) => (
        <span className="flex items-center gap-2">
          {version} {is_current ? <Badge tone="accent">Now</Badge> : null}
        </span>
      ),
    },
    { title: "Written", isMain: true, cell: ({ modified_at }) => <Time at={modified_at} /> },
    { title: "Size", isNumber: true, cell: ({ size }) => bytes(size) },
    {
      title: "Actions",
      cell: ({ version, is_current }) => (
        <span className="flex flex-wrap justify-end gap-2">
          <a
            href={`${fileAddress(taskId, path)}?version=${version}`}
            download={nameOf(path)}
            aria-label={`Download version ${version}`}
            className={buttonClasses("quiet", "small")}
          >
            <Download aria-hidden className="size-4" />
          </a>
          {restoring === null || is_current ? null : (
            <Button
              size="small"
              isBusy={restoring.isPending && restoring.variables === version}
              aria-label={`Restore version ${version}`}
              onClick={() => restoring.mutate(version)}
            >
              Restore
            </Button>
          )}
        </span>
      ),
    },
  ];
}
