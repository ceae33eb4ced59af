/** The rows of deliveries in Postgres, for lists and the sweep. The outboxes report them. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { Delivery, DeliveryKind, DeliveryReport, DeliveryState } from "../channels/outbox/delivery.ts";

/** The filter of a list of deliveries; null matches all. Deliveries of kind `progress` are listed only by that kind. */
export interface DeliveryFilter {
  readonly task: string | null;
  readonly channel: Delivery["channel"] | null;
  readonly to: string | null;
  readonly state: DeliveryState | null;
  readonly kind: DeliveryKind | null;
}

export interface DeliveryTable {
  /**
   * Stores rows with a higher version than the stored one. `isErased`: the tenant was deleted, and nothing was stored.
   */
  upsert(tenant: string, reports: readonly DeliveryReport[]): Promise<Result<{ readonly isErased: boolean }>>;
  get(tenant: string, id: string): Promise<Result<DeliveryReport>>;
  page(tenant: string, filter: DeliveryFilter, request: PageRequest): Promise<Result<Page<DeliveryReport>>>;
  remove(tenant: string, ids: readonly string[]): Promise<Result<void>>;
  /** Names of outboxes with rows of the tenant, in no order, for deletion. */
  outboxes(tenant: string, limit: number): Promise<Result<readonly string[]>>;
  /** Removes the rows of a deleted outbox. */
  removeOutbox(tenant: string, outbox: string): Promise<Result<void>>;
  /**
   * Open deliveries of any tenant that were due before `before`, the longest overdue first. Their position is the due
   * time.
   */
  overdue(
    before: number,
    request: PageRequest,
  ): Promise<Result<Page<{ readonly id: string; readonly outbox: string }>>>;
}
