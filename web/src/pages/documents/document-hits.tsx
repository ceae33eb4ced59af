/** What a search finds: the passages that an agent would get, with where they stand. */
import { useQuery } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import type { KnowledgeResult } from "../../api/types.generated.ts";
import { count } from "../../ui/amounts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { FromOutside } from "../../ui/from-outside.tsx";
import { Name } from "../../ui/name.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { pickRows } from "../../ui/pick-rows.ts";
import { PlainTable } from "../../ui/plain-table.tsx";
import { honestProse } from "../../ui/visible-text.ts";

/** The most that a search gives. */
const HITS = 20;
/** Rows of a table that are shown: those with words of the search. */
const MAX_ROWS = 20;

interface DocumentHitsProps {
  readonly words: string;
  readonly onOpen: (id: string) => void;
}

export function DocumentHits({ words, onOpen }: DocumentHitsProps) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["documents", "search", words],
    queryFn: async () => await answered(api.POST("/v1/knowledge/search", { body: { query: words, limit: HITS } })),
  });
  if (isPending) return <Skeleton rows={4} height="h-20" />;
  if (data === undefined) return <ProblemNotice error={error} doing="Couldn't search" onRetry={() => void refetch()} />;
  const { results, searched } = data;
  const where = `${count(searched.documents)} ${searched.documents === 1 ? "document" : "documents"}`;
  if (results.length === 0)
    return <Empty title="Nothing found">{`${where} were searched. Try other words, or a part of them.`}</Empty>;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-quiet">
        {`${describeNumber(results.length)} from ${where}.`}
        {searched.embedder === null ? " Meanings could not be compared just now: only words were." : ""}
      </p>
      <ol aria-label="Results" className="flex flex-col gap-3">
        {results.map((result) => (
          <Hit key={result.piece_id} result={result} words={words} onOpen={onOpen} />
        ))}
      </ol>
    </div>
  );
}

function describeNumber(number: number): string {
  if (number === 1) return "1 result";
  return `${number === HITS ? "The best " : ""}${count(number)} results`;
}

function Hit({ result, words, onOpen }: DocumentHitsProps & { readonly result: KnowledgeResult }) {
  const { title, heading, page, text, kind, relevance, document_id: id, label, table, formula } = result;
  const place = [...heading, ...(page === null ? [] : [`page ${page}`])].join(" · ");
  return (
    <li className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-2">
        <Name className="font-medium">{title}</Name>
        {kind === "text" ? null : <Badge tone="info">{KIND_WORDS[kind]}</Badge>}
        {label === "outside" ? <FromOutside /> : null}
        <span className="text-sm text-quiet tabular-nums">{relevance.toFixed(1)} %</span>
        <span className="ml-auto">
          <Button size="small" aria-label={honestProse(`Open ${title}`)} onClick={() => onOpen(id)}>
            Open
          </Button>
        </span>
      </div>
      {place === "" ? null : <Name className="text-sm text-quiet">{place}</Name>}
      {table === undefined ? null : (
        <PlainTable
          caption={table.caption}
          columns={table.columns}
          rows={pickRows(table.rows, words, MAX_ROWS)}
          total={table.row_count}
        />
      )}
      {formula === undefined ? null : <CodeBlock label="The formula as TeX" text={formula.tex} />}
      {table === undefined && formula === undefined ? (
        <p dir="auto" className="line-clamp-6 whitespace-pre-wrap">
          {honestProse(text)}
        </p>
      ) : null}
    </li>
  );
}

const KIND_WORDS = { table: "Table", formula: "Formula", image: "Picture" } as const;
