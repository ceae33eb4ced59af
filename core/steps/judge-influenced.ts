/**
 * Judges calls whose context contains text from outside. A call that sends out more than the rule allows, or that uses
 * a secret, needs a person's approval under every policy of the agent (`core/provenance/carry-out.ts`).
 */
import { getAllowedDomains } from "../agents/agent.ts";
import { getTextField } from "../base/json-fields.ts";
import { judgeCarryOut } from "../provenance/carry-out.ts";
import { OUTSIDE } from "../provenance/label.ts";
import type { CallContext } from "../model/label-messages.ts";
import type { TaskFacts } from "../task/state.ts";
import type { Tool } from "../tool/tool.ts";
import { getGround, listTexts } from "./read-ground.ts";
import { findReferencedNames } from "../web/secret-references.ts";
import type { Toolset } from "./toolset.ts";

/** The call's context, and the facts that decide. */
export interface InfluenceContext {
  readonly facts: TaskFacts;
  readonly toolset: Pick<Toolset, "skillTexts" | "resolve">;
  readonly context: CallContext;
  /** The names of the secrets that are bound to the calling agent. Never throws. Absent: none. */
  boundSecrets?(): Promise<ReadonlySet<string>>;
}

/**
 * Returns why a person has to approve the call, in sentences; null if it may run. `given` matches the tool's input.
 * Costs nothing for a step without text from outside.
 */
export async function judgeInfluenced(tool: Tool, given: unknown, context: InfluenceContext): Promise<string | null> {
  if (context.context.label !== OUTSIDE) return null;
  const reasons = [await judgeSecrets(tool, given, context), judgeCarried(tool, given, context)];
  const found = reasons.filter((reason) => reason !== null);
  return found.length === 0 ? null : `Text from outside is in this task. ${found.join(" ")}`;
}

function judgeCarried(tool: Tool, given: unknown, context: InfluenceContext): string | null {
  // This tool's own schema produced the value, so its functions accept it.
  const carried = tool.carries?.(given as never) ?? null;
  if (carried === null) return null;
  return judgeCarryOut(carried, getGround(context.context, context), {
    allowedDomains: getAllowedDomains(context.facts.agent),
  });
}

async function judgeSecrets(tool: Tool, given: unknown, context: InfluenceContext): Promise<string | null> {
  if (!tool.permissions.includes("network")) return null;
  const names = findSecretNames(tool, given);
  if (names.length === 0) return null;
  const bound = await context.boundSecrets?.();
  const free = names.filter((name) => bound?.has(name) !== true);
  if (free.length === 0) return null;
  return `It uses ${free.map((name) => `the secret ${name}`).join(" and ")}, which is not bound to this agent.`;
}

/**
 * Returns the secrets that the arguments refer to. Each text is searched both as written and as a parsed URL, because
 * parsing removes tabs and line breaks and encodes some characters before secrets are filled in.
 */
function findSecretNames(tool: Tool, given: unknown): string[] {
  const texts = listTexts(given).filter(mayRefer);
  const joined = texts.flatMap((text) => [text, URL.parse(text)?.href ?? ""]).join("\n");
  const credential = tool.needs.includes("ssh") ? getTextField(given, "credential_id") : null;
  return [...findReferencedNames(joined), ...(credential === null ? [] : [credential])];
}

/** False for a text without the word that every reference has, also as a URL. workerd takes 50 µs to parse what is no URL. */
function mayRefer(text: string): boolean {
  return /s[\t\r\n]*e[\t\r\n]*c[\t\r\n]*r[\t\r\n]*e[\t\r\n]*t/i.test(text);
}
