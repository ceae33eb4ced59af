/**
 * The order of calls that share a resource. Calls of one batch that touch the same resource run in the order in which the
 * model wrote them as soon as one of them writes; others may run together. Only earlier calls hold up later ones, so no
 * two calls wait for each other.
 */
import type { Touch } from "./tool.ts";

/** A call and the resources that it touches. Absent: it shares no resource. */
export interface OrderedCall {
  readonly touches?: readonly Touch[];
}

/** The resources that open calls hold, each with its strongest mode: write over read. */
export class HeldResources {
  private readonly modes = new Map<string, Touch["mode"]>();

  /** True when the call touches a held resource and one of the two writes it. */
  blocks({ touches = [] }: OrderedCall): boolean {
    return touches.some(({ resource, mode }) => {
      const held = this.modes.get(resource);
      return held !== undefined && (held === "write" || mode === "write");
    });
  }

  /** Later calls wait for this one. */
  add({ touches = [] }: OrderedCall): void {
    for (const { resource, mode } of touches) {
      if (this.modes.get(resource) !== "write") this.modes.set(resource, mode);
    }
  }
}

/** Returns the open calls that no earlier call blocks, in order. Linear. */
export function findUnblocked<Call extends OrderedCall>(open: readonly Call[]): Call[] {
  const held = new HeldResources();
  return open.filter((call) => {
    const isFree = !held.blocks(call);
    held.add(call);
    return isFree;
  });
}
