/**
 * The port over the table of connections, the providers and the caches of the isolate.
 * 1. What it says of a connection is at most 5 s old; 10 min while the database is away. Without either it fails with
 *    `retry: "later"`.
 * 2. A credential belongs to the consent of its account: after a new consent it is not given, because the other consent
 *    may be another mailbox.
 */
import { asNotSent, type Failed, type Failure, notSent, ok, type Result } from "../../core/base/errors.ts";
import type { Account } from "../../core/connections/account.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import { chooseAccount, type Chosen } from "../../core/connections/choose-account.ts";
import { type Connection, toAccount } from "../../core/connections/connection.ts";
import { MAX_OF_OWNER, USED_EVERY_MS } from "../../core/connections/rules.ts";
import { type Bearer, getValue } from "../../core/connections/tokens.ts";
import type { AccountQuestion, ConnectionsPort } from "../../core/ports/connections.ts";
import type { ConnectionTable } from "../../core/ports/connection-table.ts";
import { type ConnectionCaches, forgetConnections } from "./account-cache.ts";
import { type BearerParts, getBearer } from "./bearer.ts";
import type { TokenTable } from "./renew.ts";

/** A person's connections of an app, and the shared ones. */
const MAX_ROWS = 2 * MAX_OF_OWNER;
/** Connections whose last use this isolate remembers. */
const MAX_USED = 5_000;

export interface ConnectionsParts extends BearerParts {
  readonly table: TokenTable & Pick<ConnectionTable, "list" | "find" | "touchUsed">;
  readonly caches: ConnectionCaches;
}

export function openConnections(parts: ConnectionsParts): ConnectionsPort {
  return {
    choose: async (question) => await choose(parts, question),

    async current(account) {
      const owner = account.owner.kind === "person" ? account.owner.id : null;
      const [app, rows] = await Promise.all([findApp(parts, account.app), readRows(parts, account.app, owner)]);
      if (!app.ok) return asNotSent(app.error);
      if (!rows.ok) return asNotSent(rows.error);
      const found = rows.value.find(({ id }) => id === account.connection);
      if (app.value === null || found === undefined || found.status === "revoked") return ok({ needed: "revoked" });
      const isUsable = found.status === "active" && found.settingsHash === app.value.settingsHash;
      return ok(isUsable ? toAccount(found) : { needed: "expired" });
    },

    bearer: async (account, renew) => await giveBearer(parts, account, renew),

    refused: async (account) => await expire(parts, account),
  };
}

async function choose(parts: ConnectionsParts, question: AccountQuestion): Promise<Result<Chosen>> {
  const { app, actors, rule, configured, isUnattended } = question;
  const { caller } = actors;
  const [known, rows] = await Promise.all([findApp(parts, app.app), readRows(parts, app.app, caller)]);
  if (!known.ok) return asNotSent(known.error);
  if (!rows.ok) return asNotSent(rows.error);
  if (known.value === null) return failRemoved(app.app);
  const { settingsHash } = known.value;
  return ok(
    chooseAccount({
      app: { ...app, owner: rule },
      caller,
      isUnattended,
      configured,
      settingsHash,
      connections: rows.value,
    }),
  );
}

/** Null for an app that was removed. */
async function findApp(
  { tenant, apps, caches, now }: ConnectionsParts,
  app: string,
): Promise<Result<AppClient | null>> {
  return await caches.apps.get(`${tenant} ${app}`, now(), async () => {
    const found = await apps.find(app);
    return !found.ok && found.error.code === "not_found" ? ok(null) : found;
  });
}

/** The person's and the shared connections of an app, in one statement. */
async function readRows(
  { tenant, table, caches, now }: ConnectionsParts,
  app: string,
  person: string | null,
): Promise<Result<readonly Connection[]>> {
  const { rows } = caches;
  const keyOf = (owner: string | null) => `${tenant} ${JSON.stringify([app, owner])}`;
  return await rows.get(keyOf(person), now(), async () => {
    const [at, generation] = [now(), rows.generation];
    const read = await table.list({ person, app, limit: MAX_ROWS });
    if (!read.ok || person === null) return read;
    const shared = read.value.filter(({ owner }) => owner.kind === "shared");
    rows.store(keyOf(null), shared, at, generation);
    return read;
  });
}

