/** Files as folders that open and close. Each file is a link: the choice is part of the address. */
import { Link } from "@tanstack/react-router";
import { File, FileCode2, FileImage, FileText, Folder, type LucideIcon } from "lucide-react";
import { useMemo } from "react";
import type { SandboxFile } from "../../../api/types.generated.ts";
import { bytes } from "../../../ui/amounts.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Time } from "../../../ui/time.tsx";
import { fileKind, type FileView } from "./file-kind.ts";
import { type FileFolder, foldersOf, nameOf } from "./file-tree.ts";
import { visibleText } from "../../../ui/visible-text.ts";

const ICONS: Readonly<Record<FileView, LucideIcon>> = {
  text: FileCode2,
  json: FileCode2,
  csv: FileText,
  markdown: FileText,
  pdf: FileText,
  image: FileImage,
  none: File,
};

interface FileListProps {
  readonly files: readonly SandboxFile[];
  /** Paths that are delivered with the answer. */
  readonly attached: ReadonlySet<string>;
  readonly chosen: string | null;
}

export function FileList({ files, attached, chosen }: FileListProps) {
  const top = useMemo(() => foldersOf(files), [files]);
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface py-1">
      <FolderContent folder={top} {...{ attached, chosen }} />
    </div>
  );
}

interface FolderProps {
  readonly folder: FileFolder<SandboxFile>;
  readonly attached: ReadonlySet<string>;
  readonly chosen: string | null;
}

function FolderContent({ folder, ...rest }: FolderProps) {
  return (
    <ul>
      {folder.folders.map((inner) => (
        <li key={inner.path}>
          <details open>
            <summary className="flex min-h-9 items-center gap-2 px-3 py-1 hover:bg-hover focus-visible:-outline-offset-2">
              <Folder aria-hidden className="size-4 shrink-0 text-quiet" />
              <bdi className="min-w-0 font-medium">{visibleText(inner.name)}</bdi>
            </summary>
            <div className="ml-4 border-l border-line">
              <FolderContent folder={inner} {...rest} />
            </div>
          </details>
        </li>
      ))}
      {folder.files.map((file) => (
        <li key={file.path}>
          <FileLink file={file} isAttached={rest.attached.has(file.path)} isChosen={file.path === rest.chosen} />
        </li>
      ))}
    </ul>
  );
}

interface FileLinkProps {
  readonly file: SandboxFile;
  readonly isAttached: boolean;
  readonly isChosen: boolean;
}

function FileLink({ file, isAttached, isChosen }: FileLinkProps) {
  const kind = fileKind(file.path);
  const Icon = ICONS[kind.view];
  return (
    <Link
      from="/tasks/$taskId"
      to="/tasks/$taskId"
      search={(old) => ({ ...old, view: "files" as const, file: file.path })}
      resetScroll={false}
      data-file={file.path}
      aria-current={isChosen ? "true" : undefined}
      className="flex min-h-9 items-start gap-2 px-3 py-1.5 hover:bg-hover focus-visible:-outline-offset-2 aria-[current=true]:bg-accent-soft"
    >
      <Icon aria-hidden className="mt-1 size-4 shrink-0 text-quiet" />
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="flex flex-wrap items-center gap-x-2">
          <bdi className="min-w-0">{visibleText(nameOf(file.path))}</bdi>
          {isAttached ? <Badge tone="good">Delivered</Badge> : null}
        </span>
        <span className="text-xs text-quiet">
          {kind.word} · {bytes(file.size)} · <Time at={file.modified_at} />
        </span>
      </span>
    </Link>
  );
}
