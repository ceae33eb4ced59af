/** What every Miniflare of the bench has. The date: the rules that the Worker has, so that what it is compared with runs by the same. */
import { readFileSync } from "node:fs";

export function readCompatibilityDate(): string {
  const text = readFileSync(new URL("../../wrangler.toml", import.meta.url), "utf8");
  const date = /^compatibility_date = "([\d-]+)"$/m.exec(text)?.[1];
  if (date === undefined) throw new Error("wrangler.toml has no compatibility_date");
  return date;
}

/** What every Miniflare of the bench has: a port of loopback that the system picks, and no request to the internet. */
export const LOOPBACK = { host: "127.0.0.1", port: 0, cf: false, telemetry: { enabled: false } } as const;