async function giveBearer(
  parts: ConnectionsParts,
  account: Account,
  renew: { readonly refused: string } | undefined,
): Promise<Result<Bearer>> {
  const { caches, now } = parts;
  const key = toBearerKey(parts, account);
  if (renew !== undefined) {
    const { generation } = caches.bearers;
    const at = now();
    const { result } = await readBearer(parts, account, renew);
    if (result.ok) caches.bearers.store(key, result.value, at, generation);
    return result;
  }
  let isAway = false;
  const given = await caches.bearers.get(
    key,
    now(),
    async () => {
      const read = await readBearer(parts, account);
      isAway = read.isDatabaseAway;
      return read.result;
    },
    { isAway: () => isAway },
  );
  return given.ok ? given : asNotSent(given.error);
}

interface ReadBearer {
  readonly result: Result<Bearer>;
  readonly isDatabaseAway: boolean;
}

async function readBearer(
  parts: ConnectionsParts,
  account: Account,
  renew?: { readonly refused: string },
): Promise<ReadBearer> {
  const made = await getBearer(parts, account, renew);
  // Read after the tokens: consents only grow, so the tokens are not of a later one.
  const found = made.ok || isAwayCode(made.error) ? await parts.table.find(account.connection) : null;
  const isDatabaseAway = found !== null && !found.ok && isAwayCode(found.error);
  if (!made.ok) {
    if (made.error.cause?.kind === "connection_ended") forgetConnections(parts.caches, parts.tenant);
    return { result: asNotSent(made.error), isDatabaseAway };
  }
  if (found === null || !found.ok) return { result: found === null ? made : asNotSent(found.error), isDatabaseAway };
  if (found.value.consent !== account.consent) return { result: failReconnected(account.app), isDatabaseAway };
  noteUse(parts, account.connection);
  return { result: made, isDatabaseAway };
}

function isAwayCode({ code }: Failure): boolean {
  return code === "upstream_failed";
}

/** Notes the last use in the background, once an hour. */
function noteUse({ tenant, table, caches: { usedAt }, now, background }: ConnectionsParts, id: string): void {
  const key = `${tenant} ${id}`;
  if (now() - (usedAt.get(key) ?? 0) < USED_EVERY_MS) return;
  usedAt.delete(key);
  usedAt.set(key, now());
  const [oldest] = usedAt.keys();
  if (usedAt.size > MAX_USED && oldest !== undefined) usedAt.delete(oldest);
  background(table.touchUsed(id).catch(() => undefined));
}

/** Ends a connection whose present credential the app refused. A consent or a renewal of meanwhile stays. */
async function expire(parts: ConnectionsParts, account: Account): Promise<void> {
  const { table, caches, tenant, now } = parts;
  const refused = caches.bearers.find(toBearerKey(parts, account), now());
  const stored = await table.tokens(account.connection);
  const found = await table.find(account.connection);
  if (!stored.ok || !found.ok || found.value.consent !== account.consent) return;
  if (refused !== null && getValue(stored.value.tokens) !== refused.value) return;
  const app = await findApp(parts, account.app);
  const title = app.ok && app.value !== null ? app.value.title : account.app;
  const why = `${title} refused the account. Connect it again.`;
  await table.settle(account.connection, "expired", why, stored.value.version);
  forgetConnections(caches, tenant);
}

function toBearerKey({ tenant }: ConnectionsParts, { connection, consent }: Account): string {
  return `${tenant} ${connection} ${consent}`;
}

function failReconnected(app: string): Failed {
  return notSent("conflict", `The account of ${app} was connected again meanwhile. Repeat the call.`, { retry: "now" });
}

function failRemoved(app: string): Failed {
  return notSent("not_available", `The app ${app} was removed, so no account of it can be used.`);
}
