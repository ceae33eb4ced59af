/** Creates the deliveries for questions and approvals: requests, reminders, and how each ended. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { outboxesFromEnv } from "../../../adapters/env/channels.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import type { Delivery } from "../../../core/channels/outbox/delivery.ts";
import { listCandidateOutboxes, planAsk, planSettlement } from "../../../core/people/ask-deliveries.ts";
import {
  toApproval,
  type AskEnd,
  listAskEnds,
  readOwner,
  toOwnersNotice,
  toQuestion,
} from "../../../core/people/ask-message.ts";
import type { PersonRecord } from "../../../core/people/person.ts";
import { getDestinationKey, listOthers } from "../../../core/people/route-ask.ts";
import type { Notice } from "../../../core/task/notice.ts";
import type { NoticeInput, FanOutEffect, FanOutStep } from "./fan-out-step.ts";
import { findDestinations } from "../../people/conversations.ts";

const NOTHING: Result<FanOutEffect> = ok({ deliveries: [], cancelled: [] });

/** Questions of hidden tasks are not delivered, because the reply to the API call contains them. */
export const fanOutAsks: FanOutStep = async function fanOutAsks(env, look) {
  const { notice } = look;
  if (notice.facts.isHidden) return NOTHING;
  if (notice.type === "question.asked") return await fanOutQuestion(env, look);
  if (notice.type === "approval.requested") return await fanOutApproval(env, look);
  const ends = listAskEnds(notice);
  return ends.length === 0 ? NOTHING : await fanOutEnds(env, look, ends);
};

/** A question that its task no longer shows was answered or expired while the notice waited. */
async function fanOutQuestion(env: Env, { tenant, notice, view }: NoticeInput): Promise<Result<FanOutEffect>> {
  const person = await findPersonRecord(env, tenant, notice.data["person_id"]);
  if (!person.ok) return person;
  const message = toQuestion(notice, person.value?.id ?? null);
  if (message === null) return NOTHING;
  const task = message.waits ? await view() : ok(null);
  if (!task.ok) return task;
  const isOpen = task.value?.pending.some((entry) => entry.kind === "question" && entry.id === message.ask.id) ?? false;
  if (message.waits && !isOpen) return NOTHING;
  const conversations = await findDestinations(env, tenant, notice.facts.deliver, "question");
  if (!conversations.ok) return conversations;
  const whom = { person: person.value, conversations: conversations.value };
  return ok({ deliveries: await planAsk(tenant, notice, message, whom), cancelled: [] });
}

/**
 * The task stores the arguments. An approval that it no longer shows was decided. One that a person decides goes to that
 * person, and the task's conversations read who is waited for.
 */
async function fanOutApproval(env: Env, look: NoticeInput): Promise<Result<FanOutEffect>> {
  const { tenant, notice } = look;
  const conversations = await findDestinations(env, tenant, notice.facts.deliver, "approval");
  if (!conversations.ok) return conversations;
  if (conversations.value.length === 0 && readOwner(notice.data) === null) return NOTHING;
  const task = await look.view();
  if (!task.ok) return task;
  const id = notice.data["approval_id"];
  const pending = task.value?.pending.find((entry) => entry.kind === "approval" && entry.id === id);
  if (pending?.kind !== "approval") return NOTHING;
  const message = toApproval(notice.facts.task, pending);
  const owner = await findPersonRecord(env, tenant, message.ask.person);
  if (!owner.ok) return owner;
  const whom = { person: owner.value, conversations: conversations.value };
  const asked = await planAsk(tenant, notice, message, whom);
  const { decides = null } = pending;
  const others = owner.value === null ? [] : listOthers(owner.value, conversations.value);
  if (decides === null || others.length === 0) return ok({ deliveries: asked, cancelled: [] });
  const rest = decides.delegates ? message : toOwnersNotice(message, decides.name);
  const told = await planAsk(tenant, notice, rest, { person: null, conversations: others });
  return ok({ deliveries: [...asked, ...told], cancelled: [] });
}

/** Cancels unsent deliveries, and updates every card that was sent. */
async function fanOutEnds(
  env: Env,
  { tenant, notice }: NoticeInput,
  ends: readonly AskEnd[],
): Promise<Result<FanOutEffect>> {
  const deliveries: Delivery[] = [];
  const cancelled: { outbox: string; about: string }[] = [];
  for (const end of ends) {
    // Without a recipient, only the console and the API have shown it.
    if (end.personId === null && notice.facts.deliver.length === 0) continue;
    const found = await findOutboxes(env, tenant, notice, end);
    if (!found.ok) return found;
    for (const [outbox, isFromNow] of found.value) {
      const places = await outboxesFromEnv(env)(outbox).placesOf(end.id);
      if (isFromNow || places.length > 0) cancelled.push({ outbox, about: end.id });
      for (const cards of Map.groupBy(places, getDestinationKey).values())
        deliveries.push(...(await planSettlement(tenant, notice, end, cards)));
    }
  }
  return ok({ deliveries, cancelled });
}

/** Returns the outboxes that may contain deliveries of a question or approval. */
async function findOutboxes(
  env: Env,
  tenant: string,
  { facts }: Notice,
  { kind, personId }: AskEnd,
): Promise<Result<ReadonlyMap<string, boolean>>> {
  const person = await findPersonRecord(env, tenant, personId);
  if (!person.ok) return person;
  const conversations = await findDestinations(env, tenant, facts.deliver, kind);
  if (!conversations.ok) return conversations;
  const installs = await databaseFromEnv(env).slackInstalls.active(tenant);
  if (!installs.ok) return installs;
  const teams = installs.value.map(({ team }) => team);
  return ok(listCandidateOutboxes(tenant, { person: person.value, conversations: conversations.value }, teams));
}

/** Returns the person's record; null if none is named, or the record was deleted. */
async function findPersonRecord(env: Env, tenant: string, id: unknown): Promise<Result<PersonRecord | null>> {
  if (typeof id !== "string") return ok(null);
  const found = await databaseFromEnv(env).people.get(tenant, id);
  return !found.ok && found.error.code === "not_found" ? ok(null) : found;
}
