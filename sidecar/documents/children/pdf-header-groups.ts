/** Finds the line above an open PDF table (with rules above and below it only) whose words each head several columns. */
import { type Box, getCentre, groupLines, groupWords, type Rule, type Word } from "./pdf-page.ts";

/** Texts this near begin or are centred at the same place. */
const TOLERANCE = 6;
/** A rule of the whole table has at least this share of its width. */
const WHOLE_RULE = 0.8;

interface Column {
  readonly from: number;
  readonly to: number;
}

/** `groups` has the text above each column. `text` is the line as a paragraph has it. */
export interface HeaderGroups {
  readonly text: string;
  readonly groups: readonly string[];
}

/** `rows` are the boxes of the table's cells, from the top. Null if there is no such line. */
export function findHeaderGroups(
  rows: readonly (readonly (Box | undefined)[])[],
  words: readonly Word[],
  across: readonly Rule[],
): HeaderGroups | null {
  const columns = findColumns(rows);
  const top = Math.min(...(rows[0] ?? []).map((box) => box?.y ?? Number.POSITIVE_INFINITY));
  const [left = 0, right = 0] = [columns[0]?.from, columns.at(-1)?.to];
  const height = Math.max(...(rows[0] ?? []).map((box) => box?.height ?? 0));
  if (columns.length < 2 || !Number.isFinite(top)) return null;
  const above = words.filter((word) => getCentre(word).y < top && word.y > top - height * 3);
  const line = groupLines(above).at(-1) ?? [];
  const [first] = line;
  if (first === undefined || !hasRuleAbove(first, across, { from: left, to: right })) return null;
  const groups = groupWords(line);
  if (groups.some(({ x, width }) => x < left - TOLERANCE || x + width > right + TOLERANCE)) return null;
  const under = across.filter(({ at }) => at > getCentre(first).y && at < top + 1);
  const texts = columns.map(() => "");
  let next = 0;
  for (const [index, group] of groups.entries()) {
    const range = findRange(group, groups[index + 1], columns, under) ?? null;
    if (range === null || range.first < next) return null;
    for (let column = range.first; column <= range.last; column += 1) texts[column] = group.text;
    next = range.last + 1;
  }
  return { text: line.map(({ text }) => text).join(" "), groups: texts };
}

function findColumns(rows: readonly (readonly (Box | undefined)[])[]): Column[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: count }, (_, column) => {
    const boxes = rows.flatMap((row) => row[column] ?? []).filter(({ width }) => width > 0);
    return {
      from: Math.min(...boxes.map(({ x }) => x)),
      to: Math.max(...boxes.map(({ x, width }) => x + width)),
    };
  });
}

/** The table's first rule tells its header from a paragraph above it. */
function hasRuleAbove(word: Word, across: readonly Rule[], { from, to }: Column): boolean {
  return across.some(
    (rule) =>
      rule.at < getCentre(word).y &&
      rule.at > word.y - word.height * 2 &&
      Math.min(rule.to, to) - Math.max(rule.from, from) >= (to - from) * WHOLE_RULE,
  );
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Finds the columns of a group: above a rule of theirs, from its left edge to the next group, or around its centre. */
function findRange(
  group: Word,
  following: Word | undefined,
  columns: readonly Column[],
  under: readonly Rule[],
): Range | undefined {
  const centre = getCentre(group).x;
  const isBetween = (at: number, { from, to }: { readonly from: number; readonly to: number }) => at > from && at < to;
  const middle = ({ from, to }: Column) => (from + to) / 2;
  const whole = (columns.at(-1)?.to ?? 0) - (columns[0]?.from ?? 0);
  const rule = under.find((one) => isBetween(centre, one) && one.to - one.from < whole * WHOLE_RULE);
  if (rule !== undefined) {
    const own = columns.flatMap((column, index) => (isBetween(middle(column), rule) ? [index] : []));
    const [first, last] = [own[0], own.at(-1)];
    return first === undefined || last === undefined ? undefined : { first, last };
  }
  const aligned = columns.findIndex(({ from }) => Math.abs(from - group.x) < TOLERANCE);
  const until = columns.findLastIndex(({ from }) => following === undefined || from < following.x - TOLERANCE);
  if (aligned >= 0) return { first: aligned, last: Math.max(aligned, until) };
  const ranges = columns.flatMap((_, first) =>
    columns.slice(first).map((__, width) => ({ first, last: first + width })),
  );
  const distance = ({ first, last }: Range) =>
    Math.abs(((columns[first]?.from ?? 0) + (columns[last]?.to ?? 0)) / 2 - centre);
  const [best] = ranges
    .filter((range) => distance(range) < TOLERANCE)
    .toSorted((one, other) => distance(one) - distance(other));
  return best;
}
