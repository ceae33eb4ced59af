/** The engine of regular expressions. */
import type { Env } from "./bindings.ts";
import { linearPatterns } from "../re2/patterns.ts";
import type { PatternsPort } from "../../core/lib/patterns.ts";

/** The engine of the regular expressions that tenants and models write. */
export function patternsFromEnv(_env: Env): PatternsPort {
  return linearPatterns;
}
