/** Creates and validates schedules, for the API and for requests in a conversation. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { schedulesFromEnv } from "../../adapters/env/schedules.ts";
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { resolveDeliver } from "../../core/channels/outbox/targets.ts";
import type { DeliverTo } from "../../core/task/source.ts";
import { type Failure, ok, type Result } from "../../core/base/errors.ts";
import { checkTaskLimits } from "../../core/task/new-task.ts";
import { createSchedule, type NewSchedule } from "../../core/schedules/change.ts";
import { getNextWake } from "../../core/schedules/decide-runs.ts";
import type { ScheduleConfig, ScheduleState } from "../../core/schedules/schedule.ts";
import { openPlaces } from "../channels/outbox/places.ts";
import { findAgent } from "../agents/resolve.ts";

/** The requester. The stamp validates cached agents. */
export interface ScheduleRequester {
  readonly tenant: string;
  readonly agentsStamp: string;
}

/**
 * Returns the configuration with every target in its stored form. Refuses one that could create no task: an unknown
 * agent or target, or a budget that the agent does not allow. Failures name the field.
 */
export async function checkConfig(
  env: Env,
  config: ScheduleConfig,
  { tenant, agentsStamp }: ScheduleRequester,
): Promise<Result<ScheduleConfig>> {
  const { task, reminder, alert } = config;
  const asked = { tenant, stamp: agentsStamp, now: Date.now() };
  const agent = await findAgent(env, asked, task?.agent);
  if (!agent.ok) return prefixField("task", agent.error);
  const limits = checkTaskLimits(task?.budget ?? {}, agent.value.config, settingsFromEnv(env).model);
  if (!limits.ok) return prefixField("task", limits.error);
  const whole = async (places: readonly DeliverTo[]) => await resolveDeliver(places, openPlaces(env, tenant));
  const [ofTask, ofReminder, ofAlert] = [
    await whole(task?.deliver ?? []),
    await whole(reminder?.to ?? []),
    await whole(alert?.deliver ?? []),
  ];
  if (!ofTask.ok) return prefixField("task", ofTask.error);
  if (!ofReminder.ok) return prefixField("reminder", ofReminder.error, (field) => field.replace(/^deliver/, "to"));
  if (!ofAlert.ok) return prefixField("alert", ofAlert.error);
  return ok({
    ...config,
    ...(reminder === undefined ? {} : { reminder: { ...reminder, to: ofReminder.value } }),
    ...(alert === undefined ? {} : { alert: { ...alert, deliver: ofAlert.value } }),
  });
}

/**
 * Creates the row with its audit entry, notifies the tenant's object, and creates the schedule. Repeating it with the
 * same id changes nothing.
 */
export async function registerSchedule(
  env: Env,
  asked: NewSchedule,
  act: AuditEntry,
  createdAt: number,
): Promise<Result<ScheduleState>> {
  const state = createSchedule(asked, createdAt);
  if (!state.ok) return state;
  const row = { state: state.value, report: 1, wakeAt: getNextWake(state.value, [], createdAt) };
  const kept = await databaseFromEnv(env).schedules.create(asked.tenant, row, act);
  if (!kept.ok) return kept;
  await tenantsFromEnv(env)(asked.tenant).noteSchedule(asked.id);
  return await schedulesFromEnv(env)(asked.tenant, asked.id).create(state.value);
}

/** Returns the failure of a part of the configuration, with the field as the caller wrote it. */
function prefixField(part: string, error: Failure, rename: (field: string) => string = (field) => field) {
  const { field } = error;
  if (field === undefined) return { ok: false, error } as const;
  const name = `${part}.${rename(field)}`;
  return { ok: false, error: { ...error, field: name, message: error.message.replace(field, name) } } as const;
}
