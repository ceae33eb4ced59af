/** Under which key attempts to sign in are counted, by where the system runs. */
import { describe, expect, test } from "vitest";
import type { Env } from "../../../adapters/env/bindings.ts";
import { countSignInFromEnv } from "../../../adapters/env/console.ts";

/** The keys that tries from these claimed addresses are counted under. */
async function keysOf(mode: string, claimed: readonly (string | undefined)[]): Promise<string[]> {
  const keys: string[] = [];
  const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) > 0 });
  const env = { OTTO_MODE: mode, SIGN_INS: { limit } } as unknown as Env;
  for (const address of claimed) await countSignInFromEnv(env, address);
  return keys;
}

describe("a try to sign in", () => {
  test("is counted by the address that Cloudflare saw", async () => {
    expect(await keysOf("production", ["192.0.2.1", "192.0.2.2", undefined])).toEqual(["192.0.2.1", "192.0.2.2", ""]);
  });

  test("is counted with all others where the client itself writes the address", async () => {
    expect(new Set(await keysOf("local", ["192.0.2.1", "192.0.2.2", undefined])).size).toBe(1);
  });
});
