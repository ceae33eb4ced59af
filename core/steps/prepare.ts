/**
 * The gateway's first half, in the model phase: resolve → envelope → validate → account → policy → budget, for every call
 * of a step, up to the ledger. A refused call is settled here, and the model reads why; a call that needs an approval says
 * so. Nothing is sent.
 */
import { getApprovalExpiryMs } from "../agents/agent.ts";
import type { Actors } from "../connections/actors.ts";
import type { AppRightsPort } from "../ports/app-rights.ts";
import type { ConnectionsPort } from "../ports/connections.ts";
import type { DatabasesPort } from "../ports/databases.ts";
import type { YieldTurn } from "../base/turns.ts";
import { ERRORS, type Failure } from "../base/errors.ts";
import { toPublicDetails } from "../base/read-failure.ts";
import { deriveCallId } from "../base/ids.ts";
import type { RequestedCall } from "../model/messages.ts";
import type { PatternBudget } from "../lib/json-schema/limit-patterns.ts";
import type { CallOutcome, PreparedCall } from "../task/commands.ts";
import { findCopiedRecord } from "../provenance/ground.ts";
import type { CallContext } from "../model/label-messages.ts";
import type { TaskFacts } from "../task/state.ts";
import type { Tool, ToolError } from "../tool/tool.ts";
import { rememberChoices } from "../gateway/account.ts";
import { admitCall } from "./admit.ts";
import { admitWithAccount, toAccountFields } from "./call-account.ts";
import { hashArguments } from "../gateway/arguments-hash.ts";
import { namesFiles } from "../gateway/bind-files.ts";
import { type ModelCall, unwrapCall } from "./call-tool.ts";
import { judgeInfluenced } from "./judge-influenced.ts";
import { cleanName } from "../gateway/model-names.ts";
import { getGround, listTexts } from "./read-ground.ts";
import { shapeError } from "../gateway/shape.ts";
import { toShownText } from "../prompt/rows.ts";
import { FIND_TOOLS } from "./shown-tools.ts";
import { createStepBudget, limitStep, TOO_MANY_PATTERNS } from "./step-patterns.ts";
import { describeMissing } from "./tool-bus.ts";
import type { Toolset } from "./toolset.ts";
import { findModelUse } from "../gateway/model-use.ts";
import { findTouches } from "../gateway/touches.ts";
import { parseArguments } from "../gateway/parse-arguments.ts";
import { validateOutput } from "../gateway/validate.ts";

/** The most calls of one step; further ones are refused. */
export const MAX_CALLS_PER_STEP = 64;
/** Identical single calls in a row that count as a loop. */
const MAX_REPEATS = 3;

/** The task of the calls. */
export interface PrepareContext {
  readonly facts: TaskFacts;
  readonly step: number;
  readonly toolset: Toolset;
  readonly repeat: { readonly hash: string; readonly count: number } | null;
  /** The texts that the model read. */
  readonly context: CallContext;
  /** The names of the secrets that are bound to the calling agent. Never throws. Absent: none. */
  boundSecrets?(): Promise<ReadonlySet<string>>;
  /** The accounts of the tenant. Absent: none. */
  readonly connections?: Pick<ConnectionsPort, "choose">;
  /** What the tenant's agents may use of its apps. Absent: nothing. */
  readonly appRights?: AppRightsPort;
  /** The databases that the task may use. Absent: none can be reached. */
  readonly databases?: Pick<DatabasesPort, "find">;
  /** Who steered the task. Absent: unknown. */
  readonly actors?: Actors;
  /** Yields to other work between calls whose schemas a tenant or a server wrote. Absent: never. */
  readonly giveWay?: YieldTurn;
}

/** The position of a call in its step. */
interface PlacedCall {
  readonly index: number;
  readonly total: number;
  /** Shared by the calls of the step. */
  readonly patterns: PatternBudget;
  /** How many calls of each tool came so far. Shared by the calls of the step. */
  readonly counts: Map<string, number>;
}

/**
 * Prepares the calls of a step one after the other, in the model's order: schemas that a tenant or a server wrote are
 * compiled and run here, each bounded, with yields in between. `arguments` is the model's own text.
 */
