/**
 * Triggers at Composio, and the subscription to their events. Composio creates a trigger once for an account and a
 * configuration, so creating it again finds it. The secret of a subscription is in the reply that creates it, and no more.
 */
import { z } from "zod";
import { ANSWERED, failed, ok, type Result } from "../../core/base/errors.ts";
import { getField, getTextField } from "../../core/base/json-fields.ts";
import { PROVIDER_EVENTS } from "../../core/triggers/provider-event.ts";
import type { AppTriggers } from "../../core/ports/apps.ts";
import { toPlainText } from "../search/plain-text.ts";
import { hideAccount } from "./hide-account.ts";
import { failUnreadable, toReadFailure } from "./read-failure.ts";
import { type ComposioAccess, type ComposioReply, type ComposioRequest, isSuccess, sendToComposio } from "./request.ts";

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 1_048_576;
const MAX_REASON = 300;
/** The form of events that has the trigger's id in `metadata`. */
const VERSION = "V3";

const upsertedSchema = z.object({ trigger_id: z.string().min(1).max(200) });
const subscriptionSchema = z.object({ id: z.string().min(1).max(200), webhook_url: z.string() });
const subscriptionsSchema = z.object({ items: z.array(subscriptionSchema) });
const secretSchema = z.object({ secret: z.string().min(8).max(500) });

export function openAppTriggers(access: ComposioAccess): AppTriggers {
  const request = (method: ComposioRequest["method"], path: string, body?: unknown) => send(access, method, path, body);
  return {
    async upsert({ trigger, providerId, config }) {
      const path = `/trigger_instances/${encodeURIComponent(trigger)}/upsert`;
      const reply = await request("POST", path, { connected_account_id: providerId, trigger_config: config });
      const refused = findRefusal(reply);
      if (refused !== null) return failed("invalid_input", `Composio refused the trigger: ${refused}`, REFUSED);
      const read = readReply(reply, upsertedSchema, `The trigger ${trigger} or its account`);
      return read.ok ? ok(read.value.trigger_id) : read;
    },

    async setEnabled(id, isEnabled) {
      const reply = await request("PATCH", toPath(id), { status: isEnabled ? "enable" : "disable" });
      return isSuccess(reply) ? ok(undefined) : toReadFailure(reply, "This trigger");
    },

    async remove(id) {
      const reply = await request("DELETE", toPath(id));
      const isGone = reply.kind === "reply" && (reply.status === 404 || reply.status === 410);
      return isGone || isSuccess(reply) ? ok(undefined) : toReadFailure(reply, "This trigger");
    },

    async findSubscription() {
      const read = readReply(await request("GET", "/webhook_subscriptions"), subscriptionsSchema, "The subscription");
      if (!read.ok) return read;
      const [first] = read.value.items;
      return ok(first === undefined ? null : { id: first.id, url: first.webhook_url });
    },

    async subscribe(url) {
      const body = { webhook_url: url, enabled_events: PROVIDER_EVENTS, version: VERSION };
      const reply = await request("POST", "/webhook_subscriptions", body);
      const read = readReply(reply, subscriptionSchema.extend(secretSchema.shape), "The subscription");
      return read.ok ? ok({ id: read.value.id, url: read.value.webhook_url, secret: read.value.secret }) : read;
    },

    async redirect(id, url) {
      const body = { webhook_url: url, enabled_events: PROVIDER_EVENTS, version: VERSION };
      const reply = await request("PATCH", `/webhook_subscriptions/${encodeURIComponent(id)}`, body);
      return isSuccess(reply) ? ok(undefined) : toReadFailure(reply, "The subscription");
    },

    async rotateSecret(id) {
      const reply = await request("POST", `/webhook_subscriptions/${encodeURIComponent(id)}/rotate_secret`);
      const read = readReply(reply, secretSchema, "The subscription");
      return read.ok ? ok(read.value.secret) : read;
    },
  };
}

const REFUSED = { field: "config", cause: ANSWERED } as const;

/** Why Composio refuses a trigger, for people and without its ids of accounts; null if it does not. */
function findRefusal(reply: ComposioReply): string | null {
  if (reply.kind !== "reply" || (reply.status !== 400 && reply.status !== 422)) return null;
  const message = getTextField(getField(reply.body, "error"), "message") ?? `HTTP ${reply.status}`;
  return toPlainText(hideAccount(message, null)).slice(0, MAX_REASON).toWellFormed();
}

function readReply<T>(reply: ComposioReply, schema: z.ZodType<T>, what: string): Result<T> {
  if (!isSuccess(reply)) return toReadFailure(reply, what);
  const parsed = schema.safeParse(reply.body);
  return parsed.success ? ok(parsed.data) : failUnreadable();
}

async function send(
  access: ComposioAccess,
  method: ComposioRequest["method"],
  path: string,
  body?: unknown,
): Promise<ComposioReply> {
  const given = body === undefined ? {} : { body };
  return await sendToComposio(access, {
    kind: "call",
    method,
    path,
    ...given,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  });
}

function toPath(id: string): string {
  return `/trigger_instances/manage/${encodeURIComponent(id)}`;
}
