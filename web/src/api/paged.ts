/** Lists that come in pages, by cursor. */
import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";

interface RowPage<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

/** A longer list is not refreshed automatically: each refresh would read all of it. */
const MAX_READ_AGAIN = 200;

/**
 * All rows that were read so far, and the way to more. `read` is given the cursor of the next page, none for the first.
 * `readAgainMs` gives the refresh interval for the rows; false: no automatic refresh. A read that is under way then continues.
 */
export function usePaged<Row>(
  queryKey: QueryKey,
  read: (cursor?: string) => Promise<RowPage<Row>>,
  readAgainMs: (rows: readonly Row[]) => number | false = () => false,
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam }) => await read(pageParam ?? undefined),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: ({ state }) => {
      const rows = state.data?.pages.flatMap(({ data }) => data) ?? [];
      return rows.length > MAX_READ_AGAIN ? false : readAgainMs(rows);
    },
  });
  const rows = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return {
    rows,
    isLoading: query.isPending,
    error: query.error,
    retry: () => void query.refetch(),
    more: {
      shown: rows.length,
      hasMore: query.hasNextPage,
      isBusy: query.isFetchingNextPage,
      onMore: () => void query.fetchNextPage(),
    },
  };
}
