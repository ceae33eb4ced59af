/** Reads the conversation of a task, as its model sees it, from the object's rows. */
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
  /** The cached messages, and the last journal row that they include. */
  private cached: { readonly compactedThrough: number; readonly messages: LabelledMessage[]; seq: number } | null =
    null;

  constructor(sql: SqlStorage, values: TaskValues) {
    this.sql = sql;
    this.values = values;
  }

  /**
   * Returns each assistant message followed by the results of its calls; steps up to `compactedThrough` are replaced by
   * their compaction. Cached while the task runs: messages change only when older steps are compacted.
   */
  readMessages(state: Reading): readonly LabelledMessage[] {
    const { compactedThrough, facts } = state;
    if (this.cached?.compactedThrough !== compactedThrough) {
      this.cached = { compactedThrough, messages: this.readBeginning(state), seq: 0 };
    }
    const { messages, last } = this.readSteps(facts, compactedThrough, Number.MAX_SAFE_INTEGER, this.cached.seq);
    this.cached.messages.push(...messages);
    this.cached.seq = last;
    return this.cached.messages;
  }

  /** Returns the messages of the steps up to `through`, which are to be condensed, and the messages that stay. */
  readHistory(through: number, { compactedThrough, facts }: Reading): NonNullable<CondenseJob["history"]> {
    const readPart = (after: number, upTo: number) => this.readSteps(facts, after, upTo, 0).messages;
    const kept = [...readPart(-1, 0), ...readPart(through, Number.MAX_SAFE_INTEGER)];
    return { through, previous: this.readCompaction(), messages: readPart(compactedThrough, through), kept };
  }

  /** Returns the labels below `OUTSIDE` of the results of these steps. */
  readResultLabels(from: number, to: number): ResultLabels {
    const query = "SELECT body FROM journal WHERE kind = 'labels' AND step BETWEEN ? AND ?";
    const rows = this.sql.exec<{ body: string }>(query, from, to).toArray();
    return readLabels(rows);
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
    const input = this.readSteps(facts, -1, 0, 0).messages;
    const text = compactedThrough === 0 ? null : this.readCompaction();
    if (text === null) return input;
    const words = facts.texts === undefined ? joinLabels(PERSON, facts.label) : PERSON;
    const parts = words === steeredBy ? [{ isWords: true, text }] : splitHistory(text);
    const labelled = parts.map(({ isWords, text: content }) => ({ content, label: isWords ? words : steeredBy }));
    return [...input, ...labelled.map((part) => ({ role: "user" as const, isSummary: true as const, ...part }))];
  }

  /** Returns the text that replaces the older steps; null without a compaction. */
  private readCompaction(): string | null {
    return this.values.read(COMPACTION);
  }

  /**
   * Returns the messages of the steps after `after` up to `through`, in journal rows after `seq`, and the last of these
   * rows. A row of a release without labels has the label of its input text; one after the input is a person's message
   * and has the label of the last text, the request. File names in Slack come from outside.
   */
  private readSteps(
    { label: source, texts = [], via }: TaskFacts,
    after: number,
    through: number,
    seq: number,
  ): { messages: LabelledMessage[]; last: number } {
    const query = `SELECT seq, step, kind, body FROM journal
      WHERE seq > ? AND kind IN ('message', 'labels', 'uploads') AND step > ? AND step <= ? ORDER BY seq`;
    const rows = this.sql.exec<MessageRow>(query, seq, after, through).toArray();
    const findKind = (kind: string) => rows.filter((row) => row.kind === kind);
    const labels = readLabels(findKind("labels"));
    const uploads = new Set(findKind("uploads").flatMap(({ body }) => JSON.parse(body) as string[]));
    const messages = findKind("message").flatMap(({ step, body }, index): LabelledMessage[] => {
      const text = (step === 0 ? texts[index] : undefined) ?? texts.at(-1);
      const stored = JSON.parse(body) as Message;
      const message = labelMessage(stored, text?.label ?? source);
      if (message.role === "user" && stored.label === undefined && via.channel === "slack")
        return splitFileNames(message.content, message.label);
      if (message.role !== "assistant" || message.calls === undefined) return [message];
      const contents = this.readContents(step);
      const results = message.calls.map(({ id, name }): LabelledMessage => {
        const result = { role: "tool", callId: id, name, content: contents.get(id) ?? "" } as const;
        return { ...result, label: labels[id] ?? OUTSIDE, ...(uploads.has(id) ? { isUpload: true } : {}) };
      });
      return [message, ...results];
    });
    return { messages, last: rows.at(-1)?.seq ?? seq };
  }

  /** Returns the results of a step's calls as the model reads them. */
  private readContents(step: number): Map<string, string> {
    const query = "SELECT call_id, content FROM calls WHERE step = ?";
    const rows = this.sql.exec<{ call_id: string; content: string | null }>(query, step).toArray();
    return new Map(rows.map(({ call_id, content }) => [call_id, content ?? ""]));
  }
}

/** Merges the labels of these rows. */
function readLabels(rows: readonly { readonly body: string }[]): ResultLabels {
  return Object.fromEntries(rows.flatMap(({ body }) => Object.entries(JSON.parse(body) as ResultLabels)));
}

interface MessageRow extends Record<string, SqlStorageValue> {
  readonly seq: number;
  readonly step: number;
  readonly kind: string;
  readonly body: string;
}
