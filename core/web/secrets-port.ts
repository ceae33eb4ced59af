/** The port to the secrets of a tenant: what the egress module fills in, and searches replies for. */
import type { Result } from "../errors.ts";

/** A secret with its value, for the egress module alone. `value` null: it does not open with the present key. */
export interface TenantSecret {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly value: string | null;
  /** The methods of requests that may carry it; all of them when absent. */
  readonly methods?: readonly string[];
  /** Why the user of these secrets may not have it filled in; absent when it may. Replies are searched for it all the same. */
  readonly refusal?: string;
}

/** The secrets of one tenant, as one user may have them filled in. It is in no tool's context. Never throws. */
export interface SecretsPort {
  /**
   * All of them, as they were `maxAgeMs` ago or later. Where the database does not give them within `patienceMs`, older
   * ones will do for some minutes; without any it fails, and is not asked again by the next ones for a while.
   */
  all(maxAgeMs: number, patienceMs: number): Promise<Result<readonly TenantSecret[]>>;
  /**
   * The names of the secrets that are bound to the calling agent itself. Opens no value. From a list that is at most a minute old;
   * empty while it cannot be read.
   */
  boundToAgent(): Promise<ReadonlySet<string>>;
}
