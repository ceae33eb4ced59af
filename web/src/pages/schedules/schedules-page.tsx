/** Schedules: tasks and reminders at set times. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CalendarPlus } from "lucide-react";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Schedule } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { OccurrenceBadge } from "./occurrence-badge.tsx";
import { momentInWords, whenInWords } from "./rhythm.ts";
import { lastOccurrenceQuery } from "./schedule-queries.ts";
import { Name } from "../../ui/name.tsx";

/** Each row asks for its last occurrence, so a page is short. */
const PAGE = 25;

const columns: readonly Column<Schedule>[] = [
  {
    title: "Name",
    isMain: true,
    cell: ({ id, name, when, time_zone }) => (
      <>
        <Link
          to="/schedules/$scheduleId"
          params={{ scheduleId: id }}
          className="font-medium text-accent hover:underline"
        >
          <Name>{name}</Name>
        </Link>
        <span className="block text-sm text-quiet">{whenInWords(when, time_zone)}</span>
      </>
    ),
  },
  {
    title: "Does",
    cell: ({ reminder }) => (
      <span className="text-sm whitespace-nowrap">{reminder === undefined ? "A task" : "A reminder"}</span>
    ),
  },
  { title: "Next", cell: (schedule) => <Next of={schedule} /> },
  { title: "Last time", cell: ({ id }) => <Last id={id} /> },
];

export function SchedulesPage() {
  const list = usePaged<Schedule>(
    ["schedules", "list"],
    async (cursor) => await answered(api.GET("/v1/schedules", { params: { query: { cursor, limit: PAGE } } })),
  );
  const make = (
    <Link to="/schedules/new" className={buttonClasses("primary")}>
      <CalendarPlus aria-hidden className="size-4" />
      New schedule
    </Link>
  );
  return (
    <Page title="Schedules" lead="Tasks and reminders at set times. Each schedule lists its runs." actions={make}>
      <Listing
        list={list}
        empty={
          <Empty title="No schedules yet" action={make}>
            Have an agent work every weekday at nine, or remind somebody once. A calendar shows the runs before you
            create it.
          </Empty>
        }
      >
        <Table caption="Schedules" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
      </Listing>
    </Page>
  );
}

function Next({ of: { paused, next_at, time_zone: zone } }: { readonly of: Schedule }) {
  if (paused) return <Badge tone="warn">Paused</Badge>;
  if (next_at === null) return <Badge>Ended</Badge>;
  return (
    <span className="flex flex-col whitespace-nowrap">
      <Time at={next_at} />
      <span className="text-sm text-quiet">{momentInWords(next_at, zone)}</span>
    </span>
  );
}

function Last({ id }: { readonly id: string }) {
  const { data, isPending } = useQuery(lastOccurrenceQuery(id));
  if (isPending) return <span aria-hidden className="inline-block h-5 w-16 animate-pulse rounded-full bg-sunken" />;
  if (data == null) return <span className="text-sm text-quiet">Not yet</span>;
  return (
    <span className="flex flex-wrap items-center gap-1.5 text-sm">
      <OccurrenceBadge occurrence={data} />
      <Time at={data.due_at} />
    </span>
  );
}
