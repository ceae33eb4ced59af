/** Finds the resources that a call touches: as its tool declares, else by the tool's ports and the effect class. */
import type { Account } from "../connections/account.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import type { EffectClass, Tool, Touch } from "../tool/tool.ts";

/** The resource of a port, for tools that declare none. A program of any effect class may write any file. */
const PORT_RESOURCES: { readonly [Port in keyof ToolPorts]?: (effect: EffectClass) => Touch } = {
  files: (effect) => ({ resource: "files", mode: getTouchMode(effect) }),
  knowledge: (effect) => ({ resource: "knowledge", mode: getTouchMode(effect) }),
  memory: (effect) => ({ resource: "memory", mode: getTouchMode(effect) }),
  scripts: () => ({ resource: "files", mode: "write" }),
};

/**
 * Returns the resources that the call touches. `given` are its checked arguments. A call through an account touches that
 * in place of the app's server, so two mailboxes are used in parallel, and one in order.
 */
export function findTouches(
  tool: Pick<Tool, "needs" | "touches">,
  given: unknown,
  effect: EffectClass,
  account?: Pick<Account, "connection">,
): readonly Touch[] {
  const touches = findToolTouches(tool, given, effect);
  if (account === undefined) return touches;
  const others = touches.filter(({ resource }) => !resource.startsWith("server:"));
  return [{ resource: `connection:${account.connection}`, mode: getTouchMode(effect) }, ...others];
}

function findToolTouches(tool: Pick<Tool, "needs" | "touches">, given: unknown, effect: EffectClass): readonly Touch[] {
  // This tool's own schema produced the value, so its functions accept it.
  if (tool.touches !== undefined) return tool.touches(given as never, effect);
  const touches = new Map<string, Touch>();
  for (const need of tool.needs) {
    const touch = PORT_RESOURCES[need]?.(effect);
    if (touch !== undefined && touches.get(touch.resource)?.mode !== "write") touches.set(touch.resource, touch);
  }
  return [...touches.values()];
}

/** Returns the mode in which a call of this class touches its resource. */
export function getTouchMode(effect: EffectClass): Touch["mode"] {
  return effect === "none" ? "read" : "write";
}
