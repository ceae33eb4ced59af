/** The result of a call by its type: tables, mails, documents, code, files, events, and what programs wrote. */
import { useState } from "react";
import { keptOutside } from "../timeline/call-words.ts";
import { count } from "../../../ui/amounts.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { CodeBlock } from "../../../ui/code.tsx";
import { ValueBlock } from "../../../ui/value-block.tsx";
import { DataEntry } from "./data-entry.tsx";
import { DataTable } from "./data-table.tsx";
import { countedName, type Terminal, type ToolData } from "./tool-data.ts";

/** Rows and entries that are shown at first. */
const FIRST_ROWS = 10;
const FIRST_ENTRIES = 5;

interface ToolDataProps {
  readonly data: ToolData;
  readonly result: unknown;
  /** Whose result it is, for screen readers. */
  readonly label: string;
}

export function ToolDataView({ data, result, label }: ToolDataProps) {
  const [isRaw, setRaw] = useState(false);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {isRaw ? <ValueBlock value={result ?? null} label={label} /> : <Content data={data} label={label} />}
      {/* The ledger has only the place of a large result. */}
      {keptOutside(result) === null ? (
        <div>
          <Button size="small" onClick={() => setRaw(!isRaw)}>
            {isRaw ? "Show formatted" : "Show as JSON"}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function Content({ data, label }: Omit<ToolDataProps, "result">) {
  const { content, type, isCut } = data;
  const [isWhole, setWhole] = useState(false);
  if (content.kind === "terminal")
    return content.outputs.map((output, at) => <TerminalOutput key={at} output={output} label={label} />);
  const all: readonly unknown[] = content.kind === "table" ? content.rows : content.entries;
  const limit = isWhole ? all.length : content.kind === "table" ? FIRST_ROWS : FIRST_ENTRIES;
  const total = Math.max(data.count, all.length);
  return (
    <>
      {content.kind === "table" ? (
        <DataTable columns={content.columns} rows={content.rows.slice(0, limit)} label={label} />
      ) : (
        <ul aria-label={label} className="divide-y divide-line rounded-md border border-line bg-surface">
          {content.entries.slice(0, limit).map((entry, at) => (
            <DataEntry key={at} type={type} entry={entry} label={`${label}, ${at + 1}`} />
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-quiet">
        {all.length > limit ? (
          <Button size="small" onClick={() => setWhole(true)}>
            Show {count(all.length)} {countedName(type, all.length)}
          </Button>
        ) : null}
        <span>
          {total > Math.min(limit, all.length)
            ? `${count(Math.min(limit, all.length))} of ${count(total)} ${countedName(type, total)}`
            : `${count(total)} ${countedName(type, total)}`}
          {isCut ? ". Shortened: the agent can read the whole result." : ""}
        </span>
      </div>
    </>
  );
}

function TerminalOutput({
  output: { stdout, stderr, exitCode },
  label,
}: {
  readonly output: Terminal;
  readonly label: string;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      {exitCode === null ? null : (
        <div>
          <Badge tone={exitCode === 0 ? "good" : "danger"}>Exit code {exitCode}</Badge>
        </div>
      )}
      {stdout === "" && stderr === "" ? <p className="text-sm text-quiet">No output.</p> : null}
      {stdout === "" ? null : <CodeBlock text={stdout} label={`Output of ${label}`} />}
      {stderr === "" ? null : (
        <>
          <p className="text-xs text-quiet">Errors</p>
          <CodeBlock text={stderr} label={`Errors of ${label}`} />
        </>
      )}
    </div>
  );
}
