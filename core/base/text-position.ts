/** Positions in a text as line and column. */

/** Returns the line and column of an offset in UTF-16 units, both from 1. Lines end with LF, CR LF or CR. */
export function findPosition(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  // An offset between CR and LF belongs to the line that they end.
  const lines = before.split(text[offset] === "\n" && before.endsWith("\r") ? /\r\n|\n|\r(?!$)/ : /\r\n|\n|\r/);
  return { line: lines.length, column: Array.from(lines.at(-1) ?? "").length + 1 };
}
