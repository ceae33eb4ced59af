/** The receiver of the inboxes `test/…`: it does what a test says, and remembers what it was given. */
import type { ItemOutcome, InboxItem } from "../../../../core/channels/inbox/inbox.ts";
import type { JsonState } from "../../../../core/tool/tool.ts";
import { failed } from "../../../../core/base/errors.ts";
import type { ChannelRecord } from "../../../../workers/channels/channel.ts";

/** What it was given, in the order of the calls. */
export interface Received {
  readonly inbox: string;
  readonly item: InboxItem;
  readonly lane: JsonState | null;
}

type Answer = (received: Received) => ItemOutcome | Promise<ItemOutcome>;

const received: Received[] = [];
let answer: Answer = done;

/** From now on it answers so. */
export function answerWith(next: Answer): void {
  answer = next;
}

/** What it was given of this inbox. */
export function getReceived(inbox: string): readonly Received[] {
  return received.filter((one) => one.inbox === inbox);
}

export function done(): ItemOutcome {
  return { kind: "done", note: "seen" };
}

/** A runner that does not answer. It waits for a timer: one that waits for nothing is ended by the runtime. */
export async function hang(): Promise<ItemOutcome> {
  await scheduler.wait(600_000);
  return done();
}

/** The channel of the inboxes `test/…`. Nothing is delivered to it. */
export const testChannel: ChannelRecord = {
  name: "test",
  label: "Test",
  hint: "",
  load: () =>
    Promise.resolve({
      async receive(_env, inbox, item, lane) {
        received.push({ inbox, item, lane });
        return await answer({ inbox, item, lane });
      },
      send: () => Promise.resolve({ kind: "dead", why: "Nothing is sent to tests." }),
      resolve: () => Promise.resolve(failed("not_found", "is no place")),
    }),
};
