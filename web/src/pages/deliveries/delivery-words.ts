/** What is said of deliveries, in plain words. */
import type { Delivery } from "../../api/types.generated.ts";
import type { Tone } from "../../ui/badge.tsx";

type State = Delivery["state"];

export const STATES: Readonly<Record<State, { readonly word: string; readonly tone: Tone; readonly meaning: string }>> =
  {
    waiting: { word: "Waiting", tone: "info", meaning: "It has not left yet, or is tried again later." },
    sending: { word: "Sending", tone: "info", meaning: "It is on its way at this moment." },
    sent: { word: "Sent", tone: "good", meaning: "The other side took it." },
    dead: { word: "Given up", tone: "danger", meaning: "All attempts failed, or the receiver refused it." },
    unknown: {
      word: "Unknown",
      tone: "warn",
      meaning:
        "The connection ended before the other side answered: it may have arrived. Otto does not resend it without you.",
    },
    called_off: { word: "Cancelled", tone: "plain", meaning: "It was no longer needed before it left." },
  };

export const KINDS: Readonly<Record<Delivery["kind"], string>> = {
  result: "Result",
  question: "Question",
  approval: "Approval",
  notification: "Notification",
  reminder: "Reminder",
  progress: "Progress",
  settled: "Settled",
  event: "Event",
  alert: "Alert",
  reply: "Reply",
};

/** Whether a person may send it once more: under the same id, so that a receiver that has it already can tell. */
export function mayBeSentAgain(state: State): boolean {
  return state === "dead" || state === "unknown" || state === "called_off";
}

/** The event of a webhook that somebody sent to try it: it is of no task. */
export function isTest({ channel, kind, task }: Pick<Delivery, "channel" | "kind" | "task">): boolean {
  return channel === "webhook" && kind === "event" && task === null;
}
