/**
 * Consents at a provider that stores the tokens.
 * 1. An account counts for one consent only: it was pending when the person was sent to the provider. So what is done
 *    with the account of a consent never concerns an account that worked before.
 * 2. What the browser returns with decides nothing. The account is read at the provider, and has to be active, of our
 *    owner and of our app.
 * 3. A sign-in that could not begin leaves a pending account there. Nobody was sent to it, so it never gets an access.
 * 4. An account is read and revoked with the key that made it, and no other: another key does not know it.
 * 5. Reading is repeated for some seconds, because the page of a provider may send the browser back before its API knows.
 */
import { hashCatalogueApp, NO_PROVIDER_MESSAGE } from "../../core/connections/catalogue-app.ts";
import { computeBackoffMs } from "../../core/base/backoff.ts";
import { sleep, type Timer } from "../../core/base/deadline.ts";
import { failed, type Failed, type Failure, ok, type Result } from "../../core/base/errors.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import { type FlowAccount, toAccountTokens } from "../../core/connections/flow.ts";
import { getKey, type MadeByKey, OPERATOR_KEY, toMadeBy } from "../../core/connections/provider-key.ts";
import { refuseProvider } from "../../core/connections/provider-faults.ts";
import type { AppLinks, ProviderAccount } from "../../core/ports/apps.ts";
import type { AuthorizationRequest, AuthorizationsPort, BegunAuthorization } from "../../core/ports/authorizations.ts";
import type { TenantLinks } from "../../core/ports/provider-keys.ts";

const READS = 3;
const FIRST_DELAY_MS = 300;
const LONGEST_DELAY_MS = 1_000;
/** No read begins later than this after the first one. */
const READING_MS = 4_000;

export interface AccountAuthorizationsParts {
  readonly links: TenantLinks;
  /** The actions for which an account of the app is to serve. */
  readonly listActions: (app: string) => Promise<Result<readonly string[]>>;
  readonly timer: Timer;
  readonly now: () => number;
}

export function openAccountAuthorizations(parts: AccountAuthorizationsParts): AuthorizationsPort {
  const { links } = parts;
  return {
    async begin(app, at) {
      const present = await links.present();
      if (!present.ok) return toFailure(app, present.error);
      return present.value === null ? NO_PROVIDER : await begin(parts, present.value, app, at);
    },

    async complete(app, { account }) {
      if (account === undefined)
        return refuseProvider(`This sign-in of ${app.title} was begun elsewhere. Start again.`);
      const made = await findMadeBy(links, account);
      if (!made.ok) return toFailure(app, made.error);
      const read = await readSettled(parts, made.value, account.providerId);
      if (!read.ok) return toFailure(app, read.error);
      const refused = checkAccount(app, account, read.value);
      if (refused !== null) return refused;
      return ok({ tokens: toAccountTokens(account), scopes: null, label: read.value.label });
    },

    // The provider renews its tokens itself.
    refresh: (_app, tokens) => Promise.resolve(ok(tokens)),

    identify: () => Promise.resolve(null),

    async revoke(_app, tokens) {
      if (tokens.kind !== "account") return ok("done");
      const made = await findMadeBy(links, tokens);
      // A removed key never returns, and the other accounts of the connection wait behind this one.
      if (!made.ok) return made === NO_KEY ? ok("done") : made;
      const revoked = await made.value.revoke(tokens.providerId);
      return revoked.ok ? ok("done") : revoked;
    },
  };
}

/** The links of the key that made an account. */
async function findMadeBy(links: TenantLinks, account: MadeByKey): Promise<Result<AppLinks>> {
  const key = getKey(account);
  const made = await links.madeBy(key);
  if (!made.ok) return made;
  if (made.value !== null) return ok(made.value);
  return key === OPERATOR_KEY ? NO_PROVIDER : NO_KEY;
}

interface PresentLinks {
  readonly key: string;
  readonly links: AppLinks;
}

async function begin(
  { listActions }: AccountAuthorizationsParts,
  { key, links }: PresentLinks,
  app: AppClient,
  { redirectUrl, state, entity = "" }: AuthorizationRequest,
): Promise<Result<BegunAuthorization>> {
  // The page that the person read may be older than the key.
  if (app.settingsHash !== (await hashCatalogueApp(app.app, key))) return OTHER_KEY_NOW;
  const actions = await listActions(app.app);
  if (!actions.ok) return toFailure(app, actions.error);
  const callback = new URL(redirectUrl);
  callback.searchParams.set("state", state);
  const link = await links.link({ app: app.app, entity, actions: actions.value, callbackUrl: callback.href });
  if (!link.ok) return toFailure(app, link.error);
  const { url, providerId } = link.value;
  const account = { providerId, entity, ...toMadeBy(key) };
  const made = await links.account(providerId);
  if (!made.ok) return toFailure(app, made.error);
  if (made.value.status !== "pending" || !isOf(app, account, made.value))
    return refuseProvider(`The provider of ${app.title} named an account that this sign-in did not make. Start again.`);
  return ok({ url, verifier: "", issuer: null, account });
}

/** Reads the account until it is no longer pending. */
async function readSettled(
  { timer, now }: AccountAuthorizationsParts,
  links: AppLinks,
  providerId: string,
): Promise<Result<ProviderAccount>> {
  const startedAt = now();
  for (let attempt = 1; ; attempt += 1) {
    const read = await links.account(providerId);
    const isSettled = read.ok ? read.value.status !== "pending" : !isTemporary(read.error);
    if (isSettled || attempt === READS || now() - startedAt > READING_MS) return read;
    await sleep(timer, computeBackoffMs(attempt, LONGEST_DELAY_MS, FIRST_DELAY_MS));
  }
}

function checkAccount(app: AppClient, begun: FlowAccount, account: ProviderAccount): Failed | null {
  if (!isOf(app, begun, account))
    return refuseProvider(`The account of ${app.title} belongs to another owner or app. Ask for a new link.`);
  switch (account.status) {
    case "active":
      return null;
    case "pending":
      return refuseProvider(`The sign-in of ${app.title} was not finished. Ask for a new link.`);
    case "failed":
      return refuseProvider(`The consent was declined at ${app.title}, or failed. Ask for a new link to try again.`);
    case "expired":
    case "revoked":
      return refuseProvider(`${app.title} has ended this account already. Ask for a new link.`);
  }
}

function isOf({ app }: AppClient, { providerId, entity }: FlowAccount, account: ProviderAccount): boolean {
  return account.providerId === providerId && account.entity === entity && account.app === app;
}

function isTemporary({ code }: Failure): boolean {
  return code === "upstream_failed" || code === "rate_limited" || code === "timeout";
}

/** A refusal keeps its code. What may work later is no answer of the app, so it does not fail the connection. */
function toFailure({ title }: AppClient, error: Failure): Failed {
  if (isTemporary(error)) return failed("upstream_failed", error.message, { retry: "later" });
  if (error.code !== "not_found") return { ok: false, error };
  return refuseProvider(`The provider of ${title} does not know this app or account. Ask for a new link.`);
}

const OTHER_KEY_NOW = failed("conflict", "Another Composio key serves this workspace since a moment ago. Try again.", {
  retry: "later",
});
const NO_KEY = failed(
  "not_available",
  "The Composio key that made this account was removed from Otto. Remove the account at Composio.",
);
const NO_PROVIDER = failed("upstream_failed", NO_PROVIDER_MESSAGE, {
  retry: "later",
});
