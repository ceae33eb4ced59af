/**
 * Which account a call acts through. No model chooses, and:
 *
 * 1. A person's connection is used only for a task whose caller is that person.
 * 2. The first account that exists decides, dead or alive. One's own dead account never falls through to the shared
 *    one: mail from another address is worse than a wait.
 */
import { type Account, type ConnectNeed, type ConnectReason, getOwnerPerson, type ToolApp } from "./account.ts";
import { type Connection, toAccount } from "./connection.ts";

export interface Choice {
  readonly app: ToolApp;
  /** The person for whom the task acts, if any. */
  readonly caller: string | null;
  /** True for a task that no person started: of a schedule or a hook. */
  readonly isUnattended: boolean;
  /** The agent's `app_config.<app>.connection`. */
  readonly configured: string | null;
  /** The hash of the app's present settings. */
  readonly settingsHash: string;
  /** The caller's and the shared connections of the app. Others are ignored. */
  readonly connections: readonly Connection[];
}

/** `none`: there is no account, and no person is known who could connect one. */
export type Chosen =
  | { readonly kind: "account"; readonly account: Account }
  | { readonly kind: "needed"; readonly need: ConnectNeed }
  | { readonly kind: "none" };

export function chooseAccount(choice: Choice): Chosen {
  const connection = findConnection(choice);
  const { app, caller } = choice;
  if (connection !== null) {
    const reason = findReason(connection, choice);
    if (reason === null) return { kind: "account", account: toAccount(connection) };
    return { kind: "needed", need: { app: app.app, reason, person: getOwnerPerson(connection.owner) } };
  }
  if (caller === null || app.owner === "shared") return { kind: "none" };
  return { kind: "needed", need: { app: app.app, reason: "missing", person: caller } };
}

/** Finds the connection that decides: the configured one, the caller's, the shared one; null if there is no account. */
export function findConnection({ app, caller, configured, connections }: Choice): Connection | null {
  const usable = connections.filter((one) => isAccountOf(one, app.app) && isAllowed(one, app, caller));
  const own = usable.filter(({ owner }) => owner.kind === "person");
  const shared = usable.filter(({ owner }) => owner.kind === "shared");
  return usable.find(({ id }) => id === configured) ?? findDefault(own) ?? findDefault(shared);
}

/** False for a connection that was never connected: it is no account. */
function isAccountOf({ app, consent, status }: Connection, name: string): boolean {
  return app === name && consent > 0 && status !== "new";
}

/** Whether the owner is the caller, or everyone, as the assignment allows. */
function isAllowed({ owner }: Connection, { owner: rule }: ToolApp, caller: string | null): boolean {
  if (owner.kind === "shared") return rule !== "person";
  return rule !== "shared" && caller !== null && owner.id === caller;
}

/** The default; of connections without one, the oldest. */
function findDefault(connections: readonly Connection[]): Connection | null {
  const [oldest] = connections.toSorted(
    (one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1),
  );
  return connections.find(({ isDefault }) => isDefault) ?? oldest ?? null;
}

/** Finds why a connection cannot be used by this call; null if it can. */
function findReason(connection: Connection, { app, isUnattended, settingsHash }: Choice): ConnectReason | null {
  const { status, scopes } = connection;
  if (status === "revoked") return "revoked";
  if (status !== "active") return "expired";
  if (isUnattended && !mayRunUnattended(connection)) return "unattended";
  if (scopes !== null && !app.scopes.every((scope) => scopes.includes(scope))) return "scopes";
  return connection.settingsHash === settingsHash ? null : "expired";
}

/** Whether tasks that no person started may use a connection: a shared one, or one whose owner allows it. */
export function mayRunUnattended({ owner, unattended }: Connection): boolean {
  return owner.kind === "shared" || unattended;
}
