/** Confirms a schedule by a click of the person for whom it acted. */
import { schedulesFromEnv } from "../../../adapters/env/schedules.ts";
import { isId, makeId } from "../../../core/base/ids.ts";
import { seededIds } from "../../../core/base/seeded-ids.ts";
import type { ItemOutcome } from "../../../core/channels/inbox/inbox.ts";
import type { ShownSchedule } from "../../../core/channels/slack/schedule-card.ts";
import { findSpeaker } from "./speaker.ts";
import { isTemporary, retryLater, type SlackContext } from "./workspace.ts";

const CHANGED = "The schedule was changed again after this message. Read and confirm it in the console.";

/** `tell` replies to the person who clicked. */
export async function confirmSchedule(
  context: SlackContext,
  { user, schedule, version }: ShownSchedule & { readonly user: string },
  tell: (text: string) => Promise<void>,
): Promise<ItemOutcome> {
  const refuse = async (why: string): Promise<ItemOutcome> => {
    await tell(why);
    return { kind: "refused", why };
  };
  if (!isId("schedule", schedule)) return await refuse("There is no such schedule.");
  const by = await findSpeaker(context, user);
  if (!by.ok) return isTemporary(by.error) ? retryLater(by.error) : await refuse(by.error.message);
  const { id: person, name } = by.value;
  const { env, tenant, item } = context;
  const { random } = await seededIds("audit", `${item.id} ${schedule}`, item.receivedAt);
  const act = {
    id: makeId("audit", item.receivedAt, random),
    at: item.receivedAt,
    actor: person,
    action: "schedule.confirm",
    target: schedule,
    requestId: item.id.slice(0, 100),
  } as const;
  const confirmation = { person, name, mayManage: false, ifVersion: version };
  const confirmed = await schedulesFromEnv(env)(tenant, schedule).confirm(confirmation, act);
  if (confirmed.ok) {
    await tell(`Confirmed: ${confirmed.value.config.name} acts for you.`);
    return { kind: "done", note: `confirms ${schedule}` };
  }
  if (isTemporary(confirmed.error)) return retryLater(confirmed.error);
  return await refuse(confirmed.error.code === "conflict" ? CHANGED : confirmed.error.message);
}
