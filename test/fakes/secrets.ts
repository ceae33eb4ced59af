/** Fake secrets of a tenant. A test changes them through the list that it passes. */
import { failed, ok } from "../../core/base/errors.ts";
import type { SecretsPort, TenantSecret } from "../../core/ports/secrets.ts";

/**
 * `bound` are the names that are bound to the calling agent. `isAway` is called at each reading; true makes it fail, as without a database
 * and a cached list.
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
