/**
 * Notifies the owner of a connection that a task needs: one message per outage, for any number of tasks. Cancels an unsent
 * message once the connection works. Hidden tasks have none, because the reply to the API call contains the wait.
 */
import { z } from "zod";
import { appsFromEnv, connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { type Failure, ok, type Result } from "../../../core/base/errors.ts";
import { CONNECT_REASONS } from "../../../core/connections/account.ts";
import type { AppClient } from "../../../core/connections/app-client.ts";
import type { Connection } from "../../../core/connections/connection.ts";
import { findConcerned } from "../../../core/connections/find-concerned.ts";
import { MAX_OF_OWNER } from "../../../core/connections/rules.ts";
import { getNoticeSubject, listConnectionOutboxes } from "../../../core/people/connection-deliveries.ts";
import { getTitle } from "../../../core/task/line.ts";
import { findRecipient, notifyOwner } from "../../connections/notify-owner.ts";
import type { FanOutEffect, FanOutStep, NoticeInput } from "./fan-out-step.ts";

const NOTHING: Result<FanOutEffect> = ok({ deliveries: [], cancelled: [] });

const requestSchema = z.object({
  wait_id: z.string(),
  app: z.string(),
  reason: z.enum(CONNECT_REASONS),
  person_id: z.string().nullable(),
});
type ConnectionRequest = z.infer<typeof requestSchema>;

const readySchema = z.object({ account: z.object({ connection: z.string() }) });

export const fanOutConnections: FanOutStep = async function fanOutConnections(env, look) {
  const { facts, type, data } = look.notice;
  if (facts.isHidden) return NOTHING;
  if (type === "connection.requested") {
    const request = requestSchema.safeParse(data);
    return request.success ? await fanOutRequest(env, look, request.data) : NOTHING;
  }
  if (type !== "connection.ready") return NOTHING;
  const ready = readySchema.safeParse(data);
  return ready.success ? await cancel(env, look, ready.data.account.connection) : NOTHING;
};

/** A wait that its task no longer shows has ended while the notice waited. */
async function fanOutRequest(env: Env, look: NoticeInput, request: ConnectionRequest): Promise<Result<FanOutEffect>> {
  const { tenant, notice } = look;
  const task = await look.view();
  if (!task.ok) return task;
  const isOpen = task.value?.pending.some((entry) => "id" in entry && entry.id === request.wait_id) ?? false;
  if (task.value === null || !isOpen) return NOTHING;
  const app = await appsFromEnv(env, tenant).find(request.app);
  // Of an app that was removed, nobody can connect an account.
  if (!app.ok) return app.error.code === "not_found" ? NOTHING : app;
  const connection = await findOrCreate(env, tenant, app.value, request);
  if (!connection.ok) return isFinal(connection.error) ? NOTHING : connection;
  if (connection.value === null) return NOTHING;
  const notified = await notifyOwner(env, tenant, {
    connection: connection.value,
    title: app.value.title,
    reason: request.reason,
    task: { id: notice.facts.task, title: getTitle(task.value.input) },
    at: Date.parse(notice.at),
  });
  return notified.ok ? NOTHING : notified;
}

/**
 * Without a connection, one is created that only remembers the outage. `not_found`: there is no such person. Null: it
 * works again, and the task is woken.
 */
async function findOrCreate(
  env: Env,
  tenant: string,
  app: AppClient,
  { reason, person_id: person }: ConnectionRequest,
): Promise<Result<Connection | null>> {
  const table = connectionTableFromEnv(env, tenant);
  const listed = await table.list({ person, app: app.app, limit: 2 * MAX_OF_OWNER });
  if (!listed.ok) return listed;
  const concerned = findConcerned(listed.value, { person, reason, settingsHash: app.settingsHash });
  if (concerned.kind !== "none") return ok(concerned.kind === "found" ? concerned.connection : null);
  const ensured = await table.ensure({ app: app.app, person, alias: null }, app.provider);
  // Its owner may have connected it since the list was read.
  return ensured.ok && ensured.value.consent > 0 ? ok(null) : ensured;
}

/** There is no such person, or no room for another connection: nothing could remember the outage. Only the inbox shows it. */
function isFinal({ code }: Failure): boolean {
  return code === "not_found" || code === "quota_exceeded";
}

/** A message may still wait for its recipient's working hours, or for a channel that is away. */
async function cancel(env: Env, { tenant }: Pick<NoticeInput, "tenant">, id: string): Promise<Result<FanOutEffect>> {
  const connection = await connectionTableFromEnv(env, tenant).find(id);
  if (!connection.ok) return connection.error.code === "not_found" ? NOTHING : connection;
  if (connection.value.status !== "active") return NOTHING;
  const person = await findRecipient(env, tenant, connection.value);
  if (!person.ok) return person;
  if (person.value === null) return NOTHING;
  const about = getNoticeSubject({ ...connection.value, status: "expired" }, "expired");
  const cancelled = listConnectionOutboxes(tenant, person.value).map((outbox) => ({ outbox, about }));
  return ok({ deliveries: [], cancelled });
}
