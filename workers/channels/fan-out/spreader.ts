/** What says which deliveries a notice makes necessary. */
import type { Env } from "../../../adapters/env/bindings.ts";
import type { Delivery } from "../../../core/channels/outbox/delivery.ts";
import type { Notice } from "../../../core/task/notice.ts";
import type { Result } from "../../../core/base/errors.ts";
import type { TaskView } from "../../../core/task/view.ts";

/** What a notice makes necessary: deliveries, and what earlier ones are called off with. */
export interface Spread {
  readonly deliveries: readonly Delivery[];
  /** Outboxes in which everything about this is called off. */
  readonly calledOff?: readonly { readonly outbox: string; readonly about: string }[];
}

/** A notice with a look at its task: as it stands now; null: it is gone. */
export interface NoticeLook {
  readonly tenant: string;
  readonly notice: Notice;
  readonly view: () => Promise<Result<TaskView | null>>;
}

/** Says what a notice makes necessary; the same for the same notice. Fails while something that it needs is away. */
export type Spreader = (env: Env, look: NoticeLook) => Promise<Result<Spread>>;
