/** Finds, checks and replaces hooks. */
import type { z } from "zod";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { settingsFromEnv } from "../../../adapters/env/settings.ts";
import { raise, type Result } from "../../../core/base/errors.ts";
import { isId } from "../../../core/base/ids.ts";
import { resolveDeliver } from "../../../core/channels/outbox/targets.ts";
import { changeHookCaller } from "../../../core/channels/webhooks/hook-caller.ts";
import {
  type Hook,
  type HookConfig,
  type hookRequestSchema,
  setOncePerBody,
} from "../../../core/channels/webhooks/hook.ts";
import type { AuditEntry } from "../../../core/ports/audit.ts";
import { type CallingPerson, checkTaskLimits } from "../../../core/task/new-task.ts";
import type { KeyPerson } from "../../../core/tenant/rpc.ts";
import { resolveAgent } from "../../agents/resolve.ts";
import { createAuditEntry } from "../../http/audit-entry.ts";
import type { AppContext, MiddlewareContext } from "../../http/context.ts";
import { getPerson, getTenant } from "../../http/principal.ts";
import { requirePerson } from "../../http/require-person.ts";
import { unwrap } from "../../http/unwrap.ts";
import { openPlaces } from "../outbox/places.ts";
import { replaceHookSecret } from "./hook-secrets.ts";

/** How often a replacement begins again because another one came between its reading and its writing. */
const MAX_TRIES = 4;

interface Replacement {
  readonly id: string;
  readonly asked: z.infer<typeof hookRequestSchema>;
  /** Null accepts any version. */
  readonly ifVersion: number | null;
}

/** The hook after a replacement. `cleared`: that ended that the hook's tasks act for a person. */
interface ReplacedHook {
  readonly set: Hook;
  readonly cleared: boolean;
}

/**
 * Replaces a hook. Whether its tasks still act for a person depends on what changes, so exactly the version that was
 * read is replaced.
 */
export async function replaceHook(c: AppContext, { id, asked, ifVersion }: Replacement): Promise<ReplacedHook> {
  if (asked.acts_for === "me") requirePerson(c);
  const act = await createAuditEntry(c, "hook.update", id);
  for (let tries = 1; ; tries += 1) {
    const before = await findHook(c, id);
    const replaced = await replaceVersion(c, { before, asked, act, ifVersion: ifVersion ?? before.version });
    const isOvertaken = !replaced.ok && replaced.error.field === "If-Match";
    if (isOvertaken && ifVersion === null && tries < MAX_TRIES) continue;
    const set = unwrap(replaced);
    return { set, cleared: asked.acts_for === undefined && before.actsFor !== null && set.actsFor === null };
  }
}

async function replaceVersion(
  c: AppContext,
  { before, asked, act, ifVersion }: Omit<Replacement, "id"> & { readonly before: Hook; readonly act: AuditEntry },
): Promise<Result<Hook>> {
  const { secret: given, old_secret_seconds: overlap, acts_for: askedFor, ...rule } = asked;
  if (before.config.type !== rule.type)
    raise("invalid_input", `type: this hook has the type ${before.config.type}. Create another hook`, {
      field: "type",
    });
  const config = await checkRule(c, setOncePerBody(rule, before.config));
  const tenant = getTenant(c);
  const secret =
    given === undefined
      ? null
      : await replaceHookSecret(c.env, { tenant, hook: before, given }, { overlap, at: act.at });
  const change = { before: before.config, after: config, hasSecret: secret !== null, by: getPerson(c)?.id ?? null };
  const caller = before.actsFor?.person ?? null;
  const actsFor = changeHookCaller(caller, askedFor, change);
  return await databaseFromEnv(c.env).hooks.update(
    tenant,
    { id: before.id, config, secret, actsFor, ifVersion },
    describeCaller(act, caller, actsFor),
  );
}

/** Adds to an act for whom the tasks act since then, and before. */
export function describeCaller(act: AuditEntry, before: string | null, now: string | null): AuditEntry {
  return before === now ? act : { ...act, details: { acts_for: now, acts_for_before: before } };
}

export function toCallingPerson({ id, name, timeZone }: KeyPerson): CallingPerson {
  return { person: id, name, timeZone };
}

/** Returns a hook of the request's tenant. */
export async function findHook(c: MiddlewareContext, id: string): Promise<Hook> {
  if (!isId("hook", id)) raise("not_found", "There is no such hook.");
  return unwrap(await databaseFromEnv(c.env).hooks.get(getTenant(c), id));
}

/**
 * Returns the settings with every target in its stored form. Refuses settings that could create no task: an unknown
 * agent or target, or a budget that the agent does not allow.
 */
export async function checkRule<Rule extends Pick<HookConfig, "agent" | "budget" | "deliver">>(
  c: AppContext,
  rule: Rule,
): Promise<Rule> {
  const { config: agent } = await resolveAgent(c, rule.agent);
  unwrap(checkTaskLimits(rule.budget ?? {}, agent, settingsFromEnv(c.env).model));
  if (rule.deliver === undefined) return rule;
  return { ...rule, deliver: unwrap(await resolveDeliver(rule.deliver, openPlaces(c.env, getTenant(c)))) };
}
