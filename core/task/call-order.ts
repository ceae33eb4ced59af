/**
 * The order of calls that share a resource. Calls of one batch that touch the same resource run in the order in which the
 * model wrote them, unless all of them only read or all of them only add. A call that names files follows every call before
 * it that may change files, and the subtasks, which may write any file; subtasks run together. Only earlier calls hold up
 * later ones, so no two calls wait for each other.
 */
import type { Touch } from "../tool/tool.ts";

/** A call and the resources that it touches. Absent: it shares no resource. */
export interface OrderedCall {
  readonly touches?: readonly Touch[];
  /** True for a call that dispatches a subtask. */
  readonly dispatches?: boolean;
  /** True for a call that names files, or gives a program files. */
  readonly namesFiles?: boolean;
}

/** The resources that open calls hold, each with its one mode, or `write` when they have several. */
export class HeldResources {
  private readonly modes = new Map<string, Touch["mode"]>();
  private hasSubtask = false;

  /** True when the call touches a held resource and the two neither only read nor only add, or names files that may change. */
  blocks({ touches = [], namesFiles }: OrderedCall): boolean {
    if (namesFiles === true && this.mayChangeFiles()) return true;
    return touches.some(({ resource, mode }) => {
      const held = this.modes.get(resource);
      return held !== undefined && (held === "write" || held !== mode);
    });
  }

  private mayChangeFiles(): boolean {
    const held = this.modes.get("files");
    return this.hasSubtask || held === "write" || held === "add";
  }

  /** Later calls wait for this one. */
  add({ touches = [], dispatches }: OrderedCall): void {
    this.hasSubtask ||= dispatches === true;
    for (const { resource, mode } of touches) {
      const held = this.modes.get(resource) ?? mode;
      this.modes.set(resource, held === mode ? mode : "write");
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
