/** A tenant's connections in memory, as the database stores them. */
import { getOwnerPerson, type Provider } from "../../core/connections/account.ts";
import { type Connection, toConnectionStatus } from "../../core/connections/connection.ts";
import {
  cleanLabel,
  cleanReason,
  findAliasProblem,
  findScopesProblem,
  findTokensProblem,
  getRevocationDelay,
  GIVEN_UP_TRIES,
  isRevocationOpen,
  MAX_LEASE_MS,
  MAX_OF_OWNER,
  MAX_OF_TENANT,
  MAX_REVOCATION_TRIES,
  MAX_REVOKING,
  USED_EVERY_MS,
} from "../../core/connections/rules.ts";
import { changeStatus } from "../../core/connections/states.ts";
import { failed, notSent, ok, type Result } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { Flow } from "../../core/connections/flow.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";
import type { ConnectionTable, OwnedApp, SettledState, UsedLink } from "../../core/ports/connection-table.ts";
import { createConnection } from "./connection.ts";

interface Row {
  connection: Connection;
  tokens: TokenSet | null;
  version: number;
  flow: Flow | null;
  linkUsed: string | null;
  leasedUntil: number;
  revoking: TokenSet[];
}

interface FakeConnections {
  readonly table: ConnectionTable;
  /** The acts of the audit log, in order. */
  readonly acts: readonly AuditEntry[];
  addPerson(id: string, name: string): void;
  /** Deletes a person, whose connections end. */
  removePerson(id: string): void;
}

const NO_CONNECTION = failed("not_found", "There is no connection with this id.");
const NO_PERSON = failed("not_found", "There is no person with this id.");
const FLOW_ENDED = failed("gone", "This consent was completed, replaced, or has expired. Begin again.");

