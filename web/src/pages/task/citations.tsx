/** The sources that an answer cites: each opens the document at the place that was read. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import type { Citation, PlacedPiece, Task } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { CodeBlock } from "../../ui/code.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FromOutside } from "../../ui/from-outside.tsx";
import { Message } from "../../ui/message.tsx";
import { Name } from "../../ui/name.tsx";
import { Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { PlainTable } from "../../ui/plain-table.tsx";
import { type NamedSources, SourceContext } from "../../ui/source-context.ts";
import { honestProse } from "../../ui/visible-text.ts";

/** Passages on each side of the cited one. */
const AROUND = 2;

interface CitationsProps extends Pick<Task, "output"> {
  /** What has the answer: its `[Source 3]` opens that source. */
  readonly children: ReactNode;
}

/** Nothing below an answer without citations. */
export function Citations({ output, children }: CitationsProps) {
  const [open, setOpen] = useState<Citation | null>(null);
  const citations = useMemo(() => output?.citations ?? [], [output]);
  const sources = useMemo((): NamedSources => {
    const byNumber = new Map(citations.map((citation) => [citation.n, citation]));
    return { has: (n) => byNumber.has(n), open: (n) => setOpen(byNumber.get(n) ?? null) };
  }, [citations]);
  return (
    <>
      <SourceContext value={sources}>{children}</SourceContext>
      {citations.length === 0 ? null : <CitationList citations={citations} onOpen={setOpen} />}
      <Dialog
        isOpen={open !== null}
        title={open === null ? "" : `Source ${open.n}: ${open.title}`}
        onClose={() => setOpen(null)}
        isWide
      >
        {open === null ? null : <CitedPlace citation={open} />}
      </Dialog>
    </>
  );
}

interface CitationListProps {
  readonly citations: readonly Citation[];
  readonly onOpen: (citation: Citation) => void;
}

function CitationList({ citations, onOpen }: CitationListProps) {
  return (
    <Section title="Sources">
      <ol className="flex flex-col gap-2">
        {citations.map((citation) => (
          <li key={citation.n} className="flex flex-col gap-1 rounded-lg border border-line bg-surface p-3">
            <div className="flex flex-wrap items-center gap-2">
              <span className="text-sm text-quiet">Source {citation.n}</span>
              <Name className="font-medium">{citation.title}</Name>
              {citation.page === null ? null : <span className="text-sm text-quiet">page {citation.page}</span>}
              <span className="ml-auto">
                <Button size="small" aria-label={`Open source ${citation.n}`} onClick={() => onOpen(citation)}>
                  Open
                </Button>
              </span>
            </div>
            <p dir="auto" className="line-clamp-3 whitespace-pre-wrap text-quiet">
              {honestProse(citation.quote)}
            </p>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** The cited passage among its neighbours; its quote alone when the document has changed since. */
function CitedPlace({ citation: { piece_id: id, document_id: document, quote } }: { readonly citation: Citation }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["documents", "piece", id],
    queryFn: async () => {
      const params = { path: { id }, query: { before: AROUND, after: AROUND } };
      return await answered(api.GET("/v1/knowledge/pieces/{id}", { params }));
    },
  });
  if (isPending) return <Skeleton rows={4} height="h-16" />;
  if (data === undefined) {
    if (toApiError(error).status !== 404)
      return <ProblemNotice error={error} doing="Couldn't open the document" onRetry={() => void refetch()} />;
    return (
      <div className="flex flex-col gap-3">
        <Notice tone="warn" title="The document was replaced or deleted since">
          This is what the answer is based on.
        </Notice>
        <Passage isCited>
          <p className="whitespace-pre-wrap">{honestProse(quote)}</p>
        </Passage>
      </div>
    );
  }
  const cited = data.pieces.find((piece) => piece.piece_id === id);
  const { heading = [], page = null } = cited ?? {};
  const place = [...heading, ...(page === null ? [] : [`page ${page}`])].join(" · ");
  // The text of a formula is also in the passage that it is in.
  const pieces = data.pieces.filter((piece) => piece === cited || piece.kind !== "formula");
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2 text-sm text-quiet">
        {place === "" ? null : <Name>{place}</Name>}
        {data.label === "outside" ? <FromOutside /> : null}
        <Link to="/documents" search={{ open: document }} className="text-accent underline">
          About the document
        </Link>
      </div>
      {pieces.map((piece) => (
        <Passage key={piece.piece_id} isCited={piece === cited}>
          <PieceContent piece={piece} />
        </Passage>
      ))}
    </div>
  );
}

function PieceContent({ piece: { text, table, formula } }: { readonly piece: PlacedPiece }) {
  if (table !== undefined)
    return <PlainTable caption={table.caption} columns={table.columns} rows={table.rows} total={table.row_count} />;
  if (formula === undefined) return <Message text={text} />;
  return (
    <div className="flex flex-col gap-2">
      <CodeBlock label="The formula as TeX" text={formula.tex} />
      <Message text={formula.context} />
    </div>
  );
}

function Passage({ isCited, children }: { readonly isCited: boolean; readonly children: ReactNode }) {
  return (
    <blockquote
      dir="auto"
      aria-label={isCited ? "Cited passage" : undefined}
      className={classes(
        "border-l-4 py-1 pl-3 [overflow-wrap:anywhere]",
        isCited ? "border-accent bg-accent-soft" : "border-line text-quiet",
      )}
    >
      {children}
    </blockquote>
  );
}
