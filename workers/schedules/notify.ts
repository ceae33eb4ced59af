/** A schedule's object is told how the tasks that it made ended. */
import { getOwn } from "../../core/base/own-field.ts";
import { z } from "zod";
import { schedulesFromEnv } from "../../adapters/env/schedules.ts";
import { isEndOfRun } from "../../core/channels/webhooks/interest.ts";
import { ok } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import type { TaskStatus } from "../../core/task/status.ts";
import type { Spreader } from "../channels/fan-out/spreader.ts";

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  "task.completed": "completed",
  "task.failed": "failed",
  "task.cancelled": "cancelled",
};

/** What an event that ends a task says of why it failed. */
const dataSchema = z.object({ error: z.object({ message: z.string() }).nullish() });

/**
 * Nothing leaves; an object that forgot the schedule does nothing. One that cannot hear it looks at its tasks by itself
 * later, so it holds up no other notice of its tenant.
 */
export const tellSchedule: Spreader = async function tellSchedule(env, { tenant, notice }) {
  const { facts, type } = notice;
  const status = getOwn(STATUSES, type);
  if (status !== undefined && isEndOfRun(facts, notice) && facts.via.id !== null && isId("schedule", facts.via.id))
    await schedulesFromEnv(env)(tenant, facts.via.id)
      .taskEnded(facts.task, status, dataSchema.safeParse(notice.data).data?.error?.message ?? null)
      .catch((thrown: unknown) => console.error("a schedule cannot hear of an end", facts.via.id, thrown));
  return ok({ deliveries: [] });
};
