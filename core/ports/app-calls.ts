/** Calls of actions through the accounts of one tenant, for tools alone. */
import type { Account } from "../connections/account.ts";
import type { Result } from "../base/errors.ts";
import type { AppCall, AppProbe, AppReply } from "./apps.ts";

/** A call with the account that the account stage chose; null for an app that needs none. */
export interface AppRequest extends Omit<AppCall, "account"> {
  readonly account: Account | null;
}

/** Fails like `AppsPort` of `apps.ts`; with the cause `connection_ended` if the account cannot be used any more. */
export interface AppCallsPort {
  execute(request: AppRequest): Promise<Result<AppReply>>;
  /** `since`: when the call was to be sent, in milliseconds since the epoch. */
  probe(request: AppRequest, since: number): Promise<Result<AppProbe>>;
}
