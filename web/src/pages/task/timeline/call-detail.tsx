/** What went into a call, what came out, and its row of the ledger. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { AccountName } from "../../../pending/account-line.tsx";
import { count } from "../../../ui/amounts.ts";
import { Fact, Facts } from "../../../ui/facts.tsx";
import { Message } from "../../../ui/message.tsx";
import { Notice, ProblemNotice, Skeleton } from "../../../ui/notice.tsx";
import { ExactTime } from "../../../ui/time.tsx";
import { ValueBlock } from "../../../ui/value-block.tsx";
import { isPlain } from "../data/tool-data.ts";
import { ToolDataView } from "../data/tool-data-view.tsx";
import { EFFECT_WORDS, keptOutside, LABEL_WORDS, STATE_WORDS, toolName } from "./call-words.ts";
import { readRow } from "./ledger-row.ts";
import type { CallItem } from "./timeline-items.ts";

export function CallDetail({ taskId, call }: { readonly taskId: string; readonly call: CallItem }) {
  const { tool } = call;
  return (
    <div className="flex flex-col gap-4">
      <Part title="Arguments">
        <ValueBlock value={call.arguments} label={`Arguments of ${toolName(tool)}`} />
      </Part>
      {call.account === null ? null : (
        <Part title="Account">
          <p className="text-sm">
            Through <AccountName words={call.account} />
          </p>
        </Part>
      )}
      <Part title={call.error === null ? "Result" : "What went wrong"}>
        <Outcome call={call} />
      </Part>
      <Part title="Ledger">
        <Ledger taskId={taskId} call={call} />
      </Part>
      {tool === "" ? null : (
        <Link
          to="/tools/$name"
          params={{ name: tool }}
          className="inline-flex items-center gap-1.5 self-start text-sm text-accent underline"
        >
          <ExternalLink aria-hidden className="size-4 shrink-0" />
          About this tool
        </Link>
      )}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div role="group" aria-label={title} className="flex min-w-0 flex-col gap-1.5">
      <p className="text-xs font-medium text-quiet">{title}</p>
      {children}
    </div>
  );
}

function Outcome({ call: { state, error, result, data, tool } }: { readonly call: CallItem }) {
  if (state === "intended") return <p className="text-sm text-quiet">No result yet.</p>;
  if (state === "unknown" && error === null) {
    return (
      <Notice tone="warn" title="Unknown outcome">
        It was cut off and was not repeated.
      </Notice>
    );
  }
  if (error !== null) {
    return (
      <div className="min-w-0 rounded-md border border-danger bg-danger-soft p-3 text-sm">
        <Message text={error.message} />
        <p className="mt-1 font-mono text-xs text-quiet">{error.code}</p>
      </div>
    );
  }
  const label = `Result of ${toolName(tool)}`;
  if (data !== null && !isPlain(data)) return <ToolDataView data={data} result={result} label={label} />;
  const characters = keptOutside(result);
  if (characters !== null) {
    return (
      <p className="text-sm text-quiet">
        It has {count(characters)} characters, too many for the log. The agent reads it part by part.
      </p>
    );
  }
  return <ValueBlock value={result ?? null} label={label} />;
}

/** The row of one call: the only one on the page that begins just before it. */
function Ledger({ taskId, call }: { readonly taskId: string; readonly call: CallItem }) {
  const { callId, state } = call;
  const { data, error, refetch } = useQuery({
    // Its state is part of the key: the row is read again when the call ends, and not at every change of the task.
    queryKey: ["ledger", taskId, callId, state],
    queryFn: async () => await readRow(taskId, callId),
    staleTime: 60_000,
  });
  if (error !== null) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={1} height="h-24" label="Loading the ledger" />;
  if (data === null) return <p className="text-sm text-quiet">The ledger has no row for it.</p>;
  const effect = EFFECT_WORDS[data.effect];
  return (
    <div className="text-sm">
      <Facts>
        <Fact name="State">{STATE_WORDS[data.state]}</Fact>
        <Fact name="Effect">
          {effect.name}. {effect.means}
        </Fact>
        {data.label === null ? null : <Fact name="Origin">{LABEL_WORDS[data.label]}</Fact>}
        <Fact name="Attempts">{count(data.attempts)}</Fact>
        <Fact name="Written down">
          <ExactTime at={data.intended_at} />
        </Fact>
        {data.settled_at === null ? null : (
          <Fact name="Settled">
            <ExactTime at={data.settled_at} />
          </Fact>
        )}
        <Fact name="Key">
          <code className="font-mono text-xs">{data.key}</code>
        </Fact>
        <Fact name="Arguments' hash">
          <code className="font-mono text-xs">{data.arguments_hash}</code>
        </Fact>
      </Facts>
    </div>
  );
}
