/** One message of several sources, as parts that have a label each. */
import type { LabelledText } from "../task-state.ts";
import type { Label } from "./label.ts";

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
