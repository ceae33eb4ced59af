/** The source of a task, and the destinations of its output. */
import { z } from "zod";

/** The name of a channel: a line of the registry, workers/channels/registry.ts. What is stored may name one of another release. */
export type Channel = string;

/**
 * The source of a task. `id` is that of its channel: a Slack conversation (`T…/C…/thread`), an address, the id of a
 * webhook or of a schedule; null for the API, where the task's key identifies the caller.
 */
export interface TaskSource {
  /** `api`, `schedule`, or the channel that it came by. */
  readonly channel: Channel;
  readonly id: string | null;
}

/**
 * A destination of a task's result, questions and files. For `person`, `to` is a person's id or name, and their record
 * has the channel.
 */
export interface DeliverTo {
  /** `person`: `to` is a person's id or name, who is reached by the channels of their addresses. */
  readonly channel: Channel;
  readonly to: string;
}

/** True for a task that no person started: a schedule or a hook did. */
export function isUnattended({ channel }: TaskSource): boolean {
  return channel === "schedule" || channel === "webhook";
}

export const API_SOURCE: TaskSource = { channel: "api", id: null };

/** The OpenAPI document lists the names (workers/api-document/document.ts). `resolveDeliver` checks them, with the place itself. */
const targetSchema = z.string().min(1).max(40).meta({ id: "DeliveryTarget" });

/** Places as a caller writes them. */
export const deliverSchema = z
  .array(z.strictObject({ channel: targetSchema, to: z.string().min(1).max(1000) }))
  .max(20);
