/** One step, and a group of steps that is folded away. */
import { ChevronRight } from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import { count, dollars, shortCount } from "../../../ui/amounts.ts";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { duration } from "../../../ui/relative-time.ts";
import { ClockTime } from "../../../ui/time.tsx";
import { oneLine } from "../../../ui/visible-text.ts";
import { ItemRow } from "./item-rows.tsx";
import { summaryOf, type StepGroup } from "./timeline-groups.ts";
import type { ApprovalItem, ConnectionItem, Item, QuestionItem, Step } from "./timeline-items.ts";

/** Items of a step that are shown at first: a model may ask for hundreds of calls at once. */
const SHOWN = 60;

export const StepSection = memo(function StepSection({
  taskId,
  step,
  children,
}: {
  readonly taskId: string;
  readonly step: Step;
  /** The text that the model is writing in it. */
  readonly children?: ReactNode;
}) {
  const [isWhole, setWhole] = useState(false);
  const { items } = step;
  const shown = isWhole ? items : items.slice(0, SHOWN);
  const asking = new Set(items.filter(isOpenAsk).map((item) => item.callId));
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {step.step === 0 ? null : <StepHead step={step} />}
      {shown.map((item) => (
        <ItemRow
          key={item.key}
          taskId={taskId}
          item={item}
          isAsking={item.kind === "call" && asking.has(item.callId)}
        />
      ))}
      {shown.length === items.length ? null : (
        <Button size="small" className="self-start" onClick={() => setWhole(true)}>
          Show {count(items.length - shown.length)} more of this step
        </Button>
      )}
      {children}
    </div>
  );
});

function isOpenAsk(item: Item): item is QuestionItem | ApprovalItem | ConnectionItem {
  const isAsk = item.kind === "question" || item.kind === "approval" || item.kind === "connection";
  return isAsk && item.id !== null && item.outcome === "open";
}

function StepHead({ step: { step, isFinal, model, startedAt, completedAt, items } }: { readonly step: Step }) {
  const message = items.find((item) => item.kind === "message");
  const name = message?.model ?? model;
  const took =
    startedAt === null || completedAt === null ? null : Math.max(0, Date.parse(completedAt) - Date.parse(startedAt));
  const facts = [
    name === null || name === "" ? null : oneLine(name, 40),
    message?.tokens == null ? null : `${shortCount(message.tokens)} tokens`,
    message?.costUsd == null || message.costUsd === 0 ? null : dollars(message.costUsd),
    took === null ? null : duration(took),
  ].filter((fact) => fact !== null);
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 border-b border-line pb-1">
      <h3 className="text-sm font-semibold">
        Step {count(step)}
        {isFinal ? ", the last one" : ""}
      </h3>
      <p className="flex flex-wrap gap-x-3 text-xs text-quiet tabular-nums">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {startedAt === null ? null : <ClockTime at={startedAt} />}
      </p>
    </div>
  );
}

export function FoldedSteps({
  taskId,
  group,
  isOpen,
  onToggle,
}: {
  readonly taskId: string;
  readonly group: StepGroup;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  const { calls, failed, durationMs } = summaryOf(group);
  const facts = [
    calls === 1 ? "1 call" : `${count(calls)} calls`,
    failed === 0 ? null : `${count(failed)} without success`,
    durationMs === null ? null : duration(Math.max(0, durationMs)),
  ].filter((fact) => fact !== null);
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-h-10 w-full flex-wrap items-center gap-x-3 gap-y-0.5 rounded-md border border-line bg-surface px-3 py-1.5 text-left hover:bg-hover"
      >
        <ChevronRight
          aria-hidden
          className={classes("size-4 shrink-0 text-quiet transition-transform", isOpen && "rotate-90")}
        />
        <span className="font-medium">
          Steps {count(group.from)}–{count(group.to)}
        </span>
        <span className="text-sm text-quiet">{facts.join(" · ")}</span>
      </button>
      {isOpen ? group.steps.map((step) => <StepSection key={step.step} taskId={taskId} step={step} />) : null}
    </div>
  );
}
