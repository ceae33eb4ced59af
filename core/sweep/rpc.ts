/** The RPC from the sweep to other invocations of the Worker. */

export interface TenantTask {
  readonly tenant: string;
  readonly task: string;
}

export interface SweepRpc {
  /** Wakes at most `PART_SIZE` tasks whose alarm may be lost. One that fails does not affect the others. */
  wakeTasks(tasks: readonly TenantTask[]): Promise<void>;
}
