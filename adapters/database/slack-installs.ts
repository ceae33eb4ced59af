/** Slack workspaces in which tenants installed the app. Tokens are sealed before they arrive here. */
import { and, desc, eq, isNotNull, lt, sql } from "drizzle-orm";
import type { SlackInstall, SlackInstallStatus, SlackInstallTable } from "../../core/ports/slack-install-table.ts";
import { failed, ok } from "../../core/base/errors.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, callDirectory, type Connection, type Query } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { slackAuthorizations, slackInstalls } from "./schema.ts";

const MAX_ACTIVE = 100;

const NO_INSTALL = failed("not_found", "Otto is not installed in this workspace.");
const OTHER_TENANT = failed(
  "conflict",
  "Otto is installed in this workspace by another tenant. Uninstall it there first.",
);

export function slackInstallTable(connection: Connection): SlackInstallTable {
  return {
    async put(tenant, install, act) {
      const { id, team, teamName, app, botUser, scopes, sealed, installedBy } = install;
      const at = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with made as (
            insert into slack_installs (tenant, id, team, team_name, app, bot_user, scopes, sealed, status, installed_by,
              created_at, updated_at)
            values (${tenant}::text, ${id}::text, ${team}::text, ${teamName}::text, ${app}::text, ${botUser}::text,
              ${sql.param([...scopes])}::text[], ${sealed}::text, 'active', ${installedBy}::text,
              ${at}::timestamptz, ${at}::timestamptz)
            on conflict (tenant, team) do update set team_name = excluded.team_name, app = excluded.app,
              bot_user = excluded.bot_user, scopes = excluded.scopes, sealed = excluded.sealed, status = 'active',
              installed_by = excluded.installed_by, updated_at = excluded.updated_at
            returning id
          )
          ${insertAuditFrom(tenant, act)} from made`),
        selectInstalls(query).where(isOfTeam(tenant, team)),
      ]);
      if (!written.ok) return written.error.code === "conflict" ? OTHER_TENANT : written;
      return toFirst(written.value[1]);
    },

    async get(tenant, id) {
      const read = await asTenant(connection, tenant, (query) => [selectInstalls(query).where(isNamed(tenant, id))]);
      return read.ok ? toFirst(read.value[0]) : read;
    },

    async page(tenant, { after, limit }) {
      const read = await asTenant(connection, tenant, (query) => [
        selectInstalls(query)
          .where(and(eq(slackInstalls.tenant, tenant), isBefore(slackInstalls.createdAt, slackInstalls.id, after)))
          .orderBy(desc(slackInstalls.createdAt), desc(slackInstalls.id))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      return ok(cutPage(read.value[0].map(toInstall), limit, ({ id, createdAt }) => ({ at: createdAt, id })));
    },

    async active(tenant) {
      const read = await asTenant(connection, tenant, (query) => [
        selectInstalls(query)
          .where(and(eq(slackInstalls.tenant, tenant), eq(slackInstalls.status, "active")))
          .orderBy(desc(slackInstalls.createdAt), desc(slackInstalls.id))
          .limit(MAX_ACTIVE),
      ]);
      return read.ok ? ok(read.value[0].map(toInstall)) : read;
    },

    async findByTeam(tenant, team) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ ...COLUMNS, sealed: slackInstalls.sealed })
          .from(slackInstalls)
          .where(and(isOfTeam(tenant, team), eq(slackInstalls.status, "active"), isNotNull(slackInstalls.sealed))),
      ]);
      if (!read.ok) return read;
      const [found] = read.value[0];
      return found === undefined ? NO_INSTALL : ok({ ...toInstall(found), sealed: found.sealed ?? "" });
    },

    async findTenant(team) {
      const read = await callDirectory(connection, sql`select tenant from otto_slack_tenant(${team}::text)`);
      if (!read.ok) return read;
      const tenant = read.value[0]?.["tenant"];
      return ok(typeof tenant === "string" ? tenant : null);
    },

    async remove(tenant, id, act) {
      const written = await asTenant(connection, tenant, (query) => [
        selectInstalls(query).where(isNamed(tenant, id)),
        query.execute(sql`
          with gone as (delete from slack_installs where ${isNamed(tenant, id)} returning id)
          ${insertAuditFrom(tenant, act)} from gone`),
      ]);
      return written.ok ? toFirst(written.value[0]) : written;
    },

    async revoke(tenant, team, at) {
      const written = await asTenant(connection, tenant, (query) => [
        query
          .update(slackInstalls)
          .set({ status: "revoked", sealed: null, updatedAt: at })
          .where(and(isOfTeam(tenant, team), lt(slackInstalls.updatedAt, at))),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async begin(tenant, { mark, key, redirect, expiresAt }) {
      const written = await asTenant(connection, tenant, (query) => [
        query
          .delete(slackAuthorizations)
          .where(and(eq(slackAuthorizations.tenant, tenant), sql`${slackAuthorizations.expiresAt} < now()`)),
        query.insert(slackAuthorizations).values({ tenant, mark, key, redirect, expiresAt }).onConflictDoNothing(),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async end(tenant, mark, now) {
      const { key, redirect, expiresAt } = slackAuthorizations;
      const written = await asTenant(connection, tenant, (query) => [
        query
          .delete(slackAuthorizations)
          .where(and(eq(slackAuthorizations.tenant, tenant), eq(slackAuthorizations.mark, mark)))
          .returning({ mark: slackAuthorizations.mark, key, redirect, expiresAt }),
      ]);
      if (!written.ok) return written;
      const [found] = written.value[0];
      return ok(found === undefined || found.expiresAt < now ? null : found);
    },
  };
}

const { id, team, teamName, app, botUser, scopes, status, installedBy, createdAt, updatedAt } = slackInstalls;
const COLUMNS = { id, team, teamName, app, botUser, scopes, status, installedBy, createdAt, updatedAt };

type Row = Omit<SlackInstall, "status"> & { readonly status: string };

function selectInstalls(query: Query) {
  return query.select(COLUMNS).from(slackInstalls);
}

function toInstall({
  id,
  team,
  teamName,
  app,
  botUser,
  scopes,
  status,
  installedBy,
  createdAt,
  updatedAt,
}: Row): SlackInstall {
  const known: SlackInstallStatus = status === "active" ? "active" : "revoked";
  return { id, team, teamName, app, botUser, scopes, status: known, installedBy, createdAt, updatedAt };
}

function toFirst([found]: readonly Row[]) {
  return found === undefined ? NO_INSTALL : ok(toInstall(found));
}

function isNamed(tenant: string, install: string) {
  return and(eq(slackInstalls.tenant, tenant), eq(slackInstalls.id, install));
}

function isOfTeam(tenant: string, asked: string) {
  return and(eq(slackInstalls.tenant, tenant), eq(slackInstalls.team, asked));
}