export async function prepareCalls(requested: readonly ModelCall[], given: PrepareContext): Promise<PreparedCall[]> {
  const patterns = createStepBudget();
  const { toolset } = given;
  const limited = toolset.patterns === undefined ? {} : { patterns: limitStep(toolset.patterns, patterns) };
  const remembered = given.connections === undefined ? {} : { connections: rememberChoices(given.connections) };
  const context = { ...given, toolset: { ...toolset, ...limited }, ...remembered };
  const prepared: PreparedCall[] = [];
  const counts = new Map<string, number>();
  for (const [index, request] of requested.entries()) {
    const call = await prepareCall(request, { index, total: requested.length, patterns, counts }, context);
    prepared.push(call);
    const isWritten = index < MAX_CALLS_PER_STEP && context.toolset.resolve(call.tool)?.compileInput !== undefined;
    if (isWritten && index + 1 < requested.length) await context.giveWay?.();
  }
  return prepared;
}

/** Returns the calls for the conversation: as the model wrote them, with the tools' own names as one word each. */
export function listRequested(
  prepared: readonly PreparedCall[],
  requested: readonly ModelCall[],
  toolset: Pick<Toolset, "resolve">,
): RequestedCall[] {
  return prepared.map(({ id, tool }, index) => ({
    id,
    name: toConversationName(requested[index]?.name ?? tool, toolset),
    arguments: requested[index]?.arguments ?? "",
  }));
}

/** What was read to find the tool's source has one spelling of its name (`read-ground.ts`). */
function toConversationName(written: string, { resolve }: Pick<Toolset, "resolve">): string {
  const own = resolve(written)?.name;
  return own === undefined ? cleanName(written) : cleanName(own).replaceAll(".", "_");
}

async function prepareCall(
  requested: ModelCall,
  { index, total, patterns, counts }: PlacedCall,
  context: PrepareContext,
): Promise<PreparedCall> {
  const id = deriveCallId(context.facts.id, context.step, index);
  if (index >= MAX_CALLS_PER_STEP) return await refuseUnread(id, requested, context);
  const called = unwrapCall(requested, context);
  const request = called.ok ? called.value.call : requested;
  const tool = context.toolset.resolve(request.name);
  const parsed = parseArguments(request.arguments);
  const named = tool?.name ?? cleanName(request.name);
  const refuse = async (failure: Failure, given: unknown): Promise<PreparedCall> =>
    await refuseCall(id, { name: named, given }, failure, context);

  if (requested.fault !== undefined) return await refuse({ code: "invalid_input", message: requested.fault }, {});
  if (!called.ok) return await refuse(called.error, parsed.ok ? parsed.value : request.arguments);
  if (tool === null)
    return await refuse(
      toUnknownToolFailure(request.name, context.toolset),
      parsed.ok ? parsed.value : request.arguments,
    );
  const excess = countCall(tool, counts);
  if (excess !== null) return await refuse(excess, parsed.ok ? parsed.value : request.arguments);
  if (!parsed.ok) return await refuse(parsed.error, request.arguments);
  if (tool.compileInput?.(patterns) === false) return await refuse(TOO_MANY_PATTERNS, parsed.value);
  const { admitted, ruling } =
    tool.app === undefined && tool.action === undefined && tool.queries === undefined
      ? { admitted: admitCall(tool, parsed.value, context), ruling: null }
      : await admitWithAccount(tool, parsed.value, context);
  if (!admitted.ok) return await refuse(admitted.error, parsed.value);
  const given = admitted.value.arguments;
  if (ruling?.kind === "refused") return await refuse(ruling.failure, given);
  const through = ruling?.kind === "account" ? ruling.account : undefined;
  const argumentsHash = await hashArguments(tool.name, given, through);
  if (total === 1 && context.repeat?.hash === `${tool.name} ${argumentsHash}` && context.repeat.count >= MAX_REPEATS) {
    const message = `This exact call was made ${context.repeat.count} times in a row and was not made again. Use the result that you have, or do something else.`;
    return await refuse({ code: "blocked_by_policy", message }, given);
  }
  const { terms, answer, note, security } = admitted.value;
  if (answer !== null) {
    const valid = validateOutput(tool, answer.result);
    if (!valid.ok) return await refuse(valid.error, given);
    const outcome = { ...answeredOutcome(tool, valid.value), label: context.context.label };
    return { id, tool: tool.name, arguments: given, argumentsHash, effect: "none", approval: null, outcome };
  }
  const influenced = await judgeInfluenced(tool, given, context);
  const askFirst = joinReasons(admitted.value.askFirst ?? called.value.askFirst, influenced);
  const expiresInMs = getApprovalExpiryMs(context.facts.agent.config.approval);
  const approval = askFirst === null ? null : { reason: askFirst, expiresInMs };
  const account = ruling === null ? {} : toAccountFields(ruling, askFirst, expiresInMs);
  const dispatches =
    tool.onlyByModel === "dispatches" ? { dispatches: true, copiesRecord: copiesRecord(given, context) } : {};
  const touches = findTouches(tool, given, terms.effect, through);
  const files = namesFiles(tool, given)
    ? { namesFiles: true, ...(tool.upload === undefined ? {} : { hasUploads: true }) }
    : {};
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
    ...account,
    ...findModelUse(tool, given),
    ...(note === undefined ? {} : { note }),
    ...(security === undefined ? {} : { security }),
  };
}

