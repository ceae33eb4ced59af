/** A task in the short form of lists: what a row of a list shows, without the whole of long texts. */
import { cutBefore } from "../gateway/shape.ts";
import type { PendingView, TaskView } from "./view.ts";

/** UTF-16 units of a text that are shown; never half of a surrogate pair. */
export const SHORT_TEXT = 500;
/** Files of the output that are shown. */
export const SHORT_FILES = 10;
/** UTF-16 units of JSON up to which `metadata` is shown. */
export const SHORT_METADATA = 1000;

/** The fields that the short form may show a part of. */
export const CUT_FIELDS = ["input", "output", "error", "pending", "skills", "metadata"] as const;
export type CutField = (typeof CUT_FIELDS)[number];

/** `cut` names the fields that are not whole. */
export interface ShortTask extends TaskView {
  readonly cut: readonly CutField[];
}

/** The short form of a task. Of a short form: itself. */
export function shortTask(task: TaskView & { readonly cut?: readonly CutField[] }): ShortTask {
  const short: Pick<TaskView, CutField> = {
    input: shortInput(task.input),
    output: shortOutput(task.output),
    error: shortError(task.error),
    pending: sameOr(task.pending, task.pending.map(shortPending)),
    skills: task.skills.length === 0 ? task.skills : [],
    metadata: JSON.stringify(task.metadata).length > SHORT_METADATA ? {} : task.metadata,
  };
  // What is whole is the same value as before.
  const cut = CUT_FIELDS.filter((field) => short[field] !== task[field] || task.cut?.includes(field) === true);
  return { ...task, ...short, cut };
}

/** Of messages, the last: the title is taken of it. */
function shortInput(input: TaskView["input"]): TaskView["input"] {
  if (typeof input === "string") return shortText(input);
  const last = input.slice(-1).map((message) => withText(message, "content"));
  return input.length > last.length ? last : sameOr(input, last);
}

function shortOutput(output: TaskView["output"]): TaskView["output"] {
  if (output === null) return null;
  const { text, files } = withText(output, "text");
  if (text === output.text && files.length <= SHORT_FILES) return output;
  return { text, files: files.slice(0, SHORT_FILES) };
}

function shortError(error: TaskView["error"]): TaskView["error"] {
  return error === null ? null : withText(error, "message");
}

/** What is chosen among, and the arguments, are read at the task. */
function shortPending(entry: PendingView): PendingView {
  switch (entry.kind) {
    case "question":
      return withText(entry.choices === null ? entry : { ...entry, choices: null }, "query");
    case "approval":
      return withText(entry.arguments === null ? entry : { ...entry, arguments: null }, "reason");
    case "unknown":
      return entry.arguments === null ? entry : { ...entry, arguments: null };
  }
}

/** The thing with one of its texts cut; the thing itself when the text is short. */
function withText<Name extends string, Thing extends Readonly<Record<Name, string>>>(thing: Thing, name: Name): Thing {
  const text = shortText(thing[name]);
  return text === thing[name] ? thing : { ...thing, [name]: text };
}

function shortText(text: string): string {
  return text.length <= SHORT_TEXT ? text : cutBefore(text, SHORT_TEXT);
}

/** The list itself when each of its things is still the same. */
function sameOr<Thing>(list: readonly Thing[], next: readonly Thing[]): readonly Thing[] {
  return list.every((thing, index) => thing === next[index]) ? list : next;
}
