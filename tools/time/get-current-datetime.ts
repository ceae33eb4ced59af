import { z } from "zod";
import { defineTool, failure } from "../define-tool.ts";

export default defineTool({
  name: "get_current_datetime",
  summary: "Tell the current time, and the date, in a time zone.",
  toolbox: "time",
  category: "productivity",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: [],
  input: z.object({
    timezone: z.string().max(100).default("UTC").describe("IANA name, e.g. Europe/Berlin"),
  }),
  output: z.object({
    iso: z.iso.datetime({ offset: true }),
    date: z.iso.date(),
    time: z.iso.time(),
    timezone: z.string(),
  }),
  run({ timezone }, { nowMs }) {
    const offset = offsetAt(timezone, nowMs);
    if (offset === null) {
      return failure("invalid_input", `Unknown time zone: '${timezone}'. Use an IANA name such as Europe/Berlin.`, {
        field: "timezone",
      });
    }
    const local = new Date(Math.floor(nowMs / 1000) * 1000 + offset.seconds * 1000).toISOString().slice(0, 19);
    const [date = "", time = ""] = local.split("T");
    return { iso: `${local}${offset.text}`, date, time, timezone };
  },
  show: ({ iso, timezone }) => `${iso} (${timezone})`,
  examples: [
    { note: "in UTC", given: {} },
    { note: "where somebody is", given: { timezone: "Asia/Kolkata" } },
  ],
});

/** Making a formatter takes half a millisecond. Holds zones that exist, as they were spelled, the oldest first. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 1000;

/** The zone's distance from UTC at that moment, in whole minutes as RFC 3339 writes it; null: no IANA zone. */
function offsetAt(timezone: string, atMs: number): { seconds: number; text: string } | null {
  // Intl takes bare offsets such as +01:00 too, which are no zones.
  if (!/^[A-Za-z]/.test(timezone)) return null;
  try {
    const format = formatOf(timezone);
    const name = format.formatToParts(atMs).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
    const [, sign = "+", hours = "00", minutes = "00"] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    const seconds = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60 : 60);
    return { seconds, text: seconds === 0 ? "Z" : `${sign}${hours}:${minutes}` };
  } catch {
    return null;
  }
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  const [oldest] = formats.keys();
  if (formats.size >= MAX_FORMATS && oldest !== undefined) formats.delete(oldest);
  formats.set(timezone, made);
  return made;
}
