/** Delivers results of tasks, and their notifications, to the targets in `deliver`. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { createPlainMessage, getProgressName } from "../../../core/channels/outbox/message-delivery.ts";
import { createResultMessage } from "../../../core/channels/outbox/result-message.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import { openPlaces } from "../outbox/places.ts";
import type { NoticeInput, FanOutEffect } from "./fan-out-step.ts";
import { createDeliveries } from "../outbox/notify.ts";

const NOTHING = ok({ deliveries: [], cancelled: [] });

/** Delivers nothing for a task that was erased meanwhile. */
export async function fanOutResults(env: Env, look: NoticeInput): Promise<Result<FanOutEffect>> {
  const { facts, type, data } = look.notice;
  if (facts.deliver.length === 0 || facts.isHidden) return NOTHING;
  if (type === "task.completed" || type === "task.failed" || type === "task.cancelled") {
    return facts.parentId === null ? await deliverResult(env, look) : NOTHING;
  }
  const isRemark = type === "question.asked" && data["wait"] === false && data["person"] === null;
  return isRemark ? await deliverNotification(env, look, String(data["query"])) : NOTHING;
}

/** Delivers the result with its files. */
async function deliverResult(env: Env, { tenant, notice, view }: NoticeInput): Promise<Result<FanOutEffect>> {
  const { facts, at, seq } = notice;
  const read = await view();
  if (!read.ok) return read;
  if (read.value === null) return NOTHING;
  const deliveries = await createDeliveries(openPlaces(env, tenant), {
    tenant,
    deliver: facts.deliver,
    message: createResultMessage(read.value, facts),
    kind: "result",
    task: facts.task,
    seed: `${facts.task} ${seq}`,
    at: Date.parse(at),
    getRefs: (target) => [getProgressName(facts.task, target)],
  });
  return deliveries.ok ? ok({ deliveries: deliveries.value, cancelled: [] }) : deliveries;
}

/** Delivers a notification that needs no answer. If it names a person, it goes to that person. */
async function deliverNotification(
  env: Env,
  { tenant, notice }: NoticeInput,
  text: string,
): Promise<Result<FanOutEffect>> {
  const { facts, at, seq } = notice;
  const deliveries = await createDeliveries(openPlaces(env, tenant), {
    tenant,
    deliver: facts.deliver,
    message: createPlainMessage(text, text),
    kind: "notification",
    task: facts.task,
    seed: `${facts.task} ${seq}`,
    at: Date.parse(at),
  });
  return deliveries.ok ? ok({ deliveries: deliveries.value, cancelled: [] }) : deliveries;
}
