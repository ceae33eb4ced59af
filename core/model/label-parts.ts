/** One message of several sources, as parts that have a label each. */
import { type Label, OUTSIDE } from "../provenance/label.ts";

/** A place in a text, in UTF-16 units; `to` is behind it. */
export type Place = readonly [from: number, to: number];

/** The parts of one message of a person or a program, in order: empty ones left out, neighbours of one label joined. */
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

/** One text as parts: `OUTSIDE` at the places, which are in order, and `own` between them. */
export function splitAtPlaces(text: string, places: readonly Place[], own: Label): LabelledText[] {
  const parts: [string, Label][] = [];
  let at = 0;
  for (const [from, to] of places) {
    parts.push([text.slice(at, from), own], [text.slice(from, to), OUTSIDE]);
    at = to;
  }
  return joinParts([...parts, [text.slice(at), own]]);
}

/** A text that a task is given: of its input, or sent to it later. `continues` is as in `Message`. */
export interface LabelledText {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly label: Label;
  readonly continues?: true;
}
