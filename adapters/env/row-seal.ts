/** Seals values of a tenant's rows. */
import type { Env } from "./bindings.ts";
import { resealFromEnv, sealingFromEnv } from "./secrets.ts";
import { openRowSeal } from "../connections/row-seal.ts";
import type { RowSeal } from "../../core/ports/sealed-values.ts";

export function rowSealFromEnv(env: Env, tenant: string): RowSeal {
  return openRowSeal({ tenant, sealing: sealingFromEnv(env), reseal: resealFromEnv(env) });
}
