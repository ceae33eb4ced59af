/** What a tried call came to: a result, an error in words, or a wait for a person. */
import { Link } from "@tanstack/react-router";
import type { ToolResult } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { JsonBlock } from "../../ui/code.tsx";
import { Notice } from "../../ui/notice.tsx";
import { duration } from "../../ui/relative-time.ts";
import { ValueBlock } from "../../ui/value-block.tsx";
import { type CallAnswer, detailOf } from "./tool-call.ts";
import { formatRetry } from "./tool-words.ts";

type CallError = Extract<ToolResult, { ok: false }>["error"];

export function CallOutcome({ answer: { result, taskId, durationMs } }: { readonly answer: CallAnswer }) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={result.ok ? "good" : result.error.code === "needs_approval" ? "warn" : "danger"}>
          {result.ok ? "It worked" : result.error.code === "needs_approval" ? "Needs approval" : "It failed"}
        </Badge>
        <span className="text-sm text-quiet">{duration(durationMs)}</span>
        {taskId === null ? null : (
          <Link to="/tasks/$taskId" params={{ taskId }} className="text-sm text-accent underline">
            The call's own task and its ledger
          </Link>
        )}
      </p>
      {result.ok ? (
        <ValueBlock value={result.result} label="the result" />
      ) : (
        <Failed error={result.error} taskId={taskId} />
      )}
    </>
  );
}

function Failed({ error, taskId }: { readonly error: CallError; readonly taskId: string | null }) {
  const task = detailOf(error.details, "task_id") ?? taskId;
  if (task !== null && GOES_ON[error.code] !== undefined)
    return (
      <Notice
        tone="warn"
        title={GOES_ON[error.code] ?? ""}
        action={
          <span className="flex flex-wrap gap-2">
            <Link to="/tasks/$taskId" params={{ taskId: task }} className={buttonClasses("primary", "small")}>
              {error.code === "timeout" ? "Follow it" : "Decide it"}
            </Link>
            <Link to="/inbox" className={buttonClasses("plain", "small")}>
              To the inbox
            </Link>
          </span>
        }
      >
        <p dir="auto">{whyItWaits(error)}</p>
      </Notice>
    );
  return (
    <>
      <Notice tone="danger" title={error.message}>
        <p>
          {formatRetry(error.retry)} <span className="text-quiet">({error.code.replaceAll("_", " ")})</span>
        </p>
        {error.field === undefined ? null : (
          <p>
            Field: <code className="font-mono">{error.field}</code>
          </p>
        )}
      </Notice>
      {error.details === undefined ? null : <JsonBlock value={error.details} label="the details" />}
    </>
  );
}

/** The API's message without what it says to programs: the address at which one decides. */
function whyItWaits({ code, message }: CallError): string {
  const why = /^A person has to approve this call first: (.*) Decide it at \/v1\//s.exec(message)?.[1];
  if (code !== "needs_approval" || why === undefined) return message;
  return `${why} It runs after the approval. Its result is in the ledger of the call's own task.`;
}

/** Errors after which the call is not over. */
const GOES_ON: Readonly<Partial<Record<string, string>>> = {
  needs_approval: "A person has to approve this call first",
  outcome_unknown: "Unknown outcome",
  timeout: "The call is still running",
};
