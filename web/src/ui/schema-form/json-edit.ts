/**
 * Small changes to a JSON value that leave the rest of it as it is, its order included, and what a form of JSON holds.
 * Names may be anything, `__proto__` too: every member is an own one.
 */
import { isJson } from "./json-value.ts";

type Json = Readonly<Record<string, unknown>>;

/** A member of any value; undefined without one. */
export function memberOf(value: unknown, name: string): unknown {
  return isJson(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The object with this member; undefined takes the member away. What is no object counts as an empty one. */
export function withMember(value: unknown, name: string, member: unknown): Json {
  const entries = isJson(value) ? Object.entries(value) : [];
  if (member === undefined) return Object.fromEntries(entries.filter(([known]) => known !== name));
  const isThere = entries.some(([known]) => known === name);
  const changed = entries.map(([known, old]): [string, unknown] => [known, known === name ? member : old]);
  return Object.fromEntries(isThere ? changed : [...entries, [name, member]]);
}

/** The object with a member under another name, in its place. As it was when that name is taken. */
export function renamed(value: Json, from: string, to: string): Json {
  if (from === to || Object.hasOwn(value, to)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name === from ? to : name, member]));
}

/** A name for a further member: `name`, `name 2`, … */
export function freeName(value: unknown, name: string): string {
  if (memberOf(value, name) === undefined) return name;
  let number = 2;
  while (memberOf(value, `${name} ${number}`) !== undefined) number += 1;
  return `${name} ${number}`;
}

export function withItem<Item>(list: readonly Item[], at: number, item: Item): readonly Item[] {
  return list.map((old, index) => (index === at ? item : old));
}

export function withoutItem<Item>(list: readonly Item[], at: number): readonly Item[] {
  return list.filter((_, index) => index !== at);
}

/** The list with one item one place further up (-1) or down (1). As it was at either end. */
export function moved<Item>(list: readonly Item[], at: number, by: -1 | 1): readonly Item[] {
  const to = at + by;
  if (to < 0 || to >= list.length || at < 0 || at >= list.length) return list;
  const order = list.map((_, index) => (index === at ? to : index === to ? at : index));
  return order.flatMap((from) => list.slice(from, from + 1));
}

/** What a form holds: a value, and while it is written as text, the text, which may not be JSON yet. */
export interface Filled {
  readonly value: unknown;
  readonly text: string | null;
}

export type Read = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** Reads the form's current value. */
export function readFilled({ value, text }: Filled): Read {
  return text === null ? { ok: true, value } : readJson(text);
}

/** The same as text. */
export function asText(filled: Filled): Filled {
  return filled.text === null
    ? { ...filled, text: JSON.stringify(filled.value === undefined ? {} : filled.value, null, 2) }
    : filled;
}

/** The same as fields. Text that is no JSON stays text. */
export function asFields(filled: Filled): Filled {
  const read = readFilled(filled);
  return read.ok ? { value: read.value, text: null } : filled;
}

export function readJson(text: string): Read {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : "";
    return { ok: false, message: `This is not JSON yet: ${why}` };
  }
}

/** Faults by the dotted path of the field, as the API tells them. */
export type Faults = Readonly<Record<string, string>>;

/** The dotted path of a member. */
export function pathTo(parent: string, name: string | number): string {
  return parent === "" ? String(name) : `${parent}.${name}`;
}

/** The faults at a path, and of those below it the ones that no field of `shown` will show. */
export function faultsAt(faults: Faults, path: string, shown: readonly string[] = []): string | null {
  const here = Object.entries(faults).flatMap(([at, message]) => {
    if (at === path) return [message];
    const isBelow = path === "" || at.startsWith(`${path}.`);
    const isShown = shown.some((one) => at === one || at.startsWith(`${one}.`));
    return isBelow && !isShown ? [`${path === "" ? at : at.slice(path.length + 1)}: ${message}`] : [];
  });
  return here.length === 0 ? null : here.join("; ");
}
