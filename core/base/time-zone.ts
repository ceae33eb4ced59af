/**
 * A time zone of the IANA database, with its offsets from UTC. A wall time is the milliseconds since the epoch of the
 * same reading in UTC, for arithmetic.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** No zone changes its clocks by more than a day (Samoa skipped one in 2011), and none twice within this. */
export const WIDEST_CHANGE_MS = 26 * HOUR_MS;

export interface Zone {
  readonly name: string;
  /** Returns the milliseconds to add to a time to get its wall time. */
  offsetAt(moment: number): number;
}

/** A change of the offset. */
export interface ZoneChange {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** Zones that were opened, as they were spelled, the oldest first: making a formatter takes a tenth of a millisecond. */
const zones = new Map<string, Zone>();
const MAX_ZONES = 1000;
/** The zone of most tasks. Formatting its offset would take as long as a short write. */
const UTC: Zone = { name: "UTC", offsetAt: () => 0 };

/**
 * Opens the zone of this name; null if unknown. An offset such as `+02:00` is not a zone, because it has no summer
 * time.
 */
export function openZone(name: string): Zone | null {
  if (name === UTC.name) return UTC;
  const known = zones.get(name);
  if (known !== undefined) return known;
  if (!/^[A-Za-z]/.test(name)) return null;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return null;
  }
  const zone: Zone = { name, offsetAt: (moment) => readOffset(format, moment) };
  const [oldest] = zones.keys();
  if (zones.size >= MAX_ZONES && oldest !== undefined) zones.delete(oldest);
  zones.set(name, zone);
  return zone;
}

/** Returns the wall time of the zone at a time. */
export function toWallTime(zone: Zone, moment: number): number {
  return moment + zone.offsetAt(moment);
}

/**
 * Returns the first time at which clocks show this wall time: the earlier one of an ambiguous time, and the end of the
 * gap for a skipped one.
 */
export function toMoment(zone: Zone, wall: number): number {
  const before = zone.offsetAt(wall - WIDEST_CHANGE_MS);
  const after = zone.offsetAt(wall + WIDEST_CHANGE_MS);
  if (before === after) return wall - before;
  const moments = [wall - before, wall - after].filter((moment) => toWallTime(zone, moment) === wall);
  if (moments.length > 0) return Math.min(...moments);
  const change = findFirstChange(zone, wall - before - WIDEST_CHANGE_MS, wall - after + WIDEST_CHANGE_MS);
  return change === null ? wall - before : change.at;
}

/**
 * Finds the change between two times at most two days and some hours apart, to the second; null if there is no change.
 */
export function findFirstChange(zone: Zone, from: number, to: number): ZoneChange | null {
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
