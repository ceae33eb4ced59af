/** Secrets of a tenant in memory. Those that are passed stay the fake's own: a test changes them by what it keeps of the list. */
import { failed, ok } from "../../core/base/errors.ts";
import type { SecretsPort, TenantSecret } from "../../core/ports/secrets.ts";

/**
 * `bound` are the names of those that are bound to the calling agent. `isAway` is called at each reading: true makes
 * it fail as without a database and a stored list.
 */
export function fakeSecrets(
  secrets: readonly TenantSecret[] = [],
  isAway: () => boolean = () => false,
  bound: readonly string[] = [],
): SecretsPort {
  return {
    all: () =>
      Promise.resolve(isAway() ? failed("upstream_failed", "They cannot be read.", { retryAfterMs: 1 }) : ok(secrets)),
    boundToAgent: () => Promise.resolve(new Set(bound)),
  };
}
