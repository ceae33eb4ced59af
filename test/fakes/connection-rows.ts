/** The rows of a tenant's connections in memory, and what their changes have in common. */
import { getOwnerPerson, type Provider } from "../../core/connections/account.ts";
import type { Connection } from "../../core/connections/connection.ts";
import { MAX_REVOKING } from "../../core/connections/rules.ts";
import { changeStatus } from "../../core/connections/states.ts";
import { failed, type Result } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { Flow } from "../../core/connections/flow.ts";
import type { AccountTokens, TokenSet } from "../../core/connections/tokens.ts";
import type { OwnedApp, SettledState, UsedLink } from "../../core/ports/connection-table.ts";
import { createConnection } from "./connection.ts";

export interface Row {
  connection: Connection;
  tokens: TokenSet | null;
  version: number;
  flow: Flow | null;
  /** The account of the latest flow, until it is used or waits to be revoked. */
  flowAccount: { readonly tokens: AccountTokens; readonly until: number } | null;
  linkUsed: string | null;
  leasedUntil: number;
  revoking: TokenSet[];
  /** Whether one of them was given up since the last consent. */
  hasGivenUp: boolean;
}

const NO_CONNECTION = failed("not_found", "There is no connection with this id.");

/** `now` is the clock of the database. */
export class ConnectionRows {
  readonly rows = new Map<string, Row>();
  readonly people = new Map<string, string>();
  /** The acts of the audit log, in order. */
  readonly acts: AuditEntry[] = [];

  readonly now: () => number;
  private readonly tenant: string;

  constructor(tenant: string, now: () => number) {
    this.tenant = tenant;
    this.now = now;
  }

  isKnown(person: string | null): boolean {
    return person === null || this.people.has(person);
  }

  all(): Row[] {
    return [...this.rows.values()].toSorted((a, b) => (a.connection.id < b.connection.id ? -1 : 1));
  }

  groupOf({ app, person }: Pick<OwnedApp, "app" | "person">): Row[] {
    return this.all().filter(({ connection }) => connection.app === app && getOwnerPerson(connection.owner) === person);
  }

  findOwned(owned: OwnedApp): Row | undefined {
    return this.groupOf(owned).find(({ connection }) => connection.alias === owned.alias);
  }

  view({ connection }: Row): Connection {
    const { owner } = connection;
    return owner.kind === "shared"
      ? connection
      : { ...connection, owner: { ...owner, name: this.people.get(owner.id) ?? owner.id } };
  }

  withRow<T>(id: string, work: (row: Row) => Result<T>): Promise<Result<T>> {
    const row = this.rows.get(id);
    return Promise.resolve(row === undefined ? NO_CONNECTION : work(row));
  }

  fixDefault(connection: Connection): void {
    const group = this.groupOf({ app: connection.app, person: getOwnerPerson(connection.owner) });
    const hasActive = group.some((row) => row.connection.status === "active");
    for (const row of group) if (row.connection.status === "revoked" && hasActive) edit(row, { isDefault: false });
    if (group.some((row) => row.connection.isDefault)) return;
    const rank = ({ connection: { status } }: Row) => (status === "active" ? 0 : status === "revoked" ? 2 : 1);
    const [best] = group
      .filter((row) => row.connection.consent > 0)
      .toSorted((a, b) => rank(a) - rank(b) || a.connection.createdAt - b.connection.createdAt);
    if (best !== undefined) edit(best, { isDefault: true });
  }

  isEndable({ connection: { status, pendingUntil }, flowAccount }: Row): boolean {
    return status !== "revoked" || (pendingUntil ?? 0) > this.now() || flowAccount !== null;
  }

  end(row: Row): void {
    const { tokens, connection } = row;
    if (tokens !== null) this.enqueue(row, tokens);
    this.endFlow(row);
    Object.assign(row, { tokens: null, leasedUntil: 0 });
    const outage = connection.outage + (connection.status === "active" ? 1 : 0);
    const status = changeStatus(connection.status, "revoke");
    edit(row, { status, outage, why: null, updatedAt: this.now() });
  }

  enqueue(row: Row, tokens: TokenSet): void {
    row.revoking = [...row.revoking, tokens].slice(-MAX_REVOKING);
    edit(row, { revocation: { nextAt: this.now(), tries: 0 } });
  }

  /** The account of the flow waits to be revoked, unless it was moved before. */
  endFlow(row: Row): void {
    const { flowAccount } = row;
    if (flowAccount !== null) this.enqueue(row, flowAccount.tokens);
    Object.assign(row, { flow: null, flowAccount: null });
    edit(row, { pendingUntil: null });
  }

  removeOrphan(row: Row): void {
    const { connection } = row;
    if (isClean(row) && !this.isKnown(getOwnerPerson(connection.owner))) this.rows.delete(connection.id);
  }

  removePerson(id: string): void {
    this.people.delete(id);
    for (const row of this.all().filter(({ connection }) => getOwnerPerson(connection.owner) === id)) {
      const { connection, tokens } = row;
      if (tokens === null && isClean(row)) {
        this.rows.delete(connection.id);
        continue;
      }
      this.end(row);
      edit(row, { status: "revoked", label: null, alias: connection.id, connectedBy: null });
      edit(row, { revocation: { nextAt: this.now(), tries: 0 } });
    }
  }

  add({ app, person, alias }: OwnedApp, provider: Provider): Row {
    const { tenant } = this;
    const now = this.now();
    const id = makeId("connection", now, crypto.getRandomValues(new Uint8Array(10)));
    const owner = person === null ? ({ kind: "shared" } as const) : ({ kind: "person", id: person, name: "" } as const);
    const named = { tenant, id, app, provider, owner, alias, createdAt: now, updatedAt: now };
    const fresh = { status: "new", consent: 0, unattended: false, settingsHash: null } as const;
    const empty = { tokens: null, version: 0, flow: null, flowAccount: null, linkUsed: null, leasedUntil: 0 };
    const row: Row = {
      connection: createConnection({ ...named, ...fresh }),
      ...empty,
      revoking: [],
      hasGivenUp: false,
    };
    this.rows.set(id, row);
    return row;
  }
}

export function edit(row: Row, change: Partial<Connection>): void {
  row.connection = { ...row.connection, ...change };
}

/** True if nothing of the row has to be revoked. */
export function isClean({ revoking, flowAccount }: Row): boolean {
  return revoking.length === 0 && flowAccount === null;
}

export function isPresent({ version, connection: { consent } }: Row, of: SettledState | undefined): boolean {
  return of === undefined || ("version" in of ? of.version === version : of.consent === consent);
}

export function formatLink({ createdAt, nonce }: UsedLink): string {
  return `${String(createdAt).padStart(15, "0")}.${nonce}`;
}
