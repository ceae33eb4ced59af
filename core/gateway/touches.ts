/** Finds the resources that a call touches: as its tool declares, else by the tool's ports and the effect class. */
import type { ToolPorts } from "../ports/tool-ports.ts";
import type { EffectClass, Tool, Touch } from "../tool/tool.ts";

/** The resource behind a port, for tools that declare nothing. A program may write any file, of any class. */
const BEHIND_PORT: { readonly [Port in keyof ToolPorts]?: (effect: EffectClass) => Touch } = {
  files: (effect) => ({ resource: "files", mode: modeOf(effect) }),
  memory: (effect) => ({ resource: "memory", mode: modeOf(effect) }),
  scripts: () => ({ resource: "files", mode: "write" }),
};

/** Returns the resources that the call touches. `given` are its checked arguments. */
export function findTouches(
  tool: Pick<Tool, "needs" | "touches">,
  given: unknown,
  effect: EffectClass,
): readonly Touch[] {
  // The schema of this very tool produced the value, so it is what the tool's functions take.
  if (tool.touches !== undefined) return tool.touches(given as never, effect);
  const touches = new Map<string, Touch>();
  for (const need of tool.needs) {
    const touch = BEHIND_PORT[need]?.(effect);
    if (touch !== undefined && touches.get(touch.resource)?.mode !== "write") touches.set(touch.resource, touch);
  }
  return [...touches.values()];
}

/** The mode in which a call of this class touches its resource. */
export function modeOf(effect: EffectClass): Touch["mode"] {
  return effect === "none" ? "read" : "write";
}
