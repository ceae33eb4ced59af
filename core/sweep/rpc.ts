/** What the sweep hands to other invocations of the Worker. */

export interface TaskOfTenant {
  readonly tenant: string;
  readonly task: string;
}

export interface SweepRpc {
  /** Wakes tasks whose alarm may be lost, at most `PART_SIZE`. Never fails for one of them. */
  wakeTasks(tasks: readonly TaskOfTenant[]): Promise<void>;
}
