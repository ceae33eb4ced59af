/** The port to the secrets of a tenant. The egress module fills them in and searches replies for them. */
import type { Result } from "../base/errors.ts";

/** A secret with its value, for the egress module alone. `value` null: it does not open with the present key. */
export interface TenantSecret {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly value: string | null;
  /** The methods of requests that may carry it; all of them when absent. */
  readonly methods?: readonly string[];
  /** Why the user may not use this secret; absent when it may. Replies are searched for it in both cases. */
  readonly refusal?: string;
}

/** The secrets of one tenant for one user. No tool's context has this port. Never throws. */
export interface SecretsPort {
  /**
   * Returns all secrets, from a list at most `maxAgeMs` old. If the database does not answer within `patienceMs`, an older
   * list serves for ten minutes. Without one the call fails, and the next calls fail for five seconds without asking the
   * database.
   */
  all(maxAgeMs: number, patienceMs: number): Promise<Result<readonly TenantSecret[]>>;
  /**
   * The names of the secrets that are bound to the calling agent itself. Opens no value. From a list that is at most a minute old;
   * empty while it cannot be read.
   */
  boundToAgent(): Promise<ReadonlySet<string>>;
}
