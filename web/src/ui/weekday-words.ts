/** Days of the week in words. 1 is Monday. */

const SHORT = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
/** So many days in a row are said as a range. */
const RANGE = 3;

/** Days in their order as "Mon–Fri", "Mon, Wed, Fri" or "every day". */
export function daysInWords(days: readonly number[]): string {
  const chosen = [...new Set(days)].toSorted((one, other) => one - other);
  if (chosen.length === SHORT.length) return "every day";
  const runs: number[][] = [];
  for (const day of chosen) {
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  return runs
    .flatMap((run) => (run.length >= RANGE ? [`${formatDay(run[0])}–${formatDay(run.at(-1))}`] : run.map(formatDay)))
    .join(", ");
}

function formatDay(day: number | undefined): string {
  return SHORT[(day ?? 1) - 1] ?? "";
}
