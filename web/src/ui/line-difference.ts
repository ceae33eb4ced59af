/** How one text became another, line by line, with what is the same far from a change left out. */
import { diffLines } from "diff";

/** Lines that are the same and stand around a change. */
const AROUND = 3;
/** Changed lines after which the comparison is given up: its time grows with their square. */
const MAX_CHANGED = 1_000;

/** A line of either text, with its number there, or how many lines that are the same were left out. */
export type DifferenceLine =
  | { readonly kind: "same"; readonly text: string; readonly before: number; readonly after: number }
  | { readonly kind: "removed"; readonly text: string; readonly before: number }
  | { readonly kind: "added"; readonly text: string; readonly after: number }
  | { readonly kind: "left_out"; readonly count: number };

/** Empty for texts that are equal; null for texts that differ too much to be compared. */
export function lineDifference(before: string, after: string): readonly DifferenceLine[] | null {
  if (before === after) return [];
  const changes = diffLines(before, after, { maxEditLength: MAX_CHANGED });
  if (changes === undefined) return null;
  const lines: DifferenceLine[] = [];
  const at = { before: 1, after: 1 };
  for (const { value, added, removed } of changes) {
    for (const text of splitLines(value)) {
      if (added) lines.push({ kind: "added", text, after: at.after++ });
      else if (removed) lines.push({ kind: "removed", text, before: at.before++ });
      else lines.push({ kind: "same", text, before: at.before++, after: at.after++ });
    }
  }
  return shorten(lines);
}

/** How many lines came and went. */
export function countChanges(lines: readonly DifferenceLine[]): { readonly added: number; readonly removed: number } {
  const of = (kind: DifferenceLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { added: of("added"), removed: of("removed") };
}

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Leaves out what is the same, but for a few lines around each change. */
function shorten(lines: readonly DifferenceLine[]): DifferenceLine[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ kind }, at) => {
    if (kind !== "same") isNear.fill(true, Math.max(0, at - AROUND), at + AROUND + 1);
  });
  const shown: DifferenceLine[] = [];
  lines.forEach((line, at) => {
    const last = shown.at(-1);
    if (isNear[at] === true) shown.push(line);
    else if (last?.kind === "left_out") shown[shown.length - 1] = { kind: "left_out", count: last.count + 1 };
    else shown.push({ kind: "left_out", count: 1 });
  });
  return shown;
}
