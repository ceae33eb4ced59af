/** A fake search engine: every query finds the same pages. */
import { failed, type Failure, ok } from "../../core/base/errors.ts";
import type { SearchHit, SearchPort } from "../../core/ports/search.ts";

/** Its results or its failure. A cancelled search fails with `timeout`. */
export function fakeSearch(finds: readonly SearchHit[] | Failure = PAGES): SearchPort {
  return {
    search: ({ maxResults, signal }) => {
      if (signal.aborted) return Promise.resolve(failed("timeout", "It did not answer in time."));
      return Promise.resolve("code" in finds ? { ok: false, error: finds } : ok(finds.slice(0, maxResults)));
    },
  };
}

const PAGES: readonly SearchHit[] = Array.from({ length: 30 }, (_, at) => ({
  title: `Page ${at + 1}`,
  url: `https://example.com/${at + 1}`,
  snippet: `What page ${at + 1} says.`,
}));
