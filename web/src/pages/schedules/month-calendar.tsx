/** A month with what is due on each of its days. */
import { ChevronLeft, ChevronRight } from "lucide-react";
import { IconButton } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { WEEKDAYS } from "../../ui/weekdays.tsx";
import { dayWord, dueByDay, monthGrid, monthWord, shiftMonth } from "./calendar.ts";
import { clockChangeOn, wallText } from "./zoned-time.ts";

/** Times that a day shows; of more it says how many. */
const SHOWN = 3;
const HOUR_MS = 3_600_000;

interface MonthCalendarProps {
  readonly month: string;
  readonly zone: string;
  /** The day on which clocks of the zone are. */
  readonly today: string;
  readonly due: readonly string[];
  readonly isBusy: boolean;
  /** The last calculated day; null: all are. */
  readonly knownTo: string | null;
  readonly onMonth: (month: string) => void;
}

export function MonthCalendar({ month, zone, today, due, isBusy, knownTo, onMonth }: MonthCalendarProps) {
  const byDay = dueByDay(zone, due);
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <div className="flex items-center justify-between gap-2 border-b border-line px-2 py-1">
        <IconButton
          label="Previous month"
          disabled={month <= today.slice(0, 7)}
          className="disabled:opacity-40"
          onClick={() => onMonth(shiftMonth(month, -1))}
        >
          <ChevronLeft aria-hidden className="size-5" />
        </IconButton>
        <p aria-live="polite" className="font-medium">
          {monthWord(month)}
        </p>
        <IconButton label="Next month" onClick={() => onMonth(shiftMonth(month, 1))}>
          <ChevronRight aria-hidden className="size-5" />
        </IconButton>
      </div>
      <table aria-busy={isBusy} className="w-full table-fixed border-collapse">
        <caption className="sr-only">
          Runs in {monthWord(month)}, times in {zone}
        </caption>
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col" abbr={name} className="py-1 text-xs font-medium text-quiet">
                {name.slice(0, 3)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {monthGrid(month).map((week) => (
            <tr key={week[0]?.day}>
              {week.map(({ day, isInMonth }) => (
                <td key={day} className="h-18 border border-line p-0 align-top first:border-l-0 last:border-r-0">
                  {isInMonth ? (
                    <Day
                      day={day}
                      zone={zone}
                      isToday={day === today}
                      isKnown={knownTo === null || day <= knownTo}
                      due={byDay.get(day) ?? []}
                    />
                  ) : null}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface DayProps {
  readonly day: string;
  readonly zone: string;
  readonly isToday: boolean;
  readonly isKnown: boolean;
  readonly due: readonly string[];
}

function Day({ day, zone, isToday, isKnown, due }: DayProps) {
  const change = clockChangeOn(zone, day) / HOUR_MS;
  return (
    <div
      className={classes(
        "flex h-full min-h-18 flex-col gap-0.5 p-0.5 text-[0.6875rem] whitespace-nowrap sm:p-1 sm:text-xs",
        due.length > 0 && "bg-accent-soft",
        !isKnown && "bg-sunken",
      )}
    >
      <span className="flex flex-wrap items-center justify-between">
        <span
          className={classes(
            "tabular-nums",
            isToday ? "rounded-full bg-accent px-1.5 font-semibold text-accent-ink" : "text-quiet",
          )}
        >
          <span aria-hidden>{Number(day.slice(8))}</span>
          <span className="sr-only">
            {dayWord(day)}
            {isToday ? ", today" : ""}
          </span>
        </span>
        {change === 0 ? null : <ClockChange hours={change} />}
      </span>
      {due.slice(0, SHOWN).map((at) => (
        <time key={at} dateTime={at} className="font-medium text-accent tabular-nums">
          {wallText(zone, Date.parse(at)).slice(11, 16)}
        </time>
      ))}
      {due.length > SHOWN ? <span className="text-quiet">+{due.length - SHOWN} more</span> : null}
      {isKnown ? null : <span className="sr-only">not calculated</span>}
    </div>
  );
}

function ClockChange({ hours }: { readonly hours: number }) {
  const word = `${hours > 0 ? "+" : "−"}${Math.abs(hours)} h`;
  return (
    <span className="rounded-sm bg-warn-soft px-0.5 font-medium text-warn">
      <span className="sr-only">Clocks change: </span>
      {word}
    </span>
  );
}
