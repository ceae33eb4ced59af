/** What came in by Slack, mail or a hook, as the API shows it, and how a dead item is tried again. One shape for all ways in. */
import { z } from "zod";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { RECEIVED_STATES, type ReceivedItem } from "../../../core/channels/inbox/inbox.ts";
import { raise } from "../../../core/base/errors.ts";
import { isId } from "../../../core/base/ids.ts";
import { writeCursor } from "../../../core/base/page-cursor.ts";
import type { auditEntry } from "../../http/audit-entry.ts";
import type { AppContext } from "../../http/context.ts";
import { type pageQuery, pageRequest } from "../../http/list-query.ts";
import { tenantOf } from "../../http/principal.ts";
import { unwrap } from "../../http/unwrap.ts";

export const receivedItemSchema = z
  .strictObject({
    message_id: z.string(),
    event: z.string().describe("What it was, in the words of its sender; `mail` for a mail."),
    received_at: z.iso.datetime(),
    state: z
      .enum(RECEIVED_STATES)
      .describe(
        "`repeat`: a repeated call of a hook, which made no task; `waiting`: it is tried again; `refused`: it made no task, and `note` says why; `dead`: it was given up, after a week, or after it failed unexpectedly for three hours, and is kept to be tried again.",
      ),
    attempts: z.int().describe("Tries that have ended."),
    task_id: z.string().nullable().describe("The task that it made; for a repeat, the task of the first call."),
    repeat_of: z.string().nullable().describe("For a repeat: the `message_id` of the first call."),
    note: z.string().nullable().describe("What it came to, or why."),
    from: z.string().nullable().describe("Of a mail: whom it says it comes from. Nothing proves it."),
    subject: z.string().nullable().describe("Of a mail, cut to 200 characters."),
  })
  .meta({ id: "ReceivedItem" });

/** A dead item that waits again. */
export const replayedSchema = z.strictObject({ message_id: z.string(), state: z.literal("waiting") });

/** What of an inbox is shown: what came before `since` (milliseconds since the epoch) is not. */
interface ShownInbox {
  readonly name: string;
  readonly since: number;
}

/** A page of what came in. */
export async function receivedPage(
  c: AppContext,
  { name, since }: ShownInbox,
  query: z.output<z.ZodObject<typeof pageQuery>>,
) {
  const { after, limit } = pageRequest(query);
  const { items, next } = await inboxesFromEnv(c.env)(name).received({ after: after?.at ?? null, limit, since });
  return {
    data: items.map(shownReceived),
    next_cursor: next === null ? null : writeCursor({ at: next, id: "received" }),
  };
}

/** Has a dead item tried again, once the audit log has it. */
export async function replayReceived(
  c: AppContext,
  { name, since }: ShownInbox,
  id: string,
  act: Awaited<ReturnType<typeof auditEntry>>,
): Promise<z.output<typeof replayedSchema>> {
  const inbox = inboxesFromEnv(c.env)(name);
  const state = await inbox.stateOf(id, since);
  if (state === null) raise("not_found", "Nothing came in by this id, or it is forgotten.");
  if (state !== "dead") raise("conflict", `This is ${state}; only what is dead is tried again.`);
  unwrap(await databaseFromEnv(c.env).audit.add(tenantOf(c), act));
  await inbox.again(id);
  return { message_id: id, state: "waiting" };
}

function shownReceived({ id, kind, receivedAt, state, repeats, note, attempts, head }: ReceivedItem) {
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
