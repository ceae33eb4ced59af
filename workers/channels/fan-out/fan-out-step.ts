/** A step of the fan-out: creates the deliveries that a notice needs. */
import type { Env } from "../../../adapters/env/bindings.ts";
import type { Delivery } from "../../../core/channels/outbox/delivery.ts";
import type { Notice } from "../../../core/task/notice.ts";
import type { Result } from "../../../core/base/errors.ts";
import type { TaskView } from "../../../core/task/view.ts";

/** The effect of a notice: new deliveries, and deliveries to cancel. */
export interface FanOutEffect {
  readonly deliveries: readonly Delivery[];
  /** Outboxes in which everything about this is cancelled. */
  readonly cancelled: readonly { readonly outbox: string; readonly about: string }[];
}

/** A notice, with a function that reads its task; null if the task was erased. */
export interface NoticeInput {
  readonly tenant: string;
  readonly notice: Notice;
  readonly view: () => Promise<Result<TaskView | null>>;
}

/** Returns the effect of a notice, always the same for the same notice. Fails while a dependency is unavailable. */
export type FanOutStep = (env: Env, look: NoticeInput) => Promise<Result<FanOutEffect>>;
