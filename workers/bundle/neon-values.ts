/**
 * Converts between values and Postgres's text for the types of Otto's columns. Other types stay text: timestamps and
 * dates (drizzle reads them), `bigint` and `numeric` (a number would lose digits), vectors.
 * https://www.postgresql.org/docs/17/arrays.html#ARRAYS-IO
 */

type Read = (text: string) => unknown;

const readNumber: Read = (text) => Number(text);
const readBoolean: Read = (text) => text === "t";
const readJson: Read = (text) => JSON.parse(text);
const asText: Read = (text) => text;

/** By the type's OID (pg_type.dat of Postgres). */
const READERS = new Map<number, Read>([
  [16, readBoolean], // bool
  [21, readNumber], // int2
  [23, readNumber], // int4
  [26, readNumber], // oid
  [114, readJson], // json
  [700, readNumber], // float4
  [701, readNumber], // float8
  [3802, readJson], // jsonb
  [1000, (text) => readArray(text, readBoolean)], // bool[]
  [1005, (text) => readArray(text, readNumber)], // int2[]
  [1007, (text) => readArray(text, readNumber)], // int4[]
  [1009, (text) => readArray(text, asText)], // text[]
  [1015, (text) => readArray(text, asText)], // varchar[]
]);

/** Reads a value that Postgres wrote as `text`, by the OID of its type. */
export function readValue(text: string | null, type: number): unknown {
  return text === null ? null : (READERS.get(type) ?? asText)(text);
}

/** Writes a parameter as Postgres reads it: a list as an array, text as it is, any other value as JSON. */
export function writeValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return `{${value.map(writeElement).join(",")}}`;
  return JSON.stringify(value);
}

function writeElement(value: unknown): string {
  if (Array.isArray(value)) return writeValue(value) ?? "NULL";
  const text = writeValue(value);
  return text === null ? "NULL" : `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** Reads a list of one or more dimensions. Otto's columns have no bounds before it (`[0:1]={…}`). */
function readArray(text: string, read: Read): unknown[] {
  let at = text.indexOf("{");
  const list = (): unknown[] => {
    const values: unknown[] = [];
    at += 1;
    while (at < text.length && text[at] !== "}") {
      values.push(text[at] === "{" ? list() : element());
      if (text[at] === ",") at += 1;
    }
    at += 1;
    return values;
  };
  const element = (): unknown => {
    if (text[at] === '"') return read(readQuoted());
    const start = at;
    while (at < text.length && text[at] !== "," && text[at] !== "}") at += 1;
    const bare = text.slice(start, at);
    return bare === "NULL" ? null : read(bare);
  };
  const readQuoted = (): string => {
    let value = "";
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) {
      if (text[at] === "\\") at += 1;
      value += text[at] ?? "";
    }
    at += 1;
    return value;
  };
  return list();
}
