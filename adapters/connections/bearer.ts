/** The credential of one call, for the egress module and the MCP client alone. */
import { notSent, ok, type Result } from "../../core/base/errors.ts";
import type { Account } from "../../core/connections/account.ts";
import { isCatalogueApp } from "../../core/connections/catalogue-app.ts";
import { type Bearer, getValue } from "../../core/connections/tokens.ts";
import type { AppDirectory, ProviderBook } from "../../core/ports/authorizations.ts";
import { getFreshTokens, type RenewalParts } from "./renew.ts";

export interface BearerParts extends RenewalParts {
  readonly book: ProviderBook;
  readonly apps: Pick<AppDirectory, "find">;
}

/** A credential with the hash of the app's settings that name its place. */
export interface PlacedBearer {
  readonly bearer: Bearer;
  readonly settingsHash: string;
}

/**
 * Returns the value of the account's credential, the only header in which it is sent, and the only hosts that receive it.
 * `renew.refused`: the app answered 401 to this value. An expired connection fails with the cause `connection_ended`.
 */
export async function getBearer(
  parts: BearerParts,
  account: Account,
  renew?: { readonly refused: string },
): Promise<Result<PlacedBearer>> {
  if (isCatalogueApp(account)) return NO_CREDENTIAL;
  const [app, settings] = await Promise.all([parts.apps.find(account.app), parts.book.find(account.app)]);
  if (!app.ok) return app;
  if (!settings.ok) return settings;
  if (app.value.hosts.length === 0) {
    const message = `${app.value.title} names no host, so its accounts are sent nowhere.`;
    return notSent("blocked_by_policy", message);
  }
  const tokens = await getFreshTokens(parts, app.value, account.connection, renew?.refused ?? null);
  if (!tokens.ok) return tokens;
  // The provider's id of an account is no credential, and is sent in no header.
  if (tokens.value.kind === "account") return NO_CREDENTIAL;
  const { hosts, settingsHash } = app.value;
  return ok({ bearer: { header: settings.value.header, value: getValue(tokens.value), hosts }, settingsHash });
}

const NO_CREDENTIAL = notSent(
  "blocked_by_policy",
  "The provider of this app stores the credential of the account, so Otto cannot send it. Use the app's actions.",
);
