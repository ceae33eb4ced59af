/** Fans notices of tasks out to deliveries. Each step creates the deliveries that a notice needs. */
import { outboxesFromEnv } from "../../../adapters/env/channels.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import type { Notice } from "../../../core/task/notice.ts";
import { type Failure, ok, type Result, toFailure } from "../../../core/base/errors.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { fanOutAsks } from "./asks.ts";
import { fanOutConnections } from "./connections.ts";
import { putDeliveries } from "../outbox/put-deliveries.ts";
import { fanOutProgress } from "./progress.ts";
import { fanOutResults } from "./results.ts";
import { fanOutWebhooks } from "./webhooks.ts";
import { awaitWithin } from "../../../core/base/deadline.ts";
import type { NoticeInput, FanOutEffect, FanOutStep } from "./fan-out-step.ts";
import { notifySchedule } from "../../schedules/notify.ts";

/** Progress comes first, because it cancels unsent updates before the task's end is delivered. */
const STEPS: readonly FanOutStep[] = [
  notifySchedule,
  fanOutProgress,
  fanOutResults,
  fanOutAsks,
  fanOutConnections,
  fanOutWebhooks,
];

/** Tasks whose notices are fanned out concurrently. */
const AT_ONCE = 10;
/** Time limit of one notice, and of all of them, so that one unresponsive task does not delay the others. */
const NOTICE_MS = 15_000;
const ALL_NOTICES_MS = 30_000;

const NOT_REACHED: Failure = { code: "upstream_failed", message: "There was no time left to deliver this notice." };
const TOO_LATE: Failure = {
  code: "upstream_failed",
  message: `Delivering this notice took longer than ${NOTICE_MS / 1000} seconds.`,
};

/**
 * Puts the deliveries of these notices into the outboxes, in order for each task. Returns for each notice why it has
 * to be retried, or null. A failure of one notice or step does not stop the others. Never throws.
 */
export async function fanOutNotices(
  env: Env,
  tenant: string,
  notices: readonly Notice[],
): Promise<readonly (Failure | null)[]> {
  const outcomes: (Failure | null)[] = notices.map(() => NOT_REACHED);
  const tasks = [...Map.groupBy(notices.entries(), ([, { facts }]) => facts.task).values()];
  const deadline = { isOver: false };
  const timer = setTimeout(() => (deadline.isOver = true), ALL_NOTICES_MS);
  const work = async () => {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      for (const [index, notice] of task) {
        if (deadline.isOver) return;
        // Work that timed out continues. Repeating it is harmless.
        outcomes[index] = await awaitWithin(globalThis, NOTICE_MS, fanOutNotice(env, tenant, notice), TOO_LATE);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  clearTimeout(timer);
  return outcomes;
}

/** Runs every step; returns the last failure. Never throws. */
async function fanOutNotice(env: Env, tenant: string, notice: Notice): Promise<Failure | null> {
  const readView = { tenant, notice, view: createViewReader(env, tenant, notice) };
  let outcome: Failure | null = null;
  for (const spreader of STEPS) {
    try {
      const spread = await spreader(env, readView);
      if (spread.ok) await applyEffect(env, spread.value);
      else outcome = spread.error;
    } catch (thrown) {
      outcome = toFailure(thrown);
    }
  }
  return outcome;
}

async function applyEffect(env: Env, { deliveries, cancelled }: FanOutEffect): Promise<void> {
  for (const { outbox, about } of cancelled) await outboxesFromEnv(env)(outbox).callOff(about);
  await putDeliveries(env, deliveries);
}

/** Reads the task once, when the first step needs it. */
function createViewReader(env: Env, tenant: string, { facts: { task } }: Notice): NoticeInput["view"] {
  let asked: Promise<Result<TaskView | null>> | null = null;
  return async () => await (asked ??= look(env, tenant, task));
}

async function look(env: Env, tenant: string, task: string): Promise<Result<TaskView | null>> {
  const view = await tasksFromEnv(env)(tenant, task).view();
  return !view.ok && view.error.code === "not_found" ? ok(null) : view;
}
