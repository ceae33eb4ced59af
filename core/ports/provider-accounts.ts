/** The ids of accounts whose tokens their provider stores. */
import type { Result } from "../base/errors.ts";
import type { Account } from "../connections/account.ts";
import type { AppAccount } from "./apps.ts";

export interface ProviderAccounts {
  /**
   * What the provider calls an account and its owner. Fails with the cause `connection_ended` once the connection has
   * ended, `conflict` after another consent, and with `retry: "later"` while it cannot be read.
   */
  find(account: Account): Promise<Result<AppAccount>>;
}
