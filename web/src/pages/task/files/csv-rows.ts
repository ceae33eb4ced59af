/** Rows of a CSV file (RFC 4180), and of its common variants: other separators, single line feeds, quotes left open. */

export interface CsvRows {
  readonly rows: readonly (readonly string[])[];
  /** True when there are more rows than were read. */
  readonly isCut: boolean;
}

const SEPARATORS = [",", ";", "\t", "|"];

/** At most `maxRows` rows; empty lines are dropped. */
export function csvRows(text: string, maxRows: number): CsvRows {
  const body = text.startsWith("\ufeff") ? text.slice(1) : text;
  const separator = detectSeparator(body);
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < body.length) {
    const field = body[at] === '"' ? quoted(body, at, separator) : plain(body, at, separator);
    row.push(field.value);
    at = field.end;
    if (body[at] === separator) {
      at += 1;
      // A separator at the very end has an empty field behind it.
      if (at === body.length) row.push("");
      else if (body[at] !== "\n" && body[at] !== "\r") continue;
      else row.push("");
    }
    if (body[at] === "\r") at += 1;
    if (body[at] === "\n") at += 1;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
    if (rows.length > maxRows) return { rows: rows.slice(0, maxRows), isCut: true };
  }
  return { rows, isCut: false };
}

/** The separator that the first line has most of, outside quotes. */
function detectSeparator(text: string): string {
  const line = text.replace(/"(?:[^"]|"")*"/g, "").split(/\r?\n/, 1)[0] ?? "";
  const counts = SEPARATORS.map((separator) => line.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ",";
}

interface Field {
  readonly value: string;
  readonly end: number;
}

function plain(text: string, from: number, separator: string): Field {
  let end = from;
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return { value: text.slice(from, end), end };
}

/** A doubled quote means one. What stands between the closing quote and the separator is left out. */
function quoted(text: string, from: number, separator: string): Field {
  let value = "";
  let at = from + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close === -1) return { value: value + text.slice(at), end: text.length };
    value += text.slice(at, close);
    if (text[close + 1] !== '"') return { value, end: plain(text, close + 1, separator).end };
    value += '"';
    at = close + 2;
  }
}
