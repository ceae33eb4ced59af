/** A result that is a list, as the model reads it: whole when it is short, else cut after a whole row from the start. */
import { describeRest, type RestOfText } from "../gateway/shape.ts";
import type { Shown, ShownRows } from "../tool/tool.ts";

/** Returns the whole text of a result. */
export function toShownText(shown: Shown): string {
  if (typeof shown === "string") return shown;
  const { head, rows, tail } = shown;
  return [...(head === undefined ? [] : [head]), ...rows, ...(tail === undefined ? [] : [tail])].join("\n");
}

/** A list that was cut, and how many of its rows are left. */
export interface CutRows {
  readonly text: string;
  readonly rows: number;
}

/**
 * Cuts a list to the first rows that fit, with the count and the place to read on. Null when not even the first row
 * fits.
 */
export function cutRows(shown: ShownRows, most: number, callId: string, rest: RestOfText): CutRows | null {
  const { head, rows, tail } = shown;
  const lines = head === undefined ? [] : [head];
  let offset = lines.reduce((sum, line) => sum + line.length + 1, 0);
  const note = (count: number) =>
    `[… rows 1 to ${count} of ${rows.length}; the others: ${describeRest(callId, rest)}, offset ${offset} …]`;
  const end = tail === undefined ? [] : [tail];
  let left = most - offset - note(rows.length).length - end.reduce((sum, line) => sum + line.length + 1, 0) - 10;
  let count = 0;
  for (const row of rows) {
    left -= row.length + 1;
    if (left < 0) break;
    lines.push(row);
    offset += row.length + 1;
    count += 1;
  }
  return count === 0 ? null : { text: [...lines, note(count), ...end].join("\n"), rows: count };
}
