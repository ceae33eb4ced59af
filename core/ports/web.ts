/** Requests of tools to the world. */
import type { Result } from "../base/errors.ts";
import type { Account } from "../connections/account.ts";

/**
 * A tool's HTTP request. References to the tenant's secrets, `{{secret.NAME}}`, may be in the path and query of the
 * URL, in the values of headers and in a text body.
 */
export interface WebRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | null;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly followRedirects: boolean;
  /** True: a redirect to another host is returned as the reply, unless an entry of `allowedDomains` names that host. */
  readonly staysOnHost?: boolean;
  /**
   * Hosts that may be reached, in the format of `core/web/host-pattern.ts`; `*` is any public host, null only what the
   * operator opened.
   */
  readonly allowedDomains: readonly string[] | null;
  readonly signal: AbortSignal;
  /**
   * The account through which the request acts. Its credential replaces `{{connection}}` in a header or the query, if
   * header, host and protocol are those of the app. Only the context of a call sets it.
   */
  readonly account?: Account;
}

/** Only references in `secretHeaders` are filled in, also `{{connection}}`: the rest may be a stranger's or a model's text. */
export interface WebStreamRequest extends WebRequest {
  readonly secretHeaders?: WebRequest["headers"];
}

/** A reply. `body` is cut at `maxBytes`, which `truncated` reports. */
export interface WebResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  readonly truncated: boolean;
  /** After redirects. */
  readonly url: string;
  readonly durationMs: number;
  /** Of a large body: frees the memory that is reserved for it. Called when the body is no longer needed. */
  release?(): void;
}

/**
 * The only egress: every URL of a tenant or a model goes through it. Failures: `blocked_by_policy` (nothing was sent),
 * `not_found` (a secret), `invalid_input`, `timeout`, `upstream_failed`; `happened` is "no" when the request was not
 * sent. No reply and no message contains the value of a secret, or the credential of the request's account: its reference
 * replaces it. The cause `connection_ended`: the app refused the account before and after its renewal.
 */
export interface WebPort {
  request(request: WebRequest): Promise<Result<WebResponse>>;
  /**
   * Returns the reply as soon as its headers arrive. Returns redirects even with `followRedirects`. The body fails
   * at the timeout, when `signal` aborts, and after `maxBytes`; cancelling it cancels the request.
   */
  open(request: WebStreamRequest): Promise<Result<WebStream>>;
}

/** A reply with a streamed body. */
export interface WebStream {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ReadableStream<Uint8Array>;
}
