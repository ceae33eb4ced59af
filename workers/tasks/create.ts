/** Creates a task for any source: the API with a key, a channel, or a schedule. */
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { NO_RUN_DEPTH, REQUEST_DEPTH } from "../../core/base/call-budget.ts";
import { resolveDeliver } from "../../core/channels/outbox/targets.ts";
import type { TaskOrder } from "../../core/channels/rpc.ts";
import { asNotSent, notSent, ok, type Result, failTenantStopped, toFailure } from "../../core/base/errors.ts";
import { type InputSources, createTaskFacts, type TaskOrigin, type TaskRequest } from "../../core/task/new-task.ts";
import { hasUsableTools } from "../../core/task/match-skills.ts";
import { addShipped } from "../../core/tool/shipped-skills.ts";
import type { Wake } from "../../core/task/rpc.ts";
import type { ShortPermit } from "../../core/task/short-permit.ts";
import type { Caller, TaskFacts } from "../../core/task/state.ts";
import type { TaskView } from "../../core/task/view.ts";
import { TASK_MS } from "../../core/tenant/cost-rates.ts";
import { checkStart, type KeyBounds } from "../../core/tenant/key-bounds.ts";
import type { KeyPerson } from "../../core/tenant/rpc.ts";
import { formatStopMessage } from "../../core/tenant/stop-message.ts";
import { attempt } from "../../core/base/unanswered.ts";
import { openPlaces } from "../channels/outbox/places.ts";
import { chargeCost } from "../http/charge-cost.ts";
import { seededIds } from "../../core/base/seeded-ids.ts";
import { openPinnedSkills } from "../tools/pinned.ts";
import { findAgent } from "../agents/resolve.ts";
import { findCaller } from "../people/find-caller.ts";
import { listTenantTools } from "../tools/tenant-tools.ts";

/** The requester: the tenant's object describes the tenant, and a key or channel adds its part. */
export type TaskRequester = Pick<TaskOrigin, "tenant" | "key" | "via" | "sources" | "createdAt" | "random"> &
  InputSources & {
    readonly agentsStamp: string;
    /** For whom the task acts; null: nobody. A channel's caller without one is still named by the address. */
    readonly actsFor: KeyPerson | null;
    /** The bounds of the key. Null without a key, and for a key without bounds. */
    readonly bounds: KeyBounds | null;
  };

/**
 * Creates the task of an order. A stopped tenant gets `conflict` with the cause `tenant_stopped`. If the task's
 * object did not answer, the failure tells so (`isUnanswered`). Never throws.
 */
export async function createTaskFromOrder(env: Env, order: TaskOrder): Promise<Result<TaskView>> {
  const { tenant, request, via, seed, at, texts, instructions, actsFor } = order;
  const input = { ...(texts === undefined ? {} : { texts }), ...(instructions === undefined ? {} : { instructions }) };
  try {
    const standing = await tenantsFromEnv(env)(tenant).standing();
    if (standing === null) return notSent("not_found", "There is no such tenant.");
    const { stopped, agentsStamp } = standing;
    if (stopped !== null) return failTenantStopped(formatStopMessage(stopped));
    const ids = await seededIds("task", seed, at);
    const asker = {
      tenant,
      key: null,
      via,
      sources: addShipped(standing.sources),
      agentsStamp,
      bounds: null,
      actsFor: toPerson(actsFor),
      ...ids,
      ...input,
    };
    const facts = await resolveFacts(env, request, asker);
    if (!facts.ok) return asNotSent(facts.error);
    // One alarm of an inbox or a schedule creates many tasks.
    return await attempt(() => createTask(env, request, facts.value, [NO_RUN_DEPTH]));
  } catch (thrown) {
    return asNotSent(toFailure(thrown));
  }
}

/** Creates the task of a request. `takePermit` returns its first permit, if the request has one. */
export async function openTask(
  env: Env,
  request: TaskRequest,
  asker: TaskRequester,
  takePermit: () => ShortPermit | null,
): Promise<Result<TaskView>> {
  const facts = await resolveFacts(env, request, asker);
  return facts.ok ? await createTask(env, request, facts.value, [REQUEST_DEPTH, takePermit()]) : facts;
}

async function createTask(
  env: Env,
  { hold = false }: TaskRequest,
  facts: TaskFacts,
  wake: Wake,
): Promise<Result<TaskView>> {
  chargeCost(env, facts.tenant, TASK_MS);
  return await tasksFromEnv(env)(facts.tenant, facts.id).create({ facts, hold, call: null }, ...wake);
}

/** Builds the facts of a request's task, and looks up what it names. */
async function resolveFacts(env: Env, request: TaskRequest, asker: TaskRequester): Promise<Result<TaskFacts>> {
  const { tenant, sources, agentsStamp, via } = asker;
  const agent = await findAgent(env, { tenant, stamp: agentsStamp, now: Date.now() }, request.agent);
  if (!agent.ok) return agent;
  const { id, config } = agent.value;
  const start = checkStart(asker.bounds, { project: request.project ?? null, agent: { id, name: config.name } });
  if (!start.ok) return start;
  const skills = await openPinnedSkills(env, { tenant, sources });
  if (!skills.ok) return skills;
  const deliver = await resolveDeliver(request.deliver ?? [], openPlaces(env, tenant, via));
  if (!deliver.ok) return deliver;
  const { actsFor: person } = asker;
  const caller = person ?? (await findCaller(env, tenant, { via, metadata: request.metadata }));
  const { model: defaultModel } = settingsFromEnv(env);
  const asked = { ...request, deliver: deliver.value };
  const actsFor = person === null ? null : { person: person.id };
  const found = { agent: agent.value, skills: skills.value, defaultModel, caller: toCaller(caller), actsFor };
  return await buildFacts(env, asked, { ...asker, ...found });
}

function toPerson(actsFor: TaskOrder["actsFor"]): KeyPerson | null {
  return actsFor == null ? null : { id: actsFor.person, name: actsFor.name, timeZone: actsFor.timeZone };
}

function toCaller(caller: Caller | null): Caller | null {
  return caller === null ? null : { name: caller.name, timeZone: caller.timeZone };
}

/**
 * Builds the facts of a new task. Leaves out a skill that was matched automatically and would leave the task no tool.
 */
async function buildFacts(env: Env, request: TaskRequest, origin: TaskOrigin): Promise<Result<TaskFacts>> {
  const facts = createTaskFacts(request, origin);
  if (!facts.ok) return facts;
  const { skills: matched } = facts.value;
  const narrowing = matched.filter(({ how, allowedTools }) => how === "similarity" && allowedTools !== null);
  if (narrowing.length === 0) return facts;
  const tools = await listTenantTools(env, origin);
  if (!tools.ok) return tools;
  const useless = new Set(narrowing.filter((skill) => !hasUsableTools(skill, tools.value)).map(({ hash }) => hash));
  if (useless.size === 0) return ok(facts.value);
  const skills = origin.skills.filter(({ hash }) => !useless.has(hash) && matched.some((skill) => skill.hash === hash));
  return createTaskFacts(request, { ...origin, skills });
}
