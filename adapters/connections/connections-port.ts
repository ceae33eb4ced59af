/**
 * The port over the table of connections, the providers and the caches of the isolate.
 * 1. What it says of a connection is at most 5 s old; 10 min while the database is away. Without either it fails with
 *    `retry: "later"`. That there is no usable account is said only of what was read just now.
 * 2. A credential belongs to the consent of its account: after a new consent it is not given, because the other consent
 *    may be another mailbox.
 */
import { asNotSent, type Failed, type Failure, notSent, ok, type Result } from "../../core/base/errors.ts";
import { type Account, type ConnectReason, getOwnerPerson, isServerGrant } from "../../core/connections/account.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import { chooseAccount, type Chosen, mayRunUnattended } from "../../core/connections/choose-account.ts";
import { type Connection, toAccount } from "../../core/connections/connection.ts";
import { MAX_OF_OWNER } from "../../core/connections/rules.ts";
import { type Bearer, getValue } from "../../core/connections/tokens.ts";
import type { AccountQuestion, ConnectionsPort } from "../../core/ports/connections.ts";
import type { ConnectionTable, SettledState } from "../../core/ports/connection-table.ts";
import { type ConnectionCaches, forgetConnections, FRESH_MS, type KnownApp } from "./account-cache.ts";
import { type BearerParts, getBearer } from "./bearer.ts";
import { noteUse } from "./note-use.ts";
import type { TokenTable } from "./renew.ts";

/** A person's connections of an app, and the shared ones. */
const MAX_ROWS = 2 * MAX_OF_OWNER;

export interface ConnectionsParts extends BearerParts {
  readonly table: TokenTable & Pick<ConnectionTable, "list" | "find" | "touchUsed">;
  readonly caches: ConnectionCaches;
}

export function openConnections(parts: ConnectionsParts): ConnectionsPort {
  return {
    choose: async (question) => await choose(parts, question),

    current: async (account, isUnattended) => await check(parts, account, isUnattended),

    bearer: async (account, renew) => await giveBearer(parts, account, renew),

    refused: async (account, why) => await expire(parts, account, why),
  };
}

async function choose(parts: ConnectionsParts, question: AccountQuestion): Promise<Result<Chosen>> {
  const [app, person] = [question.app.app, question.actors.caller];
  return await decide(
    parts,
    { app, person },
    (found) => chooseFrom(question, found),
    (chosen) => chosen.kind === "account",
  );
}

async function check(
  parts: ConnectionsParts,
  account: Account,
  isUnattended: boolean,
): Promise<Result<CurrentAccount>> {
  const person = getOwnerPerson(account.owner);
  const isSame = (current: CurrentAccount) => "connection" in current && current.consent === account.consent;
  const find = (found: Found) => ok(findCurrent(account, isUnattended, found));
  const checked = await decide(parts, { app: account.app, person }, find, isSame);
  // No credential of it is ever asked for here, so its call is its use.
  if (isServerGrant(account) && checked.ok && isSame(checked.value)) noteUse(parts, account.connection);
  return checked;
}

type CurrentAccount = Account | { readonly needed: ConnectReason };

/** What is known of an app: null for one that was removed, and the person's and the shared connections. */
interface Found {
  readonly app: AppClient | null;
  readonly rows: readonly Connection[];
}

/**
 * Decides by what the caches know. What they do not confirm is read again first: a connection that was made, or made
 * again, in another isolate counts at once, so that the tasks that it wakes find it.
 */
async function decide<Decision>(
  parts: ConnectionsParts,
  of: { readonly app: string; readonly person: string | null },
  rule: (found: Found) => Result<Decision>,
  isConfirmed: (decision: Decision) => boolean,
): Promise<Result<Decision>> {
  const isCached = hasCached(parts, of);
  const known = await read(parts, of, FRESH_MS);
  const decided = known.ok ? rule(known.value) : known;
  if (!isCached || (decided.ok && isConfirmed(decided.value))) return decided.ok ? decided : asNotSent(decided.error);
  const present = await read(parts, of, READ_NOW);
  const again = present.ok ? rule(present.value) : present;
  return again.ok ? again : asNotSent(again.error);
}

function chooseFrom(question: AccountQuestion, { app: known, rows }: Found): Result<Chosen> {
  const { app, actors, rule, configured, isUnattended } = question;
  if (known === null) return failRemoved(app.app);
  const { settingsHash } = known;
  const wanted = { app: { ...app, owner: rule }, caller: actors.caller, isUnattended, configured };
  return ok(chooseAccount({ ...wanted, settingsHash, connections: rows }));
}

function findCurrent({ connection }: Account, isUnattended: boolean, { app, rows }: Found): CurrentAccount {
  const found = rows.find(({ id }) => id === connection);
  if (app === null || found === undefined || found.status === "revoked") return { needed: "revoked" };
  const isUsable = found.status === "active" && found.settingsHash === app.settingsHash;
  if (!isUsable) return { needed: "expired" };
  return isUnattended && !mayRunUnattended(found) ? { needed: "unattended" } : toAccount(found);
}

/** Instead of the age of a cached value. */
const READ_NOW = -1;

interface AppOfPerson {
  readonly app: string;
  readonly person: string | null;
}

