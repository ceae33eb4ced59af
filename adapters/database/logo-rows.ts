/** The logos of the apps of the catalogue: which are to be fetched, and which are stored. */
import { and, asc, eq, gt, isNotNull, sql } from "drizzle-orm";
import { ok } from "../../core/base/errors.ts";
import { OPERATOR_TENANT } from "../../core/ports/audit.ts";
import type { AppCatalogueTable } from "../../core/ports/app-catalogue-table.ts";
import { composioApps } from "./app-catalogue-schema.ts";
import { asTenant, type Connection } from "./connection.ts";

type LogoRows = Pick<AppCatalogueTable, "logosToFetch" | "storeLogos" | "logos" | "publishLogos">;

export function logoRows(connection: Connection): LogoRows {
  const { app, logo, logoUrl, logoOf, status } = composioApps;
  return {
    async logosToFetch(after, limit) {
      const isNext = after === null ? undefined : gt(app, after);
      const isDue = and(eq(status, "active"), isNotNull(logoUrl), sql`${logoUrl} is distinct from ${logoOf}`, isNext);
      const read = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query.select({ app, url: logoUrl }).from(composioApps).where(isDue).orderBy(asc(app)).limit(limit),
      ]);
      return read.ok
        ? ok(read.value[0].flatMap(({ app: name, url }) => (url === null ? [] : { app: name, url })))
        : read;
    },

    async storeLogos(logos) {
      const written = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query.execute(sql`
          update composio_apps_cache as p set logo = l.hash, logo_of = l.url
          from json_to_recordset(${JSON.stringify(logos)}::json) as l (app text, url text, hash text)
          where p.app_name = l.app and p.logo_url = l.url`),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async logos() {
      const read = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query
          .select({ app, hash: logo })
          .from(composioApps)
          .where(and(isNotNull(logo), isNotNull(logoUrl)))
          .orderBy(asc(app)),
      ]);
      return read.ok
        ? ok(read.value[0].flatMap(({ app: name, hash }) => (hash === null ? [] : { app: name, hash })))
        : read;
    },

    async publishLogos(hash) {
      const written = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query.execute(sql`update app_catalogue set logos = ${hash} where name = 'current'`),
      ]);
      return written.ok ? ok(undefined) : written;
    },
  };
}
