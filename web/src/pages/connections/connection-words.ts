/** Connections in words, and what a reader may do with each. */
import type {
  Connection,
  ConnectableApp,
  ConnectionChangeInput,
  ConnectionOwner,
  NewConnectionInput,
} from "../../api/types.generated.ts";

/** Who reads the page. */
export interface Reader {
  /** The id of the session's person; null without one. */
  readonly person: string | null;
  readonly isAdmin: boolean;
}

export const STATE_WORDS: Readonly<Record<Connection["status"], string>> = {
  active: "Connected",
  pending: "Waiting for the sign-in",
  expired: "Expired",
  revoked: "Disconnected",
  failed: "Not connected",
};

/** How the app is called on screens: by its title, or by its name once it was removed. */
export function titleOf(apps: readonly ConnectableApp[], app: string): string {
  return apps.find((one) => one.app === app)?.title ?? app;
}

/** Whose accounts of an app the reader can connect; empty for none. */
export function ownersFor({ owners }: Pick<ConnectableApp, "owners">, { person, isAdmin }: Reader): ConnectionOwner[] {
  return owners.filter((owner) => (owner === "me" ? person !== null : isAdmin));
}

export interface Permissions {
  /** Connect it again, rename it, make it the default, and say how it is used. */
  readonly change: boolean;
  readonly disconnect: boolean;
  /** Take an ended one off the list. */
  readonly remove: boolean;
}

/** An administrator ends a person's connection but does not change it. */
export function permissionsFor(
  { owner, status, revocation }: Pick<Connection, "owner" | "status" | "revocation">,
  { person, isAdmin }: Reader,
): Permissions {
  const isOwn = owner.kind === "shared" ? isAdmin : owner.id === person;
  const mayEnd = isOwn || isAdmin;
  const isRevoked = status === "revoked";
  return {
    change: isOwn,
    disconnect: mayEnd && !isRevoked,
    remove: mayEnd && isRevoked && revocation?.state !== "open",
  };
}

/** True for the one authorization of an MCP server: an administrator gives it on the server's page. */
export function isOfServer({ provider, owner }: Pick<Connection, "provider" | "owner">): boolean {
  return provider === "mcp" && owner.kind === "shared";
}

/** The link that connects it again. It proposes what its owner allowed before, because a session skips the page that asks. */
export function reconnectionOf({ app, owner, alias, unattended }: Connection): NewConnectionInput {
  return {
    app,
    owner: owner.kind === "shared" ? "shared" : "me",
    ...(alias === null ? {} : { alias }),
    ...(unattended && owner.kind === "person" ? { unattended } : {}),
  };
}

/** What the form of a new connection holds. */
export interface NewFields {
  readonly app: string;
  readonly owner: ConnectionOwner;
  readonly alias: string;
  readonly isUnattended: boolean;
}

export function connectionOf({ app, owner, alias, isUnattended }: NewFields): NewConnectionInput {
  const name = alias.trim();
  return {
    app,
    owner,
    ...(name === "" ? {} : { alias: name }),
    ...(isUnattended && owner === "me" ? { unattended: true } : {}),
  };
}

/** What the form of a connection holds. */
export interface ChangeFields {
  readonly alias: string;
  readonly isDefault: boolean;
  readonly isUnattended: boolean;
  readonly delegates: boolean;
}

export function fieldsOf({ alias, is_default, unattended, delegate_approvals }: Connection): ChangeFields {
  return { alias: alias ?? "", isDefault: is_default, isUnattended: unattended, delegates: delegate_approvals };
}

/** The change that the form makes; null for none. */
export function changeOf(before: Connection, fields: ChangeFields): ConnectionChangeInput | null {
  const was = fieldsOf(before);
  const alias = fields.alias.trim();
  const change: ConnectionChangeInput = {
    ...(alias === was.alias ? {} : { alias: alias === "" ? null : alias }),
    ...(fields.isDefault && !was.isDefault ? { is_default: true } : {}),
    ...(fields.isUnattended === was.isUnattended ? {} : { unattended: fields.isUnattended }),
    ...(fields.delegates === was.delegates ? {} : { delegate_approvals: fields.delegates }),
  };
  return Object.keys(change).length === 0 ? null : change;
}

/** A connection that is being made in another window. */
export interface Begun {
  readonly request: NewConnectionInput;
  /** When the connection last changed before; null if there was none. */
  readonly before: string | null;
}

/** The row that a request makes or renews. */
export function rowOf(
  rows: readonly Connection[],
  { app, owner, alias }: NewConnectionInput,
  person: string | null,
): Connection | undefined {
  return rows.find(
    (row) =>
      row.app === app &&
      row.alias === (alias ?? null) &&
      (owner === "shared" ? row.owner.kind === "shared" : row.owner.kind === "person" && row.owner.id === person),
  );
}

/** Whether the account was connected since. */
export function isConnected(rows: readonly Connection[], { request, before }: Begun, person: string | null): boolean {
  const row = rowOf(rows, request, person);
  return row?.status === "active" && row.updated_at !== before;
}
