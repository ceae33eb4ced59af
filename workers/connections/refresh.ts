/** Reads the connected accounts of a tenant at the provider of the catalogue, when an administrator asks for it. */
import { appsFromEnv, connectionTableFromEnv } from "../../adapters/env/connections.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { isCatalogueApp } from "../../core/connections/catalogue-app.ts";
import type { Connection } from "../../core/connections/connection.ts";
import { MAX_OF_TENANT } from "../../core/connections/rules.ts";
import { unwrap } from "../http/unwrap.ts";
import { attemptEach } from "../sweep/attempt-each.ts";
import { checkProviderAccount } from "./account-check.ts";
import { notifyOfEnd } from "./checks.ts";

/** Connections of one request, and those at once. */
const MAX_CHECKS = 100;
const AT_ONCE = 5;
/** No check begins later than this after the first one. */
const CHECKING_MS = 15_000;
/** All tenants share the rate limit of the provider. */
const CHECK_EVERY_MS = 60_000;

export async function refreshConnections(env: Env, tenant: string, requestId: string) {
  const now = Date.now();
  const listed = unwrap(
    await connectionTableFromEnv(env, tenant).list({ person: null, all: true, limit: MAX_OF_TENANT }),
  );
  const active = listed.filter((one) => one.status === "active" && isCatalogueApp(one));
  const due = active
    .filter(({ lastCheckedAt }) => (lastCheckedAt ?? 0) < now - CHECK_EVERY_MS)
    .toSorted((one, other) => (one.lastCheckedAt ?? 0) - (other.lastCheckedAt ?? 0))
    .slice(0, MAX_CHECKS);
  const titles = await readTitles(env, tenant, due);
  const counts = { checked: 0, expired: 0, revoked: 0, unread: 0 };
  const name = ({ id }: Connection): string => `checking ${id}`;
  await attemptEach(due, { atOnce: AT_ONCE, until: now + CHECKING_MS }, name, async (connection) => {
    const title = titles.get(connection.app) ?? connection.app;
    const checked = await checkProviderAccount(env, { connection, title, requestId });
    if (!checked.ok) {
      counts.unread += 1;
      return;
    }
    counts.checked += 1;
    const { status } = checked.value;
    if (status !== "expired" && status !== "revoked") return;
    counts[status] += 1;
    await notifyOfEnd(env, { connection: checked.value, title, status });
  });
  return { ...counts, left: active.length - counts.checked - counts.unread };
}

async function readTitles(
  env: Env,
  tenant: string,
  connections: readonly Connection[],
): Promise<ReadonlyMap<string, string>> {
  const apps = unwrap(await appsFromEnv(env, tenant).all([...new Set(connections.map(({ app }) => app))]));
  return new Map(apps.map(({ app, title }) => [app, title]));
}
