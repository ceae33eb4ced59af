/** The catalogue of apps: what outside products offer, and which of them are connected. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { CatalogueStats } from "../../api/types.generated.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { More } from "../../ui/more.tsx";
import { Empty, Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { AppList } from "./app-list.tsx";
import { integrationsQuery, statsQuery, useApps, workspaceQuery } from "./app-queries.ts";
import { matchApps } from "./app-words.ts";
import { type AppsSearch, readAppsSearch } from "./apps-search.ts";
import { IntegrationsNotice } from "./integrations-notice.tsx";
import { ProviderKey } from "./provider-key.tsx";
import { SyncButton } from "./sync-button.tsx";

export function AppsPage() {
  const filter = useSearch({ from: "/console/apps" });
  const { data: stats, error, refetch } = useQuery(statsQuery);
  return (
    <Page title="Apps" lead="Outside products, and what their actions do.">
      <IntegrationsNotice />
      {error !== null && stats === undefined ? (
        <ProblemNotice error={error} doing="Couldn't load the apps" onRetry={() => void refetch()} />
      ) : null}
      {stats === undefined ? null : <Filters filter={filter} stats={stats} />}
      <YourApps filter={filter} />
      {stats === undefined ? null : <AllApps filter={filter} isSynced={stats.last_synced !== null} />}
      {stats === undefined && error === null ? <Skeleton rows={8} height="h-24" label="Loading the apps" /> : null}
      <ProviderKey />
    </Page>
  );
}

interface FilterProps {
  readonly filter: AppsSearch;
}

function Filters({ filter, stats }: FilterProps & { readonly stats: CatalogueStats }) {
  const { search = "", category = "" } = filter;
  const navigate = useNavigate();
  const onSearch = useCallback(
    (next: string) => void navigate({ to: "/apps", search: readAppsSearch({ search: next, category }), replace: true }),
    [navigate, category],
  );
  const known = stats.categories.map((one) => one.category);
  return (
    <div className="flex flex-wrap items-end gap-2">
      <div className="flex min-w-0 flex-1 basis-72">
        <SearchBox label="Search apps" value={search} onSearch={onSearch} />
      </div>
      <SelectField
        label="Category"
        hidesLabel
        className="w-full sm:w-56"
        value={category}
        onChange={({ target }) =>
          void navigate({ to: "/apps", search: readAppsSearch({ search, category: target.value }) })
        }
      >
        <option value="">All categories</option>
        {/* One of an address may be gone. */}
        {category === "" || known.includes(category) ? null : <option value={category}>{category}</option>}
        {stats.categories.map(({ category: name, apps }) => (
          <option key={name} value={name}>
            {`${name} (${apps})`}
          </option>
        ))}
      </SelectField>
    </div>
  );
}

/** Connected apps come first, and those that have to be connected again. */
function YourApps({ filter }: FilterProps) {
  const { data = [] } = useQuery(workspaceQuery);
  const apps = matchApps(data, filter);
  if (apps.length === 0) return null;
  return (
    <Section title="Your apps">
      <AppList apps={apps} label="Your apps" />
    </Section>
  );
}

function AllApps({ filter, isSynced }: FilterProps & { readonly isSynced: boolean }) {
  const { rows, total, isLoading, error, retry, more } = useApps(filter);
  const isFiltered = filter.search !== undefined || filter.category !== undefined;
  if (isLoading) return <Skeleton rows={8} height="h-24" label="Loading the apps" />;
  if (error !== null && rows.length === 0)
    return <ProblemNotice error={error} doing="Couldn't load the apps" onRetry={retry} />;
  if (rows.length === 0) return isFiltered ? <NoMatch /> : <NoApps isSynced={isSynced} />;
  return (
    <Section title={isFiltered ? "Matching apps" : "All apps"}>
      {isSynced ? null : <NotSynced />}
      <p role="status" className="text-sm text-quiet">
        {total === 1 ? "1 app" : `${total.toLocaleString("en")} apps`}
      </p>
      <AppList apps={rows} label="Apps of the catalogue" />
      <More {...more} />
    </Section>
  );
}

/** The directory is listed without a sync. */
function NotSynced() {
  const { data: integrations } = useQuery(integrationsQuery);
  if (integrations === undefined || integrations.status === "integrations_unavailable") return null;
  return (
    <Notice title="The apps by Composio are missing" action={<SyncButton kind="full">Sync the catalogue</SyncButton>}>
      No sync has run yet. Ask an administrator to sync the catalogue.
    </Notice>
  );
}

function NoMatch() {
  return (
    <Empty
      title="No matching apps"
      action={
        <Link to="/apps" className={buttonClasses()}>
          Show all apps
        </Link>
      }
    >
      Use other words, or search all categories.
    </Empty>
  );
}

function NoApps({ isSynced }: { readonly isSynced: boolean }) {
  const { data: integrations } = useQuery(integrationsQuery);
  const isOff = integrations?.status === "integrations_unavailable";
  return (
    <Empty title="The catalogue is empty" action={<SyncButton kind="full">Sync the catalogue</SyncButton>}>
      {isOff
        ? "Ask an administrator to save a Composio key below, or the operator to set COMPOSIO_API_KEY. Then sync the catalogue."
        : isSynced
          ? "The last sync found no apps. Ask an administrator to sync the catalogue again."
          : "No sync has run yet. Ask an administrator to sync the catalogue."}
    </Empty>
  );
}