function toRowsKey(tenant: string, { app, person }: AppOfPerson): string {
  return `${tenant} ${JSON.stringify([app, person])}`;
}

function hasCached({ tenant, caches, now }: ConnectionsParts, of: AppOfPerson): boolean {
  const isKnown = caches.apps.find(`${tenant} ${of.app}`, now(), FRESH_MS) !== null;
  return isKnown || caches.rows.find(toRowsKey(tenant, of), now(), FRESH_MS) !== null;
}

async function read(parts: ConnectionsParts, of: AppOfPerson, maxAgeMs: number): Promise<Result<Found>> {
  const [app, rows] = await Promise.all([findApp(parts, of.app, maxAgeMs), readRows(parts, of, maxAgeMs)]);
  if (!app.ok) return app;
  return rows.ok ? ok({ app: app.value.client, rows: rows.value }) : rows;
}

async function findApp(
  { tenant, apps, caches, now }: ConnectionsParts,
  app: string,
  maxAgeMs: number,
): Promise<Result<KnownApp>> {
  const readApp = async (): Promise<Result<KnownApp>> => {
    const found = await apps.find(app);
    if (!found.ok) return found.error.code === "not_found" ? ok({ client: null }) : found;
    return ok({ client: found.value });
  };
  return await caches.apps.get(`${tenant} ${app}`, now(), readApp, { maxAgeMs });
}

/** The person's and the shared connections of an app, in one statement. */
async function readRows(
  { tenant, table, caches, now }: ConnectionsParts,
  { app, person }: AppOfPerson,
  maxAgeMs: number,
): Promise<Result<readonly Connection[]>> {
  const { rows } = caches;
  const readList = async (): Promise<Result<readonly Connection[]>> => {
    const [at, generation] = [now(), rows.generation];
    const list = await table.list({ person, app, limit: MAX_ROWS });
    if (!list.ok || person === null) return list;
    const shared = list.value.filter(({ owner }) => owner.kind === "shared");
    rows.store(toRowsKey(tenant, { app, person: null }), shared, at, generation);
    return list;
  };
  return await rows.get(toRowsKey(tenant, { app, person }), now(), readList, { maxAgeMs });
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
  if (!made.ok) {
    const known = isAwayCode(made.error) ? await parts.table.find(account.connection) : null;
    if (made.error.cause?.kind === "connection_ended") forgetConnections(parts.caches, parts.tenant);
    return { result: asNotSent(made.error), isDatabaseAway: known !== null && isUnread(known) };
  }
  // Read after the tokens: consents only grow, so the tokens are not of a later one.
  const found = await parts.table.find(account.connection);
  if (!found.ok) return { result: asNotSent(found.error), isDatabaseAway: isUnread(found) };
  const { bearer, settingsHash } = made.value;
  if (found.value.consent !== account.consent) return { result: failReconnected(account.app), isDatabaseAway: false };
  if (found.value.settingsHash !== settingsHash) {
    forgetConnections(parts.caches, parts.tenant);
    return { result: failMoved(account), isDatabaseAway: false };
  }
  noteUse(parts, account.connection);
  return { result: ok(bearer), isDatabaseAway: false };
}

function isUnread(found: Result<Connection>): boolean {
  return !found.ok && isAwayCode(found.error);
}

function isAwayCode({ code }: Failure): boolean {
  return code === "upstream_failed";
}

/** Ends a connection that the app refused. A consent or a renewal of meanwhile stays. */
async function expire(parts: ConnectionsParts, account: Account, why?: string): Promise<void> {
  const refused = await findRefused(parts, account);
  if (refused === null) return;
  const app = why === undefined ? await findApp(parts, account.app, FRESH_MS) : null;
  const title = (app?.ok === true ? app.value.client?.title : null) ?? account.app;
  const reason = why ?? `${title} refused the account. Connect it again.`;
  await parts.table.settle(account.connection, "expired", reason, refused);
  forgetConnections(parts.caches, parts.tenant);
}

/** Finds what of the account was refused; null if it has another credential or consent by now. */
async function findRefused(parts: ConnectionsParts, account: Account): Promise<SettledState | null> {
  const { table, caches, now } = parts;
  const { connection, consent } = account;
  // Its tokens are elsewhere.
  if (isServerGrant(account)) return { consent };
  const refused = caches.bearers.find(toBearerKey(parts, account), now());
  const stored = await table.tokens(connection);
  const found = await table.find(connection);
  if (!stored.ok || !found.ok || found.value.consent !== consent) return null;
  const { tokens, version } = stored.value;
  return refused !== null && getValue(tokens) !== refused.value ? null : { version };
}

function toBearerKey({ tenant }: ConnectionsParts, { connection, consent }: Account): string {
  return `${tenant} ${connection} ${consent}`;
}

function failReconnected(app: string): Failed {
  return notSent("conflict", `The account of ${app} was connected again meanwhile. Repeat the call.`, { retry: "now" });
}

/** The owner consented to other hosts than those that would receive the credential now. */
function failMoved({ app, connection }: Account): Failed {
  const message = `The settings of ${app} changed since this account was connected. Its owner has to connect it again.`;
  return notSent("permission_denied", message, { cause: { kind: "connection_ended", connection } });
}

function failRemoved(app: string): Failed {
  return notSent("not_available", `The app ${app} was removed, so no account of it can be used.`);
}
