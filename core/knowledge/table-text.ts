/** The text of a table, by which searches find it: its caption, its columns, then row by row. */

/** A model that embeds texts takes no more. */
const MAX_CHARACTERS = 4_000;

export interface TableContent {
  readonly caption: string | null;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Returns at most 4,000 characters: of a long table, the first rows. */
export function formatTableText({ caption, columns, rows }: TableContent): string {
  const lines = [...(caption === null ? [] : [caption]), columns.filter((column) => column !== "").join(" | ")];
  let length = lines.join("\n").length;
  for (const row of rows) {
    const line = row
      .flatMap((cell, index) => {
        const column = columns[index] ?? "";
        if (cell === "") return [];
        return [column === "" ? cell : `${column}: ${cell}`];
      })
      .join("; ");
    length += line.length + 1;
    if (length > MAX_CHARACTERS) break;
    lines.push(line);
  }
  return lines
    .filter((line) => line !== "")
    .join("\n")
    .slice(0, MAX_CHARACTERS)
    .toWellFormed();
}
