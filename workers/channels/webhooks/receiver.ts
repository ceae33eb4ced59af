/** Processes `webhook/…`: creates a task for each call of a hook, by the hook's current settings. */
import { getOwn } from "../../../core/base/own-field.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { findEvent, mayRecur, parsePayload, findIgnoreReason } from "../../../core/channels/webhooks/hook-call.ts";
import { DEFAULT_PROMPT, FIELD, formatHookInput, toHookTexts } from "../../../core/channels/webhooks/hook-prompt.ts";
import { type Hook, getHookInboxName } from "../../../core/channels/webhooks/hook.ts";
import type { ItemOutcome, InboxItem } from "../../../core/channels/inbox/inbox.ts";
import { ERRORS, type Failure, ok, type Result } from "../../../core/base/errors.ts";
import { canRetry } from "../../../core/gateway/outcome.ts";
import { makeId } from "../../../core/base/ids.ts";
import type { TaskRequest } from "../../../core/task/new-task.ts";
import { createTaskFromOrder } from "../../tasks/create.ts";
import { seededIds } from "../../../core/base/seeded-ids.ts";
import { deleteText, fromBody, type HookItem, makeItemId, nameByBody, readText, toBody } from "./hook-item.ts";
import type { Receiver } from "../channel.ts";

/** Delay before the call of a stopped tenant is retried. */
const STOPPED_MS = 30_000;
/** The same for a call whose hook's settings can create no task. */
const RULE_MS = 5 * 60_000;

/** The settings for a call without a hook. */
const DEFAULT_RULE = { agent: undefined, project: undefined, prompt: undefined, deliver: undefined, budget: undefined };

export const webhookReceiver: Receiver = async function webhookReceiver(env, _inbox, item) {
  const call = fromBody(item.body);
  if (call.hook === null) return await receiveNamed(env, item, call);
  const hook = await databaseFromEnv(env).hooks.get(call.tenant, call.hook);
  if (hook.ok) return await receiveFor(env, item, call, hook.value);
  return hook.error.code === "not_found"
    ? await refuseCall(env, call, "The hook was deleted.")
    : retryLater(hook.error);
};

/** Moves a call that names its hook by name or type to that hook's inbox. */
async function receiveNamed(env: Env, item: InboxItem, call: HookItem): Promise<ItemOutcome> {
  const found = await databaseFromEnv(env).hooks.find(call.tenant, call.named);
  if (!found.ok) {
    return found.error.code === "not_found" ? await createTaskOfCall(env, item, call, null) : retryLater(found.error);
  }
  const hook = found.value.id;
  const id = await findIdInHook(env, item, call, found.value);
  if (!id.ok) return retryLater(id.error);
  // A repeat keeps the id that its caller got. Its text may be the first call's, and stays.
  const repeat = id.value === item.id ? {} : { repeatId: item.id };
  const taken = { ...item, ...repeat, id: id.value, lane: id.value, body: toBody({ ...call, hook }) };
  const { retryAfterMs } = await inboxesFromEnv(env)(getHookInboxName(hook)).take(taken);
  if (retryAfterMs === undefined) return { kind: "done", note: hook };
  return { kind: "later", afterMs: retryAfterMs, why: "The hook reached its calls per minute." };
}

/** Returns the id of such a call in the hook's inbox: by its body if the hook has `once_per_body`. */
async function findIdInHook(env: Env, item: InboxItem, call: HookItem, { id, config }: Hook): Promise<Result<string>> {
  const { type, once_per_body: isOncePerBody = false } = config;
  if (!isOncePerBody || call.bodyHash === undefined) return ok(item.id);
  const text = await readText(env, call.text);
  if (!text.ok) return text.error.code === "not_found" ? ok(item.id) : text;
  if (mayRecur(type, parsePayload(text.value))) return ok(item.id);
  return ok(await makeItemId(getHookInboxName(id), nameByBody(call.bodyHash)));
}

async function receiveFor(env: Env, item: InboxItem, call: HookItem, hook: Hook): Promise<ItemOutcome> {
  if (!hook.config.enabled) return await refuseCall(env, call, "The hook is disabled.");
  return await createTaskOfCall(env, item, call, hook);
}

async function createTaskOfCall(env: Env, item: InboxItem, call: HookItem, hook: Hook | null): Promise<ItemOutcome> {
  const text = await readText(env, call.text);
  if (!text.ok) {
    return text.error.code === "not_found" ? await findEarlierTask(env, item, call) : retryLater(text.error);
  }
  const payload = parsePayload(text.value);
  const type = hook?.config.type ?? call.type;
  const event = findEvent(type, payload, (name) => getOwn(call.headers, name) ?? null);
  const left = findIgnoreReason(type, hook?.config.events, event);
  if (left !== null) return await refuseCall(env, call, left);
  const { agent, project, prompt = DEFAULT_PROMPT, deliver, budget } = hook?.config ?? DEFAULT_RULE;
  const content = { name: item.id, payload, headers: call.headers };
  const request: TaskRequest = {
    input: await formatHookInput(prompt, content),
    agent,
    project,
    deliver,
    budget,
    metadata: { webhook: { message_id: item.id, webhook_type: call.named, event } },
  };
  const made = await createTaskFromOrder(env, {
    tenant: call.tenant,
    request,
    // The tenant wrote the template; its fields come from outside.
    instructions: prompt.replaceAll(FIELD, ""),
    texts: toHookTexts(prompt, content),
    via: { channel: "webhook", id: call.hook },
    // Who calls is unknown, and the payload is data: it steers nothing.
    actsFor: hook?.actsFor ?? null,
    seed: item.id,
    at: item.receivedAt,
  });
  if (!made.ok) return retryNotCreated(made.error);
  await deleteText(env, call.text);
  return { kind: "done", note: made.value.id };
}

/** Waits for a person or a dependency. Settings that name a deleted target may be replaced. */
function retryNotCreated(error: Failure): ItemOutcome {
  if (!canRetry("webhook_item", error)) return { kind: "refused", why: error.message };
  if (error.cause?.kind === "tenant_stopped") return { kind: "later", afterMs: STOPPED_MS, why: error.message };
  const { fault } = ERRORS[error.code];
  const isByRule = fault === "caller" || fault === "tenant";
  return isByRule ? { kind: "later", afterMs: RULE_MS, why: error.message } : retryLater(error);
}

/** The text is deleted once its task exists, so a call without text has a task: its id derives from the seed. */
async function findEarlierTask(env: Env, item: InboxItem, { tenant }: HookItem): Promise<ItemOutcome> {
  const { createdAt, random } = await seededIds("task", item.id, item.receivedAt);
  const id = makeId("task", createdAt, random);
  const facts = await tasksFromEnv(env)(tenant, id).facts();
  if (facts.ok) return { kind: "done", note: id };
  if (facts.error.code !== "not_found") return retryLater(facts.error);
  return { kind: "refused", why: "Its text was deleted." };
}

async function refuseCall(env: Env, { text }: HookItem, why: string): Promise<ItemOutcome> {
  await deleteText(env, text);
  return { kind: "refused", why };
}

function retryLater({ code, message, retryAfterMs }: Failure): ItemOutcome {
  return { kind: "later", afterMs: retryAfterMs ?? 0, why: message, isUnexpected: code === "internal" };
}
