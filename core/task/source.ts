/** How a task came to Otto, and where what it says goes. */

/** Outside places that Otto sends to. */
export const CHANNELS = ["slack", "email", "webhook"] as const;
export type Channel = (typeof CHANNELS)[number];

/**
 * What asked for a task. `id` is what its channel calls that: a Slack conversation (`T…/C…/thread`), an address, the id of a
 * hook or of a schedule; null for the API, where the task's key says who.
 */
export interface WayIn {
  readonly channel: "api" | "schedule" | Channel;
  readonly id: string | null;
}

/** Where a task's result, questions and files go. `person`: `to` is a person's id or name, whose channel it is. */
export interface DeliverTo {
  readonly channel: Channel | "person";
  readonly to: string;
}

export const BY_API: WayIn = { channel: "api", id: null };
