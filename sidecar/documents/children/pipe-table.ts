/** Formats a table of GitHub's Markdown (https://github.github.com/gfm/#tables-extension-). */

/** The first row is the header. Pads short rows. Returns an empty text without rows. */
export function formatPipeTable(rows: readonly (readonly string[])[]): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns === 0) return "";
  const formatRow = (cells: readonly string[]) =>
    `| ${Array.from({ length: columns }, (_, at) => formatCell(cells[at] ?? "")).join(" | ")} |`;
  const [header = [], ...body] = rows;
  const rule = `|${" --- |".repeat(columns)}`;
  return [formatRow(header), rule, ...body.map(formatRow)].join("\n");
}

function formatCell(text: string): string {
  return text
    .trim()
    .replaceAll("\\", "\\\\")
    .replaceAll("|", "\\|")
    .replaceAll(/\s*\r?\n\s*/g, "<br>");
}
