/** Processes `webhook/…`: creates a task for each call of a hook or event of a trigger, by its current settings. */
import { getOwn } from "../../../core/base/own-field.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { findEvent, mayRecur, parsePayload, findIgnoreReason } from "../../../core/channels/webhooks/hook-call.ts";
import { DEFAULT_PROMPT, FIELD, formatHookInput, toHookTexts } from "../../../core/channels/webhooks/hook-prompt.ts";
import { getHookInboxName, type Hook, type HookConfig, type HookType } from "../../../core/channels/webhooks/hook.ts";
import type { ItemOutcome, InboxItem } from "../../../core/channels/inbox/inbox.ts";
import { ERRORS, type Failure, ok, type Result } from "../../../core/base/errors.ts";
import { canRetry } from "../../../core/gateway/outcome.ts";
import { isId, makeId } from "../../../core/base/ids.ts";
import type { CallingPerson, TaskRequest } from "../../../core/task/new-task.ts";
import { DEFAULT_TRIGGER_PROMPT } from "../../../core/triggers/trigger.ts";
import { createTaskFromOrder } from "../../tasks/create.ts";
import { seededIds } from "../../../core/base/seeded-ids.ts";
import { deleteText, fromBody, type HookItem, makeItemId, nameByBody, readText, toBody } from "./hook-item.ts";
import type { Receiver } from "../channel.ts";

/** Delay before the call of a stopped tenant is retried. */
const STOPPED_MS = 30_000;
/** The same for a call whose hook's settings can create no task. */
const RULE_MS = 5 * 60_000;

const TEXT_DELETED: ItemOutcome = { kind: "refused", why: "Its text was deleted." };

/** What a hook or a trigger makes of a call. */
interface CallRule extends Partial<Pick<HookConfig, "agent" | "project" | "deliver" | "budget" | "events">> {
  readonly type: HookType;
  readonly prompt: string;
  readonly actsFor: CallingPerson | null;
}

export const webhookReceiver: Receiver = async function webhookReceiver(env, _inbox, item) {
  const call = fromBody(item.body);
  const { hook } = call;
  if (hook === null) return await receiveNamed(env, item, call);
  if (isId("trigger", hook)) return await receiveForTrigger(env, item, call, hook);
  const found = await databaseFromEnv(env).hooks.get(call.tenant, hook);
  if (found.ok) return await receiveFor(env, item, call, found.value);
  return found.error.code === "not_found"
    ? await refuseCall(env, call, "The hook was deleted.")
    : retryLater(found.error);
};

/** Moves a call that names its hook by name or type to that hook's inbox. */
async function receiveNamed(env: Env, item: InboxItem, call: HookItem): Promise<ItemOutcome> {
  const found = await databaseFromEnv(env).hooks.find(call.tenant, call.named);
  if (!found.ok) {
    const rule = { type: call.type, prompt: DEFAULT_PROMPT, actsFor: null };
    return found.error.code === "not_found" ? await createTaskOfCall(env, item, call, rule) : retryLater(found.error);
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
  const { config, actsFor } = hook;
  if (!config.enabled) return await refuseCall(env, call, "The hook is disabled.");
  if (config.reindex === true) return await indexPushed(env, item, call);
  return await createTaskOfCall(env, item, call, { ...config, prompt: config.prompt ?? DEFAULT_PROMPT, actsFor });
}

async function indexPushed(env: Env, item: InboxItem, call: HookItem): Promise<ItemOutcome> {
  const text = await readText(env, call.text);
  if (!text.ok) return text.error.code === "not_found" ? TEXT_DELETED : retryLater(text.error);
  const payload = parsePayload(text.value);
  const event = findEvent(call.type, payload, (name) => getOwn(call.headers, name) ?? null);
  const { receivePush } = await import("../../codebases/receive-push.ts");
  const outcome = await receivePush(env, call.tenant, { item: item.id, payload, event });
  if (outcome.kind !== "later") await deleteText(env, call.text);
  return outcome;
}

async function receiveForTrigger(env: Env, item: InboxItem, call: HookItem, id: string): Promise<ItemOutcome> {
  const found = await databaseFromEnv(env).triggers.get(call.tenant, id);
  if (!found.ok)
    return found.error.code === "not_found"
      ? await refuseCall(env, call, "The trigger was deleted.")
      : retryLater(found.error);
  const { config, state, actsFor } = found.value;
  if (state === "pending") return { kind: "later", afterMs: 0, why: "The trigger is being created." };
  if (state !== "active") return await refuseCall(env, call, `The trigger is ${state}.`);
  const { agent, project, deliver, budget, prompt = DEFAULT_TRIGGER_PROMPT } = config;
  return await createTaskOfCall(env, item, call, {
    type: "composio",
    agent,
    project,
    deliver,
    budget,
    prompt,
    actsFor,
  });
}

async function createTaskOfCall(env: Env, item: InboxItem, call: HookItem, rule: CallRule): Promise<ItemOutcome> {
  const text = await readText(env, call.text);
  if (!text.ok) {
    return text.error.code === "not_found" ? await findEarlierTask(env, item, call) : retryLater(text.error);
  }
  const payload = parsePayload(text.value);
  const { type, events, agent, project, prompt, deliver, budget, actsFor } = rule;
  const event = findEvent(type, payload, (name) => getOwn(call.headers, name) ?? null);
  const left = findIgnoreReason(type, events, event);
  if (left !== null) return await refuseCall(env, call, left);
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
    actsFor,
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
  return TEXT_DELETED;
}

async function refuseCall(env: Env, { text }: HookItem, why: string): Promise<ItemOutcome> {
  await deleteText(env, text);
  return { kind: "refused", why };
}

function retryLater({ code, message, retryAfterMs }: Failure): ItemOutcome {
  return { kind: "later", afterMs: retryAfterMs ?? 0, why: message, isUnexpected: code === "internal" };
}
