/** How much of a limit is used, as a bar with its numbers. */
import { classes } from "./classes.ts";

/** From this share on the bar warns. */
const NEAR = 0.8;

export function Meter({
  label,
  used,
  limit,
  show,
}: {
  readonly label: string;
  readonly used: number;
  readonly limit: number | null;
  readonly show: (value: number) => string;
}) {
  const share = limit === null || limit === 0 ? 0 : Math.min(used / limit, 1);
  return (
    <div className="flex flex-col gap-1">
      <div className="flex justify-between gap-3 text-sm">
        <span className="text-quiet">{label}</span>
        <span className="tabular-nums">{limit === null ? show(used) : `${show(used)} of ${show(limit)}`}</span>
      </div>
      {limit === null ? null : (
        <div
          role="meter"
          aria-label={label}
          aria-valuenow={used}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuetext={`${show(used)} of ${show(limit)}`}
          className="h-2 overflow-hidden rounded-full bg-sunken"
        >
          <div
            className={classes(
              "h-full rounded-full",
              share >= 1 ? "bg-danger" : share >= NEAR ? "bg-warn" : "bg-accent",
            )}
            style={{ width: `${share * 100}%` }}
          />
        </div>
      )}
    </div>
  );
}
