/** A search engine of the web. */
import type { Result } from "../base/errors.ts";

/** A search of the web. */
export interface SearchRequest {
  readonly query: string;
  readonly maxResults: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A search result as plain text. `url` is http or https. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/**
 * A search engine. Failures: `not_available` (none is configured; the message says how), `rate_limited`, `timeout`,
 * `upstream_failed`. Never throws.
 */
export interface SearchPort {
  search(request: SearchRequest): Promise<Result<readonly SearchHit[]>>;
}
