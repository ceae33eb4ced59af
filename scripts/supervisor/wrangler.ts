/** How wrangler is called. */
import { createRequire } from "node:module";

/** The script of wrangler's command line: the main file of its package. */
export function wranglerScript(): string {
  return createRequire(import.meta.url).resolve("wrangler");
}

/** Wrangler neither reports home nor asks whether there is a newer one. */
export const WRANGLER_ENV = { WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", CI: "true", NO_COLOR: "1" };
