/** The invocations of this Worker that take parts of the sweep. */
import type { Env } from "./bindings.ts";
import type { SweepRpc } from "../../core/sweep/rpc.ts";

/** The invocations of this Worker that take parts of the sweep. */
export function sweepsFromEnv(env: Env): SweepRpc {
  return env.SWEEPS as unknown as SweepRpc;
}
