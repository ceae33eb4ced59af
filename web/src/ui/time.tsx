import { useEffect, useState } from "react";
import { relativeTime } from "./relative-time.ts";

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** A moment, as "3 minutes ago", with the exact one on it. It follows the clock. */
export function Time({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000);
    return () => clearInterval(timer);
  }, []);
  const moment = new Date(at);
  return (
    <time dateTime={at} title={exact.format(moment)} className="whitespace-nowrap">
      {relativeTime(moment.getTime(), now)}
    </time>
  );
}

/** A moment to the second, in the reader's own zone. */
export function ExactTime({ at }: { readonly at: string }) {
  return <time dateTime={at}>{exact.format(new Date(at))}</time>;
}

/** The time of day of a moment, with the day on it: where the things around it are of the same hours. */
export function ClockTime({ at }: { readonly at: string }) {
  const moment = new Date(at);
  return (
    <time dateTime={at} title={exact.format(moment)} className="whitespace-nowrap tabular-nums">
      {clock.format(moment)}
    </time>
  );
}
