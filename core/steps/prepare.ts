/**
 * The gateway's first half, in hop one: resolve → envelope → validate → policy → budget, for every call of a step, up to
 * the ledger. A call that does not get through is settled here, and the model reads why; one that a person has to approve
 * says so. Nothing leaves Otto.
 */
import { approvalExpiryMs } from "../agents/agent.ts";
import type { GiveWay } from "../base/turns.ts";
import { ERRORS, type Failure } from "../base/errors.ts";
import { detailsToShow } from "../base/read-failure.ts";
import { callId } from "../base/ids.ts";
import type { RequestedCall } from "../model/messages.ts";
import type { PatternBudget } from "../lib/json-schema/limit-patterns.ts";
import type { CallOutcome, PreparedCall } from "../task/commands.ts";
import { findCopiedRecord } from "../provenance/ground.ts";
import type { CallContext } from "../model/label-messages.ts";
import type { TaskFacts } from "../task/state.ts";
import type { ToolError } from "../tool/tool.ts";
import { admitCall } from "./admit.ts";
import { hashArguments } from "../gateway/arguments-hash.ts";
import { namesFiles } from "../gateway/bind-files.ts";
import { type AskedCall, calledTool } from "./called-tool.ts";
import { judgeInfluenced } from "./judge-influenced.ts";
import { cleanName } from "../gateway/model-names.ts";
import { getGround, textsIn } from "./read-ground.ts";
import { shapeError } from "../gateway/shape.ts";
import { FIND_TOOLS } from "./shown-tools.ts";
import { newStepBudget, TOO_MANY_PATTERNS } from "./step-patterns.ts";
import type { Toolset } from "./toolset.ts";
import { findTouches } from "../gateway/touches.ts";
import { parseArguments } from "../gateway/validate.ts";

/** Calls that one step may make; what a model asks for beyond them is refused. */
export const MAX_CALLS_PER_STEP = 64;
/** The same single call, with the same arguments, this often in a row is a loop. */
const MAX_REPEATS = 3;

/** What the gateway knows of the task when it prepares calls. */
export interface PrepareContext {
  readonly facts: TaskFacts;
  readonly step: number;
  readonly toolset: Toolset;
  readonly repeat: { readonly hash: string; readonly count: number } | null;
  /** The texts that the model decided from. */
  readonly context: CallContext;
  /** The names of the secrets that are bound to the calling agent. Never throws. Absent: none is. */
  boundSecrets?(): Promise<ReadonlySet<string>>;
  /** Yields to other work between calls whose schemas a tenant or a server wrote. Absent: never yields. */
  readonly giveWay?: GiveWay;
}

/** One call among those of its step. */
interface PlacedCall {
  readonly index: number;
  readonly total: number;
  /** Shared by the calls of the step. */
  readonly patterns: PatternBudget;
}

/**
 * Prepares the calls of a step, in the model's order and one after the other: schemas that a tenant or a server wrote are
 * compiled and run here, each bounded, and others run in between. `arguments` is the model's own text.
 */
export async function prepareCalls(requested: readonly AskedCall[], context: PrepareContext): Promise<PreparedCall[]> {
  const patterns = newStepBudget();
  const prepared: PreparedCall[] = [];
  for (const [index, request] of requested.entries()) {
    const call = await prepareCall(request, { index, total: requested.length, patterns }, context);
    prepared.push(call);
    const isWritten = index < MAX_CALLS_PER_STEP && context.toolset.resolve(call.tool)?.compileInput !== undefined;
    if (isWritten && index + 1 < requested.length) await context.giveWay?.();
  }
  return prepared;
}

/** The calls as the conversation has them: as the model wrote them, with names that are one word. */
export function listRequested(prepared: readonly PreparedCall[], asked: readonly AskedCall[]): RequestedCall[] {
  return prepared.map(({ id, tool }, index) => ({
    id,
    name: cleanName(asked[index]?.name ?? tool),
    arguments: asked[index]?.arguments ?? "",
  }));
}

