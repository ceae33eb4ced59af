/** Where in a text something stands, as people count. */

/** The line and the character of it at an offset in UTF-16 units, both from 1. Lines end with LF, CR LF or CR. */
export function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  // The break is between CR and LF when the offset is: then the LF still belongs to the line that it ends.
  const lines = before.split(text[offset] === "\n" && before.endsWith("\r") ? /\r\n|\n|\r(?!$)/ : /\r\n|\n|\r/);
  return { line: lines.length, column: Array.from(lines.at(-1) ?? "").length + 1 };
}
