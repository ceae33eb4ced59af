import { useEffect, useState } from "react";
import { relativeTime } from "../ui/relative-time.ts";

/** From here on the seconds are counted down, in milliseconds. */
const LAST_MS = 120_000;
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Until when something waits. `at` null: it has no end of its own. */
export function Deadline({ at }: { readonly at: string | null }) {
  const end = at === null ? Number.POSITIVE_INFINITY : Date.parse(at);
  const [now, setNow] = useState(Date.now);
  const isClose = end - now < LAST_MS;
  useEffect(() => {
    if (end === Number.POSITIVE_INFINITY) return undefined;
    const timer = setInterval(() => setNow(Date.now()), isClose ? 1_000 : 15_000);
    return () => clearInterval(timer);
  }, [end, isClose]);
  if (at === null) return <span>no deadline</span>;
  if (end <= now) return <span className="font-medium text-danger">its time is up</span>;
  return (
    <span className={isClose ? "font-medium text-danger" : undefined}>
      until <time dateTime={at}>{exact.format(end)}</time> ({relativeTime(end, now)})
    </span>
  );
}
