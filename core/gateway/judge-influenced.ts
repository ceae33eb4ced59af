/**
 * Calls of a step that had text from outside in its context. One that sends out more than the rule allows, or that uses
 * a secret, needs a person under every approval policy of the agent (`core/provenance/carry-out.ts`).
 */
import { allowedDomains } from "../agent.ts";
import { getTextField } from "../json-fields.ts";
import { judgeCarryOut } from "../provenance/carry-out.ts";
import type { Ground } from "../provenance/ground.ts";
import { OUTSIDE } from "../provenance/label.ts";
import type { CallContext } from "../provenance/label-messages.ts";
import type { TaskFacts } from "../task-state.ts";
import type { Tool } from "../tool.ts";
import { referencedNames } from "../web/secret-references.ts";
import { readGround, textsIn } from "./read-ground.ts";
import type { Toolset } from "./toolset.ts";

/** The call's context and the facts that the judgement reads. */
export interface InfluenceContext {
  readonly facts: TaskFacts;
  readonly toolset: Pick<Toolset, "skillTexts" | "resolve">;
  readonly context: CallContext;
  /** The names of the secrets that are bound to the calling agent. Never throws. Absent: none is. */
  boundSecrets?(): Promise<ReadonlySet<string>>;
}

/** Grounds of recent contexts: the calls of one step share theirs. */
const grounds = new WeakMap<CallContext, Ground>();

/**
 * Why a person has to approve the call, in sentences; null: it may run. `given` fits the tool's input. Costs nothing for a
 * step without text from outside.
 */
export async function judgeInfluenced(tool: Tool, given: unknown, context: InfluenceContext): Promise<string | null> {
  if (context.context.label !== OUTSIDE) return null;
  const reasons = [await judgeSecrets(tool, given, context), judgeCarried(tool, given, context)];
  const found = reasons.filter((reason) => reason !== null);
  return found.length === 0 ? null : `Text from outside is in this task. ${found.join(" ")}`;
}

function judgeCarried(tool: Tool, given: unknown, context: InfluenceContext): string | null {
  // The schema of this very tool produced the value, so it is what the tool's functions take.
  const carried = tool.carries?.(given as never) ?? null;
  if (carried === null) return null;
  const ground = grounds.get(context.context) ?? readGround(context.context, context);
  grounds.set(context.context, ground);
  return judgeCarryOut(carried, ground, { allowedDomains: allowedDomains(context.facts.agent) });
}

async function judgeSecrets(tool: Tool, given: unknown, context: InfluenceContext): Promise<string | null> {
  if (!tool.permissions.includes("network")) return null;
  const names = namesOfSecrets(tool, given);
  if (names.length === 0) return null;
  const bound = await context.boundSecrets?.();
  const free = names.filter((name) => bound?.has(name) !== true);
  if (free.length === 0) return null;
  return `It uses ${free.map((name) => `the secret ${name}`).join(" and ")}, which is not bound to this agent.`;
}

/** The secrets that the arguments refer to. A URL is read without tabs and line breaks, so its texts are searched both ways. */
function namesOfSecrets(tool: Tool, given: unknown): string[] {
  const texts = textsIn(given);
  const joined = [...texts, ...texts.map((text) => text.replace(/[\t\r\n]/g, ""))].join("\n");
  const credential = tool.needs.includes("ssh") ? getTextField(given, "credential_id") : null;
  return [...referencedNames(joined), ...(credential === null ? [] : [credential])];
}
