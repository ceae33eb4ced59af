/**
 * Reads a form (`multipart/form-data`, RFC 7578) without copying its file: the platform's reader would have a large one in
 * memory three times.
 */
import { failed, ok, type Result } from "../../core/base/errors.ts";

export interface FormPart {
  readonly name: string;
  /** Null for a field that is no file. */
  readonly filename: string | null;
  readonly bytes: Uint8Array;
}

const MAX_PARTS = 50;
const MAX_HEAD_BYTES = 8_192;
const INVALID = failed("invalid_input", "The body is not valid multipart/form-data.", { field: "body" });
const encoder = new TextEncoder();
const HEAD_END = encoder.encode("\r\n\r\n");

/** The parts of a body, in order. Their bytes are views of `body`. */
export function readForm(contentType: string, body: Uint8Array): Result<readonly FormPart[]> {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return INVALID;
  const parts: FormPart[] = [];
  const separator = encoder.encode(`\r\n--${boundary}`);
  const first = encoder.encode(`--${boundary}`);
  if (!startsWith(body, first, 0)) return INVALID;
  for (let at = first.length; !startsWith(body, encoder.encode("--"), at); ) {
    const headStart = at + 2;
    const headEnd = find(body, HEAD_END, at, headStart + MAX_HEAD_BYTES);
    const end = headEnd === -1 ? -1 : find(body, separator, headEnd + 2, body.length);
    if (end === -1 || parts.length === MAX_PARTS) return INVALID;
    const part = readHead(body.subarray(headStart, Math.max(headStart, headEnd)));
    if (part === null) return INVALID;
    parts.push({ ...part, bytes: body.subarray(headEnd + HEAD_END.length, end) });
    at = end + separator.length;
  }
  return ok(parts);
}

function readHead(bytes: Uint8Array): Pick<FormPart, "name" | "filename"> | null {
  const head = new TextDecoder().decode(bytes);
  const line = head.split("\r\n").find((one) => /^content-disposition:\s*form-data\s*;/i.test(one));
  if (line === undefined) return null;
  const name = findParameter(line, "name");
  return name === null ? null : { name, filename: findParameter(line, "filename") };
}

function findParameter(line: string, name: string): string | null {
  const [, value] = new RegExp(`;\\s*${name}="((?:[^"\\\\]|\\\\.)*)"`, "i").exec(line) ?? [];
  // Browsers encode a quotation mark and line ends this way (the HTML standard, multipart/form-data encoding).
  return value === undefined
    ? null
    : value
        .replaceAll("%22", '"')
        .replaceAll(/%0[AD]/gi, " ")
        .replaceAll('\\"', '"');
}

function startsWith(body: Uint8Array, mark: Uint8Array, at: number): boolean {
  if (at + mark.length > body.length) return false;
  return mark.every((byte, index) => body[at + index] === byte);
}

/** The first place of `mark` from `from` on, before `to`. The platform searches for one byte fast. */
function find(body: Uint8Array, mark: Uint8Array, from: number, to: number): number {
  for (let at = body.indexOf(mark[0] ?? 0, from); at !== -1 && at < to; at = body.indexOf(mark[0] ?? 0, at + 1))
    if (startsWith(body, mark, at)) return at;
  return -1;
}
