import { z } from "zod";
import { openZone } from "../../core/base/time-zone.ts";
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

/** The zone's distance from UTC at that moment, in whole minutes as RFC 3339 writes it; null: no IANA zone. */
function offsetAt(timezone: string, atMs: number): { seconds: number; text: string } | null {
  const zone = openZone(timezone);
  if (zone === null) return null;
  const minutes = Math.trunc(zone.offsetAt(atMs) / 60_000);
  if (minutes === 0) return { seconds: 0, text: "Z" };
  const size = Math.abs(minutes);
  const [hours, rest] = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, "0"));
  return { seconds: minutes * 60, text: `${minutes < 0 ? "-" : "+"}${hours}:${rest}` };
}
