/** Wall times of a zone of the IANA database, as `2026-11-23T09:00`, and the moments at which clocks read them. */

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** No zone moves its clocks by more than a day, and none twice within this. */
const WIDEST_CHANGE_MS = 26 * HOUR_MS;

export function isZone(name: string): boolean {
  return /^[A-Za-z]/.test(name) && createFormat(name) !== null;
}

/** Milliseconds to add to a moment to have its wall time; 0 in a zone that there is not. */
export function offsetAt(zone: string, at: number): number {
  const name =
    createFormat(zone)
      ?.formatToParts(at)
      .find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours = "0", minutes = "0"] = /^GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name) ?? [];
  const size = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
  return sign === "-" ? -size : size;
}

/** `2026-11-23T09:00`, with the seconds when there are some. */
export function wallText(zone: string, at: number): string {
  const text = new Date(at + offsetAt(zone, at)).toISOString();
  return text.slice(17, 19) === "00" ? text.slice(0, 16) : text.slice(0, 19);
}

/** When clocks first read this; the moment after the gap when they never do. Null for what is no wall time. */
export function momentOf(zone: string, wallTime: string): number | null {
  const wall = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/.test(wallTime) ? Date.parse(`${wallTime}Z`) : NaN;
  if (Number.isNaN(wall)) return null;
  const [before, after] = [wall - WIDEST_CHANGE_MS, wall + WIDEST_CHANGE_MS].map((at) => offsetAt(zone, at));
  const [first, last] = [wall - Math.max(before ?? 0, after ?? 0), wall - Math.min(before ?? 0, after ?? 0)];
  return first + offsetAt(zone, first) === wall ? first : last;
}

/** By how many milliseconds the clocks of a zone move on a day such as `2026-03-29`; 0: they do not. */
export function clockChangeOn(zone: string, day: string): number {
  const start = momentOf(zone, `${day}T00:00`);
  const end = momentOf(zone, `${dayAfter(day)}T00:00`);
  return start === null || end === null ? 0 : offsetAt(zone, end) - offsetAt(zone, start);
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00Z`) + 24 * HOUR_MS).toISOString().slice(0, 10);
}

/** `UTC+01:00` */
export function offsetWord(zone: string, at: number): string {
  const minutes = offsetAt(zone, at) / MINUTE_MS;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? "−" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

const formats = new Map<string, Intl.DateTimeFormat | null>();

function createFormat(zone: string): Intl.DateTimeFormat | null {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  let format: Intl.DateTimeFormat | null = null;
  try {
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  } catch {
    // There is no such zone.
  }
  formats.set(zone, format);
  return format;
}