async function prepareCall(
  asked: AskedCall,
  { index, total, patterns }: PlacedCall,
  context: PrepareContext,
): Promise<PreparedCall> {
  const id = callId(context.facts.id, context.step, index);
  if (index >= MAX_CALLS_PER_STEP) return await refuseUnread(id, asked, context);
  const called = calledTool(asked, context);
  const request = called.ok ? called.value.call : asked;
  const tool = context.toolset.resolve(request.name);
  const parsed = parseArguments(request.arguments);
  const named = tool?.name ?? cleanName(request.name);
  const refuse = async (failure: Failure, given: unknown): Promise<PreparedCall> =>
    await refuseCall(id, { name: named, given }, failure, context);

  if (asked.fault !== undefined) return await refuse({ code: "invalid_input", message: asked.fault }, {});
  if (!called.ok) return await refuse(called.error, parsed.ok ? parsed.value : request.arguments);
  if (tool === null)
    return await refuse(unknownTool(request.name, context.toolset), parsed.ok ? parsed.value : request.arguments);
  if (!parsed.ok) return await refuse(parsed.error, request.arguments);
  if (tool.compileInput?.(patterns) === false) return await refuse(TOO_MANY_PATTERNS, parsed.value);
  const admitted = admitCall(tool, parsed.value, context);
  if (!admitted.ok) return await refuse(admitted.error, parsed.value);
  const given = admitted.value.arguments;
  const argumentsHash = await hashArguments(tool.name, given);
  if (total === 1 && context.repeat?.hash === `${tool.name} ${argumentsHash}` && context.repeat.count >= MAX_REPEATS) {
    const message = `This exact call was made ${context.repeat.count} times in a row and was not made again. Use the result that you have, or do something else.`;
    return await refuse({ code: "blocked_by_policy", message }, given);
  }
  const influenced = await judgeInfluenced(tool, given, context);
  const askFirst = joinReasons(admitted.value.askFirst ?? called.value.askFirst, influenced);
  const expiresInMs = approvalExpiryMs(context.facts.agent.config.approval);
  const approval = askFirst === null ? null : { reason: askFirst, expiresInMs };
  const dispatches =
    tool.onlyByModel === "dispatches" ? { dispatches: true, copiesRecord: copiesRecord(given, context) } : {};
  const { terms } = admitted.value;
  const touches = findTouches(tool, given, terms.effect);
  const files = namesFiles(tool, given) ? { namesFiles: true } : {};
  return {
    id,
    tool: tool.name,
    arguments: given,
    argumentsHash,
    ...terms,
    approval,
    outcome: null,
    touches,
    ...files,
    ...dispatches,
  };
}

/** Whether what a subtask is given has text that is in the tenant's records alone. The subtask does not have them in its context. */
function copiesRecord(given: unknown, context: PrepareContext): boolean {
  const ground = getGround(context.context, context);
  return findCopiedRecord(textsIn(given).join("\n"), ground) !== null;
}

/** A call that is not made with any arguments. */
async function refuseCall(
  id: string,
  { name, given }: { readonly name: string; readonly given: unknown },
  failure: Failure,
  { context }: PrepareContext,
): Promise<PreparedCall> {
  const argumentsHash = await hashArguments(name, given);
  const outcome = { ...refusedOutcome(failure), label: context.label };
  return { id, tool: name, arguments: given, argumentsHash, effect: "none", approval: null, outcome };
}

/** A call beyond those of a step: its arguments are stored, and nothing of it is checked. */
async function refuseUnread(id: string, asked: AskedCall, context: PrepareContext): Promise<PreparedCall> {
  const parsed = parseArguments(asked.arguments);
  const given = parsed.ok ? parsed.value : asked.arguments;
  const { name } = asked;
  const named = context.toolset.resolve(name)?.name ?? cleanName(name);
  return await refuseCall(id, { name: named, given }, TOO_MANY_CALLS, context);
}

const TOO_MANY_CALLS: Failure = {
  code: "budget_exceeded",
  message: `One step makes at most ${MAX_CALLS_PER_STEP} calls. Ask for the rest in the next step.`,
};

/** Joins both reasons into one text, the more specific first. */
function joinReasons(policy: string | null, influence: string | null): string | null {
  return policy === null || influence === null ? (policy ?? influence) : `${influence} ${policy}`;
}

/** An error as tools give it: how often to retry is the code's own rule. */
export function toToolError(failure: Failure): ToolError {
  const { code, message, field } = failure;
  const details = detailsToShow(failure);
  return {
    code,
    message,
    retry: ERRORS[code].retry,
    ...(field === undefined ? {} : { field }),
    ...(details === undefined ? {} : { details }),
  };
}

/** The outcome of a call that the gateway did not let through. */
export function refusedOutcome(failure: Failure): CallOutcome {
  const error = toToolError(failure);
  return { state: "refused", result: { ok: false, error }, content: shapeError(error), control: null, durationMs: 0 };
}

function unknownTool(name: string, toolset: Toolset): Failure {
  const names = toolset.specs.map((spec) => spec.name);
  const more = names.includes(FIND_TOOLS) ? ` ${FIND_TOOLS} finds what else you have.` : "";
  return {
    code: "not_found",
    message: `There is no tool named ${cleanName(name).slice(0, 100)}. You have: ${names.join(", ")}.${more}`,
    field: "name",
  };
}
