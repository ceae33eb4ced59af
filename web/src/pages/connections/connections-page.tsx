/** The accounts of apps through which tasks act: one's own, the shared ones, and for administrators everyone's. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { Plug } from "lucide-react";
import { useState } from "react";
import { sessionQuery } from "../../api/session.ts";
import type { Connection, ConnectableApp, NewConnectionInput } from "../../api/types.generated.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Name } from "../../ui/name.tsx";
import { openWindow } from "../../ui/new-window.ts";
import { Empty, Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ChangeDialog } from "./change-dialog.tsx";
import { ConnectDialog } from "./connect-dialog.tsx";
import { appsQuery, type Link as ConnectLink, useConnecting, useConnections } from "./connection-queries.ts";
import { ConnectionTable } from "./connection-table.tsx";
import { type Begun, isConnected, ownersFor, type Reader, reconnectionOf, rowOf, titleOf } from "./connection-words.ts";
import { DisconnectDialog } from "./disconnect-dialog.tsx";
import { SignInNotice } from "./sign-in-notice.tsx";

export function ConnectionsPage() {
  const { data: session } = useQuery(sessionQuery);
  if (session == null) return <Page title="Connections">{<Skeleton rows={4} />}</Page>;
  const reader = { person: session.person?.id ?? null, isAdmin: session.scopes.includes("admin") };
  return <Connections reader={reader} />;
}

function Connections({ reader }: { readonly reader: Reader }) {
  const { of } = useSearch({ from: "/console/connections" });
  const isAll = of === "all" && reader.isAdmin;
  const { data: apps = NO_APPS } = useQuery(appsQuery);
  const [begun, setBegun] = useState<(Begun & { readonly link: ConnectLink }) | null>(null);
  const [isAdding, setAdding] = useState<string | null>(null);
  const [changing, setChanging] = useState<Connection | null>(null);
  const [ending, setEnding] = useState<Connection | null>(null);
  const isWaiting = (rows: readonly Connection[]): boolean =>
    begun !== null && !isConnected(rows, begun, reader.person);
  const list = useConnections(
    isAll ? "all" : reader.person === null ? "shared" : undefined,
    (rows) => isWaiting(rows) || rows.some(({ status }) => status === "pending"),
  );
  // Once: an account that is disconnected later is not being connected.
  if (begun !== null && isConnected(list.rows, begun, reader.person)) setBegun(null);
  const connecting = useConnecting((request, link) => {
    setAdding(null);
    setBegun({ request, link, before: rowOf(list.rows, request, reader.person)?.updated_at ?? null });
  });
  const connect = (request: NewConnectionInput): void => connecting.mutate({ request, opened: openWindow() });
  const offered = apps.filter((app) => ownersFor(app, reader).length > 0);
  return (
    <Page
      title="Connections"
      lead="Accounts of other apps through which tasks act: yours for your tasks, shared ones for everyone’s."
      actions={
        offered.length === 0 ? null : (
          <Button
            look="primary"
            icon={<Plug aria-hidden className="size-4" />}
            onClick={() => setAdding(offered[0]?.app ?? null)}
          >
            Connect an account
          </Button>
        )
      }
    >
      {reader.person === null ? <NoPerson /> : null}
      {reader.isAdmin ? <Whose isAll={isAll} /> : null}
      {begun === null ? null : (
        <SignInNotice title={titleOf(apps, begun.request.app)} link={begun.link} onClose={() => setBegun(null)} />
      )}
      {connecting.isError && isAdding === null ? (
        <ProblemNotice error={connecting.error} doing="Couldn't connect" />
      ) : null}
      <Listing list={list} empty={<NoConnections apps={offered} onConnect={setAdding} />}>
        <ConnectionTable
          caption="Connections"
          rows={list.rows}
          apps={apps}
          reader={reader}
          onReconnect={(row) => connect(reconnectionOf(row))}
          onChange={setChanging}
          onEnd={setEnding}
        />
      </Listing>
      <ConnectDialog
        app={isAdding}
        apps={offered}
        reader={reader}
        connecting={connecting}
        onConnect={connect}
        onClose={() => {
          setAdding(null);
          connecting.reset();
        }}
      />
      <ChangeDialog connection={changing} onClose={() => setChanging(null)} />
      <DisconnectDialog
        connection={ending}
        title={ending === null ? "" : titleOf(apps, ending.app)}
        onClose={() => setEnding(null)}
      />
    </Page>
  );
}

const NO_APPS: readonly ConnectableApp[] = [];

/** Apps that an empty list offers. */
const OFFERED = 12;

function NoPerson() {
  return (
    <Notice
      tone="warn"
      title="This key belongs to no person. Bind it under Settings, Keys."
      action={
        <Link to="/keys" className={buttonClasses("plain", "small")}>
          Keys
        </Link>
      }
    >
      Until then, you see the shared accounts alone and have no account of your own.
    </Notice>
  );
}

function Whose({ isAll }: { readonly isAll: boolean }) {
  return (
    <Tabs
      label="Whose"
      tabs={[
        { label: "Mine and shared", isCurrent: !isAll, link: { to: "/connections", search: {} } },
        { label: "Everyone’s", isCurrent: isAll, link: { to: "/connections", search: { of: "all" } } },
      ]}
    />
  );
}

interface NoConnectionsProps {
  readonly apps: readonly ConnectableApp[];
  readonly onConnect: (app: string) => void;
}

function NoConnections({ apps, onConnect }: NoConnectionsProps) {
  if (apps.length === 0)
    return (
      <Empty title="No account is connected">
        There is no app yet that you can connect. An administrator adds one: an{" "}
        <Link to="/tool-sources/import" className="text-accent underline">
          imported API
        </Link>{" "}
        or an{" "}
        <Link to="/mcp-servers" className="text-accent underline">
          MCP server
        </Link>{" "}
        to which people connect accounts.
      </Empty>
    );
  return (
    <Empty
      title="No account is connected"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {apps.slice(0, OFFERED).map(({ app, title }) => (
            <Button key={app} className="max-w-full whitespace-normal!" onClick={() => onConnect(app)}>
              <Name className="min-w-0 [overflow-wrap:anywhere]">{title}</Name>
            </Button>
          ))}
        </div>
      }
    >
      Connect one of these apps:
    </Empty>
  );
}
