/**
 * Settings and ports that are the same for every request. The runtime gives all handlers, objects and entry points of an
 * isolate one environment, and another one when a binding changes, so a value belongs to its environment.
 */
import type { Env } from "./bindings.ts";

/**
 * Builds a value once for each environment. A build that throws, as for a wrong setting, is repeated. The value must hold
 * nothing of a request: no object's stub, no signal.
 */
export function oncePerEnv<Value>(build: (env: Env) => Value): (env: Env) => Value {
  const built = new WeakMap<Env, { readonly value: Value }>();
  return function getOncePerEnv(env) {
    const known = built.get(env);
    if (known !== undefined) return known.value;
    const value = build(env);
    built.set(env, { value });
    return value;
  };
}
