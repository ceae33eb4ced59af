/**
 * The first stages of a call of an app's action: envelope, validation, and the rights of the agent. Rights are read when a
 * call is prepared and again just before its effect, so that what an administrator narrowed reaches running tasks. The
 * account is the next stage.
 */
import { type Access, decideAccess } from "../apps/access.ts";
import { type Failure, notSent, ok, type Result } from "../base/errors.ts";
import type { PolicyRuling } from "../gateway/policy.ts";
import type { AppRights, AppRightsPort } from "../ports/app-rights.ts";
import type { AppAction, Tool } from "../tool/tool.ts";
import { type AdmitContext, checkCall, type CheckedCall } from "./admit.ts";
import { correctMailSearch } from "./mail-search.ts";

/**
 * Takes a call through envelope, validation, the tool's own check, and the rights of its app. A mail search is corrected
 * to the dates of the request.
 */
export async function checkAction(
  tool: Tool,
  given: unknown,
  context: AdmitContext & { readonly appRights?: AppRightsPort },
): Promise<Result<CheckedCall>> {
  const checked = checkCall(tool, given, context);
  if (!checked.ok || tool.action === undefined) return checked;
  const { facts, appRights } = context;
  const refused = await refuseAction(tool, facts.agent.id, appRights);
  if (refused !== null) return { ok: false, error: refused };
  const dates = facts.kind === "call" ? [] : (facts.apps?.asked.dates ?? []);
  const corrected = correctMailSearch(tool, checked.value.arguments, dates);
  return ok(corrected === null ? checked.value : { ...checked.value, ...corrected });
}

/** The gate rules in the policy stage, and the account has a stage of its own. */
const RULED_ELSEWHERE: PolicyRuling = { decision: "allow", because: "the policy stage rules on it" };

/** Decides by rights alone whether an agent may use an action that its task has as a tool. */
export function decideRights(action: Pick<AppAction, "app" | "action" | "effect">, rights: AppRights): Access {
  const { app, action: name, effect } = action;
  const known = { status: "active", effect } as const;
  return decideAccess({ ...rights, app, action: name, known, refusal: null, gate: RULED_ELSEWHERE, account: null });
}

/**
 * Returns why the agent may not make the call; null if it may, and for a tool of no app. Rights that cannot be read deny:
 * the call may be tried again later. Absent `rights`: the tenant has no apps.
 */
export async function refuseAction(
  { action }: Pick<Tool, "action">,
  agent: string,
  rights: AppRightsPort | undefined,
): Promise<Failure | null> {
  if (action === undefined) return null;
  const read = await rights?.read(agent);
  if (read === undefined || !read.ok) return CANNOT_CHECK;
  const access = decideRights(action, read.value);
  return access.may ? null : notSent("permission_denied", access.why).error;
}

const CANNOT_CHECK: Failure = notSent(
  "upstream_failed",
  "Otto cannot check now whether this agent may use the app. Try again later.",
).error;
