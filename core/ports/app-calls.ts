/** Calls of actions through the accounts of one tenant, for tools alone. */
import type { Account } from "../connections/account.ts";
import type { Failure, Result } from "../base/errors.ts";
import type { AppCall, AppLookup, AppProbe, AppReply, AppUpload } from "./apps.ts";

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
  /**
   * Uploads a file to the provider for later calls of an action. Nothing is called: `happened` of a failure is `no`, and an upload
   * may be repeated. `blocked_by_policy`: egress may not reach the provider's address.
   */
  upload(file: AppFile): Promise<Result<{ readonly key: string }>>;
  /**
   * Fetches a file of a result, by https unless the operator opened the address. Messages are ends of a sentence and never
   * contain the link. `too_large` beyond `maxBytes`, `blocked_by_policy` for an address that egress may not reach.
   */
  download(wanted: AppFileLink): Promise<Result<AppDownload>>;
}

/** A file for an action. */
export interface AppFile extends Pick<AppUpload, "app" | "action" | "name" | "contentType" | "signal"> {
  /** In bytes. */
  readonly size: number;
  /** Reads it once there is memory for it. */
  read(): Promise<Result<Uint8Array>>;
}

/** The signed link to a file, and its limits. */
export interface AppFileLink {
  readonly url: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface AppDownload {
  readonly bytes: Uint8Array;
  /** As its server states it; null if it does not. */
  readonly contentType: string | null;
  /** Frees the memory of the bytes. */
  release(): void;
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
