/**
 * Envelope, validation, canonical paths and policy of one call, for the calls of a model and those that a person edited.
 * The stage of the account stands between validation and policy (`core/gateway/account.ts`).
 */
import { getSandboxRules } from "../agents/agent.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import type { CallContext } from "../model/label-messages.ts";
import { listSkillsInForce } from "../task/skills-in-force.ts";
import type { TaskFacts } from "../task/state.ts";
import { addGate, formatBlocked, ruleGate } from "../apps/intent/gate.ts";
import type { GateIntent } from "../apps/intent/intent.ts";
import { toGateIntent, toNamedIntent } from "../apps/intent/task-apps.ts";
import type { AppAction } from "../tool/app-action.ts";
import type { CheckFacts, EffectFacts, EffectTerms, SecurityLevel, Tool } from "../tool/tool.ts";
import { decidePolicy } from "../gateway/policy.ts";
import type { Toolset } from "./toolset.ts";
import { getSettings, getSupplied } from "./tool-settings.ts";
import { validateArguments } from "../gateway/validate.ts";

/** An admitted call: its validated arguments and its effect. */
export interface AdmittedCall {
  readonly arguments: unknown;
  readonly terms: EffectTerms;
  /** Why a person has to approve it, in a sentence; null if it may run. */
  readonly askFirst: string | null;
  /** The result that the tool's check knows, so that nothing runs and nothing has to be approved; null if none. */
  readonly answer: { readonly result: unknown } | null;
  /** What the model reads before the result: an argument was corrected. */
  readonly note?: string;
  /** For an action of an app: the level under which policy ruled. */
  readonly security?: SecurityLevel;
}

/** The context of a call. `context` has the texts that the model read. */
export interface AdmitContext {
  readonly facts: TaskFacts;
  readonly toolset: Pick<Toolset, "admits" | "skills" | "mailKeyedForMs" | "ownApi" | "patterns">;
  readonly context: CallContext;
  /** True for a person's own arguments: that person asks for the action. */
  readonly isByPerson?: true;
}

/** A call whose arguments fit its tool. */
export interface CheckedCall {
  /** Canonical. */
  readonly arguments: unknown;
  /** As in an `AdmittedCall`. */
  readonly answer: { readonly result: unknown } | null;
  /** What the model reads before the result: an argument was corrected. */
  readonly note?: string;
}

/** Takes a call through envelope, validation, the tool's own check, and policy, for a tool that acts through no account. */
export function admitCall(tool: Tool, given: unknown, context: AdmitContext): Result<AdmittedCall> {
  const checked = checkCall(tool, given, context);
  return checked.ok ? rulePolicy(tool, checked.value, context) : checked;
}

/** Takes a call through envelope, validation, and the tool's own check. */
export function checkCall(tool: Tool, given: unknown, { facts, toolset }: AdmitContext): Result<CheckedCall> {
  const inside = toolset.admits(tool);
  if (!inside.ok) return inside;
  const { config } = facts.agent;
  const supplied = getSupplied(tool, getSettings(config, tool));
  const valid = validateArguments(tool, given, { rules: getSandboxRules(config), supplied });
  if (!valid.ok) return valid;
  const known = tool.check?.(valid.value as never, getCheckFacts(tool, facts, toolset)) ?? null;
  if (known?.kind === "fails") return { ok: false, error: known.failure };
  return ok({ arguments: valid.value, answer: known });
}

/** Takes a checked call through policy. */
export function rulePolicy(
  tool: Tool,
  { arguments: given, answer, note }: CheckedCall,
  context: AdmitContext,
): Result<AdmittedCall> {
  const { facts, toolset } = context;
  const { config } = facts.agent;
  const { skills, mailKeyedForMs = null, ownApi = null } = toolset;
  const effectFacts: EffectFacts = { idempotentHosts: config.idempotent_hosts ?? [], ownApi, skills, mailKeyedForMs };
  // This tool's own schema produced the value, so its functions accept it.
  const checked = given as never;
  const security = typeof tool.security === "function" ? tool.security(checked, effectFacts) : tool.security;
  const policy = decidePolicy(tool, security, config.approval, tool.reachesOutside?.(checked, effectFacts));
  const { action } = tool;
  const gate =
    action === undefined ? null : ruleGate(config.capability_gate ?? "ask", action, getIntent(action, context));
  const ruling = gate === null ? policy : addGate(policy, gate);
  const { decision, because } = ruling;
  if (decision === "deny") {
    if (action !== undefined && ruling === gate)
      return failed("blocked_by_policy", formatBlocked(action, gate), {
        details: { error_type: "validation_blocked" },
      });
    return failed("blocked_by_policy", `The agent's policy does not allow ${tool.name} (${security}).`);
  }
  const isFinal = action !== undefined && security === "critical";
  const why = `This call of ${tool.name} is ${security}: ${because}.${isFinal ? " It cannot be undone." : ""}`;
  const askFirst = decision === "ask" ? why : null;
  return ok({
    arguments: given,
    terms: toTerms(tool, checked, effectFacts),
    askFirst,
    answer,
    ...(note === undefined ? {} : { note }),
    ...(action === undefined ? {} : { security }),
  });
}

/** Returns what the people of the task asked for. Who calls a tool over the API, or edits its arguments, asks for that. */
function getIntent({ action }: AppAction, { facts, isByPerson }: AdmitContext): GateIntent {
  return isByPerson === true || facts.kind === "call" ? toNamedIntent(action) : toGateIntent(facts.apps?.intent);
}

/** Returns what a tool may know of a call before policy. */
function getCheckFacts(tool: Tool, facts: TaskFacts, { skills, patterns }: AdmitContext["toolset"]): CheckFacts {
  const { config } = facts.agent;
  return {
    config: getSettings(config, tool),
    skills: { pinned: skills, inForce: listSkillsInForce(facts) },
    permissions: config.permissions,
    patterns: patterns ?? null,
  };
}

/** Returns how the effect of a call with these checked arguments may be repeated. */
function toTerms(tool: Tool, given: never, facts: EffectFacts): EffectTerms {
  const effect = typeof tool.effect === "function" ? tool.effect(given, facts) : tool.effect;
  if (effect !== "keyed") return { effect };
  const keyedForMs = typeof tool.keyedForMs === "function" ? tool.keyedForMs(given, facts) : tool.keyedForMs;
  return {
    effect,
    ...(keyedForMs === undefined ? {} : { keyedForMs }),
    ...(tool.probe === undefined || tool.action !== undefined ? {} : { canProbe: true }),
  };
}
