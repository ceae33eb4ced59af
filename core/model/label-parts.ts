/** One message of several sources, as parts with a label each. */
import { type Label, OUTSIDE } from "../provenance/label.ts";

/** A range of a text in UTF-16 units; `to` is exclusive. */
export type TextRange = readonly [from: number, to: number];

/** Joins the parts of one message, in order: drops empty ones and merges neighbours with equal labels. */
export function joinParts(parts: readonly (readonly [string, Label])[]): LabelledText[] {
  const texts: LabelledText[] = [];
  for (const [content, label] of parts) {
    const last = texts.at(-1);
    if (content === "") continue;
    if (last?.label === label) texts[texts.length - 1] = { ...last, content: `${last.content}${content}` };
    else texts.push({ role: "user", content, label, ...(last === undefined ? {} : { continues: true }) });
  }
  return texts;
}

/** Splits a text into parts: `OUTSIDE` in the ranges, which are in order, and `own` between them. */
export function splitAtRanges(text: string, ranges: readonly TextRange[], own: Label): LabelledText[] {
  const parts: [string, Label][] = [];
  let at = 0;
  for (const [from, to] of ranges) {
    parts.push([text.slice(at, from), own], [text.slice(from, to), OUTSIDE]);
    at = to;
  }
  return joinParts([...parts, [text.slice(at), own]]);
}

/** A text of a task's input, or a message sent to it later. `continues` is as in `Message`. */
export interface LabelledText {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly label: Label;
  readonly continues?: true;
}
