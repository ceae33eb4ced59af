/**
 * The names that a model sees. Providers take `[a-zA-Z0-9_-]{1,64}`: dots become underscores; a name that is too long or
 * collides is cut and gets the first ten hex digits of its SHA-1 (document 002).
 */
import { toHex } from "../base/hex.ts";
import type { Tool } from "../tool/tool.ts";

const LONGEST = 64;
const HASH_DIGITS = 10;
/** Characters of a name that a model wrote. Names of tools are at most this long, or the model is shown a shorter one. */
const MAX_WRITTEN = 128;

/** The model's name of every tool, by the tool's own name. Tools come in a stable order, so names do not move. */
export async function modelNames(tools: readonly Pick<Tool, "name">[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { name } of tools) {
    const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_");
    const fits = plain.length <= LONGEST && !taken.has(plain);
    const shown = fits ? plain : `${plain.slice(0, LONGEST - HASH_DIGITS - 1)}_${await shortHash(name)}`;
    taken.add(shown);
    names.set(name, shown);
  }
  return names;
}

/** A tool's name as a model wrote it, as one word. It may be no tool's name, and any text at all. */
export function cleanName(written: string): string {
  return written.replace(/[^\w.-]+/g, "_").slice(0, MAX_WRITTEN);
}

/** The first ten hex digits of the SHA-1 of a text. */
export async function shortHash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text)));
  return toHex(digest).slice(0, HASH_DIGITS);
}
