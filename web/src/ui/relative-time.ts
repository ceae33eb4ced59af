/** How far a moment is from now, and how long something took, in a person's words. */

/** Each with its length, and from how many seconds on it is said, the shortest first: nine days are no week. */
const UNITS = [
  ["second", 1, 0],
  ["minute", 60, 60],
  ["hour", 3_600, 3_600],
  ["day", 86_400, 86_400],
  ["week", 604_800, 2 * 604_800],
  ["month", 2_592_000, 2 * 2_592_000],
  ["year", 31_536_000, 2 * 31_536_000],
] as const;

/** In numbers: 30 hours from now may be the day after tomorrow. */
const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** Both in milliseconds since the epoch. To the nearest: a week less a minute is seven days. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  let said: readonly [number, Intl.RelativeTimeFormatUnit] = [seconds, "second"];
  let rounded = Math.abs(seconds);
  for (const [unit, size, from] of UNITS) {
    if (rounded < from) break;
    const many = Math.round(seconds / size);
    said = [many, unit];
    // What is nearly an hour is no 60 minutes: the next unit is asked with what this one would say.
    rounded = Math.abs(many) * size;
  }
  return Math.abs(seconds) < 10 ? "now" : words.format(...said);
}

/** `ms` as "340 ms", "2.4 s", "3 min 5 s", "2 h 10 min", "3 d 4 h". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  return splitDuration(ms)
    .map(([many, , short]) => `${many} ${short}`)
    .join(" ");
}

/** Whole seconds for a sentence: "7 days", "1 hour 30 minutes". */
export function durationInWords(ms: number): string {
  const parts = splitDuration(ms).map(([many, unit]) => `${many} ${unit}${many === 1 ? "" : "s"}`);
  return parts.length === 0 ? "0 seconds" : parts.join(" ");
}

/** The longest unit that there is any of, and the next when it is not zero. */
function splitDuration(ms: number) {
  const seconds = Math.round(ms / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), "day", "d"],
    [Math.floor(seconds / 3_600) % 24, "hour", "h"],
    [Math.floor(seconds / 60) % 60, "minute", "min"],
    [seconds % 60, "second", "s"],
  ] as const;
  const first = parts.findIndex(([many]) => many > 0);
  return first < 0 ? [] : parts.slice(first, first + 2).filter(([many]) => many > 0);
}
