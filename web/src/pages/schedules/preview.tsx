/** When a schedule is due from now on: on a calendar, and as a list. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { dayWord, monthGrid, monthOf, monthWord } from "./calendar.ts";
import { MonthCalendar } from "./month-calendar.tsx";
import { exactInWords } from "./rhythm.ts";
import type { Timing } from "./schedule-draft.ts";
import { monthDueQuery, nextDueQuery } from "./schedule-queries.ts";
import { clockChangeOn, offsetAt, wallText } from "./zoned-time.ts";

export function Preview({ timing }: { readonly timing: Timing }) {
  const zone = timing.time_zone ?? "UTC";
  const [now] = useState(Date.now);
  const next = useQuery({ ...nextDueQuery(timing), placeholderData: keepPreviousData });
  const first = next.data?.[0];
  const [chosen, setChosen] = useState<string | null>(null);
  const month = chosen ?? monthOf(zone, first === undefined ? now : Date.parse(first));
  const due = useQuery({
    ...monthDueQuery(timing, month),
    placeholderData: keepPreviousData,
    enabled: next.data !== undefined,
  });
  if (next.isPending) return <Skeleton rows={1} height="h-96" label="Calculating…" />;
  if (next.isError) return <ProblemNotice error={next.error} onRetry={() => void next.refetch()} />;
  const changes = monthGrid(month)
    .flat()
    .filter(({ day, isInMonth }) => isInMonth && clockChangeOn(zone, day) !== 0)
    .map(({ day }) => day);
  const last = due.data?.isCut === true ? due.data.due.at(-1) : undefined;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-2">
        <MonthCalendar
          month={month}
          zone={zone}
          today={wallText(zone, now).slice(0, 10)}
          due={due.data?.due ?? []}
          isBusy={due.isFetching}
          knownTo={last === undefined ? null : wallText(zone, Date.parse(last)).slice(0, 10)}
          onMonth={setChosen}
        />
        {due.isError ? <ProblemNotice error={due.error} onRetry={() => void due.refetch()} /> : null}
        <p className="text-sm text-quiet">
          {last === undefined
            ? `Times in ${zone.replaceAll("_", " ")}${changes.length === 0 ? "" : `. Clocks change on ${changes.map(dayWord).join(" and on ")}`}.`
            : `It is due so often that only the first ${due.data?.due.length ?? 0} times of ${monthWord(month)} are shown.`}
        </p>
      </div>
      <NextDue moments={next.data} zone={zone} />
    </div>
  );
}

function NextDue({ moments, zone }: { readonly moments: readonly string[]; readonly zone: string }) {
  if (moments.length === 0) return <p className="text-quiet">No more runs.</p>;
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-sm font-medium" id="next-due">
        Next times
      </h3>
      <ol aria-labelledby="next-due" className="flex flex-col">
        {moments.map((at, index) => (
          <li
            key={at}
            className="flex flex-wrap justify-between gap-x-3 border-b border-line py-1 text-sm last:border-0"
          >
            <time dateTime={at} className="tabular-nums">
              {exactInWords(at, zone)}
            </time>
            <span className="text-quiet">
              {index > 0 && isOtherOffset(zone, moments[index - 1] ?? at, at) ? "the clocks have changed, " : null}
              <Time at={at} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function isOtherOffset(zone: string, before: string, at: string): boolean {
  return offsetAt(zone, Date.parse(before)) !== offsetAt(zone, Date.parse(at));
}