/**
 * Whether a subtask's arguments have text that occurs only in the tenant's records, which its context does not contain.
 */
function copiesRecord(given: unknown, context: PrepareContext): boolean {
  const ground = getGround(context.context, context);
  return findCopiedRecord(listTexts(given).join("\n"), ground) !== null;
}

/** Refuses a call. */
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

/** Refuses a call beyond the limit of a step. Its arguments are stored unchecked. */
async function refuseUnread(id: string, requested: ModelCall, context: PrepareContext): Promise<PreparedCall> {
  const parsed = parseArguments(requested.arguments);
  const given = parsed.ok ? parsed.value : requested.arguments;
  const { name } = requested;
  const named = context.toolset.resolve(name)?.name ?? cleanName(name);
  return await refuseCall(id, { name: named, given }, TOO_MANY_CALLS, context);
}

const TOO_MANY_CALLS: Failure = {
  code: "budget_exceeded",
  message: `One step makes at most ${MAX_CALLS_PER_STEP} calls. Ask for the rest in the next step.`,
};

/** Counts a call of the tool in its step, whether it will run or not. Returns why it is one too many; null: it is not. */
function countCall({ name, maxCallsPerStep = Infinity }: Tool, counts: Map<string, number>): Failure | null {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  if (count <= maxCallsPerStep) return null;
  const message = `One step makes at most ${maxCallsPerStep} calls of ${name}. Read their results, then ask for more in the next step.`;
  return { code: "budget_exceeded", message };
}

/** Joins both reasons into one text, the more specific first. */
function joinReasons(policy: string | null, influence: string | null): string | null {
  return policy === null || influence === null ? (policy ?? influence) : `${influence} ${policy}`;
}

/** Converts a failure to a tool's error. */
export function toToolError(failure: Failure): ToolError {
  const { code, message, field } = failure;
  const details = toPublicDetails(failure);
  return {
    code,
    message,
    retry: failure.retry ?? ERRORS[code].retry,
    ...(field === undefined ? {} : { field }),
    ...(details === undefined ? {} : { details }),
  };
}

/** The outcome of a call that the gateway refused. */
export function refusedOutcome(failure: Failure): CallOutcome {
  const error = toToolError(failure);
  return { state: "refused", result: { ok: false, error }, content: shapeError(error), control: null, durationMs: 0 };
}

/** The outcome of a call whose result its tool's check knows. */
function answeredOutcome(tool: Tool, result: unknown): CallOutcome {
  const content = toShownText(tool.show(result as never));
  return { state: "confirmed", result: { ok: true, result }, content, control: null, durationMs: 0 };
}

function toUnknownToolFailure(name: string, toolset: Toolset): Failure {
  const shown = toolset.specs.map((spec) => spec.name);
  const more = shown.includes(FIND_TOOLS) ? ` ${FIND_TOOLS} finds what else you have.` : "";
  return {
    code: "not_found",
    message: `${describeMissing(name, [...shown, ...toolset.names])} You have: ${shown.join(", ")}.${more}`,
    field: "name",
  };
}
