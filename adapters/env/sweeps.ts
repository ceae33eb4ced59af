/** Invocations of this Worker that run parts of the sweep. */
import type { Env } from "./bindings.ts";
import type { SweepRpc } from "../../core/sweep/rpc.ts";

export function sweepsFromEnv(env: Env): SweepRpc {
  return env.SWEEPS as unknown as SweepRpc;
}
