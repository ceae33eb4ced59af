/** A tenant's connections in memory, as the database stores them. */
import { getOwnerPerson } from "../../core/connections/account.ts";
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
import type { AuditEntry } from "../../core/ports/audit.ts";
import { toAccountTokens } from "../../core/connections/flow.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";
import type { ConnectionTable, OwnedApp } from "../../core/ports/connection-table.ts";
import { type ConnectionRow as Row, formatLink, isPresent, makeConnectionRow } from "./connection-row.ts";

interface FakeConnections {
  readonly table: ConnectionTable;
  /** The acts of the audit log, in order. */
  readonly acts: readonly AuditEntry[];
  addPerson(id: string, name: string): void;
  /** Deletes a person, whose connections end. */
  removePerson(id: string): void;
}

const NO_PERSON = failed("not_found", "There is no person with this id.");

/** `now` is the clock of the database. */
export function fakeConnectionTable(tenant: string, now: () => number): FakeConnections {
  const on = new ConnectionRows(tenant, now);
  return {
    table: { ...fakeConsents(on), ...fakeTokens(on), ...fakeChanges(on) },
    acts: on.acts,
    addPerson: (id, name) => on.people.set(id, name),
    removePerson: (id) => on.removePerson(id),
  };
}

type Changes = Omit<ConnectionTable, keyof ReturnType<typeof fakeConsents> | keyof ReturnType<typeof fakeTokens>>;

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
    if (account !== undefined) enqueue(row, toAccountTokens(account));
  }

  function removeOrphan(row: Row): void {
    const { connection, revoking } = row;
    if (revoking.length === 0 && !isKnown(getOwnerPerson(connection.owner))) rows.delete(connection.id);
  }

  const table: ConnectionTable = {
    list({ person, app, all: everyone = false, shared = true, after, limit }) {
      const shown = on
        .all()
        .map((row) => on.view(row))
        .toReversed()
        .filter((one) => toConnectionStatus(one, on.now()) !== null)
        .filter(({ owner }) =>
          owner.kind === "shared" ? shared : everyone || (person !== null && owner.id === person),
        )
        .filter((one) => (app === undefined || one.app === app) && (after === undefined || one.id < after));
      return Promise.resolve(ok(shown.slice(0, limit)));
    },

    find: (id) => on.withRow(id, (row) => ok(on.view(row))),

    ensure(owned, provider) {
      const problem = owned.alias === null ? null : findAliasProblem(owned.alias);
      if (problem !== null) return Promise.resolve(problem);
      if (!on.isKnown(owned.person)) return Promise.resolve(NO_PERSON);
      const found = on.findOwned(owned);
      if (found !== undefined) {
        edit(found, { provider });
        return Promise.resolve(ok(on.view(found)));
      }
      const ofOwner = on.all().filter(({ connection }) => getOwnerPerson(connection.owner) === owned.person);
      if (on.rows.size >= MAX_OF_TENANT || ofOwner.length >= MAX_OF_OWNER)
        return Promise.resolve(failed("quota_exceeded", "There are too many connections. Remove one first."));
      const row = makeConnectionRow({ tenant, owned, provider }, now());
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

    async expireOthers(provider, hashOf, why) {
      let count = 0;
      for (const row of all()) {
        const { provider: from, status, settingsHash, app, outage } = row.connection;
        if (from !== provider || status !== "active" || settingsHash === (await hashOf(app))) continue;
        edit(row, { status: "expired", why: cleanReason(why), outage: outage + 1, updatedAt: now() });
        count += 1;
      }
      return ok(count);
    },

    restore: (id) =>
      withRow(id, (row) => {
        const { consent, status } = row.connection;
        const isRestored = consent > 0 && row.tokens === null && status !== "active";
        if (!isRestored || changeStatus(status, "renew") !== "active") return ok(view(row));
        edit(row, { status: "active", why: null, notifiedAt: null, lastCheckedAt: now(), updatedAt: now() });
        return ok(view(row));
      }),

    change: (id, { alias, isDefault, unattended, delegates }, act) =>
      on.withRow(id, (row) => {
        const problem = typeof alias === "string" ? findAliasProblem(alias) : null;
        if (problem !== null) return problem;
        const { connection } = row;
        if (isDefault === true && connection.consent === 0)
          return failed("conflict", "This connection was never connected. Connect it first.", { field: "is_default" });
        const person = getOwnerPerson(connection.owner);
        const named = alias === undefined ? row : (on.findOwned({ app: connection.app, person, alias }) ?? row);
        if (named !== row) return failed("conflict", "Another connection has this alias.", { field: "alias" });
        if (isDefault === true)
          for (const other of on.groupOf({ app: connection.app, person })) edit(other, { isDefault: other === row });
        if (alias !== undefined) edit(row, { alias });
        if (unattended !== undefined) edit(row, { unattended });
        if (delegates !== undefined) edit(row, { delegates });
        edit(row, { updatedAt: on.now() });
        on.acts.push(act);
        return ok(on.view(row));
      }),

    revoke: (id, act, of) =>
      on.withRow(id, (row) => {
        const isMeant =
          of === undefined ? on.isEndable(row) : row.connection.status !== "revoked" && isPresent(row, of);
        if (!isMeant) return ok(on.view(row));
        on.end(row);
        on.acts.push(act);
        on.fixDefault(row.connection);
        return ok(on.view(row));
      }),

    revokeAll({ app, person }, act) {
      const meant = on
        .all()
        .filter(
          ({ connection }) =>
            (app === undefined || connection.app === app) &&
            (person === undefined || getOwnerPerson(connection.owner) === person),
        );
      for (const row of meant) if (row.connection.status === "new" && isClean(row)) on.rows.delete(row.connection.id);
      const ended = meant.filter((row) => on.rows.has(row.connection.id) && on.isEndable(row));
      for (const row of ended) on.end(row);
      if (ended.length > 0) on.acts.push(act);
      return Promise.resolve(ok(ended.length));
    },

    remove: (id, act) =>
      on.withRow(id, (row) => {
        const { status, revocation } = row.connection;
        if (status !== "revoked") return failed("conflict", "Disconnect it before you remove it.");
        if ((revocation !== null && isRevocationOpen(revocation)) || !isClean(row))
          return failed("conflict", "The app has not confirmed yet that it ended this connection.");
        on.rows.delete(id);
        on.acts.push(act);
        on.fixDefault(row.connection);
        return ok(on.view(row));
      }),

    markNotified(id, outage) {
      const row = on.rows.get(id);
      if (row?.connection.outage === outage && row.connection.status !== "active") edit(row, { notifiedAt: on.now() });
      return Promise.resolve(ok(undefined));
    },

    markChecked(id) {
      const row = on.rows.get(id);
      if (row !== undefined) edit(row, { lastCheckedAt: on.now() });
      return Promise.resolve(ok(undefined));
    },

    touchUsed(id) {
      const row = rows.get(id);
      const at = row?.connection.lastUsedAt ?? null;
      if (row !== undefined && (at === null || at < now() - USED_EVERY_MS)) edit(row, { lastUsedAt: now() });
      return Promise.resolve();
    },
  };

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
