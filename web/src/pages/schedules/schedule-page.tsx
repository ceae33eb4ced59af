import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import type { Schedule } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Message } from "../../ui/message.tsx";
import { ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Card, Page, Section } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { ActsFor } from "./acts-for.tsx";
import { EditSchedule } from "./edit-schedule.tsx";
import { Ledger } from "./ledger.tsx";
import { Preview } from "./preview.tsx";
import { exactInWords, whenInWords } from "./rhythm.ts";
import { ScheduleActions } from "./schedule-actions.tsx";
import { draftOfSchedule, type Timing } from "./schedule-draft.ts";
import { scheduleQuery } from "./schedule-queries.ts";

/** How often the page looks whether it was due meanwhile. */
const LOOK_MS = 15_000;

export function SchedulePage() {
  const { scheduleId } = useParams({ from: "/console/schedules/$scheduleId" });
  const { view } = useSearch({ from: "/console/schedules/$scheduleId" });
  const { data, error, isPending, refetch } = useQuery({
    ...scheduleQuery(scheduleId),
    refetchInterval: LOOK_MS,
  });
  const schedule = data?.body;
  const link = { to: "/schedules/$scheduleId", params: { scheduleId } } as const;
  return (
    <Page
      title={schedule?.name ?? "Schedule"}
      lead={schedule === undefined ? undefined : `Due ${whenInWords(schedule.when, schedule.time_zone)}.`}
      actions={schedule === undefined ? null : <ScheduleActions schedule={schedule} />}
    >
      <Tabs
        label="Views of the schedule"
        tabs={[
          { label: "Overview", link: { ...link, search: {} }, isCurrent: view === undefined },
          { label: "Change it", link: { ...link, search: { view: "edit" } }, isCurrent: view === "edit" },
        ]}
      />
      {isPending ? <Skeleton rows={4} height="h-28" /> : null}
      {error === null ? null : <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : view === "edit" ? (
        <EditSchedule key={data.body.id} schedule={data} />
      ) : (
        <Overview schedule={data.body} accounts={<ActsFor schedule={data} />} />
      )}
    </Page>
  );
}

function Overview({ schedule, accounts }: { readonly schedule: Schedule; readonly accounts: ReactNode }) {
  const { paused, next_at, time_zone: zone, reminder } = schedule;
  useFollowing(next_at);
  const text = reminder?.text ?? draftOfSchedule(schedule).input;
  return (
    <>
      <Card className="flex flex-col gap-3">
        <p className="flex flex-wrap items-center gap-2">
          {paused ? <Badge tone="warn">Paused</Badge> : null}
          {!paused && next_at === null ? <Badge>Ended: no more runs</Badge> : null}
          {next_at === null ? null : (
            <span>
              <span className="font-medium">Next {exactInWords(next_at, zone)},</span> <Time at={next_at} />
            </span>
          )}
          {paused ? <span className="text-quiet">Paused until a person resumes it.</span> : null}
        </p>
        <div className="border-t border-line pt-3">
          <h2 className="mb-1 text-sm font-medium text-quiet">
            {reminder === undefined ? "The task" : "The reminder"}
          </h2>
          <Message text={text} isPlain />
        </div>
      </Card>
      {accounts}
      {next_at === null && !paused ? null : (
        <Section title={paused ? "When it would be due" : "When it is due"}>
          <Card>
            <Preview timing={toTiming(schedule)} />
          </Card>
        </Section>
      )}
      <Ledger schedule={schedule} />
    </>
  );
}

/** When another moment is the next, what was due is in the ledger, and no longer to come. */
function useFollowing(next: string | null): void {
  const queries = useQueryClient();
  const shown = useRef(next);
  useEffect(() => {
    if (shown.current === next) return;
    shown.current = next;
    void queries.invalidateQueries({ queryKey: ["schedules"], predicate: ({ queryKey }) => queryKey[1] !== "one" });
  }, [next, queries]);
}

/** An interval without an anchor is counted from when the schedule was made. */
function toTiming({ when, time_zone, starts_at, ends_at, created_at }: Schedule): Timing {
  return {
    when: when.kind === "interval" ? { ...when, anchor: when.anchor ?? created_at } : when,
    time_zone,
    ...(starts_at === undefined ? {} : { starts_at }),
    ...(ends_at === undefined ? {} : { ends_at }),
  };
}
