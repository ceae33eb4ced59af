/**
 * Calls of a step that had text from outside in its context. One that sends out more than the rule allows, or that uses
 * a secret, needs a person under every approval policy of the agent (`core/provenance/carry-out.ts`).
 */
import { allowedDomains } from "../agents/agent.ts";
import { getTextField } from "../base/json-fields.ts";
import { judgeCarryOut } from "../provenance/carry-out.ts";
import { OUTSIDE } from "../provenance/label.ts";
import type { CallContext } from "../model/label-messages.ts";
import type { TaskFacts } from "../task/state.ts";
import type { Tool } from "../tool/tool.ts";
import { referencedNames } from "../web/secret-references.ts";
import { getGround, textsIn } from "./read-ground.ts";
import type { Toolset } from "./toolset.ts";

/** The call's context and the facts that the judgement reads. */
export interface InfluenceContext {
  readonly facts: TaskFacts;
  readonly toolset: Pick<Toolset, "skillTexts" | "resolve">;
  readonly context: CallContext;
  /** The names of the secrets that are bound to the calling agent. Never throws. Absent: none is. */
  boundSecrets?(): Promise<ReadonlySet<string>>;
}

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
  return judgeCarryOut(carried, getGround(context.context, context), {
    allowedDomains: allowedDomains(context.facts.agent),
  });
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

/**
 * The secrets that the arguments refer to. A request is filled in after its URL was parsed, which removes tabs and line breaks and
 * encodes some signs of some parts, so each text is searched as it is written and as a URL.
 */
function namesOfSecrets(tool: Tool, given: unknown): string[] {
  const texts = textsIn(given);
  const joined = texts.flatMap((text) => [text, URL.parse(text)?.href ?? ""]).join("\n");
  const credential = tool.needs.includes("ssh") ? getTextField(given, "credential_id") : null;
  return [...referencedNames(joined), ...(credential === null ? [] : [credential])];
}
