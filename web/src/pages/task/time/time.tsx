/** Where a task's time and money went: its model calls, tool calls and waits along one axis, their sums, and the numbers. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { isFinal } from "../../../api/types.ts";
import type { Task } from "../../../api/types.generated.ts";
import { count, dollars } from "../../../ui/amounts.ts";
import { CheckField } from "../../../ui/field.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../../ui/notice.tsx";
import { Section } from "../../../ui/page.tsx";
import { duration } from "../../../ui/relative-time.ts";
import { TaskBudget } from "./budget.tsx";
import { TimeSums } from "./time-sums.tsx";
import { TimeTable } from "./time-table.tsx";
import { traceQuery, waitEventsQuery } from "./trace-query.ts";
import { type Bar, barsOf, scaleOf, spanOf, waitsOf } from "./waterfall.ts";
import { Waterfall } from "./waterfall-view.tsx";

export function TaskTime({ task }: { readonly task: Task }) {
  const cache = useQueryClient();
  const trace = useQuery(traceQuery(task.id));
  const waits = useQuery(waitEventsQuery(task.id, cache));
  const bars = useMemo(
    () => (trace.data === undefined ? null : barsOf(trace.data, waitsOf(waits.data?.events ?? []))),
    [trace.data, waits.data],
  );
  const failed = [trace, waits].find(({ isError }) => isError);
  return (
    <div className="flex flex-col gap-6">
      <Section title="Limits">
        <TaskBudget task={task} />
      </Section>
      {failed === undefined ? null : (
        <ProblemNotice error={failed.error} onRetry={() => void Promise.all([trace.refetch(), waits.refetch()])} />
      )}
      {bars !== null && !waits.isPending ? (
        <TimeOf {...{ task, bars }} />
      ) : failed === undefined ? (
        <Skeleton rows={6} height="h-8" label="Loading the times" />
      ) : null}
    </div>
  );
}

function TimeOf({ task, bars }: { readonly task: Task; readonly bars: readonly Bar[] }) {
  const [shortens, setShortens] = useState(true);
  const endedAt = task.ended_at === null ? null : Date.parse(task.ended_at);
  const now = useNow(!isFinal(task.status) && bars.some(({ to }) => to === null));
  const { span, scale, canShorten } = useMemo(() => {
    const whole = spanOf(bars, now, endedAt);
    const short = scaleOf(bars, whole, true);
    const canBe = short.shortened.length > 0;
    return { span: whole, scale: shortens && canBe ? short : scaleOf(bars, whole, false), canShorten: canBe };
  }, [bars, now, endedAt, shortens]);
  if (bars.length === 0)
    return <Empty title="Nothing has run yet">Each call of a model or a tool appears here as it begins.</Empty>;
  return (
    <>
      <Section
        title="Timeline"
        actions={
          canShorten ? (
            <CheckField
              label="Compress waits"
              checked={shortens}
              onChange={({ target }) => setShortens(target.checked)}
            />
          ) : undefined
        }
      >
        <Figures {...{ task, bars }} ms={span.to - span.from} />
        <div className="rounded-lg border border-line bg-surface">
          <Waterfall {...{ bars, span, scale }} end={endedAt ?? now} />
        </div>
      </Section>
      <TimeSums bars={bars} now={endedAt ?? now} />
      <TimeTable {...{ bars }} begin={span.from} now={endedAt ?? now} />
    </>
  );
}

function Figures({ task, bars, ms }: { readonly task: Task; readonly bars: readonly Bar[]; readonly ms: number }) {
  const calls = bars.filter(({ kind }) => kind === "tool").length;
  const models = bars.filter(({ kind }) => kind === "model").length;
  return (
    <p className="text-quiet">
      {duration(ms)} total · {count(models)} model {models === 1 ? "call" : "calls"} · {count(calls)} tool{" "}
      {calls === 1 ? "call" : "calls"} · {dollars(task.usage.cost_usd)}
      {task.usage.estimated ? " (tokens partly estimated)" : ""}
    </p>
  );
}

/** The present, once a second while something grows with it. */
function useNow(isGrowing: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isGrowing) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isGrowing]);
  return now;
}
