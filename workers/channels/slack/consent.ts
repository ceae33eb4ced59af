/**
 * The way of a person to Slack, to agree that Otto is installed in their workspace, and back. The state that travels with the
 * browser is sealed: only this Worker can make one. It is good for ten minutes and once.
 */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import type { SlackAuthorization } from "../../../core/ports/slack-install-table.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import { type Begun, CONSENT_LIFE_MS } from "../../http/consent-browser.ts";
import { openState, sealState } from "../../http/consent-state.ts";

export const SLACK_OAUTH_PATH = "/slack/oauth";
/** Otto's own page before it, for who began with a key. */
export const SLACK_BEGIN_PATH = "/slack/oauth/begin";

const CONTEXT = "slack-oauth-state";

/** Begins, in the name of a key. Gives what was begun, and the state that names it. */
export async function beginSlackConsent(
  env: Env,
  tenant: string,
  { key, redirect }: Pick<SlackAuthorization, "key" | "redirect">,
): Promise<Result<Begun & { readonly state: string }>> {
  const mark = crypto.randomUUID();
  const expiresAt = Date.now() + CONSENT_LIFE_MS;
  const kept = await databaseFromEnv(env).slackInstalls.begin(tenant, { mark, key, redirect, expiresAt });
  if (!kept.ok) return kept;
  const begun: Begun = { tenant, mark };
  return ok({ ...begun, state: await sealState(env, CONTEXT, begun) });
}

/** What a state names. `invalid_input`: nobody here began it. */
export async function slackConsentOf(env: Env, text: string): Promise<Result<Begun>> {
  const begun = await openState<Begun>(env, CONTEXT, text);
  return begun === null ? failed("invalid_input", "This is no installation that Otto began. Begin anew.") : ok(begun);
}

/** Ends: gives who began it and how, once. `gone`: it is over; `forbidden`: its key is. */
export async function endSlackConsent(env: Env, { tenant, mark }: Begun): Promise<Result<SlackAuthorization>> {
  const ended = await databaseFromEnv(env).slackInstalls.end(tenant, mark, Date.now());
  if (!ended.ok) return ended;
  if (ended.value === null) return failed("gone", "This installation is over, or was ended already. Begin anew.");
  if (await tenantsFromEnv(env)(tenant).isRevoked(ended.value.key))
    return failed("forbidden", "The key that this installation was begun with is revoked.");
  return ok(ended.value);
}
