/** A task in the short form of lists, with long texts cut. */
import { cutBefore } from "../gateway/shape.ts";
import type { PendingView, TaskView } from "./view.ts";

/** UTF-16 units of a text in the short form; never half of a surrogate pair. */
export const SHORT_TEXT = 500;
/** Output files in the short form. */
export const SHORT_FILES = 10;
/** UTF-16 units of JSON above which `metadata` is omitted. */
export const SHORT_METADATA = 1000;

/** The fields that the short form may cut. */
export const CUT_FIELDS = ["input", "output", "error", "pending", "skills", "metadata"] as const;
export type CutField = (typeof CUT_FIELDS)[number];

/** `cut` names the fields that were cut. */
export interface ShortTask extends TaskView {
  readonly cut: readonly CutField[];
}

/** Returns the short form of a task. A short form stays as it is. */
export function toShortTask(task: TaskView & { readonly cut?: readonly CutField[] }): ShortTask {
  const short: Pick<TaskView, CutField> = {
    input: shortenInput(task.input),
    output: shortenOutput(task.output),
    error: shortenError(task.error),
    pending: reuseIfSame(task.pending, task.pending.map(shortenPending)),
    skills: task.skills.length === 0 ? task.skills : [],
    metadata: JSON.stringify(task.metadata).length > SHORT_METADATA ? {} : task.metadata,
  };
  // An uncut field is the identical value.
  const cut = CUT_FIELDS.filter((field) => short[field] !== task[field] || task.cut?.includes(field) === true);
  return { ...task, ...short, cut };
}

/** Of messages, only the last, which has the title. */
function shortenInput(input: TaskView["input"]): TaskView["input"] {
  if (typeof input === "string") return shortenText(input);
  const last = input.slice(-1).map((message) => shortenField(message, "content"));
  return input.length > last.length ? last : reuseIfSame(input, last);
}

function shortenOutput(output: TaskView["output"]): TaskView["output"] {
  if (output === null) return null;
  const { text, files, citations } = shortenField(output, "text");
  if (text === output.text && files.length <= SHORT_FILES && citations === undefined) return output;
  return { text, files: files.slice(0, SHORT_FILES) };
}

function shortenError(error: TaskView["error"]): TaskView["error"] {
  return error === null ? null : shortenField(error, "message");
}

/** Choices and arguments are read at the task. */
function shortenPending(entry: PendingView): PendingView {
  switch (entry.kind) {
    case "question":
      return shortenField(entry.choices === null ? entry : { ...entry, choices: null }, "query");
    case "approval":
      return shortenField(entry.arguments === null ? entry : { ...entry, arguments: null }, "reason");
    case "connection":
      return entry;
    case "unknown":
      return entry.arguments === null ? entry : { ...entry, arguments: null };
  }
}

/** Cuts one text of an object. Returns the same object if the text is short. */
function shortenField<Name extends string, Thing extends Readonly<Record<Name, string>>>(
  thing: Thing,
  name: Name,
): Thing {
  const text = shortenText(thing[name]);
  return text === thing[name] ? thing : { ...thing, [name]: text };
}

function shortenText(text: string): string {
  return text.length <= SHORT_TEXT ? text : cutBefore(text, SHORT_TEXT);
}

/** Returns the same list if every element is identical. */
function reuseIfSame<Thing>(list: readonly Thing[], next: readonly Thing[]): readonly Thing[] {
  return list.every((thing, index) => thing === next[index]) ? list : next;
}
