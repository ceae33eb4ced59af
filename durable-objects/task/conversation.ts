/** What the model reads of one task: its conversation as the object's rows hold it. */
import { splitFileNames } from "../../core/task/file-names.ts";
import type { LabelledMessage, Message } from "../../core/model/messages.ts";
import { splitHistory } from "../../core/prompt/compaction.ts";
import { joinLabels, OUTSIDE, PERSON } from "../../core/provenance/label.ts";
import { labelMessage } from "../../core/model/label-messages.ts";
import type { CondenseJob } from "../../core/steps/rpc.ts";
import type { TaskFacts, TaskState } from "../../core/task/state.ts";
import { COMPACTION, type ResultLabels } from "./tables.ts";
import type { TaskValues } from "./values.ts";

/** The part of a task's state that is needed to read its conversation. */
type Reading = Pick<TaskState, "facts" | "compactedThrough" | "steeredBy">;

export class TaskConversation {
  private readonly sql: SqlStorage;
  private readonly values: TaskValues;
  /** What was last read, and the last row of the journal that is in it. */
  private read: { readonly compactedThrough: number; readonly messages: LabelledMessage[]; seq: number } | null = null;

  constructor(sql: SqlStorage, values: TaskValues) {
    this.sql = sql;
    this.values = values;
  }

  /**
   * Each assistant message followed by what its calls brought, steps up to `compactedThrough` by their compaction. It is
   * kept while the task runs: what was read before a model call does not change any more, unless older steps are compacted.
   */
  messages(state: Reading): readonly LabelledMessage[] {
    const { compactedThrough, facts } = state;
    if (this.read?.compactedThrough !== compactedThrough) {
      this.read = { compactedThrough, messages: this.beginning(state), seq: 0 };
    }
    const { messages, last } = this.between(facts, compactedThrough, Number.MAX_SAFE_INTEGER, this.read.seq);
    this.read.messages.push(...messages);
    this.read.seq = last;
    return this.read.messages;
  }

  /** The messages to shorten when the steps up to `through` are, and those that stay. */
  history(through: number, { compactedThrough, facts }: Reading): NonNullable<CondenseJob["history"]> {
    const between = (after: number, upTo: number) => this.between(facts, after, upTo, 0).messages;
    const kept = [...between(-1, 0), ...between(through, Number.MAX_SAFE_INTEGER)];
    return { through, previous: this.compaction(), messages: between(compactedThrough, through), kept };
  }

  /** The labels of the results of these steps that are less than `OUTSIDE`. */
  labels(from: number, to: number): ResultLabels {
    const query = "SELECT body FROM journal WHERE kind = 'labels' AND step BETWEEN ? AND ?";
    const rows = this.sql.exec<{ body: string }>(query, from, to).toArray();
    return readLabels(rows);
  }

  /** The task runs no more: what was kept for its next step is dropped. */
  rest(): void {
    this.read = null;
  }

  /**
   * The input, and the text that replaces the steps up to `compactedThrough`. It has the label of these steps, which is at
   * most that of the next request; people's messages in it stay apart. Before inputs had texts, a hook's were among them.
   */
  private beginning({ facts, compactedThrough, steeredBy }: Reading): LabelledMessage[] {
    const input = this.between(facts, -1, 0, 0).messages;
    const text = compactedThrough === 0 ? null : this.compaction();
    if (text === null) return input;
    const words = facts.texts === undefined ? joinLabels(PERSON, facts.label) : PERSON;
    const parts = words === steeredBy ? [{ isWords: true, text }] : splitHistory(text);
    const labelled = parts.map(({ isWords, text: content }) => ({ content, label: isWords ? words : steeredBy }));
    return [...input, ...labelled.map((part) => ({ role: "user" as const, isSummary: true as const, ...part }))];
  }

  /** What stands for the older steps; null: nothing does. */
  private compaction(): string | null {
    return this.values.read(COMPACTION);
  }

  /**
   * The messages of the steps after `after` up to `through`, in rows of the journal after `seq`; and the last of these
   * rows. A row of a release that stored no labels has the label of its text of the input; one behind the input is a
   * person's message, and has that of the last text, which is the request. In Slack, names of files are from outside.
   */
  private between(
    { label: source, texts = [], via }: TaskFacts,
    after: number,
    through: number,
    seq: number,
  ): { messages: LabelledMessage[]; last: number } {
    const query = `SELECT seq, step, kind, body FROM journal
      WHERE seq > ? AND kind IN ('message', 'labels', 'uploads') AND step > ? AND step <= ? ORDER BY seq`;
    const rows = this.sql.exec<MessageRow>(query, seq, after, through).toArray();
    const ofKind = (kind: string) => rows.filter((row) => row.kind === kind);
    const labels = readLabels(ofKind("labels"));
    const uploads = new Set(ofKind("uploads").flatMap(({ body }) => JSON.parse(body) as string[]));
    const messages = ofKind("message").flatMap(({ step, body }, index): LabelledMessage[] => {
      const text = (step === 0 ? texts[index] : undefined) ?? texts.at(-1);
      const stored = JSON.parse(body) as Message;
      const message = labelMessage(stored, text?.label ?? source);
      if (message.role === "user" && stored.label === undefined && via.channel === "slack")
        return splitFileNames(message.content, message.label);
      if (message.role !== "assistant" || message.calls === undefined) return [message];
      const contents = this.contents(step);
      const results = message.calls.map(({ id, name }): LabelledMessage => {
        const result = { role: "tool", callId: id, name, content: contents.get(id) ?? "" } as const;
        return { ...result, label: labels[id] ?? OUTSIDE, ...(uploads.has(id) ? { isUpload: true } : {}) };
      });
      return [message, ...results];
    });
    return { messages, last: rows.at(-1)?.seq ?? seq };
  }

  /** What the calls of a step brought, as the model reads it. */
  private contents(step: number): Map<string, string> {
    const query = "SELECT call_id, content FROM calls WHERE step = ?";
    const rows = this.sql.exec<{ call_id: string; content: string | null }>(query, step).toArray();
    return new Map(rows.map(({ call_id, content }) => [call_id, content ?? ""]));
  }
}

/** The labels of all of these rows. */
function readLabels(rows: readonly { readonly body: string }[]): ResultLabels {
  return Object.fromEntries(rows.flatMap(({ body }) => Object.entries(JSON.parse(body) as ResultLabels)));
}

interface MessageRow extends Record<string, SqlStorageValue> {
  readonly seq: number;
  readonly step: number;
  readonly kind: string;
  readonly body: string;
}
