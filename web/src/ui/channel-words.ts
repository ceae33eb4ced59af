/** The words for where something can be sent. */
import { DELIVERY_TARGETS } from "../api/channels.generated.ts";
import type { DeliveryChannel } from "../api/types.generated.ts";

export { DELIVERY_TARGETS };

/** Channels by name. */
export const CHANNEL_LABELS = Object.fromEntries(
  DELIVERY_TARGETS.filter(({ name }) => name !== "person").map(({ name, label }) => [name, label]),
) as Readonly<Record<DeliveryChannel, string>>;

/** The channel that a form's value names. */
export function findDeliveryTarget(value: string): (typeof DELIVERY_TARGETS)[number] | undefined {
  return DELIVERY_TARGETS.find(({ name }) => name === value);
}
