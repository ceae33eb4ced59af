/** The engine of regular expressions. */
import type { Env } from "./bindings.ts";
import { linearPatterns } from "../re2/patterns.ts";
import type { PatternsPort } from "../../core/lib/patterns.ts";

/** The engine for regular expressions of tenants and models. */
export function patternsFromEnv(_env: Env): PatternsPort {
  return linearPatterns;
}
