/**
 * Triggers and the subscription of the demo apps, in the shapes of Composio's client, and the page on which a person sends an
 * event. Events are signed as Composio signs them.
 */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import type {
  ManageDeleteResponse,
  ManageUpdateResponse,
  TriggerInstanceUpsertResponse,
} from "@composio/client/resources/trigger-instances";
import type {
  WebhookSubscriptionCreateResponse,
  WebhookSubscriptionListResponse,
  WebhookSubscriptionRotateSecretResponse,
} from "@composio/client/resources/webhook-subscriptions";
import type { Accounts } from "./accounts.ts";
import type { ApiReply } from "./connections-api.ts";
import { toError } from "./executions.ts";
import { renderPage } from "./sign-in-page.ts";
import type { DemoSubscription, DemoTrigger } from "./trigger-notes.ts";

/** A request that the demo apps send. */
export interface SentEvent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const fail = (status: number, message: string): ApiReply => ({ status, body: toError(status, message) });

export function upsertTrigger(accounts: Accounts, slug: string, given: unknown): ApiReply {
  const { connected_account_id, trigger_config = {} } = given as Readonly<Record<string, unknown>>;
  const account = typeof connected_account_id === "string" ? accounts.find(connected_account_id) : null;
  if (account === null) return fail(404, "Connected account not found");
  if (account.status !== "ACTIVE") return fail(400, `Connected account is ${account.status}`);
  if (!slug.startsWith(`${account.app.toUpperCase()}_`)) return fail(400, `Trigger ${slug} is not of this toolkit`);
  const config = JSON.stringify(trigger_config);
  const isSame = (one: DemoTrigger): boolean =>
    one.slug === slug && one.account === account.id && one.config === config;
  const id = accounts.triggers().find(isSame)?.id ?? `ti_${randomUUID().replaceAll("-", "").slice(0, 16)}`;
  accounts.putTrigger({ id, slug, account: account.id, config, isEnabled: true });
  return { status: 201, body: { trigger_id: id } satisfies TriggerInstanceUpsertResponse };
}

export function manageTrigger(accounts: Accounts, method: string, id: string, given: unknown): ApiReply | null {
  const trigger = accounts.triggers().find((one) => one.id === id);
  if (trigger === undefined) return fail(404, "Trigger not found");
  if (method === "DELETE") {
    accounts.removeTrigger(id);
    return { status: 200, body: { trigger_id: id } satisfies ManageDeleteResponse };
  }
  if (method !== "PATCH") return null;
  const { status } = given as Readonly<Record<string, unknown>>;
  if (status !== "enable" && status !== "disable") return fail(400, "status has to be enable or disable");
  accounts.putTrigger({ ...trigger, isEnabled: status === "enable" });
  return { status: 200, body: { status: "success" } satisfies ManageUpdateResponse };
}

/** A key has one subscription. */
export function answerSubscription(accounts: Accounts, method: string, path: string, given: unknown): ApiReply | null {
  const [, , id = "", verb = ""] = path.split("/");
  const stored = accounts.subscription();
  if (method === "GET" && id === "") {
    const items = stored === null ? [] : [{ ...toSubscription(stored), secret: "********" }];
    const body = { items, next_cursor: null, total_pages: 1, current_page: 1, total_items: items.length };
    return { status: 200, body: body satisfies WebhookSubscriptionListResponse };
  }
  const { webhook_url, enabled_events } = given as Readonly<Record<string, unknown>>;
  const url = typeof webhook_url === "string" && URL.canParse(webhook_url) ? webhook_url : null;
  const events = Array.isArray(enabled_events) ? enabled_events.map(String) : [];
  if (method === "POST" && id === "") {
    if (stored !== null) return fail(409, "A webhook subscription already exists for this project");
    if (url === null) return fail(400, "webhook_url is not a URL");
    const made = { id: `ws_${randomUUID().slice(0, 8)}`, url, events, secret: makeSecret(), createdAt: Date.now() };
    accounts.putSubscription(made);
    return { status: 201, body: toSubscription(made) satisfies WebhookSubscriptionCreateResponse };
  }
  if (stored === null || stored.id !== id) return fail(404, "Webhook subscription not found");
  if (method === "PATCH" && verb === "") {
    const changed = { ...stored, url: url ?? stored.url, events: events.length === 0 ? stored.events : events };
    accounts.putSubscription(changed);
    return { status: 200, body: { ...toSubscription(changed), secret: "********" } };
  }
  if (method !== "POST" || verb !== "rotate_secret") return null;
  const secret = makeSecret();
  accounts.putSubscription({ ...stored, secret });
  return { status: 200, body: { id, secret } satisfies WebhookSubscriptionRotateSecretResponse };
}

/** It looks like a secret of Standard Webhooks, and signs with its own characters. */
function makeSecret(): string {
  return `whsec_${randomBytes(24).toString("hex")}`;
}

function toSubscription({ id, url, events, secret, createdAt }: DemoSubscription): WebhookSubscriptionCreateResponse {
  const at = new Date(createdAt).toISOString();
  return {
    id,
    webhook_url: url,
    version: "V3",
    enabled_events: [...events],
    secret,
    created_at: at,
    updated_at: at,
  };
}

/** The event of a trigger, as it is sent; null if it is disabled, or nobody subscribed. */
export function signEvent(accounts: Accounts, triggerId: string, data: unknown): SentEvent | null {
  const trigger = accounts.triggers().find(({ id }) => id === triggerId);
  const subscription = accounts.subscription();
  if (trigger === undefined || !trigger.isEnabled || subscription === null) return null;
  const id = `msg_${randomUUID()}`;
  const account = accounts.find(trigger.account);
  const metadata = {
    log_id: `log_${randomUUID().slice(0, 8)}`,
    trigger_slug: trigger.slug,
    trigger_id: trigger.id,
    connected_account_id: trigger.account,
    auth_config_id: account?.config ?? "",
    user_id: account?.entity ?? "",
  };
  const timestamp = new Date().toISOString();
  const body = JSON.stringify({ id, type: "composio.trigger.message", timestamp, metadata, data });
  const seconds = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", subscription.secret).update(`${id}.${seconds}.${body}`).digest("base64");
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${signature}`,
    "x-composio-webhook-version": "V3",
  };
  return { url: subscription.url, headers, body };
}

const EXAMPLE = { subject: "Order 7 has arrived", from: "tom@demo.example", text: "Please confirm it." };

/** The page with a form for each trigger. `note`: what the last event came to. */
export function renderEvents(accounts: Accounts, note: string | null): string {
  const forms = accounts.triggers().map(({ id, slug, isEnabled }) => {
    const content = escapeHtml(JSON.stringify(EXAMPLE, null, 2));
    const label = `data-${id}`;
    const button = isEnabled ? `<button>Send the event</button>` : "<p>It is disabled.</p>";
    return `<form method="post"><h2>${escapeHtml(slug)}</h2><input type="hidden" name="trigger" value="${id}">
<label for="${label}">Content of the event</label><textarea id="${label}" name="data" rows="6">${content}</textarea>
${button}</form>`;
  });
  const list =
    forms.length === 0 ? "<p>No trigger exists. Create one on the page of a demo app.</p>" : forms.join("\n");
  return renderPage("Events of demo apps", `${note === null ? "" : `<p role="status">${escapeHtml(note)}</p>`}${list}`);
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
