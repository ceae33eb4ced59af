/** From what happened to tasks to what leaves: each spreader says what a notice makes necessary. */
import { outboxesFromEnv } from "../../../adapters/env/channels.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import type { Notice } from "../../../core/task/notice.ts";
import { type Failure, ok, type Result, toFailure } from "../../../core/base/errors.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { spreadAsks } from "./asks.ts";
import { putDeliveries } from "../outbox/put-deliveries.ts";
import { spreadProgress } from "./progress.ts";
import { spreadResults } from "./results.ts";
import { spreadWebhooks } from "./webhooks.ts";
import { awaitWithin } from "../../../core/base/deadline.ts";
import type { NoticeLook, Spread, Spreader } from "./spreader.ts";
import { tellSchedule } from "../../schedules/notify.ts";

/** That of progress calls off what has not left, and so stands before those that tell of a task's end. */
const SPREADERS: readonly Spreader[] = [tellSchedule, spreadProgress, spreadResults, spreadAsks, spreadWebhooks];

/** Tasks whose notices are spread side by side. */
const AT_ONCE = 10;
/** How long one notice may take, and how long all of them: one that nobody answers holds up the others no longer. */
const PATIENCE_MS = 15_000;
const PATIENCE_FOR_ALL_MS = 30_000;

const NOT_REACHED: Failure = { code: "upstream_failed", message: "There was no time left for it." };
const TOO_LATE: Failure = { code: "upstream_failed", message: `It took longer than ${PATIENCE_MS / 1000} seconds.` };

/**
 * Puts what these notices make necessary into the outboxes, those of one task in their order. Says for each why it has to be
 * spread again; null: it need not. What one notice or one spreader lacks holds up no other. Never throws.
 */
export async function spreadNotices(
  env: Env,
  tenant: string,
  notices: readonly Notice[],
): Promise<readonly (Failure | null)[]> {
  const outcomes: (Failure | null)[] = notices.map(() => NOT_REACHED);
  const tasks = [...Map.groupBy(notices.entries(), ([, { facts }]) => facts.task).values()];
  const deadline = { isOver: false };
  const timer = setTimeout(() => (deadline.isOver = true), PATIENCE_FOR_ALL_MS);
  const work = async () => {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      for (const [index, notice] of task) {
        if (deadline.isOver) return;
        // What is given up continues: to be done twice changes nothing.
        outcomes[index] = await awaitWithin(globalThis, PATIENCE_MS, spreadOne(env, tenant, notice), TOO_LATE);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  clearTimeout(timer);
  return outcomes;
}

/** Asks every spreader; the failure of the last one that failed. Never throws. */
async function spreadOne(env: Env, tenant: string, notice: Notice): Promise<Failure | null> {
  const look = { tenant, notice, view: viewOf(env, tenant, notice) };
  let outcome: Failure | null = null;
  for (const spreader of SPREADERS) {
    try {
      const spread = await spreader(env, look);
      if (spread.ok) await put(env, spread.value);
      else outcome = spread.error;
    } catch (thrown) {
      outcome = toFailure(thrown);
    }
  }
  return outcome;
}

async function put(env: Env, { deliveries, calledOff = [] }: Spread): Promise<void> {
  for (const { outbox, about } of calledOff) await outboxesFromEnv(env)(outbox).callOff(about);
  await putDeliveries(env, deliveries);
}

/** The task is asked once, by whichever spreader is the first to look. */
function viewOf(env: Env, tenant: string, { facts: { task } }: Notice): NoticeLook["view"] {
  let asked: Promise<Result<TaskView | null>> | null = null;
  return async () => await (asked ??= look(env, tenant, task));
}

async function look(env: Env, tenant: string, task: string): Promise<Result<TaskView | null>> {
  const view = await tasksFromEnv(env)(tenant, task).view();
  return !view.ok && view.error.code === "not_found" ? ok(null) : view;
}
