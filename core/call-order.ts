/**
 * The order of calls that share a resource. Calls of one batch that touch the same resource run in the order in which the
 * model wrote them as soon as one of them writes; others may run together. A subtask may write any file, so a call that names
 * files follows the subtasks before it; subtasks run together. Only earlier calls hold up later ones, so no two calls wait
 * for each other.
 */
import type { Touch } from "./tool.ts";

/** A call and the resources that it touches. Absent: it shares no resource. */
export interface OrderedCall {
  readonly touches?: readonly Touch[];
  /** True for a call that dispatches a subtask. */
  readonly dispatches?: boolean;
  /** True for a call that names files, or gives a program files. */
  readonly namesFiles?: boolean;
}

/** The resources that open calls hold, each with its strongest mode: write over read. */
export class HeldResources {
  private readonly modes = new Map<string, Touch["mode"]>();
  private hasSubtask = false;

  /** True when the call touches a held resource and one of the two writes it, or names files while a subtask is open. */
  blocks({ touches = [], namesFiles }: OrderedCall): boolean {
    if (this.hasSubtask && namesFiles === true) return true;
    return touches.some(({ resource, mode }) => {
      const held = this.modes.get(resource);
      return held !== undefined && (held === "write" || mode === "write");
    });
  }

  /** Later calls wait for this one. */
  add({ touches = [], dispatches }: OrderedCall): void {
    this.hasSubtask ||= dispatches === true;
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
