/**
 * A time zone of the IANA database: which offset from UTC holds when. A wall time is written as the milliseconds since the
 * epoch of the same reading in UTC, so that it can be reckoned with.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** No zone moves its clocks by more than a day (Samoa left one out in 2011), and none twice within this. */
export const WIDEST_CHANGE_MS = 26 * HOUR_MS;

export interface Zone {
  readonly name: string;
  /** Milliseconds to add to a moment to have its wall time. */
  offsetAt(moment: number): number;
}

/** A moment at which the offset becomes another. */
export interface ZoneChange {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The zone of this name; null: there is none. An offset such as `+02:00` is no zone, since it knows no summer time. */
export function openZone(name: string): Zone | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return null;
  }
  return { name, offsetAt: (moment) => readOffset(format, moment) };
}

/** The reading of the zone's clocks at a moment. */
export function wallAt(zone: Zone, moment: number): number {
  return moment + zone.offsetAt(moment);
}

/**
 * When clocks first read this wall time: the first of two moments where they read it twice, and the first moment after the
 * gap where they never do.
 */
export function momentOf(zone: Zone, wall: number): number {
  const before = zone.offsetAt(wall - WIDEST_CHANGE_MS);
  const after = zone.offsetAt(wall + WIDEST_CHANGE_MS);
  if (before === after) return wall - before;
  const moments = [wall - before, wall - after].filter((moment) => wallAt(zone, moment) === wall);
  if (moments.length > 0) return Math.min(...moments);
  const change = firstChange(zone, wall - before - WIDEST_CHANGE_MS, wall - after + WIDEST_CHANGE_MS);
  return change === null ? wall - before : change.at;
}

/** The change between two moments that are at most two days and some hours apart, to the second; null: there is none. */
export function firstChange(zone: Zone, from: number, to: number): ZoneChange | null {
  const before = zone.offsetAt(from);
  const after = zone.offsetAt(to);
  if (before === after) return null;
  let [low, high] = [Math.floor(from / SECOND_MS), Math.ceil(to / SECOND_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetAt(middle * SECOND_MS) === before) low = middle;
    else high = middle;
  }
  return { at: high * SECOND_MS, before, after };
}

/** `GMT`, `GMT+05:30`, or, in times before zones, `GMT-00:36:45`. */
function readOffset(format: Intl.DateTimeFormat, moment: number): number {
  const name = format.formatToParts(moment).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours = "0", minutes = "0", seconds = "0"] =
    /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(name) ?? [];
  const size = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
  return sign === "-" ? -size : size;
}
