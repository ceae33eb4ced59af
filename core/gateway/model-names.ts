/**
 * The names that a model sees. Providers accept `[a-zA-Z0-9_-]{1,64}`: dots become underscores, and a name that is too
 * long or taken is cut and gets the first ten hex digits of its SHA-1.
 */
import { toHex } from "../base/hex.ts";
import { toNameKey } from "../tool/source.ts";
import type { Tool } from "../tool/tool.ts";

export const MAX_MODEL_NAME = 64;
const HASH_DIGITS = 10;
/** Characters that stay of a name that is cut. */
export const CUT_AT = MAX_MODEL_NAME - HASH_DIGITS - 1;
/** The most characters of a name that a model wrote. Tool names, or the shorter ones for models, fit. */
const MAX_NAME_CHARACTERS = 128;

/** Returns the model's name of each tool, by the tool's own name. Tools have a stable order, so names are stable. */
export async function createModelNames(tools: readonly Pick<Tool, "name">[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { name } of tools) {
    const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_");
    const fits = plain.length <= MAX_MODEL_NAME && !taken.has(plain);
    const modelName = fits ? plain : await cutName(plain, name);
    taken.add(modelName);
    names.set(name, modelName);
  }
  return names;
}

/** The key under which a name that is not exact is found: also without regard to case, hyphens and doubled separators. */
function toLooseKey(name: string): string {
  return toNameKey(name.slice(0, MAX_NAME_CHARACTERS)).toLowerCase().replace(/[_-]+/g, "_");
}

/**
 * Finds values by a name in any of the forms that models write, when exactly one value has it. An exact name comes
 * first. The index is built at the first name that is not exact. Nothing else compares names loosely: whether a name
 * means a certain tool depends on what other tools there are.
 */
export function createNameFinder<Value>(exact: ReadonlyMap<string, Value>): (name: string) => Value | null {
  let loose: ReadonlyMap<string, Value | null> | null = null;
  return (name) => exact.get(name) ?? (loose ??= indexLoosely(exact)).get(toLooseKey(name)) ?? null;
}

/** Null for a key of several values: choosing one would be a guess. */
function indexLoosely<Value>(exact: ReadonlyMap<string, Value>): ReadonlyMap<string, Value | null> {
  const loose = new Map<string, Value | null>();
  for (const [name, value] of exact) {
    const key = toLooseKey(name);
    const present = loose.get(key);
    loose.set(key, present === undefined || present === value ? value : null);
  }
  return loose;
}

/** Cleans a tool's name that a model wrote into one word. It may match no tool. */
export function cleanName(written: string): string {
  return written.replace(/[^\w.-]+/g, "_").slice(0, MAX_NAME_CHARACTERS);
}

/** Cuts a name, and ends it with the first ten hex digits of the SHA-1 of `whole`, which tells it from others. */
export async function cutName(name: string, whole: string): Promise<string> {
  return `${name.slice(0, CUT_AT)}_${await shortHash(whole)}`;
}

/** Returns the first ten hex digits of the SHA-1 of a text. */
export async function shortHash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text)));
  return toHex(digest).slice(0, HASH_DIGITS);
}
