/** Chooses the rows of a long table that a search is about. */

type Row = readonly string[];

/** At most `most` rows in their order: those with words of the query, then the first. */
export function pickRows(rows: readonly Row[], query: string, most: number): readonly Row[] {
  if (rows.length <= most) return rows;
  const wanted = toWords(query);
  const counted = rows.map((row, at) => {
    const words = new Set(toWords(row.join(" ")));
    return { row, at, count: wanted.filter((word) => words.has(word)).length };
  });
  const best = counted.toSorted((one, other) => other.count - one.count || one.at - other.at).slice(0, most);
  return best.toSorted((one, other) => one.at - other.at).map(({ row }) => row);
}

function toWords(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+(?:[-_.][\p{L}\p{M}\p{N}]+)*/gu) ?? [])];
}
