/** The accounts of one app that the reader sees. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sessionQuery } from "../../api/session.ts";
import type { Connection, MarketplaceApp } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { Name } from "../../ui/name.tsx";
import { Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { STATE_WORDS } from "../connections/connection-words.ts";
import { accountsQuery } from "./app-queries.ts";
import { needsReconnect } from "./app-words.ts";

interface AppProps {
  readonly app: MarketplaceApp;
}

export function AppAccounts({ app }: AppProps) {
  const { data: session } = useQuery(sessionQuery);
  if (app.auth_schemes.length === 0 || session == null) return null;
  return (
    <Section
      title="Accounts"
      actions={
        <Link to="/connections" className={buttonClasses("plain", "small")}>
          Connections
        </Link>
      }
    >
      <Accounts app={app} person={session.person?.id ?? null} />
    </Section>
  );
}

function Accounts({ app, person }: AppProps & { readonly person: string | null }) {
  const { data, error, refetch } = useQuery(accountsQuery(app, person === null));
  if (data === undefined)
    return error === null ? (
      <Skeleton rows={1} label="Loading the accounts" />
    ) : (
      <ProblemNotice error={error} doing="Couldn't load the accounts" onRetry={() => void refetch()} />
    );
  if (data.length === 0) return <p className="text-quiet">No account of this app is connected.</p>;
  return (
    <>
      {needsReconnect(app) ? (
        <Notice tone="warn" title="Calls of this app fail until an account is connected again.">
          Reconnect it under Connections.
        </Notice>
      ) : null}
      <Table caption="Accounts of this app" columns={columnsFor(person)} rows={data} rowKey={({ id }) => id} />
    </>
  );
}

function columnsFor(person: string | null): readonly Column<Connection>[] {
  return [
    { title: "Account", isMain: true, cell: ({ label, alias, app }) => <Name>{label ?? alias ?? app}</Name> },
    {
      title: "Owner",
      cell: ({ owner }) =>
        owner.kind === "shared" ? "Shared" : owner.id === person ? "You" : <Name>{owner.name}</Name>,
    },
    { title: "State", cell: ({ status }) => <Badge>{STATE_WORDS[status]}</Badge> },
    {
      title: "Last used",
      cell: ({ last_used_at: at }) => (at === null ? <span className="text-quiet">Never</span> : <Time at={at} />),
    },
  ];
}
