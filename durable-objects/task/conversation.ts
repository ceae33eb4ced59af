/** Reads the conversation of a task, as its model sees it, from the object's rows. */
import type { LabelledMessage } from "../../core/model/messages.ts";
import { splitHistory } from "../../core/prompt/compaction.ts";
import { joinLabels, OUTSIDE, PERSON } from "../../core/provenance/label.ts";
import type { CondenseJob } from "../../core/steps/rpc.ts";
import type { TaskState } from "../../core/task/state.ts";
import { applyChanges, type StoredCall } from "./ledger.ts";
import type { StepRow, StepRows } from "./step-rows.ts";

/** The part of a task's state that is needed to read its conversation. */
type Reading = Pick<TaskState, "facts" | "compactedThrough" | "steeredBy">;

export class TaskConversation {
  private readonly rows: StepRows;
  private readonly findCompaction: () => number | null;
  /** The cached messages, and the last row that they include. */
  private cached: { readonly compactedThrough: number; readonly messages: LabelledMessage[]; seq: number } | null =
    null;

  /** `findCompaction` returns the row of the latest compaction; null without one. */
  constructor(rows: StepRows, findCompaction: () => number | null) {
    this.rows = rows;
    this.findCompaction = findCompaction;
  }

  /**
   * Returns each assistant message followed by the results of its calls; steps up to `compactedThrough` are replaced by
   * their compaction. Cached while the task runs: messages change only when older steps are compacted.
   */
  readMessages(state: Reading): readonly LabelledMessage[] {
    const { compactedThrough } = state;
    if (this.cached?.compactedThrough !== compactedThrough) {
      this.cached = { compactedThrough, messages: this.readBeginning(state), seq: 0 };
    }
    const { messages, last } = this.readSteps(compactedThrough, Number.MAX_SAFE_INTEGER, this.cached.seq);
    this.cached.messages.push(...messages);
    this.cached.seq = last;
    return this.cached.messages;
  }

  /** Returns the messages of the steps up to `through`, which are to be condensed, and the messages that stay. */
  readHistory(through: number, { compactedThrough }: Reading): NonNullable<CondenseJob["history"]> {
    const readPart = (after: number, upTo: number) => this.readSteps(after, upTo, 0).messages;
    const kept = [...readPart(-1, 0), ...readPart(through, Number.MAX_SAFE_INTEGER)];
    return { through, previous: this.readCompaction(), messages: readPart(compactedThrough, through), kept };
  }

  /** Drops the cache when the task no longer runs. */
  dropCache(): void {
    this.cached = null;
  }

  /**
   * Returns the input and the text that replaces the steps up to `compactedThrough`. That text has the label of these
   * steps, at most that of the next request; people's messages in it stay separate. Releases before input texts
   * included a hook's text in them.
   */
  private readBeginning({ facts, compactedThrough, steeredBy }: Reading): LabelledMessage[] {
    const input = this.readSteps(-1, 0, 0).messages;
    const text = compactedThrough === 0 ? null : this.readCompaction();
    if (text === null) return input;
    const words = facts.texts === undefined ? joinLabels(PERSON, facts.label) : PERSON;
    const parts = words === steeredBy ? [{ isWords: true, text }] : splitHistory(text);
    const labelled = parts.map(({ isWords, text: content }) => ({ content, label: isWords ? words : steeredBy }));
    return [...input, ...labelled.map((part) => ({ role: "user" as const, isSummary: true as const, ...part }))];
  }

  /** Returns the text that replaces the older steps; null without a compaction. */
  private readCompaction(): string | null {
    const seq = this.findCompaction();
    return seq === null ? null : (this.rows.read(seq)?.body.compaction?.text ?? null);
  }

  /** Returns the messages of the steps after `after` up to `through`, in rows after `seq`, and the last of these rows. */
  private readSteps(after: number, through: number, seq: number): { messages: LabelledMessage[]; last: number } {
    const rows: StepRow[] = [];
    for (const row of this.rows.readFrom(seq === 0 ? this.rows.findStep(after) : seq + 1)) {
      // The row that ends the last of these steps may begin the next.
      if (row.step > through) break;
      rows.push(row);
    }
    const calls = new Map<string, StoredCall>();
    for (const row of rows) applyChanges(calls, row);
    const messages = rows.flatMap(({ body }) =>
      (body.messages ?? []).flatMap(({ step, message }) => {
        if (step <= after || step > through) return [];
        return [message, ...toResults(message, calls)];
      }),
    );
    return { messages, last: rows.at(-1)?.seq ?? seq };
  }
}

/** Returns the results of a message's calls as the model reads them. */
function toResults(message: LabelledMessage, calls: ReadonlyMap<string, StoredCall>): LabelledMessage[] {
  if (message.role !== "assistant" || message.calls === undefined) return [];
  return message.calls.map(({ id, name }): LabelledMessage => {
    const { content = null, label = OUTSIDE, isUpload } = calls.get(id) ?? {};
    const result = { role: "tool", callId: id, name, content: content ?? "" } as const;
    return { ...result, label, ...(isUpload === true ? { isUpload } : {}) };
  });
}
