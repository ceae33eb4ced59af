/** Formats the drills' reports. */

/** Formats rows of a name and a value. */
export function figures(rows: readonly (readonly [name: string, value: string | number])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join("\n");
}

/** Formats a table with a head. Each column is as wide as its widest cell. */
export function columns(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map(
      (row) =>
        `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ")}`,
    )
    .join("\n");
}

/** Formats milliseconds. A dash for NaN. */
export function ms(value: number): string {
  return Number.isFinite(value) ? `${Math.round(value)} ms` : "–";
}

/** Formats the end of a report: the violations, and the seed that repeats the run. */
export function closing(violations: readonly string[], seed: number): string {
  return [
    ...violations.map((line) => `  VIOLATION ${line}`),
    violations.length === 0 ? "  every promise held" : `  ${violations.length} violations`,
    `  seed ${seed}`,
  ].join("\n");
}
