/** The catalogue as the pages read it, a part at a time: what was read stays on the page until the next search is there. */
import { keepPreviousData, queryOptions, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import type { AppAction, MarketplaceApp } from "../../api/types.generated.ts";
import { isUnread } from "./app-words.ts";
import type { AppsSearch } from "./apps-search.ts";

/** The most actions that one answer has. */
const ALL_ACTIONS = 20_000;
/** Rows that are read and laid out at once. */
const APPS_AT_ONCE = 60;
const ACTIONS_AT_ONCE = 50;
/** The first read of a server follows its first consent. */
const FIRST_READ_MS = 2_000;
const READS_AT_MOST = 15;
/** The catalogue changes with a sync, which takes a minute. */
const STALE_MS = 60_000;

export const marketplaceKey = ["marketplace"];

export const integrationsQuery = queryOptions({
  queryKey: [...marketplaceKey, "integrations"],
  queryFn: async () => await answered(api.GET("/api/tools/integrations/status")),
  staleTime: STALE_MS,
});

/** For administrators. */
export const providerKeyQuery = queryOptions({
  queryKey: [...marketplaceKey, "provider key"],
  queryFn: async () => await answered(api.GET("/v1/integrations/composio")),
  staleTime: STALE_MS,
});

export const statsQuery = queryOptions({
  queryKey: [...marketplaceKey, "stats"],
  queryFn: async () => await answered(api.GET("/api/tools/stats")),
  staleTime: STALE_MS,
});

/** Apps that are added, or have a connection of the reader or a shared one. */
export const workspaceQuery = queryOptions({
  queryKey: [...marketplaceKey, "workspace"],
  queryFn: async () => (await answered(api.GET("/api/tools/workspace"))).apps,
});

/** An app by its name; null if the catalogue lacks it. Read again while its server is being read for the first time. */
export function appQuery(app: string) {
  return queryOptions({
    queryKey: [...marketplaceKey, "app", app],
    queryFn: async () => {
      const { apps } = await answered(api.GET("/api/tools/marketplace", { params: { query: { app, limit: 1 } } }));
      return apps[0] ?? null;
    },
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data != null && data.is_connected && isUnread(data) && dataUpdateCount < READS_AT_MOST ? FIRST_READ_MS : false,
  });
}

export function triggersQuery(app: string) {
  return queryOptions({
    queryKey: [...marketplaceKey, "triggers", app],
    queryFn: async () => await answered(api.GET("/api/tools/{app}/triggers", { params: { path: { app } } })),
    staleTime: STALE_MS,
  });
}

/**
 * The connections to an app of this provider: an import may have its name. `isShared`: the shared ones alone, for a reader
 * who is no person.
 */
export function accountsQuery(
  { app_name: app, provider }: Pick<MarketplaceApp, "app_name" | "provider">,
  isShared: boolean,
) {
  return queryOptions({
    queryKey: ["connections", "of app", provider, app, isShared],
    queryFn: async () => {
      const query = { app, ...(isShared ? { owner: "shared" as const } : {}) };
      const { data } = await answered(api.GET("/v1/connections", { params: { query } }));
      return data.filter((one) => one.provider === provider);
    },
  });
}

/** The apps that match, and how many they are. */
export function useApps(search: AppsSearch) {
  return useRows<MarketplaceApp>([...marketplaceKey, "apps", search], async (offset) => {
    const query = { ...search, offset, limit: APPS_AT_ONCE };
    const { apps, total_apps: total } = await answered(api.GET("/api/tools/marketplace", { params: { query } }));
    return { rows: apps, total };
  });
}

/** The actions of an app that match. They are read again when their number is another one. */
export function useActions(app: string, search: string, count: number) {
  return useRows<AppAction>([...marketplaceKey, "actions", app, search, count], async (offset) => {
    // One more than is laid out says whether there are more.
    const query = { ...(search === "" ? {} : { search }), offset, limit: ACTIONS_AT_ONCE + 1 };
    const read = await answered(api.GET("/api/tools/{app}/actions", { params: { path: { app }, query } }));
    return { rows: read.slice(0, ACTIONS_AT_ONCE), total: offset + read.length };
  });
}

/** Changes that wait for an administrator. Only for an app that is added. */
export function changesQuery(app: string) {
  return queryOptions({
    queryKey: [...marketplaceKey, "changes", app],
    queryFn: async () => await answered(api.GET("/api/tools/{app}/changes", { params: { path: { app } } })),
    staleTime: STALE_MS,
  });
}

/** What administrators set of actions. Only for an app that is added. */
export function overridesQuery(app: string) {
  return queryOptions({
    queryKey: [...marketplaceKey, "overrides", app],
    queryFn: async () =>
      (await answered(api.GET("/api/tools/{app}/overrides", { params: { path: { app } } }))).overrides,
    staleTime: STALE_MS,
  });
}

/** Actions whose names say that they read; empty for an app with hints. */
export function readingActionsQuery(app: string) {
  return queryOptions({
    queryKey: [...marketplaceKey, "reading actions", app],
    queryFn: async () =>
      (await answered(api.GET("/api/tools/{app}/reading-actions", { params: { path: { app } } }))).actions,
    staleTime: STALE_MS,
  });
}

/** All actions of an app at once, to choose among them. */
export function allActionsQuery(app: string) {
  return queryOptions({
    queryKey: [...marketplaceKey, "all actions", app],
    queryFn: async () =>
      await answered(api.GET("/api/tools/{app}/actions", { params: { path: { app }, query: { limit: ALL_ACTIONS } } })),
    staleTime: STALE_MS,
  });
}

interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** At least one more than the rows so far, if there are more. */
  readonly total: number;
}

function useRows<Row>(queryKey: QueryKey, read: (offset: number) => Promise<RowPage<Row>>) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam }) => await read(pageParam),
    initialPageParam: 0,
    getNextPageParam: (last, all) => {
      const count = all.reduce((sum, { rows }) => sum + rows.length, 0);
      return count < last.total && last.rows.length > 0 ? count : null;
    },
    placeholderData: keepPreviousData,
    staleTime: STALE_MS,
  });
  const pages = query.data?.pages ?? [];
  const rows = pages.flatMap((page) => page.rows);
  return {
    rows,
    total: pages.at(-1)?.total ?? 0,
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
