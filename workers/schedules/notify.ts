/** Notifies a schedule's object of the ends of its tasks. */
import { getOwn } from "../../core/base/own-field.ts";
import { z } from "zod";
import { schedulesFromEnv } from "../../adapters/env/schedules.ts";
import { isEndOfRun } from "../../core/channels/webhooks/interest.ts";
import { ok } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import type { TaskStatus } from "../../core/task/status.ts";
import type { FanOutStep } from "../channels/fan-out/fan-out-step.ts";

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  "task.completed": "completed",
  "task.failed": "failed",
  "task.cancelled": "cancelled",
};

/** The error of an event that ends a task. */
const dataSchema = z.object({ error: z.object({ message: z.string() }).nullish() });

/**
 * Creates no deliveries. A schedule that was deleted ignores the notification. One that cannot be notified reads its
 * tasks later, so it does not delay other notices of the tenant.
 */
export const notifySchedule: FanOutStep = async function notifySchedule(env, { tenant, notice }) {
  const { facts, type } = notice;
  const status = getOwn(STATUSES, type);
  if (status !== undefined && isEndOfRun(facts, notice) && facts.via.id !== null && isId("schedule", facts.via.id))
    await schedulesFromEnv(env)(tenant, facts.via.id)
      .taskEnded(facts.task, status, dataSchema.safeParse(notice.data).data?.error?.message ?? null)
      .catch((thrown: unknown) => console.error("a schedule was not notified of an ended task", facts.via.id, thrown));
  return ok({ deliveries: [], cancelled: [] });
};
