/** What a task has used of its limits, what of it is its subtasks', and which limit ended it. */
import { type ReactNode, useEffect, useState } from "react";
import type { Task } from "../../../api/types.generated.ts";
import { count, dollars } from "../../../ui/amounts.ts";
import { FactOfRow, FactRow } from "../../../ui/facts.tsx";
import { Meter } from "../../../ui/meter.tsx";
import { Card } from "../../../ui/page.tsx";
import { duration } from "../../../ui/relative-time.ts";
import { endingLimit, type LimitKind, usedSeconds } from "./budget-words.ts";

type Budget = NonNullable<Task["budget"]>;

export function TaskBudget({ task }: { readonly task: Task }) {
  const { budget, usage } = task;
  return (
    <Card>
      {budget === null ? (
        <FactRow>
          <FactOfRow name="Steps">{count(usage.steps)}</FactOfRow>
          <FactOfRow name="Tokens">{count(usage.input_tokens + usage.output_tokens)}</FactOfRow>
          <FactOfRow name="Money">{dollars(usage.cost_usd)}</FactOfRow>
        </FactRow>
      ) : (
        <Meters budget={budget} ended={endingLimit(task)} />
      )}
    </Card>
  );
}

function Meters({ budget, ended }: { readonly budget: Budget; readonly ended: LimitKind | null }) {
  const { used, used_by_subtasks: below, held_for_subtasks: held } = budget;
  const seconds = useUsedSeconds(budget);
  return (
    <div className="grid items-start gap-x-8 gap-y-4 sm:grid-cols-2 xl:grid-cols-4">
      <Limit isEnd={ended === "steps"}>
        <Meter label="Steps" used={used.steps} limit={budget.max_steps} show={count} />
      </Limit>
      <Limit isEnd={ended === "tokens"}>
        <Meter label="Tokens" used={used.tokens} limit={budget.max_tokens} show={count} />
        <Shares below={below.tokens} held={held.tokens} show={count} />
      </Limit>
      <Limit isEnd={ended === "money"}>
        <Meter label="Money" used={used.cost_usd} limit={budget.max_cost_usd} show={dollars} />
        <Shares below={below.cost_usd} held={held.cost_usd} show={dollars} />
      </Limit>
      <Limit isEnd={ended === "time"}>
        <Meter label="Time" used={seconds} limit={budget.max_duration_s} show={inTime} />
        {budget.max_duration_s === null ? null : (
          <p className="text-xs text-quiet">Waiting for people does not count.</p>
        )}
      </Limit>
    </div>
  );
}

function inTime(seconds: number): string {
  return duration(seconds * 1000);
}

function Limit({ isEnd, children }: { readonly isEnd: boolean; readonly children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      {children}
      {isEnd ? <p className="text-sm font-medium text-danger">The task ended at this limit.</p> : null}
    </div>
  );
}

/** What of a limit is the subtasks': used by those that ended, put aside for those that live. */
function Shares({
  below,
  held,
  show,
}: {
  readonly below: number;
  readonly held: number;
  readonly show: (value: number) => string;
}) {
  const parts = [
    ...(below > 0 ? [`${show(below)} by its subtasks`] : []),
    ...(held > 0 ? [`${show(held)} put aside for subtasks that run`] : []),
  ];
  return parts.length === 0 ? null : <p className="text-xs text-quiet">{parts.join("; ")}</p>;
}

/** Follows the clock while the task's time counts. */
function useUsedSeconds(budget: Budget): number {
  const [now, setNow] = useState(Date.now);
  const counts = budget.counting_since !== null;
  useEffect(() => {
    if (!counts) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [counts]);
  return usedSeconds(budget, now);
}
