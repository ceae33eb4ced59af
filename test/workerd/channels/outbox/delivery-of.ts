import type { Delivery } from "../../../../core/channels/outbox/delivery.ts";
import { makeId } from "../../../../core/base/ids.ts";

export function newDeliveryId(): string {
  return makeId("delivery", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
}

/** A delivery of a tenant, with an id of its own: unless `more` says otherwise by mail, at once, and in nobody's turn. */
export function deliveryOf(tenant: string, more: Partial<Delivery> = {}): Delivery {
  return {
    id: newDeliveryId(),
    tenant,
    channel: "email",
    to: "ann@example.com",
    kind: "result",
    task: null,
    about: null,
    content: { test: true, text: "Done." },
    lane: crypto.randomUUID(),
    slot: null,
    keepAs: null,
    refs: [],
    notBefore: 0,
    otherwise: [],
    createdAt: Date.now(),
    ...more,
  };
}
