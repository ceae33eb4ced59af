/** A tenant's table of connections for the contract suites: the one on Postgres, and its fake. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { neon, neonConfig } from "@neondatabase/serverless";
import { openRowSeal } from "../../../adapters/connections/row-seal.ts";
import { openDatabase } from "../../../adapters/database/database.ts";
import { openSealing } from "../../../adapters/secrets/sealing.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { ConnectionTable } from "../../../core/ports/connection-table.ts";
import type { RowSeal } from "../../../core/ports/sealed-values.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { fakeConnectionTable } from "../../fakes/connection-table.ts";
import { valueOf } from "../value-of.ts";
import { act, makeTenant, newId, newTenant, personOf } from "./rows.ts";

/** One tenant's table, with what a test does around it. */
export interface TenantConnections {
  readonly table: ConnectionTable;
  readonly tenant: string;
  now(): number;
  /** Lets the database's clock be ahead of every stored time. */
  passTime(ms: number): Promise<void>;
  addPerson(name: string): Promise<string>;
  removePerson(person: string): Promise<void>;
  /** The actions of the audit log about this target, sorted. */
  actions(target: string): Promise<readonly string[]>;
}

export interface ConnectionBackend {
  readonly name: string;
  /** A tenant of its own. */
  open(): Promise<TenantConnections>;
  close(): Promise<void>;
}

export function fakeBackend(): ConnectionBackend {
  let people = 0;
  return {
    name: "the fake",
    open() {
      let ahead = 0;
      const now = () => Date.now() + ahead;
      const { id: tenant } = newTenant();
      const fake = fakeConnectionTable(tenant, now);
      return Promise.resolve({
        table: fake.table,
        tenant,
        now,
        passTime: (ms) => {
          ahead += ms;
          return Promise.resolve();
        },
        addPerson: (name) => {
          const id = newId("person", (people += 1));
          fake.addPerson(id, name);
          return Promise.resolve(id);
        },
        removePerson: (person) => Promise.resolve(fake.removePerson(person)),
        actions: (target) =>
          Promise.resolve(
            fake.acts
              .filter((one) => one.target === target)
              .map(({ action }) => action)
              .toSorted(),
          ),
      } satisfies TenantConnections);
    },
    close: () => Promise.resolve(),
  };
}

const TIMES = [
  "pending_until",
  "flow_account_until",
  "refresh_lease_until",
  "revoke_at",
  "notified_at",
  "last_checked_at",
  "last_used_at",
  "created_at",
  "updated_at",
];

/** A database with the seals of its tenants. */
export interface SealedDatabase {
  readonly server: TestDatabase;
  readonly database: Database;
  sealOf(tenant: string): RowSeal;
  asOwner(statement: string, ...values: unknown[]): Promise<Record<string, unknown>[]>;
}

export async function startSealedDatabase(): Promise<SealedDatabase> {
  const server = await startTestDatabase();
  const sealing = openSealing(randomBytes(32).toString("base64"));
  return {
    server,
    database: openDatabase(server.url, server.endpoint),
    sealOf: (tenant) => openRowSeal({ tenant, sealing, reseal: () => Promise.resolve() }),
    async asOwner(statement, ...values) {
      neonConfig.fetchEndpoint = server.endpoint;
      return await neon(server.ownerUrl, { disableWarningInBrowsers: true }).query(statement, values);
    },
  };
}

export function postgresBackend(): ConnectionBackend {
  let started: Promise<SealedDatabase> | undefined;
  return {
    name: "Postgres",
    async open() {
      started ??= startSealedDatabase();
      return await openTenant(await started);
    },
    close: async () => (await started)?.server.close(),
  };
}

/** A tenant of its own in a database. */
export async function openTenant({ database, sealOf, asOwner }: SealedDatabase): Promise<TenantConnections> {
  const { tenant } = await makeTenant(database);
  return {
    table: database.connections(tenant.id, sealOf(tenant.id)),
    tenant: tenant.id,
    now: Date.now,
    async passTime(ms) {
      const shifted = TIMES.map((column) => `${column} = ${column} - $2::float8 * interval '1 millisecond'`);
      await asOwner(`update entity_connections set ${shifted.join(", ")} where tenant = $1`, tenant.id, ms);
      // The next id is a later one.
      await sleep(2);
    },
    async addPerson(name) {
      const person = personOf(name);
      valueOf(await database.people.create(tenant.id, person, act("person.create", person.id)));
      return person.id;
    },
    async removePerson(person) {
      valueOf(await database.people.remove(tenant.id, person, act("person.delete", person)));
    },
    async actions(target) {
      const page = valueOf(await database.audit.page(tenant.id, { after: null, limit: 100 }, { target }));
      return page.items.map(({ action }) => action).toSorted();
    },
  };
}
