/**
 * Sends deliveries to Slack. After an attempt that may have sent some parts, looks those up instead of posting them
 * again.
 */
import { filesFromEnv } from "../../../adapters/env/files.ts";
import { slackFromEnv } from "../../../adapters/env/slack.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import type { Attempt, Delivery, SendResult } from "../../../core/channels/outbox/delivery.ts";
import { getMessage, planDelivery } from "../../../core/channels/slack/plan.ts";
import { parseSlackDestination } from "../../../core/channels/outbox/slack-destination.ts";
import type { Failure } from "../../../core/base/errors.ts";
import { sendParts } from "./send-parts.ts";
import { isPermanent } from "./send-result.ts";

/** When an attempt starts no further part, and when its calls end: both before its outbox gives it up. */
const PARTS_FOR_MS = 45_000;
const CALLS_FOR_MS = 55_000;

export async function sendBySlack(env: Env, delivery: Delivery, attempt: Attempt): Promise<SendResult> {
  const { id, tenant, to, kind, createdAt } = delivery;
  const place = parseSlackDestination(to);
  if (place === null) return { kind: "dead", why: `${to} is not a Slack channel or person.` };
  if (kind === "event") return { kind: "dead", why: "Events go to webhooks, not to Slack." };
  const now = Date.now();
  const opened = await slackFromEnv(env, { tenant, team: place.team, until: now + CALLS_FOR_MS });
  if (!opened.ok) return toUnsent(opened.error);
  const { sandbox } = getMessage(delivery);
  const files = sandbox === null ? null : filesFromEnv(env, { tenant, ...sandbox });
  const parts = planDelivery(delivery, attempt);
  const mayBeThere = attempt.mayHaveLeft || attempt.mayBeInPart === true;
  const parcel = { id, place, parts, since: createdAt, mayBeThere, until: now + PARTS_FOR_MS };
  return await sendParts({ slack: opened.value.slack, files }, parcel);
}

/** Nothing was sent to Slack. */
function toUnsent(error: Failure): SendResult {
  return isPermanent(error)
    ? { kind: "dead", why: error.message }
    : { kind: "later", why: error.message, afterMs: null, isOurs: true };
}