/** `now` is the clock of the database. */
export function fakeConnectionTable(tenant: string, now: () => number): FakeConnections {
  const rows = new Map<string, Row>();
  const people = new Map<string, string>();
  const acts: AuditEntry[] = [];

  const isKnown = (person: string | null) => person === null || people.has(person);
  const all = () => [...rows.values()].toSorted((a, b) => (a.connection.id < b.connection.id ? -1 : 1));
  const groupOf = ({ app, person }: Pick<OwnedApp, "app" | "person">) =>
    all().filter(({ connection }) => connection.app === app && getOwnerPerson(connection.owner) === person);
  const findOwned = (owned: OwnedApp) => groupOf(owned).find(({ connection }) => connection.alias === owned.alias);
  const edit = (row: Row, change: Partial<Connection>) => {
    row.connection = { ...row.connection, ...change };
  };
  const view = ({ connection }: Row): Connection =>
    connection.owner.kind === "shared"
      ? connection
      : { ...connection, owner: { ...connection.owner, name: people.get(connection.owner.id) ?? connection.owner.id } };

  function withRow<T>(id: string, work: (row: Row) => Result<T>): Promise<Result<T>> {
    const row = rows.get(id);
    return Promise.resolve(row === undefined ? NO_CONNECTION : work(row));
  }

  function fixDefault(connection: Connection): void {
    const group = groupOf({ app: connection.app, person: getOwnerPerson(connection.owner) });
    const hasActive = group.some((row) => row.connection.status === "active");
    for (const row of group) if (row.connection.status === "revoked" && hasActive) edit(row, { isDefault: false });
    if (group.some((row) => row.connection.isDefault)) return;
    const rank = ({ connection: { status } }: Row) => (status === "active" ? 0 : status === "revoked" ? 2 : 1);
    const [best] = group
      .filter((row) => row.connection.consent > 0)
      .toSorted((a, b) => rank(a) - rank(b) || a.connection.createdAt - b.connection.createdAt);
    if (best !== undefined) edit(best, { isDefault: true });
  }

  function end(row: Row): void {
    const { tokens, connection } = row;
    if (tokens !== null) enqueue(row, tokens);
    Object.assign(row, { tokens: null, flow: null, leasedUntil: 0 });
    const outage = connection.outage + (connection.status === "active" ? 1 : 0);
    const status = changeStatus(connection.status, "revoke");
    edit(row, { status, outage, pendingUntil: null, why: null, updatedAt: now() });
  }

  function enqueue(row: Row, tokens: TokenSet): void {
    row.revoking = [...row.revoking, tokens].slice(-MAX_REVOKING);
    edit(row, { revocation: { nextAt: now(), tries: 0 } });
  }

  function abandon(row: Row): void {
    const { account } = row.flow ?? {};
    if (account !== undefined) enqueue(row, { kind: "account", providerId: account.providerId });
  }

  function removeOrphan(row: Row): void {
    const { connection, revoking } = row;
    if (revoking.length === 0 && !isKnown(getOwnerPerson(connection.owner))) rows.delete(connection.id);
  }

  const table: ConnectionTable = {
    list({ person, app, all: everyone = false, shared = true, after, limit }) {
      const shown = all()
        .map(view)
        .toReversed()
        .filter((one) => toConnectionStatus(one, now()) !== null)
        .filter(({ owner }) =>
          owner.kind === "shared" ? shared : everyone || (person !== null && owner.id === person),
        )
        .filter((one) => (app === undefined || one.app === app) && (after === undefined || one.id < after));
      return Promise.resolve(ok(shown.slice(0, limit)));
    },

    find: (id) => withRow(id, (row) => ok(view(row))),

    ensure(owned, provider) {
      const problem = owned.alias === null ? null : findAliasProblem(owned.alias);
      if (problem !== null) return Promise.resolve(problem);
      if (!isKnown(owned.person)) return Promise.resolve(NO_PERSON);
      const found = findOwned(owned);
      if (found !== undefined) {
        edit(found, { provider });
        return Promise.resolve(ok(view(found)));
      }
      const ofOwner = all().filter(({ connection }) => getOwnerPerson(connection.owner) === owned.person);
      if (rows.size >= MAX_OF_TENANT || ofOwner.length >= MAX_OF_OWNER)
        return Promise.resolve(failed("quota_exceeded", "There are too many connections. Remove one first."));
      const row = makeRow(owned, provider);
      rows.set(row.connection.id, row);
      return Promise.resolve(ok(view(row)));
    },

    findLinked(owned, used) {
      const row = findOwned(owned);
      const isUsed = row !== undefined && row.linkUsed !== null && row.linkUsed >= formatLink(used);
      return Promise.resolve(ok({ connection: row === undefined ? null : view(row), isUsed }));
    },

    beginFlow(owned, used, flow) {
      const row = findOwned(owned);
      if (row === undefined) return Promise.resolve(NO_CONNECTION);
      const link = formatLink(used);
      if (row.linkUsed !== null && row.linkUsed >= link)
        return Promise.resolve(failed("gone", "This link was used. Ask for a new one."));
      row.linkUsed = link;
      abandon(row);
      row.flow = flow;
      edit(row, { pendingUntil: flow.until });
      return Promise.resolve(ok(view(row)));
    },

    takeFlow: (id, nonce) =>
      withRow(id, (row) => {
        const { flow, connection } = row;
        if (flow === null || flow.nonce !== nonce) return FLOW_ENDED;
        const isOpen = (connection.pendingUntil ?? 0) > now();
        if (!isOpen) abandon(row);
        row.flow = null;
        edit(row, { pendingUntil: null });
        return isOpen ? ok(flow) : FLOW_ENDED;
      }),

    complete: (id, { tokens, label, scopes, unattended, settingsHash, by }, act) =>
      withRow(id, (row) => {
        const problem = findScopesProblem(scopes) ?? findTokensProblem(JSON.stringify(tokens));
        if (problem !== null) return problem;
        if (!isKnown(getOwnerPerson(row.connection.owner))) return NO_PERSON;
        const { consent, status } = row.connection;
        Object.assign(row, { tokens, version: row.version + 1, flow: null, leasedUntil: 0 });
        edit(row, {
          unattended,
          settingsHash,
          scopes,
          label: cleanLabel(label),
          connectedBy: by.person,
          consent: consent + 1,
          status: changeStatus(status, "consent"),
          pendingUntil: null,
          notifiedAt: null,
          why: null,
          expiresAt: tokens?.kind === "oauth" ? tokens.expiresAt : null,
          lastCheckedAt: now(),
          updatedAt: now(),
        });
        if (row.revoking.length === 0) edit(row, { revocation: null });
        acts.push(act);
        fixDefault(row.connection);
        return ok(view(row));
      }),

    settle: (id, to, why, of) =>
      withRow(id, (row) => {
        const { status, outage } = row.connection;
        if (!isPresent(row, of) || (to === "expired" && status !== "active")) return ok(view(row));
        const next = changeStatus(status, to === "failed" ? "fail" : "expire");
        const isOut = status === "active" && next !== "active";
        edit(row, { status: next, why: cleanReason(why), outage: outage + (isOut ? 1 : 0), updatedAt: now() });
        if (to === "failed") {
          row.flow = null;
          edit(row, { pendingUntil: null });
        }
        return ok(view(row));
      }),

    restore: (id) =>
      withRow(id, (row) => {
        const { consent, status } = row.connection;
        const isRestored = consent > 0 && row.tokens === null && status !== "active";
        if (!isRestored || changeStatus(status, "renew") !== "active") return ok(view(row));
        edit(row, { status: "active", why: null, notifiedAt: null, lastCheckedAt: now(), updatedAt: now() });
        return ok(view(row));
      }),

    change: (id, { alias, isDefault, unattended, delegates }, act) =>
      withRow(id, (row) => {
        const problem = typeof alias === "string" ? findAliasProblem(alias) : null;
        if (problem !== null) return problem;
        const { connection } = row;
        if (isDefault === true && connection.consent === 0)
          return failed("conflict", "This connection was never connected. Connect it first.", { field: "is_default" });
        const person = getOwnerPerson(connection.owner);
        const named = alias === undefined ? row : (findOwned({ app: connection.app, person, alias }) ?? row);
        if (named !== row) return failed("conflict", "Another connection has this alias.", { field: "alias" });
        if (isDefault === true)
          for (const other of groupOf({ app: connection.app, person })) edit(other, { isDefault: other === row });
        if (alias !== undefined) edit(row, { alias });
        if (unattended !== undefined) edit(row, { unattended });
        if (delegates !== undefined) edit(row, { delegates });
        edit(row, { updatedAt: now() });
        acts.push(act);
        return ok(view(row));
      }),

    tokens: (id) =>
      withRow(id, ({ tokens, version, connection: { status } }) =>
        status !== "active" || tokens === null
          ? notSent("permission_denied", "The access has ended.", {
              cause: { kind: "connection_ended", connection: id },
            })
          : ok({ tokens, version }),
      ),

    async lease(id, version, ms) {
      const row = rows.get(id);
      const isFree = row?.connection.status === "active" && row.version === version && row.leasedUntil <= now();
      if (row !== undefined && isFree) row.leasedUntil = now() + Math.min(ms, MAX_LEASE_MS);
      return Promise.resolve(ok(isFree));
    },

    async storeTokens(id, version, tokens) {
      const problem = findTokensProblem(JSON.stringify(tokens));
      if (problem !== null) return problem;
      const row = rows.get(id);
      if (row === undefined || row.version !== version) return Promise.resolve(ok(false));
      const { status } = row.connection;
      if (status === "revoked") {
        row.version += 1;
        enqueue(row, tokens);
        return ok(false);
      }
      if (changeStatus(status, "renew") !== "active" || row.tokens === null) return ok(false);
      Object.assign(row, { tokens, version: version + 1, leasedUntil: 0 });
      const expiresAt = tokens.kind === "oauth" ? tokens.expiresAt : null;
      edit(row, { status: "active", expiresAt, why: null, notifiedAt: null, lastCheckedAt: now() });
      return ok(true);
    },

    revoke: (id, act, of) =>
      withRow(id, (row) => {
        if (row.connection.status === "revoked" || !isPresent(row, of)) return ok(view(row));
        end(row);
        acts.push(act);
        fixDefault(row.connection);
        return ok(view(row));
      }),

    revokeAll({ app, person }, act) {
      const meant = all().filter(
        ({ connection }) =>
          (app === undefined || connection.app === app) &&
          (person === undefined || getOwnerPerson(connection.owner) === person),
      );
      for (const { connection, revoking } of meant)
        if (connection.status === "new" && revoking.length === 0) rows.delete(connection.id);
      const ended = meant.filter(({ connection: { id, status } }) => rows.has(id) && status !== "revoked");
      for (const row of ended) end(row);
      if (ended.length > 0) acts.push(act);
      return Promise.resolve(ok(ended.length));
    },

    remove: (id, act) =>
      withRow(id, (row) => {
        const { status, revocation } = row.connection;
        if (status !== "revoked") return failed("conflict", "Disconnect it before you remove it.");
        if (revocation !== null && isRevocationOpen(revocation))
          return failed("conflict", "The app has not confirmed yet that it ended this connection.");
        rows.delete(id);
        acts.push(act);
        fixDefault(row.connection);
        return ok(view(row));
      }),

    enqueueRevocation: (id, tokens) =>
      withRow(id, (row) => {
        enqueue(row, tokens);
        return ok(undefined);
      }),

    takeRevocation: (id) =>
      withRow(id, (row) => {
        const { revocation, app, provider } = row.connection;
        const [tokens] = row.revoking;
        if (tokens === undefined || revocation === null || revocation.nextAt > now()) return ok(null);
        if (revocation.tries >= MAX_REVOCATION_TRIES) {
          row.revoking = [];
          edit(row, { revocation: { ...revocation, tries: GIVEN_UP_TRIES } });
          removeOrphan(row);
          return ok(null);
        }
        const attempt = revocation.tries + 1;
        edit(row, { revocation: { nextAt: now() + getRevocationDelay(attempt), tries: attempt } });
        return ok({ app, provider, tokens, attempt, receipt: JSON.stringify(tokens) });
      }),

    async endRevocation(id, { receipt }) {
      const row = rows.get(id);
      if (row?.revoking.some((tokens) => JSON.stringify(tokens) === receipt) !== true) return ok(undefined);
      row.revoking = row.revoking.filter((tokens) => JSON.stringify(tokens) !== receipt);
      edit(row, { revocation: row.revoking.length === 0 ? null : { nextAt: now(), tries: 0 } });
      removeOrphan(row);
      return Promise.resolve(ok(undefined));
    },

    markNotified(id, outage) {
      const row = rows.get(id);
      if (row?.connection.outage === outage && row.connection.status !== "active") edit(row, { notifiedAt: now() });
      return Promise.resolve(ok(undefined));
    },

    markChecked(id) {
      const row = rows.get(id);
      if (row !== undefined) edit(row, { lastCheckedAt: now() });
      return Promise.resolve(ok(undefined));
    },

    touchUsed(id) {
      const row = rows.get(id);
      const at = row?.connection.lastUsedAt ?? null;
      if (row !== undefined && (at === null || at < now() - USED_EVERY_MS)) edit(row, { lastUsedAt: now() });
      return Promise.resolve();
    },
  };

  function makeRow({ app, person, alias }: OwnedApp, provider: Provider): Row {
    const id = makeId("connection", now(), crypto.getRandomValues(new Uint8Array(10)));
    const owner = person === null ? ({ kind: "shared" } as const) : ({ kind: "person", id: person, name: "" } as const);
    const named = { tenant, id, app, provider, owner, alias, createdAt: now(), updatedAt: now() };
    const fresh = { status: "new", consent: 0, unattended: false, settingsHash: null } as const;
    const empty = { tokens: null, version: 0, flow: null, linkUsed: null, leasedUntil: 0, revoking: [] };
    return { connection: createConnection({ ...named, ...fresh }), ...empty };
  }

  return {
    table,
    acts,
    addPerson: (id, name) => people.set(id, name),
    removePerson(id) {
      people.delete(id);
      for (const row of all().filter(({ connection }) => getOwnerPerson(connection.owner) === id)) {
        const { connection, revoking, tokens } = row;
        if (tokens === null && revoking.length === 0) {
          rows.delete(connection.id);
          continue;
        }
        end(row);
        edit(row, { status: "revoked", label: null, alias: connection.id, connectedBy: null });
        edit(row, { revocation: { nextAt: now(), tries: 0 } });
      }
    },
  };
}

function isPresent({ version, connection: { consent } }: Row, of: SettledState | undefined): boolean {
  return of === undefined || ("version" in of ? of.version === version : of.consent === consent);
}

function formatLink({ createdAt, nonce }: UsedLink): string {
  return `${String(createdAt).padStart(15, "0")}.${nonce}`;
}
