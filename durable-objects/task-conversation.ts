/** What the model reads of one task: its conversation as the object's rows hold it. */
import type { LabelledMessage, Message } from "../core/messages.ts";
import { type Label, OUTSIDE } from "../core/provenance/label.ts";
import { labelMessage } from "../core/provenance/label-messages.ts";
import type { CondenseJob } from "../core/steps-rpc.ts";
import { COMPACTION } from "./task-tables.ts";

export class TaskConversation {
  private readonly sql: SqlStorage;
  /** What was last read, and the last row of the journal that is in it. */
  private read: { readonly compactedThrough: number; readonly messages: LabelledMessage[]; seq: number } | null = null;

  constructor(sql: SqlStorage) {
    this.sql = sql;
  }

  /**
   * Each assistant message followed by what its calls brought, steps up to `compactedThrough` by their compaction. It is
   * kept while the task runs: what was read before a model call does not change any more, unless older steps are compacted.
   * `source` is the label of the task's input.
   */
  messages(compactedThrough: number, source: Label): readonly LabelledMessage[] {
    if (this.read?.compactedThrough !== compactedThrough) {
      this.read = { compactedThrough, messages: this.beginning(compactedThrough, source), seq: 0 };
    }
    const { messages, last } = this.between(compactedThrough, Number.MAX_SAFE_INTEGER, this.read.seq);
    this.read.messages.push(...messages.map((message) => labelMessage(message, source)));
    this.read.seq = last;
    return this.read.messages;
  }

  /** What is to be told in short when the steps up to `through` are, and what stays. */
  history(through: number, compactedThrough: number): NonNullable<CondenseJob["history"]> {
    const between = (after: number, upTo: number) => this.between(after, upTo, 0).messages;
    const kept = [...between(-1, 0), ...between(through, Number.MAX_SAFE_INTEGER)];
    return { through, previous: this.compaction(), messages: between(compactedThrough, through), kept };
  }

  /** The task runs no more: what was kept for its next step is dropped. */
  rest(): void {
    this.read = null;
  }

  /** The input, and what stands for the steps up to `compactedThrough`. */
  private beginning(compactedThrough: number, source: Label): LabelledMessage[] {
    const input = this.between(-1, 0, 0).messages.map((message) => labelMessage(message, source));
    const text = compactedThrough === 0 ? null : this.compaction();
    return text === null ? input : [...input, { role: "user", content: text, label: OUTSIDE }];
  }

  /** What stands for the older steps; null: nothing does. */
  private compaction(): string | null {
    const query = "SELECT value FROM task WHERE name = ?";
    const [row] = this.sql.exec<{ value: string }>(query, COMPACTION).toArray();
    return row?.value ?? null;
  }

  /**
   * The messages of the steps after `after` up to `through`, in rows of the journal after `seq`; and the last of these
   * rows.
   */
  private between(after: number, through: number, seq: number): { messages: Message[]; last: number } {
    const messages: Message[] = [];
    let last = seq;
    const query = `SELECT seq, step, body FROM journal
      WHERE seq > ? AND kind = 'message' AND step > ? AND step <= ? ORDER BY seq`;
    for (const row of this.sql.exec<MessageRow>(query, seq, after, through)) {
      const message = JSON.parse(row.body) as Message;
      messages.push(message);
      last = row.seq;
      if (message.role !== "assistant" || message.calls === undefined) continue;
      const contents = this.contents(row.step);
      for (const { id, name } of message.calls)
        messages.push({ role: "tool", callId: id, name, content: contents.get(id) ?? "" });
    }
    return { messages, last };
  }

  /** What the calls of a step brought, as the model reads it. */
  private contents(step: number): Map<string, string> {
    const query = "SELECT call_id, content FROM calls WHERE step = ?";
    const rows = this.sql.exec<{ call_id: string; content: string | null }>(query, step).toArray();
    return new Map(rows.map(({ call_id, content }) => [call_id, content ?? ""]));
  }
}

interface MessageRow extends Record<string, SqlStorageValue> {
  readonly seq: number;
  readonly step: number;
  readonly body: string;
}
