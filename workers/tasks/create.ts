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
import type { TaskFacts } from "../../core/task/state.ts";
import type { TaskView } from "../../core/task/view.ts";
import { TASK_MS } from "../../core/tenant/cost-rates.ts";
import { checkStart, type KeyBounds } from "../../core/tenant/key-bounds.ts";
import { formatStopMessage } from "../../core/tenant/stop-message.ts";
import { attempt } from "../../core/base/unanswered.ts";
import { openPlaces } from "../channels/outbox/places.ts";
import { chargeCost } from "../http/charge-cost.ts";
import { seededIds } from "../../core/base/seeded-ids.ts";
import { addApps, pinApps } from "../apps/choose-apps.ts";
import { openPinnedSkills } from "../tools/pinned.ts";
import { findAgent } from "../agents/resolve.ts";
import { findCaller } from "../people/find-caller.ts";
import { listTenantTools } from "../tools/tenant-tools.ts";

/** The requester: the tenant's object describes the tenant, and a key or channel adds its part. */
export type TaskRequester = Pick<
  TaskOrigin,
  "tenant" | "key" | "via" | "sources" | "createdAt" | "random" | "actsFor" | "by" | "actors"
> &
  InputSources & {
    readonly agentsStamp: string;
    /** The bounds of the key. Null without a key, and for a key without bounds. */
    readonly bounds: KeyBounds | null;
  };

/**
 * Creates the task of an order. A stopped tenant gets `conflict` with the cause `tenant_stopped`. If the task's
 * object did not answer, the failure tells so (`isUnanswered`). Never throws.
 */
export async function createTaskFromOrder(env: Env, order: TaskOrder): Promise<Result<TaskView>> {
  const { tenant, request, via, seed, at, ...about } = order;
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
      ...ids,
      ...about,
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
  const { tenant, agentsStamp, via } = asker;
  const agent = await findAgent(env, { tenant, stamp: agentsStamp, now: Date.now() }, request.agent);
  if (!agent.ok) return agent;
  const { id, config } = agent.value;
  const start = checkStart(asker.bounds, { project: request.project ?? null, agent: { id, name: config.name } });
  if (!start.ok) return start;
  const person = asker.actsFor?.person ?? null;
  const pins = await pinApps(env, { tenant, agent: agent.value, person, via }, asker.sources);
  if (!pins.ok) return pins;
  const { sources, apps } = pins.value;
  const skills = await openPinnedSkills(env, { tenant, sources });
  if (!skills.ok) return skills;
  const deliver = await resolveDeliver(request.deliver ?? [], openPlaces(env, tenant, via));
  if (!deliver.ok) return deliver;
  // An order of an earlier release names nobody.
  const isNamed = asker.actsFor !== undefined;
  const caller = isNamed ? null : await findCaller(env, tenant, { via, metadata: request.metadata });
  const { model: defaultModel } = settingsFromEnv(env);
  const asked = { ...request, deliver: deliver.value };
  const origin = { ...asker, sources, agent: agent.value, skills: skills.value, defaultModel, caller };
  const facts = await buildFacts(env, asked, origin);
  return facts.ok ? await addApps(env, facts.value, apps) : facts;
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
