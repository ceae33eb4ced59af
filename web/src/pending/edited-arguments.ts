/** A person's edit of the arguments of a call: what was touched lies over what was asked for, so that nothing else changes. */
import { readNumber } from "../ui/typed-number.ts";

export type Arguments = Readonly<Record<string, unknown>>;

/** How a value is edited: as a text, as a number, as yes or no, or as JSON. */
export type FieldKind = "text" | "number" | "flag" | "json";

export interface ArgumentsDraft {
  readonly view: "form" | "json";
  /** What was typed in the fields, by argument; those that nobody touched are absent. */
  readonly touched: Readonly<Record<string, string | boolean>>;
  /** What was typed as JSON; null when nobody touched it. */
  readonly json: string | null;
}

export const UNTOUCHED: ArgumentsDraft = { view: "form", touched: {}, json: null };

export type ReadArguments =
  | { readonly ok: true; readonly arguments: Arguments }
  /** What cannot be read, by argument; "" is the whole. */
  | { readonly ok: false; readonly faults: Readonly<Record<string, string>> };

export function fieldKind(value: unknown): FieldKind {
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "flag" : "json";
}

/** A value as the text of its field. */
export function fieldText(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "null";
}

/** What a draft makes of the arguments that were asked for. */
export function readDraft(asked: Arguments, draft: ArgumentsDraft): ReadArguments {
  return draft.view === "json" ? readJson(asked, draft.json) : readFields(formBase(asked, draft), draft.touched);
}

/** The draft in its other view, with everything that was typed; the faults when it cannot be read. */
export function turnDraft(
  asked: Arguments,
  draft: ArgumentsDraft,
): ArgumentsDraft | Extract<ReadArguments, { ok: false }> {
  const read = readDraft(asked, draft);
  if (!read.ok) return read;
  return { view: draft.view === "form" ? "json" : "form", touched: {}, json: jsonText(read.arguments) };
}

/** The arguments whose fields the form shows: those of the JSON once somebody edited there, else those that were asked for. */
export function formBase(asked: Arguments, draft: ArgumentsDraft): Arguments {
  if (draft.json === null) return asked;
  const read = readJson(asked, draft.json);
  return read.ok ? read.arguments : asked;
}

/** What is to be sent: null when the edit changes nothing, and the approval is for what was shown. */
export function changedArguments(asked: Arguments, edited: Arguments): Arguments | null {
  return isSame(asked, edited) ? null : edited;
}

/** The API's faults by argument: it names a field as `arguments.to` or `arguments.to.0`. What fits no field stands under "". */
export function faultsByArgument(
  fields: Readonly<Record<string, string>>,
  names: readonly string[],
): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const [field, message] of Object.entries(fields)) {
    const path = field.replace(/^arguments\.?/, "");
    const name = names.find((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`)) ?? "";
    const rest = name === "" ? path : path.slice(name.length).replace(/^\./, "");
    const said = rest === "" ? message : `${rest}: ${message}`;
    faults[name] = faults[name] === undefined ? said : `${faults[name]}; ${said}`;
  }
  return faults;
}

function readFields(asked: Arguments, touched: ArgumentsDraft["touched"]): ReadArguments {
  const faults: Record<string, string> = {};
  const entries = Object.entries(asked).map(([name, value]): [string, unknown] => {
    const typed = touched[name];
    if (typed === undefined) return [name, value];
    const read = readField(fieldKind(value), typed);
    if (!read.ok) faults[name] = read.fault;
    return [name, read.ok ? read.value : value];
  });
  return Object.keys(faults).length > 0 ? { ok: false, faults } : { ok: true, arguments: Object.fromEntries(entries) };
}

type ReadField = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: string };

function readField(kind: FieldKind, typed: string | boolean): ReadField {
  if (kind === "flag" || kind === "text" || typeof typed === "boolean") return { ok: true, value: typed };
  if (kind === "number") {
    const read = readNumber(typed, { isWhole: false });
    if (read.kind === "number") return { ok: true, value: read.value };
    return { ok: false, fault: read.kind === "none" ? "Write a number." : read.fault };
  }
  try {
    return { ok: true, value: JSON.parse(typed) as unknown };
  } catch (thrown) {
    return { ok: false, fault: `This is no JSON: ${whyNot(thrown)}` };
  }
}

function readJson(asked: Arguments, json: string | null): ReadArguments {
  if (json === null) return { ok: true, arguments: asked };
  try {
    const value = JSON.parse(json) as unknown;
    if (isRecord(value)) return { ok: true, arguments: value };
    return { ok: false, faults: { "": "Write one JSON object: { … }." } };
  } catch (thrown) {
    return { ok: false, faults: { "": `This is no JSON: ${whyNot(thrown)}` } };
  }
}

function whyNot(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : "it cannot be read";
}

/** Arguments as a record; those of a call are always one, whatever their type says. */
export function asArguments(value: unknown): Arguments {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two values are the same JSON; the order of an object's fields says nothing. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, index) => isSame(value, other[index]));
  if (!isRecord(one) || !isRecord(other)) return Object.is(one, other);
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}
