/**
 * Events of the provider of apps, for all tenants: `POST /webhook/composio`. The signature says that the provider sent them.
 * Whose they are, only the rows of triggers and connections say; nothing else of the body decides.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { publicUrlFromEnv } from "../../adapters/env/deployment.ts";
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { OttoError, raise } from "../../core/base/errors.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { isSigned } from "../../core/channels/webhooks/hook-signature.ts";
import { planPersonMessage } from "../../core/people/plan-message.ts";
import { createTriggerMessage } from "../../core/people/trigger-message.ts";
import { rateBody, REQUEST_MS } from "../../core/tenant/cost-rates.ts";
import { type ProviderEvent, readProviderEvent, toTriggerPayload } from "../../core/triggers/provider-event.ts";
import type { Trigger } from "../../core/triggers/trigger.ts";
import { takeCall } from "../channels/webhooks/take-call.ts";
import { putDeliveries } from "../channels/outbox/put-deliveries.ts";
import { checkProviderAccount } from "../connections/account-check.ts";
import { findAppTitle } from "../connections/app-title.ts";
import { notifyOfEnd } from "../connections/checks.ts";
import { findRecipient } from "../connections/notify-owner.ts";
import { chargeCost, paceRequest } from "../http/charge-cost.ts";
import type { AppContext } from "../http/context.ts";
import { unwrap } from "../http/unwrap.ts";
import { readEventSecrets } from "./subscription.ts";

/** Connections of one owner and app that an event checks. */
const MAX_CONNECTIONS = 20;
const STOPPED_BY_PROVIDER = "The provider of the app switched it off. Check its account, then resume it.";

/** Returns the id of its message. Raises for a body that the provider did not sign, and for an unknown trigger. */
export async function receiveProviderEvent(c: AppContext, body: Uint8Array): Promise<string> {
  const { env } = c;
  if (!(await isSignedByProvider(c, body)))
    raise(
      "unauthenticated",
      "The event has no valid signature of the provider, or was signed more than five minutes ago.",
    );
  const event = readProviderEvent(parseJson(new TextDecoder().decode(body)));
  if (event === null) raise("invalid_input", "The event cannot be read.", { field: "body" });
  const name = c.req.header("webhook-id") ?? "";
  switch (event.kind) {
    case "message":
      return await takeEvent(c, event, { name, bytes: body.length });
    case "disabled":
      await stopTrigger(env, event.triggerId);
      return name;
    case "account_expired":
      await checkAccounts(env, event);
      return name;
    case "unknown":
      return name;
  }
}

async function isSignedByProvider(c: AppContext, body: Uint8Array): Promise<boolean> {
  const header = (name: string) => c.req.header(name) ?? null;
  const now = Date.now();
  for (const mustReread of [false, true]) {
    const secrets = unwrap(await readEventSecrets(c.env, now, mustReread));
    for (const secret of secrets ?? [])
      if (await isSigned({ type: "composio", secret, signatureHeader: "", body, header }, now)) return true;
  }
  return false;
}

/** Finds the trigger that the provider means. An unknown one is refused, and logged for the operator to count. */
async function findTriggerOfProvider(env: Env, providerId: string): Promise<{ tenant: string; trigger: Trigger }> {
  const { triggers } = databaseFromEnv(env);
  const owned = await triggers.findOwner(providerId);
  if (!owned.ok && owned.error.code === "not_found") {
    console.error(JSON.stringify({ level: "warn", triggers: "an event of an unknown trigger was refused" }));
    raise("not_found", "There is no such trigger.");
  }
  const { tenant, id } = unwrap(owned);
  return { tenant, trigger: unwrap(await triggers.get(tenant, id)) };
}

/** Stores an event for its task. One of a paused trigger creates none. */
async function takeEvent(
  c: AppContext,
  event: ProviderEvent & { readonly kind: "message" },
  { name, bytes }: { readonly name: string; readonly bytes: number },
): Promise<string> {
  const { tenant, trigger } = await findTriggerOfProvider(c.env, event.triggerId);
  await paceRequest(c.env, tenant, c.req);
  chargeCost(c.env, tenant, REQUEST_MS + rateBody("json", bytes));
  // The provider sends it again.
  if (trigger.state === "pending")
    raise("upstream_failed", "This trigger is being created. Send the event again later.");
  if (trigger.state !== "active") return name;
  const { trigger: named } = trigger.config;
  const text = { encoding: "utf-8", text: JSON.stringify(toTriggerPayload(named, event)) } as const;
  const call = { tenant, hook: trigger.id, named: "composio", type: "composio", headers: {}, text } as const;
  return await takeCall(c.env, { ...call, name, event: named, isOrdered: true });
}

/** Notes that the provider switched a trigger off, and notifies its owner first: a repeat sends the same message. */
async function stopTrigger(env: Env, providerId: string): Promise<void> {
  const { tenant, trigger } = await findTriggerOfProvider(env, providerId);
  if (trigger.state !== "active") return;
  await notifyOfStop(env, tenant, trigger);
  const { id, version } = trigger;
  const change = { id, version, state: "stopped", why: STOPPED_BY_PROVIDER, providerId } as const;
  const stopped = await databaseFromEnv(env).triggers.change(tenant, change, null);
  // A person changed it meanwhile: that counts.
  if (!stopped.ok && stopped.error.code !== "conflict") throw new OttoError(stopped.error);
}

async function notifyOfStop(env: Env, tenant: string, trigger: Trigger): Promise<void> {
  const { config, createdAt, id, version } = trigger;
  const connection = await connectionTableFromEnv(env, tenant).find(config.connection);
  if (!connection.ok) return;
  const person = unwrap(await findRecipient(env, tenant, connection.value));
  if (person === null) return;
  const url = publicUrlFromEnv(env);
  const page = url === null ? null : `${url}/apps/${encodeURIComponent(config.app)}?view=triggers`;
  const title = await findAppTitle(env, tenant, config.app);
  const message = createTriggerMessage({ title, trigger: config.trigger, url: page });
  const subject = `trigger:${id}:${version}`;
  const delivery = await planPersonMessage({ tenant, person, subject, createdAt, message, task: null, at: Date.now() });
  if (delivery !== null) await putDeliveries(env, [delivery]);
}

/** Reads the accounts that may be meant at the provider: an event ends none. */
async function checkAccounts(
  env: Env,
  { entity, app }: ProviderEvent & { readonly kind: "account_expired" },
): Promise<void> {
  const meant = unwrap(await databaseFromEnv(env).triggers.connectionsOf(entity, app, MAX_CONNECTIONS));
  for (const { tenant, connection: id } of meant) {
    const connection = unwrap(await connectionTableFromEnv(env, tenant).find(id));
    if (connection.status !== "active") continue;
    const title = await findAppTitle(env, tenant, app);
    const checked = unwrap(await checkProviderAccount(env, { connection, title, requestId: "event" }));
    const { status } = checked;
    if (status === "expired" || status === "revoked") await notifyOfEnd(env, { connection: checked, title, status });
  }
}
