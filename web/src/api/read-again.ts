/** Reading again what may be old. */
import type { InvalidateQueryFilters, Query, QueryClient } from "@tanstack/react-query";

/**
 * Re-reads the matching queries. A first read under way is not restarted; its answer may be older than the change, so it is
 * read once more when it has ended.
 */
export async function readAgain(queries: QueryClient, filters: InvalidateQueryFilters = {}): Promise<void> {
  const first = new Set<Query>(queries.getQueryCache().findAll(filters).filter(isFirstRead));
  await queries.invalidateQueries(filters);
  if (first.size > 0) await queries.invalidateQueries({ ...filters, predicate: (query) => first.has(query) });
}

function isFirstRead({ state: { data, fetchStatus } }: Query): boolean {
  return data === undefined && fetchStatus !== "idle";
}
