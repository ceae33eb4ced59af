/** What the addresses of the pages of webhooks say. */
import type { Delivery } from "../../api/types.generated.ts";
import { keyOf } from "../deliveries/delivery-search.ts";
import { STATES } from "../deliveries/delivery-words.ts";

export interface WebhooksSearch {
  /** Absent: those that go out. */
  readonly view?: "incoming";
  /** One is being made. */
  readonly make?: true;
}

export interface WebhookSearch {
  /** Absent: its deliveries. */
  readonly view?: "settings" | "verify";
  /** Of the deliveries that are listed. */
  readonly state?: Delivery["state"];
}

export interface IncomingSearch {
  /** Absent: what came in. */
  readonly view?: "settings" | "call";
}

/** Whatever is unknown is left out; so in the others. */
export function readWebhooksSearch({ view, make }: Record<string, unknown>): WebhooksSearch {
  return { ...(view === "incoming" ? { view } : {}), ...(make === true ? { make } : {}) };
}

export function readWebhookSearch({ view, state }: Record<string, unknown>): WebhookSearch {
  const known = keyOf(STATES, state);
  return {
    ...(view === "settings" || view === "verify" ? { view } : {}),
    ...(known === undefined ? {} : { state: known }),
  };
}

export function readIncomingSearch({ view }: Record<string, unknown>): IncomingSearch {
  return view === "settings" || view === "call" ? { view } : {};
}
