/** The port to the secrets of a tenant. The egress module fills them in and searches replies for them. */
import type { Result } from "../base/errors.ts";

/** A secret with its value, only for the egress module. `value` is null if the current key cannot decrypt it. */
export interface TenantSecret {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly value: string | null;
  /** The methods of requests that may carry it; all of them when absent. */
  readonly methods?: readonly string[];
  /** Why the user may not use this secret; absent if allowed. Replies are searched for it in both cases. */
  readonly refusal?: string;
}

/** The secrets of one tenant for one user. No tool's context has this port. Never throws. */
export interface SecretsPort {
  /**
   * Returns all secrets, from a list at most `maxAgeMs` old. If the database does not answer within `patienceMs`, an
   * older list is used for ten minutes. Without one the call fails, and further calls fail for five seconds without a
   * query.
   */
  all(maxAgeMs: number, patienceMs: number): Promise<Result<readonly TenantSecret[]>>;
  /**
   * Returns the names of the secrets that are bound to the calling agent, without decrypting values. From a list that
   * is at most a minute old; empty while it cannot be read.
   */
  boundToAgent(): Promise<ReadonlySet<string>>;
}
