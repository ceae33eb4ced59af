import { queryOptions } from "@tanstack/react-query";
import { answered, answeredWithTag, api } from "../../api/client.ts";
import { monthBounds } from "./calendar.ts";
import type { Timing } from "./schedule-draft.ts";

/** A schedule, with the version that a change begins with. */
export function scheduleQuery(id: string) {
  return queryOptions({
    queryKey: ["schedules", "one", id],
    queryFn: async () => await answeredWithTag(api.GET("/v1/schedules/{id}", { params: { path: { id } } })),
  });
}

/** The latest occurrence of a schedule; null before the first. */
export function lastOccurrenceQuery(id: string) {
  return queryOptions({
    queryKey: ["schedules", "last", id],
    queryFn: async () => {
      const { data } = await answered(
        api.GET("/v1/schedules/{id}/occurrences", { params: { path: { id }, query: { limit: 1 } } }),
      );
      return data[0] ?? null;
    },
    staleTime: 15_000,
  });
}

export function occurrencesKey(id: string): readonly string[] {
  return ["schedules", "occurrences", id];
}

/** Due moments that the list of the next ones shows. */
const NEXT = 10;

export function nextDueQuery(timing: Timing) {
  return queryOptions({
    queryKey: ["schedules", "next", timing],
    queryFn: async () => await fetchPreview(timing, NEXT),
    staleTime: 30_000,
    retry: false,
  });
}

/** As many as one answer of the API holds, and so many answers for one month. */
const PAGE = 100;
const PAGES = 4;

interface MonthDue {
  readonly due: readonly string[];
  /** More are due in the month than were read. */
  readonly isCut: boolean;
}

/** What is due in a month from now on. */
export function monthDueQuery(timing: Timing, month: string) {
  return queryOptions({
    queryKey: ["schedules", "month", timing, month],
    queryFn: async () => await readMonth(timing, month),
    staleTime: 30_000,
    retry: false,
  });
}

async function readMonth(timing: Timing, month: string): Promise<MonthDue> {
  const zone = timing.time_zone ?? "UTC";
  const bounds = monthBounds(zone, month, { startsAt: timing.starts_at, endsAt: timing.ends_at });
  if (bounds === null) return { due: [], isCut: false };
  const due: string[] = [];
  let from = bounds.from;
  for (let page = 0; page < PAGES; page += 1) {
    const read = await fetchPreview({ ...timing, starts_at: from, ends_at: bounds.to }, PAGE);
    due.push(...read);
    const last = read.at(-1);
    if (read.length < PAGE || last === undefined) return { due, isCut: false };
    from = new Date(Date.parse(last) + 1).toISOString();
  }
  return { due, isCut: true };
}

async function fetchPreview(timing: Timing, count: number): Promise<readonly string[]> {
  return (await answered(api.POST("/v1/schedules/preview", { body: { ...timing, count } }))).data;
}
