/** Received items of Slack, mail and hooks in the API, and the retry of a dead item. All sources have one shape. */
import { z } from "zod";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { RECEIVED_STATES, type ReceivedItem } from "../../../core/channels/inbox/inbox.ts";
import { raise } from "../../../core/base/errors.ts";
import { isId } from "../../../core/base/ids.ts";
import { writeCursor } from "../../../core/base/page-cursor.ts";
import type { createAuditEntry } from "../../http/audit-entry.ts";
import type { AppContext } from "../../http/context.ts";
import { type pageQuery, readPageRequest } from "../../http/list-query.ts";
import { getTenant } from "../../http/principal.ts";
import { unwrap } from "../../http/unwrap.ts";

export const receivedItemSchema = z
  .strictObject({
    message_id: z.string(),
    event: z.string().describe("The sender's name for the event; `mail` for a mail."),
    received_at: z.iso.datetime(),
    state: z
      .enum(RECEIVED_STATES)
      .describe(
        "`repeat`: a repeated call of a hook, which created no task; `waiting`: it will be retried; `refused`: it created no task, and `note` explains why; `dead`: Otto gave it up after a week, or after three hours of unexpected failures. A dead item is stored and can be retried.",
      ),
    attempts: z.int().describe("Number of attempts that have ended."),
    task_id: z.string().nullable().describe("The task that it created; for a repeat, the task of the first call."),
    repeat_of: z.string().nullable().describe("For a repeat: the `message_id` of the first call."),
    note: z.string().nullable().describe("The outcome, or the reason."),
    from: z.string().nullable().describe("The `From` address of a mail. It is unverified."),
    subject: z.string().nullable().describe("The subject of a mail, cut to 200 characters."),
  })
  .meta({ id: "ReceivedItem" });

/** A dead item that waits again. */
export const replayedSchema = z.strictObject({ message_id: z.string(), state: z.literal("waiting") });

/** Limits what an inbox shows: items before `since` (milliseconds since the epoch) are hidden. */
interface ListedInbox {
  readonly name: string;
  readonly since: number;
}

/** Returns a page of received items. */
export async function listReceived(
  c: AppContext,
  { name, since }: ListedInbox,
  query: z.output<z.ZodObject<typeof pageQuery>>,
) {
  const { after, limit } = readPageRequest(query);
  const { items, next } = await inboxesFromEnv(c.env)(name).received({ after: after?.at ?? null, limit, since });
  return {
    data: items.map(toReceivedView),
    next_cursor: next === null ? null : writeCursor({ at: next, id: "received" }),
  };
}

/** Retries a dead item, after it is recorded in the audit log. */
export async function replayReceived(
  c: AppContext,
  { name, since }: ListedInbox,
  id: string,
  act: Awaited<ReturnType<typeof createAuditEntry>>,
): Promise<z.output<typeof replayedSchema>> {
  const inbox = inboxesFromEnv(c.env)(name);
  const state = await inbox.stateOf(id, since);
  if (state === null) raise("not_found", "There is no received item with this id, or it was deleted.");
  if (state !== "dead") raise("conflict", `This item is ${state}. Only a dead item can be retried.`);
  unwrap(await databaseFromEnv(c.env).audit.add(getTenant(c), act));
  await inbox.again(id);
  return { message_id: id, state: "waiting" };
}

function toReceivedView({ id, kind, receivedAt, state, repeats, note, attempts, head }: ReceivedItem) {
  const task = note !== null && isId("task", note) ? note : null;
  return {
    message_id: id,
    event: kind,
    received_at: new Date(receivedAt).toISOString(),
    state,
    attempts,
    task_id: task,
    repeat_of: repeats ?? null,
    note: task === null ? note : null,
    from: head?.from ?? null,
    subject: head?.subject ?? null,
  };
}
