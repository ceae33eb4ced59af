/** What became of each time that a schedule was due. */
import { Link } from "@tanstack/react-router";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Occurrence, Schedule } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { duration } from "../../ui/relative-time.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { OccurrenceBadge } from "./occurrence-badge.tsx";
import { isOpen, whyInWords } from "./occurrence-words.ts";
import { momentInWords } from "./rhythm.ts";
import { occurrencesKey } from "./schedule-queries.ts";

const PAGE = 20;
/** How often it is looked at again while something of it is under way. */
const LOOK_MS = 2_000;

export function Ledger({ schedule }: { readonly schedule: Schedule }) {
  const { id, time_zone: zone, reminder } = schedule;
  const list = usePaged<Occurrence>(
    occurrencesKey(id),
    async (cursor) =>
      await answered(
        api.GET("/v1/schedules/{id}/occurrences", { params: { path: { id }, query: { cursor, limit: PAGE } } }),
      ),
    (rows) => rows.some(isOpen) && LOOK_MS,
  );
  return (
    <Section title="Runs">
      <Listing
        list={list}
        empty={
          <Empty title="No runs yet">
            Each time that it is due will stand here, with its task, or why there was none. “Run now” does not wait for
            that.
          </Empty>
        }
      >
        <Table
          caption="Occurrences"
          columns={createColumns(zone, reminder !== undefined)}
          rows={list.rows}
          rowKey={({ key }) => key}
        />
      </Listing>
    </Section>
  );
}

function createColumns(zone: string, isReminder: boolean): readonly Column<Occurrence>[] {
  return [
    {
      title: "Due",
      cell: ({ due_at, is_manual }) => (
        <span className="flex flex-wrap items-center gap-1.5 sm:whitespace-nowrap">
          <time dateTime={due_at} className="tabular-nums">
            {momentInWords(due_at, zone)}
          </time>
          {is_manual ? <Badge tone="accent">By hand</Badge> : null}
        </span>
      ),
    },
    { title: "State", cell: (occurrence) => <OccurrenceBadge occurrence={occurrence} /> },
    { title: "Why", isMain: true, cell: (occurrence) => <Why of={occurrence} zone={zone} /> },
    {
      title: isReminder ? "Sent" : "Task",
      cell: ({ task_id, fired_at }) =>
        task_id === null || isReminder ? (
          <span className="text-sm text-quiet">{isReminder && fired_at !== null ? "Yes" : "None"}</span>
        ) : (
          <Link
            to="/tasks/$taskId"
            params={{ taskId: task_id }}
            className="whitespace-nowrap text-accent hover:underline"
          >
            See the task
          </Link>
        ),
    },
    { title: "Took", isNumber: true, cell: (occurrence) => <Took of={occurrence} /> },
  ];
}

function Why({ of: { why, attempts_failed: failed }, zone }: { readonly of: Occurrence; readonly zone: string }) {
  const tries = failed === 0 ? null : `${failed} ${failed === 1 ? "try" : "tries"} failed`;
  const words = [why === null ? null : whyInWords(why, zone), tries].filter((part) => part !== null).join("; ");
  return (
    <span dir="auto" className="text-sm">
      {words === "" ? <span className="text-quiet">As planned</span> : words}
    </span>
  );
}

function Took({ of: { fired_at, ended_at } }: { readonly of: Occurrence }) {
  if (fired_at === null || ended_at === null) return <span className="text-quiet">–</span>;
  return (
    <span className="whitespace-nowrap">{duration(Math.max(0, Date.parse(ended_at) - Date.parse(fired_at)))}</span>
  );
}
