/**
 * How a file looks. Its bytes are fetched and read here: nothing of it is ever opened as a page, nothing in it runs.
 * The code for each kind comes when such a file is first shown.
 */
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";
import { fileAddress } from "../../../api/client.ts";
import type { SandboxFile } from "../../../api/types.generated.ts";
import { bytes as showBytes, count } from "../../../ui/amounts.ts";
import { buttonClasses } from "../../../ui/button.tsx";
import { CheckField } from "../../../ui/field.tsx";
import { Empty, Notice, ProblemNotice, Skeleton } from "../../../ui/notice.tsx";
import { Card } from "../../../ui/page.tsx";
import { CsvTable, ImageView, PlainText } from "./file-looks.tsx";
import { fileKind, type FileView, textOf } from "./file-kind.ts";
import { fileStartQuery } from "./file-query.ts";
import { nameOf } from "./file-tree.ts";
import { JsonView } from "./json-view.tsx";
import { whenReached } from "../../../api/when-reached.ts";

const Markdown = lazy(async () => await whenReached(async () => await import("../../../ui/markdown.tsx")));
const PdfView = lazy(async () => ({
  default: (await whenReached(async () => await import("./pdf-view.tsx"))).PdfView,
}));

/** Bytes of text that are shown; the whole is what the download gives. */
const TEXT_BYTES = 204_800;
/** Bytes of an image or a PDF that the browser is given. */
const PICTURE_BYTES = 52_428_800;

interface FilePreviewProps {
  readonly taskId: string;
  readonly file: SandboxFile;
}

export function FilePreview({ taskId, file }: FilePreviewProps) {
  const { view } = fileKind(file.path);
  if (view === "none" || file.size === 0) return <NoPreview taskId={taskId} file={file} isEmpty={file.size === 0} />;
  return <Fetched {...{ taskId, file, view }} />;
}

function Fetched({ taskId, file, view }: FilePreviewProps & { readonly view: FileView }) {
  const isPicture = view === "image" || view === "pdf";
  const start = useQuery(
    fileStartQuery(taskId, file.path, `${file.modified_at} ${file.size}`, isPicture ? PICTURE_BYTES : TEXT_BYTES),
  );
  if (start.isError)
    return <ProblemNotice error={start.error} doing="Couldn't load the file" onRetry={() => void start.refetch()} />;
  if (start.isPending) return <Skeleton rows={1} height="h-96" label="Loading the file" />;
  const { bytes, isCut } = start.data;
  const name = nameOf(file.path);
  if (isPicture && isCut) return <NoPreview taskId={taskId} file={file} />;
  if (view === "image") return <ImageView bytes={bytes} name={name} type={fileKind(file.path).imageType ?? ""} />;
  if (view === "pdf")
    return (
      <Late>
        <PdfView bytes={bytes} name={name} />
      </Late>
    );
  const text = textOf(bytes);
  if (text === null) return <NoPreview taskId={taskId} file={file} />;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {isCut ? (
        <Notice title={`The first ${showBytes(TEXT_BYTES)} of ${showBytes(file.size)}`}>
          The download has the whole file.
        </Notice>
      ) : null}
      <TextView {...{ view, text, name, isCut }} />
    </div>
  );
}

interface TextViewProps {
  readonly text: string;
  readonly name: string;
  readonly isCut: boolean;
}

/** What is laid out can also be seen as it was written. */
function TextView({ view, ...props }: TextViewProps & { readonly view: FileView }) {
  const [isPlain, setPlain] = useState(false);
  const Laid = LAID_OUT[view];
  if (Laid === undefined) return <PlainText text={props.text} name={props.name} />;
  return (
    <>
      <CheckField label="As it was written" checked={isPlain} onChange={({ target }) => setPlain(target.checked)} />
      {isPlain ? <PlainText text={props.text} name={props.name} /> : <Laid {...props} />}
    </>
  );
}

const LAID_OUT: Partial<Record<FileView, ComponentType<TextViewProps>>> = {
  markdown: function MarkdownLook({ text }) {
    return (
      <Late>
        <Card>
          <Markdown text={text} />
        </Card>
      </Late>
    );
  },
  csv: CsvTable,
  json: function JsonLook({ text, name, isCut }) {
    return isCut ? <PlainText text={text} name={name} /> : <JsonView text={text} name={name} />;
  },
};

function Late({ children }: { readonly children: ReactNode }) {
  return <Suspense fallback={<Skeleton rows={1} height="h-96" label="Loading the preview" />}>{children}</Suspense>;
}

function NoPreview({ taskId, file, isEmpty = false }: FilePreviewProps & { readonly isEmpty?: boolean }) {
  return (
    <Empty
      title={isEmpty ? "The file is empty" : "No preview"}
      action={
        isEmpty ? undefined : (
          <a href={fileAddress(taskId, file.path)} download={nameOf(file.path)} className={buttonClasses("primary")}>
            Download ({showBytes(file.size)})
          </a>
        )
      }
    >
      {isEmpty
        ? null
        : `Files of this kind (${fileKind(file.path).word}, ${count(file.size)} bytes) are not shown here.`}
    </Empty>
  );
}
