/** The patterns of one request. They share a budget, and each is compiled once. */
import { patternsFromEnv } from "../../adapters/env/patterns.ts";
import { limitPatterns, PatternBudget } from "../../core/lib/json-schema/limit-patterns.ts";
import type { AppContext, RequestPatterns } from "./context.ts";

/** Maximum work to compile them, in units of about a microsecond. A tool has two schemas of at most 40,000. */
const MAX_REQUEST_WORK = 100_000;

/** Returns the same patterns for the whole request. */
export function getRequestPatterns(c: AppContext): RequestPatterns {
  const known = c.get("patterns");
  if (known !== undefined) return known;
  const budget = new PatternBudget(MAX_REQUEST_WORK);
  const made = { budget, patterns: limitPatterns(patternsFromEnv(c.env), budget) };
  c.set("patterns", made);
  return made;
}
