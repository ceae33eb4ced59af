import type { DayOfUse } from "./usage-rows.ts";

const HEIGHT = 160;
const shortDay = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" });

/** A bar for each day, of which one at least has something. Screen readers get the same as a table; a pointer on a bar says its day and value. */
export function DayChart({
  days,
  label,
  show,
}: {
  readonly days: readonly DayOfUse[];
  readonly label: string;
  readonly show: (value: number) => string;
}) {
  const most = Math.max(...days.map(({ total }) => total));
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  return (
    <figure className="flex flex-col gap-1">
      <div className="flex justify-between text-xs text-quiet">
        <span>{`${show(most)} at most`}</span>
      </div>
      <svg
        aria-hidden
        viewBox={`0 0 ${days.length * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-40 w-full border-b border-edge"
      >
        {days.map(({ day, total }, index) => {
          const height = total === 0 ? 0 : Math.max(2, (total / most) * (HEIGHT - 4));
          return (
            <g key={day}>
              <title>{`${shortDay.format(new Date(day))}: ${show(total)}`}</title>
              <rect x={index * 10} y={0} width={10} height={HEIGHT} className="fill-transparent hover:fill-hover" />
              <rect x={index * 10 + 1} y={HEIGHT - height} width={8} height={height} className="fill-accent" />
            </g>
          );
        })}
      </svg>
      {first === undefined || last === undefined ? null : (
        <div aria-hidden className="flex justify-between text-xs text-quiet">
          <span>{shortDay.format(new Date(first))}</span>
          <span>{shortDay.format(new Date(last))}</span>
        </div>
      )}
      <table className="sr-only">
        <caption>{`${label} by day`}</caption>
        <tbody>
          {days
            .filter(({ total }) => total > 0)
            .map(({ day, total }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{show(total)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  );
}
