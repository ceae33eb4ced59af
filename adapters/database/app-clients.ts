/** The apps of a tenant that people connect to. */
import { and, asc, eq, sql } from "drizzle-orm";
import { failed, notSent, ok, type Failed } from "../../core/base/errors.ts";
import type {
  AppClientSecrets,
  AppClientSettings,
  AppClientTable,
  NewAppClient,
  StoredAppClient,
} from "../../core/ports/app-client-table.ts";
import { MAX_APP_CHARACTERS, MAX_APP_CLIENTS } from "../../core/connections/rules.ts";
import type { RowSeal } from "../../core/ports/sealed-values.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { appClients } from "./schema.ts";

const NO_APP = notSent("not_found", "There is no such app.");
const FULL = failed("quota_exceeded", `A tenant has at most ${MAX_APP_CLIENTS} apps to connect to. Remove one first.`);

export function appClientTable(connection: Connection, tenant: string, seal: RowSeal): AppClientTable {
  const sealSecrets = (app: string, secrets: AppClientSecrets) =>
    seal.seal({ column: "app_clients.sealed", id: app }, secrets);
  const isThis = (app: string) => and(eq(appClients.tenant, tenant), eq(appClients.appName, app));

  return {
    async all() {
      const read = await asTenant(connection, tenant, (query) => [
        selectApps(query).where(eq(appClients.tenant, tenant)).orderBy(asc(appClients.appName)),
      ]);
      return read.ok ? ok(read.value[0].map(toApp)) : read;
    },

    async find(app) {
      const read = await asTenant(connection, tenant, (query) => [selectApps(query).where(isThis(app))]);
      return read.ok ? toFirst(read.value[0]) : read;
    },

    async put(client) {
      const refusal = findTooLarge(client);
      if (refusal !== null) return refusal;
      const { app, provider, settings, settingsHash, secrets } = client;
      const sealed = secrets === null ? null : await sealSecrets(app, secrets);
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          insert into app_clients (tenant, app_name, provider, settings, settings_hash, sealed, updated_at)
          select ${tenant}::text, ${app}::text, ${provider}::text, ${JSON.stringify(settings)}::text,
            ${settingsHash}::text, ${sealed}::text, now()
          where (select count(*) from app_clients where tenant = ${tenant} and app_name <> ${app}) < ${MAX_APP_CLIENTS}
          on conflict (tenant, app_name) do update set provider = excluded.provider, settings = excluded.settings,
            settings_hash = excluded.settings_hash, sealed = excluded.sealed, updated_at = excluded.updated_at`),
        selectApps(query).where(isThis(app)),
      ]);
      if (!written.ok) return written;
      const [{ rowCount }, rows] = written.value;
      return rowCount === 0 ? FULL : toFirst(rows);
    },

    async secrets(app) {
      const { sealed, settingsHash } = appClients;
      const read = await asTenant(connection, tenant, (query) => [
        query.select({ receipt: sealed, settingsHash }).from(appClients).where(isThis(app)),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0];
      if (row === undefined) return NO_APP;
      const place = { column: "app_clients.sealed", id: app } as const;
      const secrets = row.receipt === null ? null : await seal.open(place, row.receipt);
      return ok({ ...row, secrets: secrets as AppClientSecrets | null });
    },

    async replaceSecrets(app, { settingsHash, receipt }, secrets) {
      const refusal = findTooLarge({ settings: {}, secrets });
      if (refusal !== null) return refusal;
      const sealed = await sealSecrets(app, secrets);
      const isSame = sql`${appClients.sealed} is not distinct from ${receipt}::text`;
      const written = await asTenant(connection, tenant, (query) => [
        query
          .update(appClients)
          .set({ sealed })
          .where(and(isThis(app), eq(appClients.settingsHash, settingsHash), isSame))
          .returning({ app: appClients.appName }),
      ]);
      return written.ok ? ok(written.value[0].length > 0) : written;
    },

    async remove(app) {
      const removed = await asTenant(connection, tenant, (query) => [
        query.delete(appClients).where(isThis(app)).returning({ app: appClients.appName }),
      ]);
      if (!removed.ok) return removed;
      return removed.value[0].length > 0 ? ok(undefined) : NO_APP;
    },
  };
}

function findTooLarge({ settings, secrets }: Pick<NewAppClient, "settings" | "secrets">): Failed | null {
  const characters = Math.max(JSON.stringify(settings).length, JSON.stringify(secrets).length);
  return characters <= MAX_APP_CHARACTERS
    ? null
    : failed("too_large", `The settings of an app have at most ${MAX_APP_CHARACTERS} characters.`);
}

function selectApps(query: Query) {
  const { appName, provider, settings, settingsHash, updatedAt } = appClients;
  const hasSecrets = sql<boolean>`${appClients.sealed} is not null`;
  return query.select({ app: appName, provider, settings, settingsHash, updatedAt, hasSecrets }).from(appClients);
}

type Row = Awaited<ReturnType<typeof selectApps>>[number];

function toApp(row: Row): StoredAppClient {
  return { ...row, settings: JSON.parse(row.settings) as AppClientSettings };
}

function toFirst([row]: readonly Row[]) {
  return row === undefined ? NO_APP : ok(toApp(row));
}
