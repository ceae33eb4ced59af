/** The actions of the apps' drill, with the class that a tenant's overrides give them, and the faults that may hit each. */
import type { CallFault } from "../../../scripts/demo-apps/faults.ts";
import type { ActionCall } from "./app-script.ts";

/** What a repeat of a call may do. */
export type DrillEffect = "none" | "keyed" | "probe" | "once";

export interface DrillAction {
  readonly app: string;
  readonly action: string;
  readonly effect: DrillEffect;
  /** The argument that names the call in what the demo apps note. */
  readonly named: string;
  readonly others: Readonly<Record<string, string>>;
}

export const ACTIONS: readonly DrillAction[] = [
  { app: "gmail", action: "GMAIL_FETCH_EMAILS", effect: "none", named: "query", others: {} },
  { app: "slack", action: "SLACK_SEARCH_MESSAGES", effect: "none", named: "query", others: {} },
  { app: "linear", action: "LINEAR_CREATE_LINEAR_ISSUE", effect: "keyed", named: "title", others: {} },
  { app: "slack", action: "SLACK_SEND_MESSAGE", effect: "probe", named: "text", others: { channel: "general" } },
  {
    app: "gmail",
    action: "GMAIL_SEND_EMAIL",
    effect: "probe",
    named: "body",
    others: { recipient_email: "tom@acme.example" },
  },
  {
    app: "googlecalendar",
    action: "GOOGLECALENDAR_CREATE_EVENT",
    effect: "once",
    named: "summary",
    others: { start_datetime: "2026-12-01T09:00:00Z" },
  },
];

/** Faults after which a call of these classes is sent again, so that it ends as confirmed. */
const REPEATED: readonly CallFault[] = ["rate_limited", "app_limited", "error", "cut", "hang"];
/** Faults of calls that are never sent again after the effect. */
const NOT_REPEATED: readonly CallFault[] = [...REPEATED, "unsuccessful"];

/** Lists the faults that a call of a class may meet without a refusal by the app. */
export function listFaults(effect: DrillEffect): readonly CallFault[] {
  return effect === "none" || effect === "keyed" ? REPEATED : NOT_REPEATED;
}

/** Returns a call of an action, named by a text that no other call has. */
export function toCall({ action, named, others }: DrillAction, marker: string): ActionCall {
  return { name: `composio_${action}`, arguments: { ...others, [named]: marker } };
}

/** Returns the first action of a class. */
export function getActionOf(effect: DrillEffect): DrillAction {
  const found = ACTIONS.find((one) => one.effect === effect);
  if (found === undefined) throw new Error(`there is no action of class ${effect}`);
  return found;
}
