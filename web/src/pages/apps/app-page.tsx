/** One app: its accounts, its actions with their effect and risk, and its triggers. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { sessionQuery } from "../../api/session.ts";
import type { MarketplaceApp } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Name } from "../../ui/name.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ActionChooser } from "./action-chooser.tsx";
import { ActionList } from "./action-list.tsx";
import { AppAccounts } from "./app-accounts.tsx";
import { AppAgents } from "./app-agents.tsx";
import { appQuery } from "./app-queries.ts";
import { AppOverrides } from "./app-overrides.tsx";
import { ReadingActions } from "./reading-actions.tsx";
import { AppChanges } from "./app-changes.tsx";
import { AppTile } from "./app-tile.tsx";
import { formatProvider, formatSchemes, findStateWording } from "./app-words.ts";
import type { AppSearch } from "./apps-search.ts";
import { IntegrationsNotice } from "./integrations-notice.tsx";
import { TriggerList } from "./trigger-list.tsx";
import { WorkspaceButton } from "./workspace-button.tsx";

export function AppPage() {
  const { app: name } = useParams({ from: "/console/apps/$app" });
  const { data: app, error, refetch } = useQuery(appQuery(name));
  if (app !== undefined && app !== null) return <ShownApp key={app.app_name} app={app} />;
  return (
    <Page title={name}>
      {app === null ? (
        <Empty
          title="App not found"
          action={
            <Link to="/apps" className={buttonClasses("primary")}>
              Back to apps
            </Link>
          }
        >
          The catalogue has no app of this name, or no longer offers it.
        </Empty>
      ) : error === null ? (
        <Skeleton rows={6} label="Loading the app" />
      ) : (
        <ProblemNotice error={error} doing="Couldn't load the app" onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

interface ServerProps {
  readonly app: MarketplaceApp;
  readonly directory: NonNullable<MarketplaceApp["directory"]>;
  readonly isAdmin: boolean;
}

/** Where the server is, and from which document that is known. */
function Server({ app, directory: { url, document, checked_on: checked }, isAdmin }: ServerProps) {
  return (
    <Fact name="Address">
      <span className="[overflow-wrap:anywhere]">
        {isAdmin && app.is_added ? (
          <Link to="/mcp-servers/$name" params={{ name: app.app_name }} className="text-accent underline">
            {url}
          </Link>
        ) : (
          url
        )}
        {", from "}
        <a href={document} target="_blank" rel="noreferrer" className="text-accent underline">
          a public document
        </a>
        {` of ${checked}.${app.is_connected ? "" : " Connecting checks it."}`}
      </span>
    </Fact>
  );
}

function ShownApp({ app }: { readonly app: MarketplaceApp }) {
  const { view } = useSearch({ from: "/console/apps/$app" });
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const isAdmin = session?.scopes.includes("admin") === true;
  const isOfDirectory = app.directory !== null;
  const mayChoose = isAdmin && app.is_added && !isOfDirectory;
  const link = (search: AppSearch) => ({ to: "/apps/$app" as const, params: { app: app.app_name }, search });
  // Next to the state of its accounts, the page says whether the app is added.
  const said = findStateWording({ ...app, is_added: false });
  const tabs = [
    { label: "Actions", link: link({}), isCurrent: view !== "triggers", count: app.action_count },
    { label: "Triggers", link: link({ view: "triggers" }), isCurrent: view === "triggers", count: app.trigger_count },
  ];
  const showsTriggers = view === "triggers" && !isOfDirectory;
  return (
    <Page
      title={app.display_name}
      lead={app.description === "" ? undefined : <Name>{app.description}</Name>}
      actions={
        <>
          <Link to="/apps" className={buttonClasses()}>
            All apps
          </Link>
          {isAdmin ? <WorkspaceButton app={app} /> : null}
        </>
      }
    >
      <Card className="flex gap-4">
        <AppTile title={app.display_name} logo={app.logo_url} />
        <Facts>
          <Fact name="State">{said === null ? "Not connected" : <Badge tone={said.tone}>{said.word}</Badge>}</Fact>
          <Fact name="Workspace">{app.is_added ? "Added" : "Not added: agents cannot use it"}</Fact>
          <Fact name="Account">{formatSchemes(app)}</Fact>
          <Fact name="Provided by">{formatProvider(app)}</Fact>
          {app.directory === null ? null : <Server app={app} directory={app.directory} isAdmin={isAdmin} />}
          <Fact name="Categories">{app.categories.length === 0 ? null : <Name>{app.categories.join(", ")}</Name>}</Fact>
        </Facts>
      </Card>
      <IntegrationsNotice app={app} />
      {mayChoose ? <AppChanges app={app} /> : null}
      {mayChoose ? <ReadingActions app={app} /> : null}
      <AppAccounts app={app} />
      {mayChoose ? <AppAgents app={app} /> : null}
      {mayChoose ? <AppOverrides app={app} /> : null}
      {isOfDirectory ? null : <Tabs label="Parts of the app" tabs={tabs} />}
      {showsTriggers ? (
        <TriggerList app={app} />
      ) : view === "choose" && mayChoose ? (
        <ActionChooser app={app} onClose={() => void navigate(link({}))} />
      ) : (
        <ActionList app={app} mayChoose={mayChoose} />
      )}
    </Page>
  );
}
