/** What travels with a browser to an outside party and back, sealed: only this Worker can make one, and only it reads it. */
import type { Env } from "../../adapters/env/bindings.ts";
import { sealingFromEnv } from "../../adapters/env/secrets.ts";
import { fromBase64Url, toBase64Url } from "../../core/base/base64.ts";

/** `context` says what the state is of: one of another does not open. */
export async function sealState(env: Env, context: string, state: object): Promise<string> {
  const sealed = await sealingFromEnv(env).seal(new TextEncoder().encode(JSON.stringify(state)), context);
  return toBase64Url(sealed);
}

/** Null for what this Worker did not make. */
export async function openState<T>(env: Env, context: string, text: string): Promise<T | null> {
  try {
    const opened = await sealingFromEnv(env).open(fromBase64Url(text), context);
    return JSON.parse(new TextDecoder().decode(opened)) as T;
  } catch {
    return null;
  }
}
