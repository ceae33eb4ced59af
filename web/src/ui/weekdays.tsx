/** Days of the week, to be chosen. 1 is Monday. */
import { classes } from "./classes.ts";

export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

interface WeekdaysFieldProps {
  readonly label: string;
  readonly days: readonly number[];
  readonly onChange: (days: readonly number[]) => void;
  readonly error: string | undefined;
}

export function WeekdaysField({ label, days, onChange, error }: WeekdaysFieldProps) {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <div className="flex flex-wrap gap-2">
        {WEEKDAYS.map((name, index) => {
          const isChosen = days.includes(index + 1);
          return (
            <label
              key={name}
              className={classes(
                "inline-flex min-h-10 items-center gap-2 rounded-md border px-2.5",
                isChosen ? "border-accent bg-accent-soft" : "border-edge bg-surface hover:bg-hover",
              )}
            >
              <input
                type="checkbox"
                className="size-4 accent-(--accent)"
                checked={isChosen}
                aria-label={name}
                aria-invalid={error === undefined ? undefined : true}
                onChange={({ target }) =>
                  onChange(
                    target.checked
                      ? [...days, index + 1].toSorted((one, other) => one - other)
                      : days.filter((day) => day !== index + 1),
                  )
                }
              />
              <span aria-hidden>{name.slice(0, 3)}</span>
            </label>
          );
        })}
      </div>
      {error === undefined ? null : <p className="text-sm text-danger">{error}</p>}
    </fieldset>
  );
}
