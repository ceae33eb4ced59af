/** Calls of actions through the accounts of one tenant, for tools alone. */
import type { Account } from "../connections/account.ts";
import type { Failure, Result } from "../base/errors.ts";
import type { AppCall, AppLookup, AppProbe, AppReply } from "./apps.ts";

/** The account that its stage chose; null for an app that needs none. */
interface ThroughAccount {
  readonly account: Account | null;
}

/** A call with its account. */
export type AppRequest = Omit<AppCall, "account"> & ThroughAccount;

/** A call whose reply was lost, with its account. */
export type AppLookupRequest = Omit<AppLookup, "account"> & ThroughAccount;

/**
 * Fails like `AppsPort` of `apps.ts`, and with `not_available` without a provider. A call whose account has ended fails with
 * the cause `connection_ended`, and nothing was sent.
 */
export interface AppCallsPort {
  execute(request: AppRequest): Promise<Result<AppReply>>;
  probe(request: AppLookupRequest): Promise<Result<AppProbe>>;
}

/** What the log has of a call. Never its arguments or its result. */
export interface AppCallLine {
  readonly app: string;
  readonly action: string;
  readonly did: "execute" | "look_up";
  /** `con_…`; null for an app that needs none. */
  readonly account: string | null;
  /** For a look-up: of the latest attempt. */
  readonly request_id: string;
  /** The entry in the provider's log, if it named one. */
  readonly log_id: string | null;
  readonly ms: number;
  readonly outcome: "happened" | "not_happened" | "unknown";
  /** The code of a failure. */
  readonly code?: Failure["code"];
}
