/** What Postgres keeps of deliveries: what lists show, and what the sweep looks at. Rows come from the outboxes. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { Delivery, DeliveryKind, DeliveryReport, DeliveryState } from "../channels/outbox/delivery.ts";

/** What narrows a list of deliveries; null: it does not, except that those of kind `progress` are listed only by that kind. */
export interface DeliveryFilter {
  readonly task: string | null;
  readonly channel: Delivery["channel"] | null;
  readonly to: string | null;
  readonly state: DeliveryState | null;
  readonly kind: DeliveryKind | null;
}

export interface DeliveryTable {
  /** Takes rows whose version is higher than what is there. `isErased`: the tenant is, and nothing was taken. */
  upsert(tenant: string, reports: readonly DeliveryReport[]): Promise<Result<{ readonly isErased: boolean }>>;
  get(tenant: string, id: string): Promise<Result<DeliveryReport>>;
  page(tenant: string, filter: DeliveryFilter, request: PageRequest): Promise<Result<Page<DeliveryReport>>>;
  remove(tenant: string, ids: readonly string[]): Promise<Result<void>>;
  /** Names of outboxes that have rows of the tenant, in no order: what there is to erase. */
  outboxes(tenant: string, limit: number): Promise<Result<readonly string[]>>;
  /** Removes the rows of an outbox that was erased. */
  removeOutbox(tenant: string, outbox: string): Promise<Result<void>>;
  /** Deliveries of any tenant that were due before `before` and are not over, the longest overdue first. Their place is that moment. */
  overdue(
    before: number,
    request: PageRequest,
  ): Promise<Result<Page<{ readonly id: string; readonly outbox: string }>>>;
}
