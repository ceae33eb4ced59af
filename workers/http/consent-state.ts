/**
 * Seals the state that travels with a browser to an outside service and back: only this Worker can create and read
 * it.
 */
import type { Env } from "../../adapters/env/bindings.ts";
import { sealingFromEnv } from "../../adapters/env/secrets.ts";
import { fromBase64Url, toBase64Url } from "../../core/base/base64.ts";

/** `context` is the purpose of the state. A state of another purpose does not open. */
export async function sealState(env: Env, context: string, state: object): Promise<string> {
  const sealed = await sealingFromEnv(env).seal(new TextEncoder().encode(JSON.stringify(state)), context);
  return toBase64Url(sealed);
}

/** Returns null for a state that this Worker did not create. */
export async function openState<T>(env: Env, context: string, text: string): Promise<T | null> {
  try {
    const opened = await sealingFromEnv(env).open(fromBase64Url(text), context);
    return JSON.parse(new TextDecoder().decode(opened)) as T;
  } catch {
    return null;
  }
}
