/** Creates, resumes and pauses triggers. */
import { waitUntil } from "cloudflare:workers";
import { appCatalogueFromEnv } from "../../adapters/env/app-catalogue.ts";
import { appProviderFromEnv } from "../../adapters/env/apps.ts";
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { patternsFromEnv } from "../../adapters/env/patterns.ts";
import { DEFAULT_AGENT } from "../../core/agents/agent.ts";
import { describeUnknownName } from "../../core/base/describe-issue.ts";
import { OttoError, raise } from "../../core/base/errors.ts";
import { isId, makeId } from "../../core/base/ids.ts";
import { getOwnerPerson } from "../../core/connections/account.ts";
import { isCatalogueApp } from "../../core/connections/catalogue-app.ts";
import type { Connection } from "../../core/connections/connection.ts";
import { TOOLS_MS } from "../../core/tenant/cost-rates.ts";
import { checkTriggerConfig } from "../../core/triggers/check-config.ts";
import type { Trigger, TriggerConfig, TriggerRequest } from "../../core/triggers/trigger.ts";
import { resolveAgent } from "../agents/resolve.ts";
import { refuseUnknownApp } from "../apps/find-app.ts";
import { checkRule, describeCaller } from "../channels/webhooks/replace-hook.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import { chargeCost } from "../http/charge-cost.ts";
import type { AppContext } from "../http/context.ts";
import { getIdSource } from "../http/new-ids.ts";
import { getPerson, getTenant } from "../http/principal.ts";
import { requirePerson } from "../http/require-person.ts";
import { unwrap } from "../http/unwrap.ts";
import { requireAdminOfShared } from "./access.ts";
import { activateTrigger, endDueTriggers, isFinal } from "./activate.ts";
import { findEventsUrl, NO_PROVIDER } from "./subscription.ts";

/** How long a request that ends a trigger continues at the provider. */
const ENDING_MS = 20_000;
const NOT_OWNER =
  "Only the owner of the account can resume its trigger. Ask the owner, or create a trigger with an account of your own.";

/** Creates a trigger. One that the provider does not confirm now is pending, and the sweep creates it. */
export async function createTrigger(c: AppContext, { acts_for, ...asked }: TriggerRequest): Promise<Trigger> {
  if (appProviderFromEnv(c.env) === null) unwrap(NO_PROVIDER);
  const actsFor = acts_for === "me" ? requirePerson(c).id : null;
  const settings = await checkSettings(c, asked);
  const connection = await findUsable(c, asked.connection, settings.app);
  const config = await checkRule(c, settings);
  const { id: agent } = await resolveAgent(c, config.agent);
  const { agent: _named, ...rest } = config;
  const pinned: TriggerConfig = agent === DEFAULT_AGENT.id ? rest : { ...rest, agent };
  const { createdAt, random } = await getIdSource(c, "trigger");
  const id = makeId("trigger", createdAt, random);
  const act = describeCaller(await createAuditEntry(c, "trigger.create", id), null, actsFor);
  const owner = getOwnerPerson(connection.owner);
  const { triggers } = databaseFromEnv(c.env);
  const made = unwrap(await triggers.create(getTenant(c), { id, config: pinned, owner, actsFor }, act));
  return made.state === "pending" ? await activate(c, made, null) : made;
}

/** Makes a paused or stopped trigger active again, with the account that its connection has now. */
export async function resumeTrigger(c: AppContext, trigger: Trigger): Promise<Trigger> {
  const { id, version, config, owner, providerId, state } = trigger;
  if (state === "active") return trigger;
  if (owner !== null && owner !== getPerson(c)?.id) raise("forbidden", NOT_OWNER);
  await findUsable(c, config.connection, config.app);
  const act = await createAuditEntry(c, "trigger.resume", id);
  const change = { id, version, state: "pending", why: null, providerId } as const;
  const pending = unwrap(await databaseFromEnv(c.env).triggers.change(getTenant(c), change, act));
  return await activate(c, pending, trigger);
}

