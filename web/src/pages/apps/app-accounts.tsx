/** The accounts of one app that the reader sees, and connecting, reconnecting and disconnecting them. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plug } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { sessionQuery } from "../../api/session.ts";
import type { ConnectableApp, Connection, MarketplaceApp, NewConnectionInput } from "../../api/types.generated.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { openWindow } from "../../ui/new-window.ts";
import { Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { ChangeDialog } from "../connections/change-dialog.tsx";
import { type Link as ConnectLink, SIGN_IN_MS, useConnecting } from "../connections/connection-queries.ts";
import { ConnectionTable } from "../connections/connection-table.tsx";
import { type Begun, isConnected, type Reader, reconnectionOf, rowOf } from "../connections/connection-words.ts";
import { DisconnectDialog } from "../connections/disconnect-dialog.tsx";
import { SignInNotice } from "../connections/sign-in-notice.tsx";
import { accountsQuery, integrationsQuery, marketplaceKey } from "./app-queries.ts";
import { findConnectableOwners, needsReconnect } from "./app-words.ts";

interface AppProps {
  readonly app: MarketplaceApp;
}

export function AppAccounts({ app }: AppProps) {
  const { data: session } = useQuery(sessionQuery);
  if (app.auth_schemes.length === 0 || session == null) return null;
  const reader = { person: session.person?.id ?? null, isAdmin: session.scopes.includes("admin") };
  return <Accounts app={app} reader={reader} />;
}

function Accounts({ app, reader }: AppProps & { readonly reader: Reader }) {
  const { person } = reader;
  const [begun, setBegun] = useState<(Begun & { readonly link: ConnectLink }) | null>(null);
  const [changing, setChanging] = useState<Connection | null>(null);
  const [ending, setEnding] = useState<Connection | null>(null);
  const isWaiting = (rows: readonly Connection[]): boolean =>
    (begun !== null && !isConnected(rows, begun, person)) || rows.some(({ status }) => status === "pending");
  const { data, error, refetch } = useQuery({
    ...accountsQuery(app, person === null),
    refetchInterval: ({ state }) => (isWaiting(state.data ?? []) ? SIGN_IN_MS : false),
  });
  useFreshState(data);
  // Once: an account that is disconnected later is not being connected.
  if (begun !== null && data !== undefined && isConnected(data, begun, person)) setBegun(null);
  const connecting = useConnecting((request, link) =>
    setBegun({ request, link, before: rowOf(data ?? [], request, person)?.updated_at ?? null }),
  );
  const connect = (request: NewConnectionInput): void => connecting.mutate({ request, opened: openWindow() });
  const apps: readonly ConnectableApp[] = [
    {
      app: app.app_name,
      title: app.display_name,
      provider: app.provider,
      owners: app.directory === null ? ["me", "shared"] : ["me"],
    },
  ];
  return (
    <Section
      title="Accounts"
      actions={
        <span className="flex flex-wrap gap-2">
          <ConnectButtons app={app} reader={reader} rows={data} isBusy={connecting.isPending} onConnect={connect} />
          <Link to="/connections" className={buttonClasses("plain", "small")}>
            Connections
          </Link>
        </span>
      }
    >
      {begun === null ? null : (
        <SignInNotice title={app.display_name} link={begun.link} onClose={() => setBegun(null)} />
      )}
      {connecting.isError ? <ProblemNotice error={connecting.error} doing="Couldn't connect" /> : null}
      {needsReconnect(app) ? (
        <Notice tone="warn" title="Calls of this app fail until an account is connected again." />
      ) : null}
      {data !== undefined && data.length > 0 ? (
        <ConnectionTable
          caption="Accounts of this app"
          rows={data}
          apps={apps}
          reader={reader}
          onReconnect={(row) => connect(reconnectionOf(row))}
          onChange={setChanging}
          onEnd={setEnding}
        />
      ) : data !== undefined ? (
        <p className="text-quiet">No account of this app is connected.</p>
      ) : error === null ? (
        <Skeleton rows={1} label="Loading the accounts" />
      ) : (
        <ProblemNotice error={error} doing="Couldn't load the accounts" onRetry={() => void refetch()} />
      )}
      <ChangeDialog connection={changing} onClose={() => setChanging(null)} />
      <DisconnectDialog connection={ending} title={app.display_name} onClose={() => setEnding(null)} />
    </Section>
  );
}

/** Reads the state of the app again when one of its accounts changed. */
function useFreshState(rows: readonly Connection[] | undefined): void {
  const queries = useQueryClient();
  const states = rows?.map(({ id, status }) => `${id} ${status}`).join("\n");
  const last = useRef(states);
  useEffect(() => {
    const before = last.current;
    last.current = states;
    if (before !== undefined && before !== states) void queries.invalidateQueries({ queryKey: marketplaceKey });
  }, [states, queries]);
}

interface ConnectButtonsProps extends AppProps {
  readonly reader: Reader;
  /** Undefined while they are being read. */
  readonly rows: readonly Connection[] | undefined;
  readonly isBusy: boolean;
  readonly onConnect: (request: NewConnectionInput) => void;
}

/** A first account of each owner. The table connects one again, and the page of all connections adds others. */
function ConnectButtons({ app, reader, rows, isBusy, onConnect }: ConnectButtonsProps) {
  const { data: integrations } = useQuery(integrationsQuery);
  if (rows === undefined || integrations === undefined) return null;
  if (integrations.status === "integrations_unavailable" && app.directory === null) return null;
  return findConnectableOwners(rows, reader, app).map((owner) => (
    <Button
      key={owner}
      size="small"
      look={owner === "me" ? "primary" : "plain"}
      isBusy={isBusy}
      icon={<Plug aria-hidden className="size-4" />}
      onClick={() => onConnect({ app: app.app_name, owner })}
    >
      {owner === "me" ? "Connect" : "Connect shared account"}
    </Button>
  ));
}
