/**
 * The first stages of a call of an app's action: envelope, validation, and the rights of the agent. Rights are read when a
 * call is prepared and again just before its effect, so that what an administrator narrowed reaches running tasks. The
 * account is the next stage.
 */
import { type Access, decideAccess } from "../apps/workspace/access.ts";
import { findClassNow, isStricterClass } from "../apps/effects/action-class.ts";
import { type Failure, notSent, ok, type Result } from "../base/errors.ts";
import type { PolicyRuling } from "../gateway/policy.ts";
import type { AppRights, AppRightsPort } from "../ports/app-rights.ts";
import type { RunnableCall } from "../task/decision.ts";
import type { Tool } from "../tool/tool.ts";
import { type AdmitContext, checkCall, type CheckedCall } from "./admit.ts";
import { correctMailSearch } from "./mail-search.ts";

/** A call that the agent may make, with the tool in the class that counts now. */
export interface AllowedCall extends CheckedCall {
  readonly tool: Tool;
}

/**
 * Takes a call through envelope, validation, the tool's own check, and the rights of its app. A mail search is corrected
 * to the dates of the request.
 */
export async function checkAction(
  tool: Tool,
  given: unknown,
  context: AdmitContext & { readonly appRights?: AppRightsPort },
): Promise<Result<AllowedCall>> {
  const checked = checkCall(tool, given, context);
  if (!checked.ok) return checked;
  const { facts, appRights } = context;
  const allowed = await openAction(tool, facts.agent.id, appRights);
  if (!allowed.ok) return allowed;
  const dates = facts.kind === "call" ? [] : (facts.apps?.intent.dates ?? []);
  const corrected = tool.action === undefined ? null : correctMailSearch(tool, checked.value.arguments, dates);
  return ok({ ...checked.value, ...corrected, tool: allowed.value });
}

/** The gate rules in the policy stage, and the account has a stage of its own. */
const RULED_ELSEWHERE: PolicyRuling = { decision: "allow", because: "the policy stage rules on it" };

/** Decides by rights alone whether an agent may use an action that its task has as a tool. Yes for a tool of no app. */
export function decideRights(tool: Tool, rights: AppRights): Access {
  const { action } = tightenTool(tool, rights);
  if (action === undefined) return { may: true };
  const { app, action: name, effect } = action;
  const known = { status: "active", effect } as const;
  return decideAccess({ ...rights, app, action: name, known, refusal: null, gate: RULED_ELSEWHERE, account: null });
}

/**
 * Returns the tool as the agent may call it now: its class is the stricter of the pinned and the present one. A tool of no
 * app is returned as it is. Rights that cannot be read deny: the call may be tried again later. Absent `rights`: the tenant
 * has no apps.
 */
export async function openAction(tool: Tool, agent: string, rights: AppRightsPort | undefined): Promise<Result<Tool>> {
  if (tool.action === undefined) return ok(tool);
  const read = await rights?.read(agent);
  if (read === undefined || !read.ok) return { ok: false, error: CANNOT_CHECK };
  const access = decideRights(tool, read.value);
  return access.may ? ok(tightenTool(tool, read.value)) : notSent("permission_denied", access.why);
}

/**
 * Returns why a prepared call has to be refused; null if it may run. A call whose class became stricter meanwhile is
 * requested again, so that policy rules on it.
 */
export async function refuseAction(
  tool: Tool,
  { effect, security }: Pick<RunnableCall, "effect" | "security">,
  agent: string,
  rights: AppRightsPort | undefined,
): Promise<Failure | null> {
  const opened = await openAction(tool, agent, rights);
  if (!opened.ok) return opened.error;
  const [pinned, now] = [findClass(tool), findClass(opened.value)];
  if (pinned === null || now === null) return null;
  return isStricterClass(now, { effect, security: security ?? pinned.security }) ? OTHER_CLASS : null;
}

/** True for the failure of a call whose class became stricter after it was prepared. */
export function isOtherClass(failure: Failure): boolean {
  return failure === OTHER_CLASS;
}

/** Gives the tool of an action the class that counts now. */
function tightenTool(tool: Tool, { overrides }: Pick<AppRights, "overrides">): Tool {
  const { action } = tool;
  const pinned = findClass(tool);
  if (action === undefined || pinned === null) return tool;
  const now = findClassNow(pinned, action, overrides.get(action.action));
  if (!isStricterClass(now, pinned)) return tool;
  const effect = now.effect === "probe" && tool.probe === undefined ? "once" : now.effect;
  return { ...tool, effect, security: now.security, action: { ...action, effect } };
}

/** The class of an action's tool, which depends on no arguments; null for a tool of no app. */
function findClass({ action, effect, security }: Tool) {
  return action === undefined || typeof effect === "function" || typeof security === "function"
    ? null
    : { effect, security };
}

const CANNOT_CHECK: Failure = notSent(
  "upstream_failed",
  "Otto cannot check now whether this agent may use the app. Try again later.",
).error;

const OTHER_CLASS: Failure = notSent(
  "blocked_by_policy",
  "An administrator made the rules of this action stricter after the call was prepared. It was not sent. Ask for it again.",
).error;
