/** One document: what is known of it, why it failed or lacks something, and reading it again or deleting it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileUp, RotateCw } from "lucide-react";
import { useRef } from "react";
import { answered, api, newRequestKey, once, sendBytes } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Document } from "../../api/types.generated.ts";
import { bytes } from "../../ui/amounts.ts";
import { AuthorName } from "../../ui/author-name.tsx";
import { Button } from "../../ui/button.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ExactText } from "../../ui/exact-text.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Name } from "../../ui/name.tsx";
import { MissingData } from "../../ui/missing-data.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { DocumentState } from "./document-list.tsx";
import { describePieces, explainWarning, findLosses, isUnderWay } from "./document-words.ts";

const READ_AGAIN_MS = 2_000;

interface DocumentDialogProps {
  /** Null: closed. */
  readonly id: string | null;
  readonly onClose: () => void;
}

export function DocumentDialog({ id, onClose }: DocumentDialogProps) {
  return (
    <Dialog isOpen={id !== null} title="Document" onClose={onClose} isWide>
      {id === null ? null : <OneDocument key={id} id={id} onClose={onClose} />}
    </Dialog>
  );
}

function OneDocument({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["documents", "one", id],
    queryFn: async () => await answered(api.GET("/v1/knowledge/documents/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data !== undefined && isUnderWay(state.data) ? READ_AGAIN_MS : false),
  });
  if (data === undefined) return <MissingData error={error} isPending={isPending} refetch={refetch} />;
  return (
    <div className="flex flex-col gap-4">
      <DocumentNotices document={data} />
      <DocumentFacts document={data} />
      <DocumentActions document={data} onClose={onClose} />
    </div>
  );
}

function DocumentNotices({
  document: { error, status, shown_version: shown, warnings },
}: {
  readonly document: Document;
}) {
  return (
    <>
      {status === "failed" && error !== null ? (
        <Notice tone="danger" title={`Couldn't read the document: ${error.message}`}>
          {shown === null
            ? "Searches do not find it. Replace it with a file that can be read, or read it again."
            : `Searches still use version ${shown}.`}
        </Notice>
      ) : null}
      <Warnings warnings={warnings} />
    </>
  );
}

function Warnings({ warnings }: Pick<Document, "warnings">) {
  const [first] = warnings;
  if (first === undefined) return null;
  if (findLosses(warnings).length === 0) return <Notice tone="info" title={explainWarning(first)} />;
  return (
    <Notice tone="warn" title="Not all of it was read">
      <ul className="list-disc pl-5">
        {warnings.map((warning) => (
          <li key={warning}>{explainWarning(warning)}</li>
        ))}
      </ul>
    </Notice>
  );
}

function DocumentFacts({ document }: { readonly document: Document }) {
  const { title, filename, project, tags, format, size, units, pieces, source, author, version } = document;
  return (
    <Facts>
      <Fact name="Title">
        <Name className="font-medium">{title}</Name>
      </Fact>
      <Fact name="File">
        <Name>{filename}</Name>
      </Fact>
      <Fact name="State">
        <DocumentState document={document} />
      </Fact>
      <Fact name="Contents">{describePieces(pieces)}</Fact>
      <Fact name="For">{project === null ? "Every task" : `Tasks of the project ${project}`}</Fact>
      <Fact name="Source">
        <Source source={source} />
      </Fact>
      <Fact name="Format">{format}</Fact>
      <Fact name="Size">{size === null ? null : bytes(size)}</Fact>
      <Fact name="Pages">{units}</Fact>
      <Fact name="Tags">{tags.length === 0 ? null : <Name>{tags.join(", ")}</Name>}</Fact>
      <Fact name="Version">{version}</Fact>
      <Fact name="Added by">
        <AuthorName id={author} />
      </Fact>
      <Fact name="Added">
        <Time at={document.created_at} />
      </Fact>
      <Fact name="Changed">{version === 1 ? null : <Time at={document.updated_at} />}</Fact>
    </Facts>
  );
}

function Source({ source: { kind, url, task_id: task, path } }: Pick<Document, "source">) {
  if (kind === "url") return <ExactText text={url ?? ""} />;
  if (kind === "text") return "A text";
  if (kind === "upload" || task === null) return "An uploaded file";
  return (
    <>
      <Name>{path ?? ""}</Name> of{" "}
      <Link to="/tasks/$taskId" params={{ taskId: task }} className="text-accent underline">
        a task
      </Link>
    </>
  );
}

function DocumentActions({ document, onClose }: { readonly document: Document; readonly onClose: () => void }) {
  const { id, title, source, shown_version: shown } = document;
  const queries = useQueryClient();
  const say = useToast();
  const { headersFor, renew } = useRequestKey();
  const readAll = async (): Promise<void> => await queries.invalidateQueries({ queryKey: ["documents"] });
  const reading = useMutation({
    mutationFn: async () =>
      await answered(
        api.POST("/v1/knowledge/documents/{id}/reingest", { params: { path: { id } }, headers: headersFor({ id }) }),
      ),
    onSuccess: async () => {
      renew();
      say("The document is read again in the background.");
      await readAll();
    },
  });
  const replacing = useMutation({
    mutationFn: async (file: File) => {
      const form = new FormData();
      form.append("file", file, file.name);
      return await sendBytes<Document>("PUT", `/v1/knowledge/documents/${id}`, form, once(newRequestKey()));
    },
    onSuccess: async () => {
      const until =
        shown === null ? "Searches find it when it is ready." : "Searches use the previous version until then.";
      say(`The file is read in the background. ${until}`);
      await readAll();
    },
  });
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap gap-2">
        <Button
          icon={<RotateCw aria-hidden className="size-4" />}
          isBusy={reading.isPending}
          onClick={() => reading.mutate()}
        >
          {source.kind === "url" ? "Fetch and read again" : "Read again"}
        </Button>
        <ReplaceButton isBusy={replacing.isPending} onFile={(file) => replacing.mutate(file)} />
        <DeleteButton
          name={title}
          action="Delete the document"
          remove={async () => await answered(api.DELETE("/v1/knowledge/documents/{id}", { params: { path: { id } } }))}
          onDeleted={async () => {
            onClose();
            await readAll();
          }}
        >
          Agents no longer find it. Answers that cited it keep their quotes.
        </DeleteButton>
      </div>
      {reading.isError ? <ProblemNotice error={reading.error} doing="Couldn't read it again" /> : null}
      {replacing.isError ? <ProblemNotice error={replacing.error} doing="Couldn't replace the file" /> : null}
    </div>
  );
}

function ReplaceButton({ isBusy, onFile }: { readonly isBusy: boolean; readonly onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon={<FileUp aria-hidden className="size-4" />} isBusy={isBusy} onClick={() => input.current?.click()}>
        Replace the file
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="New file"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) onFile(file);
          // So that the same file can be chosen again.
          target.value = "";
        }}
      />
    </>
  );
}
