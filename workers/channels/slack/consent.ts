/**
 * A person's consent at Slack to install Otto in their workspace. The state that travels with the browser is sealed:
 * only this Worker can create one. It is valid once, for ten minutes.
 */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import type { SlackAuthorization } from "../../../core/ports/slack-install-table.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import { type StartedConsent, CONSENT_LIFE_MS } from "../../http/consent-browser.ts";
import { openState, sealState } from "../../http/consent-state.ts";

export const SLACK_OAUTH_PATH = "/slack/oauth";
/** Otto's own page before Slack's, for a consent that was started with a key. */
export const SLACK_BEGIN_PATH = "/slack/oauth/begin";

const CONTEXT = "slack-oauth-state";

/** Starts a consent on behalf of a key. Returns it with its sealed state. */
export async function startSlackConsent(
  env: Env,
  tenant: string,
  { key, redirect }: Pick<SlackAuthorization, "key" | "redirect">,
): Promise<Result<StartedConsent & { readonly state: string }>> {
  const mark = crypto.randomUUID();
  const expiresAt = Date.now() + CONSENT_LIFE_MS;
  const kept = await databaseFromEnv(env).slackInstalls.begin(tenant, { mark, key, redirect, expiresAt });
  if (!kept.ok) return kept;
  const begun: StartedConsent = { tenant, mark };
  return ok({ ...begun, state: await sealState(env, CONTEXT, begun) });
}

/** Opens a state. `invalid_input` if it was not created here. */
export async function openSlackConsent(env: Env, text: string): Promise<Result<StartedConsent>> {
  const begun = await openState<StartedConsent>(env, CONTEXT, text);
  return begun === null ? failed("invalid_input", "Otto did not start this installation. Start it again.") : ok(begun);
}

/**
 * Completes a consent, once: returns who started it and how. `gone`: it has ended; `forbidden`: its key was revoked.
 */
export async function completeSlackConsent(
  env: Env,
  { tenant, mark }: StartedConsent,
): Promise<Result<SlackAuthorization>> {
  const ended = await databaseFromEnv(env).slackInstalls.end(tenant, mark, Date.now());
  if (!ended.ok) return ended;
  if (ended.value === null)
    return failed("gone", "This installation has expired or was already completed. Start it again.");
  if (await tenantsFromEnv(env)(tenant).isRevoked(ended.value.key))
    return failed("forbidden", "The key that started this installation was revoked. Start it again with a valid key.");
  return ok(ended.value);
}
