/** The RPC from the channel objects to the Worker, which processes received items and sends deliveries. */
import type { Failure, Result } from "../base/errors.ts";
import type { Actor, Actors } from "../connections/actors.ts";
import type { CallingPerson, InputSources, TaskRequest } from "../task/new-task.ts";
import type { TaskView } from "../task/view.ts";
import type { JsonState } from "../tool/tool.ts";
import type { Attempt, Delivery, DeliveryKind, SendResult } from "./outbox/delivery.ts";
import type { ItemOutcome, InboxItem } from "./inbox/inbox.ts";
import type { OutMessage } from "./outbox/message.ts";
import type { Notice } from "../task/notice.ts";
import type { DeliverTo, TaskSource } from "../task/source.ts";

/** A task that is created without an API request. The same `seed` and `at` create the same task once. */
export interface TaskOrder extends InputSources {
  readonly tenant: string;
  readonly request: TaskRequest;
  readonly via: TaskSource;
  /** Identifies the cause, such as an event's id. */
  readonly seed: string;
  /** When the cause happened, in milliseconds since the epoch; the task's `created_at`. */
  readonly at: number;
  /** The person for whom the task acts. Null or absent for nobody. */
  readonly actsFor?: CallingPerson | null;
  /** Who wrote the input; null if unknown. Absent: the person for whom the task acts. */
  readonly by?: Actor | null;
  /** Who steered the conversation that the task continues. */
  readonly actors?: Actors;
}

/** The created task, as the caller of `makeTask` sees it. */
export type CreatedTask = Pick<TaskView, "id" | "status">;

/** The cause of a message that comes from no task event. The same `seed` and `at` create the same deliveries once. */
export interface MessageCause {
  readonly kind: DeliveryKind;
  /** Identifies the cause, such as a schedule and its due time. */
  readonly seed: string;
  /** When the cause happened, in milliseconds since the epoch. */
  readonly at: number;
  readonly task?: string;
}

/**
 * The stateless runner of channels. Every job can be sent again. `version` is the `JOB_VERSION` of the object; a runner
 * that does not know it rejects the job in the form of its reply, without starting it.
 */
export interface ChannelsRpc {
  /** Processes an item of an inbox. `lane`: the partition's state; null before the first item. */
  receive(inbox: string, item: InboxItem, lane: JsonState | null, version?: number): Promise<ItemOutcome>;
  /** Sends a delivery. */
  send(delivery: Delivery, attempt: Attempt, version?: number): Promise<SendResult>;
  /**
   * Puts the deliveries of these task notices into their outboxes. Returns for each notice, in order, why it has to be
   * fanned out again; null when it is done.
   */
  spread(tenant: string, notices: readonly Notice[], version?: number): Promise<readonly (Failure | null)[]>;
  /**
   * Puts a message for the destinations of `deliver` into their outboxes. An invalid destination becomes a dead
   * delivery. Fails while destinations cannot be looked up.
   */
  tell(
    tenant: string,
    deliver: readonly DeliverTo[],
    message: OutMessage,
    telling: MessageCause,
    version?: number,
  ): Promise<Result<void>>;
  /**
   * `not_found`: the tenant was deleted. `conflict` with the cause `tenant_stopped`: it is stopped. After a failure for
   * which `isUnanswered` is true, the task may exist.
   */
  makeTask(order: TaskOrder, version?: number): Promise<Result<CreatedTask>>;
}
