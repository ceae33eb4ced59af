/** A Markdown table of the kind that GitHub's Markdown has (https://github.github.com/gfm/#tables-extension-). */

/** The first row is the header. Shorter rows are filled up; without rows there is no table. */
export function pipeTable(rows: readonly (readonly string[])[]): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns === 0) return "";
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: columns }, (_, at) => tableCell(cells[at] ?? "")).join(" | ")} |`;
  const [header = [], ...body] = rows;
  const rule = `|${" --- |".repeat(columns)}`;
  return [line(header), rule, ...body.map(line)].join("\n");
}

function tableCell(text: string): string {
  return text
    .trim()
    .replaceAll("\\", "\\\\")
    .replaceAll("|", "\\|")
    .replaceAll(/\s*\r?\n\s*/g, "<br>");
}