/** `before`: what the trigger returns to if the provider refuses it; null: it is new, and is deleted. */
async function activate(c: AppContext, trigger: Trigger, before: Trigger | null): Promise<Trigger> {
  const tenant = getTenant(c);
  const made = await activateTrigger(c.env, { tenant, trigger, url: findEventsUrl(c.env, c.req.url), act: null });
  if (made.ok) return made.value;
  const { triggers } = databaseFromEnv(c.env);
  const { id, version, providerId } = trigger;
  if (!isFinal(made.error)) {
    const waiting = { id, version, state: "pending", why: made.error.message, providerId } as const;
    const noted = await triggers.change(tenant, waiting, null);
    return noted.ok ? noted.value : trigger;
  }
  if (before === null) await triggers.remove(tenant, id, null);
  else await triggers.change(tenant, { id, version, state: "stopped", why: made.error.message, providerId }, null);
  throw new OttoError(made.error);
}

/** Pauses a trigger here and then at the provider. Its events are ignored from the first on. */
export async function pauseTrigger(c: AppContext, { id, version, providerId }: Trigger): Promise<Trigger> {
  const act = await createAuditEntry(c, "trigger.pause", id);
  const change = { id, version, state: "paused", why: null, providerId } as const;
  const paused = unwrap(await databaseFromEnv(c.env).triggers.change(getTenant(c), change, act));
  const provider = appProviderFromEnv(c.env)?.triggers;
  // Waited for, so that a later resume arrives after it. While the provider is away its events are ignored here.
  if (provider !== undefined && providerId !== null) await provider.setEnabled(providerId, false);
  return paused;
}

/** Deletes what has ended at the provider, after the reply. The sweep repeats what fails. */
export function endSoon(c: AppContext): void {
  const now = Date.now();
  waitUntil(endDueTriggers(c.env, now, now + ENDING_MS).catch(() => undefined));
}

/** Returns the settings with the names of the catalogue, once they fit the schema of the event. */
async function checkSettings(c: AppContext, asked: TriggerConfig): Promise<TriggerConfig> {
  chargeCost(c.env, getTenant(c), TOOLS_MS);
  const snapshot = unwrap(await appCatalogueFromEnv(c.env).snapshot());
  const app = snapshot?.apps.find((one) => one.app === asked.app.toLowerCase());
  if (snapshot === null || app === undefined) return refuseUnknownApp("app");
  const known = unwrap(await snapshot.triggersOf(app.app));
  const found = known.find(({ trigger }) => trigger === asked.trigger.toUpperCase());
  if (app.status === "removed" || found === undefined) {
    const names = known.map(({ trigger }) => trigger);
    return raise("invalid_input", `trigger: ${describeUnknownName(asked.trigger, names)}`, { field: "trigger" });
  }
  unwrap(checkTriggerConfig(asked.config, found.config, patternsFromEnv(c.env)));
  return { ...asked, app: app.app, trigger: found.trigger };
}

/** The account of a trigger: active, of this app, and of the caller or shared. An administrator uses no one else's. */
async function findUsable(c: AppContext, id: string, app: string): Promise<Connection> {
  const missing = () => raise("not_found", "There is no such connection.", { field: "connection" });
  if (!isId("connection", id)) missing();
  const read = await connectionTableFromEnv(c.env, getTenant(c)).find(id);
  if (!read.ok && read.error.code === "not_found") missing();
  const found = unwrap(read);
  const owner = getOwnerPerson(found.owner);
  if (owner !== null && owner !== getPerson(c)?.id) missing();
  requireAdminOfShared(c, { owner });
  if (!isCatalogueApp(found) || found.app !== app)
    raise("invalid_input", `connection: it is an account of ${found.app}. Give one of ${app} in the catalogue`, {
      field: "connection",
    });
  if (found.status !== "active")
    raise("conflict", "The account is not connected. Connect it first.", { field: "connection" });
  return found;
}
