/** Through which account a call of one tenant acts, and the credential of that account. None of these throws. */
import type { Result } from "../base/errors.ts";
import type { Account, ConnectReason, OwnerRule, ToolApp } from "../connections/account.ts";
import type { Actors } from "../connections/actors.ts";
import type { Chosen } from "../connections/choose-account.ts";
import type { Bearer } from "../connections/tokens.ts";

/** What decides on the account of a call. */
export interface AccountQuestion {
  readonly app: ToolApp;
  readonly actors: Actors;
  readonly rule: OwnerRule;
  /** The agent's `app_config.<app>.connection`. */
  readonly configured: string | null;
  readonly isUnattended: boolean;
}

export interface ConnectionsPort {
  choose(question: AccountQuestion): Promise<Result<Chosen>>;
  /**
   * The same connection as it is now; another `consent` may be another mailbox. `isUnattended`: no person started the
   * task, so its owner has to allow this still. Fails with `retry: "later"` while it cannot be read.
   */
  current(account: Account, isUnattended: boolean): Promise<Result<Account | { readonly needed: ConnectReason }>>;
  /**
   * For the egress module and the MCP client alone. `renew.refused`: the app answered 401 to this value. Fails with the
   * cause `connection_ended` once the access has ended.
   */
  bearer(account: Account, renew?: { readonly refused: string }): Promise<Result<Bearer>>;
  /** The app refused the account twice: the connection expires. `why` is a sentence for people. */
  refused(account: Account, why?: string): Promise<void>;
}
