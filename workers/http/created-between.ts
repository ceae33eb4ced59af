/** The parameters `from` and `to` of a list: a day in UTC, or a time. */
import { z } from "zod";
import { raise } from "../../core/base/errors.ts";
import { optionalQuery } from "./list-query.ts";

const DAY_MS = 86_400_000;
/** JavaScript and Postgres both write the years 1 to 9999 with four digits. */
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const moment = z.union([z.iso.datetime(), z.iso.date()]).refine((text) => text >= "0001", "has no year 0");

export const betweenQuery = { from: optionalQuery(moment), to: optionalQuery(moment) };

/** Explains `betweenQuery` in the description of a route. */
export const BETWEEN = "`from` and `to` are days (UTC, both included) or times (`from` included, `to` excluded).";

/** Start (inclusive) and end (exclusive), in milliseconds. Unbounded when absent. */
export interface Between {
  readonly from?: number;
  readonly before?: number;
}

export function readBetween({ from, to }: { from?: string | undefined; to?: string | undefined }): Between {
  const start = from === undefined ? undefined : Date.parse(from);
  const end = to === undefined ? undefined : getEnd(to);
  if (start !== undefined && end !== undefined && start > end)
    raise("invalid_input", "to: is before from", { field: "to" });
  return { ...(start === undefined ? {} : { from: start }), ...(end === undefined ? {} : { before: end }) };
}

/** Returns the end of a day, or the time itself. */
function getEnd(to: string): number {
  const end = Date.parse(to) + (z.iso.date().safeParse(to).success ? DAY_MS : 0);
  return Math.min(end, LAST_MOMENT);
}
