/** A tenant's connections in memory, as the database stores them. */
import { getOwnerPerson } from "../../core/connections/account.ts";
import { toConnectionStatus } from "../../core/connections/connection.ts";
import { findAliasProblem, isRevocationOpen, MAX_OF_OWNER, MAX_OF_TENANT } from "../../core/connections/rules.ts";
import { failed, ok } from "../../core/base/errors.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { ConnectionTable } from "../../core/ports/connection-table.ts";
import { fakeConsents } from "./connection-consents.ts";
import { ConnectionRows, edit, isClean, isPresent } from "./connection-rows.ts";
import { fakeTokens } from "./connection-tokens.ts";

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

function fakeChanges(on: ConnectionRows): Changes {
  return {
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
      return Promise.resolve(ok(on.view(on.add(owned, provider))));
    },

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
  };
}
