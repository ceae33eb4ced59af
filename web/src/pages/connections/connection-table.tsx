/** The rows of connections. */
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CircleSlash, Clock, type LucideIcon } from "lucide-react";
import type { Connection, ConnectableApp } from "../../api/types.generated.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { Name } from "../../ui/name.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { ClockTime, Time } from "../../ui/time.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import { isOfServer, permissionsFor, type Reader, STATE_WORDS, titleOf } from "./connection-words.ts";

interface ConnectionTableProps {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  readonly rows: readonly Connection[];
  readonly apps: readonly ConnectableApp[];
  readonly reader: Reader;
  readonly onReconnect: (row: Connection) => void;
  readonly onChange: (row: Connection) => void;
  readonly onEnd: (row: Connection) => void;
}

export function ConnectionTable(props: ConnectionTableProps) {
  return <Table caption={props.caption} columns={columnsOf(props)} rows={props.rows} rowKey={({ id }) => id} />;
}

function columnsOf(props: ConnectionTableProps): readonly Column<Connection>[] {
  const { apps, reader } = props;
  return [
    { title: "Account", isMain: true, cell: (row) => <Account row={row} title={titleOf(apps, row.app)} /> },
    { title: "Owner", cell: ({ owner }) => <Owner owner={owner} reader={reader} /> },
    { title: "State", cell: (row) => <State row={row} title={titleOf(apps, row.app)} /> },
    {
      title: "Last used",
      cell: ({ last_used_at: at }) => (at === null ? <span className="text-quiet">Never</span> : <Time at={at} />),
    },
    { title: "Actions", cell: (row) => <Actions {...props} row={row} /> },
  ];
}

interface RowProps {
  readonly row: Connection;
  readonly title: string;
}

function Account({ row, title }: RowProps) {
  const { label, alias, is_default, unattended, delegate_approvals, status } = row;
  const uses = [unattended ? "also while its owner is away" : null, delegate_approvals ? "others may approve" : null];
  const said = uses.filter((use) => use !== null).join(", ");
  return (
    <div className="[overflow-wrap:anywhere]">
      <Name className="font-medium">{title}</Name>{" "}
      {alias === null ? null : (
        <span className="text-quiet">
          (<Name>{alias}</Name>)
        </span>
      )}{" "}
      {is_default ? <Badge tone="accent">Default</Badge> : null}
      {label === null ? null : (
        <span className="block text-sm">
          <Name>{label}</Name>
        </span>
      )}
      {said === "" || status === "revoked" ? null : (
        <span className="block text-sm text-quiet first-letter:uppercase">{said}</span>
      )}
    </div>
  );
}

function Owner({ owner, reader }: { readonly owner: Connection["owner"]; readonly reader: Reader }) {
  if (owner.kind === "shared") return "Shared";
  return owner.id === reader.person ? "You" : <Name>{owner.name}</Name>;
}

const LOOKS: Readonly<Record<Connection["status"], { readonly tone: Tone; readonly Icon: LucideIcon }>> = {
  active: { tone: "good", Icon: CircleCheck },
  pending: { tone: "info", Icon: Clock },
  expired: { tone: "warn", Icon: CircleAlert },
  revoked: { tone: "plain", Icon: CircleSlash },
  failed: { tone: "danger", Icon: CircleAlert },
};

function State({ row: { status, why, revocation }, title }: RowProps) {
  const { tone, Icon } = LOOKS[status];
  return (
    <div className="flex flex-col items-start gap-1 sm:max-w-64 sm:min-w-44">
      <Badge tone={tone} icon={<Icon aria-hidden className="size-3.5" />}>
        {STATE_WORDS[status]}
      </Badge>
      {why === null || status === "active" ? null : (
        <span className="text-sm [overflow-wrap:anywhere] text-quiet">
          <Name>{why}</Name>
        </span>
      )}
      {revocation === null ? null : (
        <span className="text-sm [overflow-wrap:anywhere] text-quiet">
          {revocation.state === "open" ? (
            <>
              <Name>{title}</Name> has not confirmed yet; Otto tries again at <ClockTime at={revocation.next_at} />.
            </>
          ) : (
            <>
              <Name>{title}</Name> never confirmed. Remove Otto’s access there.
            </>
          )}
        </span>
      )}
    </div>
  );
}

function Actions({
  row,
  apps,
  reader,
  onReconnect,
  onChange,
  onEnd,
}: ConnectionTableProps & { readonly row: Connection }) {
  const may = permissionsFor(row, reader);
  const isThere = apps.some(({ app }) => app === row.app);
  const name = honestProse(`${titleOf(apps, row.app)}${row.label === null ? "" : ` (${row.label})`}`);
  return (
    <div className="flex flex-wrap gap-2 max-sm:justify-end xl:flex-nowrap">
      {may.change && isThere && isOfServer(row) ? (
        <Link
          to="/mcp-servers/$name"
          params={{ name: row.app }}
          aria-label={`Open the MCP server ${name}`}
          className={buttonClasses(row.status === "active" ? "plain" : "primary", "small")}
        >
          MCP server
        </Link>
      ) : null}
      {may.change && isThere && !isOfServer(row) ? (
        <Button
          size="small"
          look={row.status === "active" ? "plain" : "primary"}
          aria-label={`Reconnect ${name}`}
          onClick={() => onReconnect(row)}
        >
          Reconnect
        </Button>
      ) : null}
      {may.change && row.status !== "revoked" ? (
        <Button size="small" aria-label={`Change ${name}`} onClick={() => onChange(row)}>
          Change
        </Button>
      ) : null}
      {may.disconnect ? (
        <Button size="small" look="danger" aria-label={`Disconnect ${name}`} onClick={() => onEnd(row)}>
          Disconnect
        </Button>
      ) : null}
      {may.remove ? (
        <Button size="small" look="danger" aria-label={`Remove ${name}`} onClick={() => onEnd(row)}>
          Remove
        </Button>
      ) : null}
    </div>
  );
}
