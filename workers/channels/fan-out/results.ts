/** Delivers results of tasks, and their notifications, to the targets in `deliver`. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { createPlainMessage, getProgressName } from "../../../core/channels/outbox/message-delivery.ts";
import { createResultMessage } from "../../../core/channels/outbox/result-message.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import { placesOf } from "../outbox/places.ts";
import type { NoticeLook, Spread } from "./fan-out-step.ts";
import { messagesFor } from "../outbox/notify.ts";

const NOTHING = ok({ deliveries: [] });

/** Delivers nothing for a task that was erased meanwhile. */
export async function spreadResults(env: Env, look: NoticeLook): Promise<Result<Spread>> {
  const { facts, type, data } = look.notice;
  if (facts.deliver.length === 0 || facts.isHidden) return NOTHING;
  if (type === "task.completed" || type === "task.failed" || type === "task.cancelled") {
    return facts.parentId === null ? await results(env, look) : NOTHING;
  }
  const isRemark = type === "question.asked" && data["wait"] === false && data["person"] === null;
  return isRemark ? await remark(env, look, String(data["query"])) : NOTHING;
}

/** Delivers the result with its files. */
async function results(env: Env, { tenant, notice, view }: NoticeLook): Promise<Result<Spread>> {
  const { facts, at, seq } = notice;
  const read = await view();
  if (!read.ok) return read;
  if (read.value === null) return NOTHING;
  const deliveries = await messagesFor(placesOf(env, tenant), {
    tenant,
    deliver: facts.deliver,
    message: createResultMessage(read.value, facts),
    kind: "result",
    task: facts.task,
    seed: `${facts.task} ${seq}`,
    at: Date.parse(at),
    refsOf: (target) => [getProgressName(facts.task, target)],
  });
  return deliveries.ok ? ok({ deliveries: deliveries.value }) : deliveries;
}

/** Delivers a notification that needs no answer. If it names a person, it goes to that person. */
async function remark(env: Env, { tenant, notice }: NoticeLook, text: string): Promise<Result<Spread>> {
  const { facts, at, seq } = notice;
  const deliveries = await messagesFor(placesOf(env, tenant), {
    tenant,
    deliver: facts.deliver,
    message: createPlainMessage(text, text),
    kind: "notification",
    task: facts.task,
    seed: `${facts.task} ${seq}`,
    at: Date.parse(at),
  });
  return deliveries.ok ? ok({ deliveries: deliveries.value }) : deliveries;
}
