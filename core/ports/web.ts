/** Requests of tools to the world. */
import type { Result } from "../base/errors.ts";

/**
 * A request that a tool makes to the world. References to the tenant's secrets, `{{secret.NAME}}`, may stand in the path
 * and query of the URL, in the values of headers and in a body that is text.
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
  /** Hosts that may be reached, as `core/web/host-pattern.ts` reads them; `*` is any public host, null none but what the operator opened. */
  readonly allowedDomains: readonly string[] | null;
  readonly signal: AbortSignal;
}

/** References to secrets are filled in in `secretHeaders` only: what else it says may be a stranger's or a model's word. */
export interface WebStreamRequest extends WebRequest {
  readonly secretHeaders?: WebRequest["headers"];
}

/** What came back. `body` is cut at `maxBytes` and `truncated` says so. */
export interface WebResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  readonly truncated: boolean;
  /** After redirects. */
  readonly url: string;
  readonly durationMs: number;
}

/**
 * The one way out: every URL of a tenant or a model goes through it. Failures: `blocked_by_policy` (nothing was sent),
 * `not_found` (a secret), `invalid_input`, `timeout`, `upstream_failed`; `happened` is "no" when the request surely
 * never left. No reply and no message holds the value of a secret: the reference stands in its place.
 */
export interface WebPort {
  request(request: WebRequest): Promise<Result<WebResponse>>;
  /**
   * Hands the reply over as soon as its headers are there. Redirects are handed back, whatever `followRedirects` says. The
   * body fails when the time is over, when `signal` is aborted, and after `maxBytes`; cancelling it gives the request up.
   */
  open(request: WebStreamRequest): Promise<Result<WebStream>>;
}

/** A reply whose body is still coming. */
export interface WebStream {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ReadableStream<Uint8Array>;
}
