/** Reads text files: decodes characters and parses tables. */
import { formatPipeTable } from "./pipe-table.ts";
import type { ReadPart } from "./read-question.ts";

const MAX_ROWS = 20_000;
const MAX_CELLS = 400_000;
const SAMPLE_LINES = 20;
const DELIMITERS = [",", ";", "\t", "|"];

/** Decodes by the byte order mark, as UTF-16 if many alternate bytes are zero, as UTF-8 if valid, otherwise as Windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(detectEncoding(bytes)).decode(bytes).replaceAll("\u0000", "");
}

function detectEncoding(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const start = bytes.subarray(0, 4_096);
  const countZeros = (offset: number) => start.filter((byte, at) => byte === 0 && at % 2 === offset).length;
  if (countZeros(1) > start.length / 4) return "utf-16le";
  if (countZeros(0) > start.length / 4) return "utf-16be";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

export function readPlainText(bytes: Uint8Array): ReadPart {
  return { markdown: decodeText(bytes).replaceAll(/\r\n?/g, "\n"), units: null, warnings: [] };
}

/** Reads records of RFC 4180. Guesses the delimiter if it is null. */
export function readCsv(bytes: Uint8Array, delimiter: string | null): ReadPart {
  const text = decodeText(bytes);
  const by = delimiter ?? guessDelimiter(text);
  const { rows, isCut } = parseRecords(text, by, MAX_ROWS);
  const warnings = isCut ? [`Only the first ${rows.length} rows of the file were read.`] : [];
  const note = isCut ? `\n\n*${warnings.join("")}*` : "";
  return { markdown: formatPipeTable(rows) + note, units: null, warnings };
}

/** Chooses the delimiter that splits the first lines most evenly, preferring more fields. */
function guessDelimiter(text: string): string {
  const sample = text.slice(0, 64 * 1024);
  let best = ",";
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    const widths = parseRecords(sample, delimiter, SAMPLE_LINES).rows.map(({ length }) => length);
    const width = widths[0] ?? 1;
    const alike = widths.filter((one) => one === width).length;
    const score = width < 2 ? 0 : (alike / widths.length) * 1_000 + width;
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

function parseRecords(text: string, delimiter: string, maxRows: number): { rows: string[][]; isCut: boolean } {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;
  let at = 0;
  while (at < text.length) {
    if (rows.length >= maxRows || cells >= MAX_CELLS) return { rows, isCut: true };
    const field = text[at] === '"' ? parseQuotedField(text, at) : parsePlainField(text, at, delimiter);
    row.push(field.value);
    cells += 1;
    const next = text[field.end];
    at = field.end + (next === "\r" && text[field.end + 1] === "\n" ? 2 : 1);
    if (next === delimiter) continue;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return { rows, isCut: false };
}

interface Field {
  readonly value: string;
  /** Position of the delimiter or the end of the line. */
  readonly end: number;
}

function parsePlainField(text: string, at: number, delimiter: string): Field {
  let end = at;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return { value: text.slice(at, end), end };
}

/** An unclosed quote extends to the end of the text. Text after a closing quote becomes a further field. */
function parseQuotedField(text: string, at: number): Field {
  const pieces: string[] = [];
  for (let from = at + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return { value: pieces.join("") + text.slice(from), end: text.length };
    pieces.push(text.slice(from, quote));
    if (text[quote + 1] !== '"') return { value: pieces.join(""), end: quote + 1 };
    pieces.push('"');
    from = quote + 2;
  }
}
