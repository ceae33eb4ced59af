/** The runtime's rules that Otto's own Worker has, so that what it is compared with runs by the same. */
import { readFileSync } from "node:fs";

export function readCompatibilityDate(): string {
  const text = readFileSync(new URL("../../wrangler.toml", import.meta.url), "utf8");
  const date = /^compatibility_date = "([\d-]+)"$/m.exec(text)?.[1];
  if (date === undefined) throw new Error("wrangler.toml has no compatibility_date");
  return date;
}
