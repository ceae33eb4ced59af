/**
 * The ids of accounts whose provider stores the tokens, for calls of the provider alone. What it says is at most 5 s old;
 * 10 min while the database is away. An id belongs to the consent of its account: after a new consent it is not given,
 * because the other consent may be another mailbox. Likewise, it is given for calls with the key that made the account.
 */
import { asNotSent, type Failed, notSent, ok, type Result } from "../../core/base/errors.ts";
import { type Account, getOwnerPerson } from "../../core/connections/account.ts";
import { hashCatalogueApp, isCatalogueApp, toEntity } from "../../core/connections/catalogue-app.ts";
import { getKey } from "../../core/connections/provider-key.ts";
import type { AppAccount } from "../../core/ports/apps.ts";
import type { ConnectionTable } from "../../core/ports/connection-table.ts";
import type { ProviderAccounts } from "../../core/ports/provider-accounts.ts";
import { type ConnectionCaches, forgetConnections } from "./account-cache.ts";
import { noteUse, type UseParts } from "./note-use.ts";

export interface ProviderAccountsParts extends UseParts {
  readonly table: Pick<ConnectionTable, "tokens" | "find" | "touchUsed">;
  readonly caches: ConnectionCaches;
  /** Names the key that the calls are made with. */
  readonly key: string;
}

export function openProviderAccounts(parts: ProviderAccountsParts): ProviderAccounts {
  const { tenant, caches, key: made, now } = parts;
  return {
    async find(account) {
      if (!isCatalogueApp(account)) return FOREIGN;
      const key = `${tenant} ${account.connection} ${account.consent} ${made}`;
      const found = await caches.providerAccounts.get(key, now(), async () => await read(parts, account));
      if (!found.ok) {
        if (found.error.cause?.kind === "connection_ended") forgetConnections(caches, tenant);
        return asNotSent(found.error);
      }
      noteUse(parts, account.connection);
      return found;
    },
  };
}

async function read({ tenant, table, key }: ProviderAccountsParts, account: Account): Promise<Result<AppAccount>> {
  const stored = await table.tokens(account.connection);
  if (!stored.ok) return stored.error.code === "not_found" ? failEnded(account) : stored;
  // Read after the tokens: consents only grow, so the tokens are not of a later one.
  const found = await table.find(account.connection);
  if (!found.ok) return found.error.code === "not_found" ? failEnded(account) : found;
  const { consent, app, owner, settingsHash } = found.value;
  if (consent !== account.consent) return failReconnected(account);
  const { tokens } = stored.value;
  const isOfApp = app === account.app && settingsHash === (await hashCatalogueApp(app, key));
  if (tokens.kind !== "account" || getKey(tokens) !== key || !isOfApp) return failEnded(account);
  const entity = toEntity(tenant, getOwnerPerson(owner));
  return ok({ connection: account.connection, entity, providerId: tokens.providerId });
}

const FOREIGN = notSent("blocked_by_policy", "The tokens of this account are not stored by the provider of the app.");

function failEnded({ connection }: Account): Failed {
  const message = "The access of this account has ended. Its owner has to connect it again.";
  return notSent("permission_denied", message, { cause: { kind: "connection_ended", connection } });
}

function failReconnected({ app }: Account): Failed {
  return notSent("conflict", `The account of ${app} was connected again meanwhile. Repeat the call.`, { retry: "now" });
}
