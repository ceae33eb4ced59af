/** The state of an app for the runs of a schedule, in words. */
import type { ScheduleApp } from "../../api/types.generated.ts";
import type { Tone } from "../../ui/badge.tsx";

export const APP_STATES: Readonly<Record<ScheduleApp["state"], { readonly word: string; readonly tone: Tone }>> = {
  active: { word: "Connected", tone: "good" },
  missing: { word: "Not connected", tone: "warn" },
  expired: { word: "Expired", tone: "warn" },
  revoked: { word: "Disconnected", tone: "warn" },
  scopes: { word: "Needs more rights", tone: "warn" },
  unattended: { word: "Not allowed while away", tone: "warn" },
};
