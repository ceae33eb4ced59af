/** Reads the log of a task from its rows. */
import type { EventType } from "../../core/task/events.ts";
import { getNoticeTypes, type ReportedNotice, toNoticeData } from "../../core/task/notice.ts";
import type { EventPage } from "../../core/task/rpc.ts";
import { type StepRows, toLoggedEvents } from "./step-rows.ts";
import type { StoredTask } from "./store.ts";
import { type LoggedEvent, takePage, toTaskEvent } from "./tables.ts";

/** Maximum events per report. */
const MAX_UNPUBLISHED = 200;

/** The unpublished events of a task, oldest first, up to the event `upTo`. */
export interface Unpublished {
  readonly notices: readonly ReportedNotice[];
  readonly upTo: number;
  readonly isAll: boolean;
}

export class TaskLog {
  private readonly rows: StepRows;

  constructor(rows: StepRows) {
    this.rows = rows;
  }

  /** Returns events after a sequence number, oldest first; `done` when the log ends with them. */
  readPage({ state, lastEvent }: StoredTask, after: number, limit: number): EventPage {
    const { page } = takePage(this.readAfter(after), limit, ({ characters }) => characters);
    const events = page.map(({ event }) => toTaskEvent(event, state.facts.id));
    const last = events.at(-1)?.seq ?? after;
    return { events, last, done: state.phase.name === "ended" && last >= lastEvent };
  }

  /** Reads the next unpublished events, at most one report's worth. */
  readUnpublished({ state, lastEvent, publishedEvent }: StoredTask): Unpublished {
    const types: readonly EventType[] = getNoticeTypes(state.facts);
    const notices: ReportedNotice[] = [];
    for (const { event } of this.readAfter(publishedEvent)) {
      const { seq, at, type, data } = event;
      if (seq > lastEvent) break;
      if (!types.includes(type)) continue;
      if (notices.length === MAX_UNPUBLISHED)
        return { notices, upTo: notices.at(-1)?.seq ?? publishedEvent, isAll: false };
      notices.push({
        seq,
        type: type as ReportedNotice["type"],
        at: new Date(at).toISOString(),
        data: toNoticeData(data),
      });
    }
    return { notices, upTo: lastEvent, isAll: true };
  }

  /** Reads the events after this one, with the number of characters that each takes. */
  *readAfter(event: number): Generator<{ readonly event: LoggedEvent; readonly characters: number }> {
    for (const row of this.rows.readFrom(this.rows.findAfterEvent(event))) {
      const events = toLoggedEvents(row);
      const characters = row.characters / events.length;
      for (const logged of events) if (logged.seq > event) yield { event: logged, characters };
    }
  }
}
