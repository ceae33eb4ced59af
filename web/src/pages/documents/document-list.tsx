/** Documents, the latest first. The list follows those that are being read. */
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Document } from "../../api/types.generated.ts";
import { bytes } from "../../ui/amounts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { FromOutside } from "../../ui/from-outside.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Name } from "../../ui/name.tsx";
import { Empty } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import { describeContents, DOCUMENT_STATE_WORDS, findLosses, isEmpty, isUnderWay } from "./document-words.ts";

/** Documents of a page of the list. */
const PAGE = 50;
const READ_AGAIN_MS = 2_000;

export function DocumentList({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const list = usePaged<Document>(
    ["documents", "list"],
    async (cursor) =>
      await answered(api.GET("/v1/knowledge/documents", { params: { query: { cursor, limit: PAGE } } })),
    (rows) => (rows.some(isUnderWay) ? READ_AGAIN_MS : false),
  );
  const columns: readonly Column<Document>[] = [
    { title: "Document", cell: (one) => <Title document={one} /> },
    { title: "State", cell: (one) => <ListedState document={one} /> },
    { title: "Contents", cell: describeContents },
    {
      title: "Size",
      isNumber: true,
      cell: ({ size }) => (size === null ? null : <span className="whitespace-nowrap">{bytes(size)}</span>),
    },
    { title: "Added", cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: "Actions",
      cell: ({ id, title }) => (
        <Button size="small" aria-label={honestProse(`Open ${title}`)} onClick={() => onOpen(id)}>
          Open
        </Button>
      ),
    },
  ];
  return (
    <Listing
      list={list}
      empty={
        <Empty title="No documents yet">
          Add PDFs, Word, Excel and PowerPoint files, web pages or texts above. Agents then search and cite them.
        </Empty>
      }
    >
      <Table caption="Documents" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
    </Listing>
  );
}

function Title({ document: { title, filename, project, label } }: { readonly document: Document }) {
  return (
    <span className="flex flex-col items-start gap-1">
      <Name className="font-medium">{title}</Name>
      {filename === title ? null : <Name className="text-sm text-quiet">{filename}</Name>}
      <span className="flex flex-wrap gap-1.5">
        {project === null ? null : <Badge tone="accent">{project}</Badge>}
        {label === "outside" ? <FromOutside /> : null}
      </span>
    </span>
  );
}

/** The state, with the reason of one that failed. */
function ListedState({ document }: { readonly document: Document }) {
  const { status, error } = document;
  return (
    <span className="flex flex-col items-start gap-1">
      <DocumentState document={document} />
      {status === "failed" && error !== null ? (
        <span className="text-sm text-danger [overflow-wrap:anywhere]">{honestProse(error.message)}</span>
      ) : null}
    </span>
  );
}

const NO_TEXT = { word: "No text", tone: "warn" } as const;

/** While a later version is read, and after one that failed, searches use the previous one. */
export function DocumentState({ document }: { readonly document: Document }) {
  const { status, progress, version, shown_version: shown, warnings } = document;
  const { word, tone } = isEmpty(document) ? NO_TEXT : DOCUMENT_STATE_WORDS[status];
  const notes = findLosses(warnings).length;
  return (
    <span className="flex flex-col items-start gap-1">
      <Badge tone={tone}>
        {word}
        {isUnderWay(document) && progress > 0 ? ` ${Math.round(progress * 100)} %` : ""}
      </Badge>
      {shown !== null && shown !== version ? (
        <span className="text-sm text-quiet">Searches use version {shown}</span>
      ) : null}
      {status === "ready" && notes > 0 ? (
        <span className="text-sm text-quiet">{notes === 1 ? "1 note" : `${notes} notes`}</span>
      ) : null}
    </span>
  );
}
