/** What a search finds in code: the places that an agent would get, with file, lines and symbol. */
import { useQuery } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import type { CodeFound, CodeResult } from "../../api/types.generated.ts";
import { count } from "../../ui/amounts.ts";
import { Badge } from "../../ui/badge.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Name } from "../../ui/name.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { shortCommit } from "./code-words.ts";
import { codebasesQuery } from "./codebase-queries.ts";

/** The most that a search gives. */
const HITS = 20;

interface CodeHitsProps {
  readonly words: string;
  /** The name of the searched codebase; null: all. */
  readonly codebase: string | null;
  readonly onCodebase: (name: string) => void;
}

export function CodeHits({ words, codebase, onCodebase }: CodeHitsProps) {
  const { data: codebases = [] } = useQuery(codebasesQuery);
  return (
    <div className="flex flex-col gap-3">
      {codebases.length > 1 || codebase !== null ? (
        <SelectField
          label="Codebase"
          className="max-w-xs"
          value={codebase ?? ""}
          onChange={({ target }) => onCodebase(target.value)}
        >
          <option value="">All codebases</option>
          {codebases.map(({ id, name }) => (
            <option key={id} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
      ) : null}
      <Hits words={words} codebase={codebase} />
    </div>
  );
}

function Hits({ words, codebase }: Pick<CodeHitsProps, "words" | "codebase">) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["codebases", "search", words, codebase],
    queryFn: async () => {
      const body = { query: words, limit: HITS, ...(codebase === null ? {} : { codebase }) };
      return await answered(api.POST("/v1/codebases/search", { body }));
    },
  });
  if (isPending) return <Skeleton rows={4} height="h-20" />;
  if (data === undefined) return <ProblemNotice error={error} doing="Couldn't search" onRetry={() => void refetch()} />;
  const { results } = data;
  const where = describeSearched(data);
  if (results.length === 0)
    return (
      <Empty title="Nothing found">{`${where} searched. Try the name of a function or class, a part of one, or other words.`}</Empty>
    );
  return (
    <>
      <p className="text-sm text-quiet">{`${describeNumber(results.length)} ${where} searched.`}</p>
      <ol aria-label="Results" className="flex flex-col gap-3">
        {results.map((result) => (
          <Hit key={`${result.codebase} ${result.file} ${result.start_line} ${result.symbol ?? ""}`} result={result} />
        ))}
      </ol>
    </>
  );
}

function describeNumber(number: number): string {
  if (number === 1) return "1 result.";
  return `${number === HITS ? "The best " : ""}${count(number)} results.`;
}

function describeSearched({ searched }: CodeFound): string {
  const [only, ...others] = searched;
  const files = searched.reduce((sum, one) => sum + one.files, 0);
  const amount = `${count(files)} ${files === 1 ? "file" : "files"}`;
  if (only === undefined) return "There is no codebase yet: nothing was";
  return others.length === 0
    ? `${amount} of ${only.name} were`
    : `${amount} of ${count(searched.length)} codebases were`;
}

function Hit({ result }: { readonly result: CodeResult }) {
  const { file, codebase, language, symbol, kind, start_line: start, end_line: end, code, commit } = result;
  const lines = start === end ? `line ${start}` : `lines ${start}–${end}`;
  return (
    <li className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {symbol === null ? null : <Name className="font-mono font-medium [overflow-wrap:anywhere]">{symbol}</Name>}
        {kind === null ? null : <Badge tone="info">{kind}</Badge>}
        <Name className="min-w-0 font-mono text-sm [overflow-wrap:anywhere]">{file}</Name>
        <span className="text-sm text-quiet tabular-nums">{lines}</span>
      </div>
      <p className="text-sm text-quiet">
        {codebase} · {language}
        {commit === null ? null : (
          <>
            {" · commit "}
            <code className="font-mono">{shortCommit(commit)}</code>
          </>
        )}
      </p>
      <CodeBlock label={`the code from line ${start} of ${file}`} text={code} />
    </li>
  );
}
