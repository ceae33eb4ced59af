import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Env } from "../../../adapters/env/bindings.ts";
import { publicUrlFromEnv } from "../../../adapters/env/deployment.ts";
import { mailFromEnv, readMailSettings } from "../../../adapters/env/mail.ts";
import { embedderFromEnv, memoryFromEnv } from "../../../adapters/env/memory.ts";
import { modelFromEnv } from "../../../adapters/env/model.ts";
import { sealingFromEnv } from "../../../adapters/env/secrets.ts";
import { settingsFromEnv } from "../../../adapters/env/settings.ts";
import { readEgressAllow, userAgentFromEnv } from "../../../adapters/env/egress.ts";

const OF_ENV: Readonly<Record<string, (env: Env) => unknown>> = {
  settingsFromEnv,
  sealingFromEnv,
  readEgressAllow,
  userAgentFromEnv,
  publicUrlFromEnv,
  readMailSettings,
  mailFromEnv,
  embedderFromEnv,
  memoryFromEnv,
  modelFromEnv,
};

/** An environment that counts how often a variable is read. */
function countingEnv(): { readonly counted: Env; readonly reads: () => number } {
  let reads = 0;
  const counted = new Proxy<Env>(
    { ...env },
    {
      get(target, name) {
        reads += 1;
        return Reflect.get(target, name) as unknown;
      },
    },
  );
  return { counted, reads: () => reads };
}

test.each(Object.entries(OF_ENV))("%s is built once for each environment", (_, build) => {
  const { counted, reads } = countingEnv();
  const first = build(counted);
  const before = reads();
  expect(before).toBeGreaterThan(0);
  expect(build(counted)).toBe(first);
  expect(reads()).toBe(before);
  const other = countingEnv();
  build(other.counted);
  expect(other.reads()).toBeGreaterThan(0);
});

test("a wrong setting is refused each time, and not remembered for another environment", () => {
  const wrong = { ...env, OTTO_PUBLIC_URL: "nonsense" };
  for (let time = 0; time < 2; time += 1) expect(() => publicUrlFromEnv(wrong)).toThrow("OTTO_PUBLIC_URL");
  expect(publicUrlFromEnv({ ...wrong, OTTO_PUBLIC_URL: "https://otto.example" })).toBe("https://otto.example");
});
