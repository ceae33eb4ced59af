/** What the objects of channels ask of the Worker: the rules and adapters that work what came in and send what goes out. */
import type { Failure, Result } from "../base/errors.ts";
import type { InputSources, TaskRequest } from "../task/new-task.ts";
import type { TaskView } from "../task/view.ts";
import type { JsonState } from "../tool/tool.ts";
import type { Attempt, Delivery, DeliveryKind, Sent } from "./outbox/delivery.ts";
import type { Handled, InboxItem } from "./inbox/inbox.ts";
import type { OutMessage } from "./outbox/message.ts";
import type { Notice } from "../task/notice.ts";
import type { DeliverTo, TaskSource } from "../task/source.ts";

/** A task that no request of the API asks for. The same `seed` and moment make the same task, once. */
export interface TaskOrder extends InputSources {
  readonly tenant: string;
  readonly request: TaskRequest;
  readonly via: TaskSource;
  /** What names the thing that asks, such as an event's id. */
  readonly seed: string;
  /** When that happened, in milliseconds since the epoch; the task's `created_at`. */
  readonly at: number;
}

/** What whoever ordered a task hears of it. */
export type MadeTask = Pick<TaskView, "id" | "status">;

/** What a message is about that no event of a task asks for. The same `seed` and moment make the same deliveries, once. */
export interface Telling {
  readonly kind: DeliveryKind;
  /** What names the thing that is told, such as a schedule and its due moment. */
  readonly seed: string;
  /** When that happened, in milliseconds since the epoch. */
  readonly at: number;
  readonly task?: string;
}

/**
 * The stateless runner of channels. Every job can be sent again. `version` is the `JOB_VERSION` of the object; a runner that
 * does not know it refuses the job in the form of its reply, and nothing began.
 */
export interface ChannelsRpc {
  /** Works an item of an inbox. `lane`: what the lane knows; null: nothing yet. */
  receive(inbox: string, item: InboxItem, lane: JsonState | null, version?: number): Promise<Handled>;
  /** Sends a delivery. */
  send(delivery: Delivery, attempt: Attempt, version?: number): Promise<Sent>;
  /**
   * Puts what these notices of a tenant's tasks make necessary into the outboxes. Says for each, in their order, why it has to be
   * spread again; null: it need not.
   */
  spread(tenant: string, notices: readonly Notice[], version?: number): Promise<readonly (Failure | null)[]>;
  /**
   * Puts a message for the places of `deliver` into their outboxes. A place that is none (any more) is kept as a dead delivery.
   * Fails while what says where the places are is away.
   */
  tell(
    tenant: string,
    deliver: readonly DeliverTo[],
    message: OutMessage,
    telling: Telling,
    version?: number,
  ): Promise<Result<void>>;
  /**
   * `not_found`: the tenant is gone; `conflict` with the cause `tenant_stopped`: it is stopped. A failure that `isUnanswered` leaves
   * open whether the task was made.
   */
  makeTask(order: TaskOrder, version?: number): Promise<Result<MadeTask>>;
}
