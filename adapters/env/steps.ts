/** The step runner, and whether model phases may start. */
import type { Env } from "./bindings.ts";
import { systemClock } from "./clock.ts";
import { settingsFromEnv } from "./settings.ts";
import { Drain } from "../files/drain.ts";
import type { StepsRpc } from "../../core/steps/rpc.ts";

/** The step runner. */
export function stepsFromEnv(env: Env): StepsRpc {
  return env.STEPS as unknown as StepsRpc;
}

/** How long no model phase may start, in ms; 0 if one may. Only a deployed system drains. */
export async function drainLeftFromEnv(env: Env): Promise<number> {
  if (settingsFromEnv(env).mode !== "production") return 0;
  const drain = drains.get(env) ?? new Drain(env.FILES, systemClock);
  drains.set(env, drain);
  return await drain.leftMs();
}

/** The drain state of this isolate. */
const drains = new WeakMap<Env, Drain>();
