/** What the address of the list of deliveries says. */
import type { Delivery } from "../../api/types.generated.ts";
import { CHANNEL_LABELS } from "../../ui/channel-words.ts";
import { KINDS, STATES } from "./delivery-words.ts";

export interface DeliverySearch {
  readonly state?: Delivery["state"];
  readonly channel?: Delivery["channel"];
  readonly kind?: Delivery["kind"];
  readonly task?: string;
  readonly to?: string;
}

/** Whatever is unknown is left out. */
export function readDeliverySearch(given: Record<string, unknown>): DeliverySearch {
  const state = keyOf(STATES, given["state"]);
  const channel = keyOf(CHANNEL_LABELS, given["channel"]);
  const kind = keyOf(KINDS, given["kind"]);
  const { task, to } = given;
  return {
    ...(state === undefined ? {} : { state }),
    ...(channel === undefined ? {} : { channel }),
    ...(kind === undefined ? {} : { kind }),
    ...(typeof task === "string" && task !== "" ? { task } : {}),
    ...(typeof to === "string" && to !== "" ? { to } : {}),
  };
}

/** The value as a key of the table; undefined for any other value. */
export function keyOf<Key extends string>(table: Readonly<Record<Key, unknown>>, value: unknown): Key | undefined {
  return (Object.keys(table) as Key[]).find((key) => key === value);
}
