/**
 * The budget of one task. A model call reserves its worst case before it starts and settles its use after. An
 * interrupted call is settled at its input, the output at its last checkpoint and 1,024 tokens more, which is at least
 * what was streamed. The size of a first request is a guess until the step runner, which has the tools, measures it.
 * The budget of a subtask is set aside while the subtask runs; what remains returns when it ends.
 */
import { MICROS_PER_DOLLAR, NEAR_SHARE, NO_AMOUNT, NO_LIMIT } from "./amounts.ts";
import { computeCostMicros, getEncoding, type ModelPrice } from "../model/table.ts";
import { toPromptMessages } from "../prompt/mark-data.ts";
import { type Encoding, estimateMessages } from "../model/tokens.ts";
import type { ModelUse } from "../ports/language.ts";
import type { Amount, AmountLimit, Limits, Phase, Reservation, TaskState } from "./state.ts";
import { isSubtaskWait } from "./wait.ts";

/** The most output tokens of one model call. */
const MAX_OUTPUT_TOKENS = 8192;
/**
 * Output tokens between two checkpoints of a model call. An interrupted call costs at most this much more than it
 * wrote.
 */
export const CHECKPOINT_TOKENS = 1024;
/** The least output tokens with which a model call is made. */
const MIN_OUTPUT_TOKENS = 16;
/**
 * Tokens of the built-in agent's tool list, some more than it has. Reserved for a first request until the runner measures it; a
 * longer list costs each subtask one more write. No task is refused because of it.
 */
export const TOOL_LIST_TOKENS = 1800;
/** Assumed tokens of a skill's instructions until the runner measures them. */
const SKILL_TOKENS = 2000;
/** The least tokens of a subtask's budget. */
const MIN_SUBTASK_TOKENS = 1000;
/**
 * Expected tokens of one subtask's result in its parent's next request: a shortened text of 4,000 characters in a Latin
 * alphabet. The same length in Han characters has 2,500 to 2,900 tokens in o200k and 3,900 in cl100k: then the parent
 * may end with `budget_exceeded`.
 */
const SUBTASK_RESULT_TOKENS = 1600;
/** The longest runner call: one model call, or the calls of one step. */
export const RUNNER_CALL_TIMEOUT_MS = 600_000;

/** Which limit is used up. */
export type BudgetKind = "tokens" | "cost" | "duration";

/** What a model call may use, or the limit that refuses it. */
export type Allowance =
  | {
      readonly ok: true;
      readonly reserved: Reservation;
      /** The most that the call may use, by the task's limits and the grant. */
      readonly ceiling: AmountLimit;
      readonly timeoutMs: number;
    }
  | { readonly ok: false; readonly exceeded: BudgetKind };

/** Reserves a model call within the task's limits and its tenant's grant. */
export function reserveModelCall(state: TaskState, now: number): Allowance {
  return reserve(state, now, getGrantLeft(state));
}

/**
 * Estimates what the next model call would use without a grant's limit, and the least that it needs. Null if a limit
 * refuses it.
 */
export function estimateCallNeeds(
  state: TaskState,
  now: number,
): { readonly need: Amount; readonly want: Amount } | null {
  // Messages that arrived since are part of the next step's request only.
  const written = state.phase.name === "ready" ? state.steering : [];
  const contextTokens =
    state.contextTokens + estimateMessages(toPromptMessages(written, state.facts), getCurrentEncoding(state));
  const allowance = reserve({ ...state, contextTokens }, now, NO_LIMIT);
  if (!allowance.ok) return null;
  const { inputTokens, outputTokens } = allowance.reserved;
  const amount = (input: number, output: number): Amount => ({
    tokens: input + output,
    costMicros: computeCostMicros(getCurrentPrice(state), input, output),
  });
  return {
    need: amount(contextTokens, Math.min(MIN_OUTPUT_TOKENS, outputTokens)),
    want: amount(inputTokens, outputTokens),
  };
}

/** Returns the limit that a request of the present size exceeds; null when it fits every limit. */
export function findExceededLimit(state: TaskState, now: number): BudgetKind | null {
  const allowance = reserve(state, now, NO_LIMIT);
  return allowance.ok ? null : allowance.exceeded;
}

/**
 * The output tokens that a request of `inputTokens` may ask for within `limits`, from `MIN_OUTPUT_TOKENS` to
 * `MAX_OUTPUT_TOKENS`; or the kind of limit that does not allow the request. A price of null costs nothing.
 */
export function computeAffordableOutput(
  inputTokens: number,
  limits: readonly AmountLimit[],
  price: ModelPrice | null,
): { readonly outputTokens: number } | { readonly exceeded: Exclude<BudgetKind, "duration"> } {
  let output = MAX_OUTPUT_TOKENS;
  for (const { tokens, costMicros: money } of limits) {
    if (tokens !== null) output = Math.min(output, tokens - inputTokens);
    if (output < MIN_OUTPUT_TOKENS) return { exceeded: "tokens" };
    if (money === null || price === null) continue;
    const left = money - computeCostMicros(price, inputTokens, 0);
    if (price.outputPerMillion > 0) output = Math.min(output, Math.floor(left / price.outputPerMillion));
    if (left < 0 || output < MIN_OUTPUT_TOKENS) return { exceeded: "cost" };
  }
  return { outputTokens: output };
}

/** Reserves a short model call outside the steps (a summary); null if it would leave too little for the next step. */
export function reserveExtraCall(state: TaskState, inputTokens: number, outputTokens: number): Reservation | null {
  const cost = computeCostMicros(getCurrentPrice(state), inputTokens, outputTokens);
  const next = { tokens: state.contextTokens + MIN_SUBTASK_TOKENS, costMicros: 0 };
  for (const { tokens, costMicros: money } of [getOwnLeft(state), getGrantLeft(state)]) {
    if (tokens !== null && tokens < inputTokens + outputTokens + next.tokens) return null;
    if (money !== null && money < cost + computeCostMicros(getCurrentPrice(state), next.tokens, 0)) return null;
  }
  return { inputTokens, outputTokens, costMicros: cost };
}

/**
 * Reserves what one call of a tool may ask a model, or returns whose limit does not allow it: `task`, where enough has to be left
 * for the next step, or `permit`, the tenant's grant.
 */
export function reserveModelUse(
  state: TaskState,
  { calls, inputTokens, outputTokens }: ModelUse,
): Reservation | "task" | "permit" {
  const [input, output] = [calls * inputTokens, calls * outputTokens];
  if (reserveExtraCall({ ...state, permit: null }, input, output) === null) return "task";
  const costMicros = computeCostMicros(getCurrentPrice(state), input, output);
  const { tokens, costMicros: money } = getGrantLeft(state);
  if (tokens !== null && tokens < input + output) return "permit";
  if (money !== null && money < costMicros) return "permit";
  return { inputTokens: input, outputTokens: output, costMicros };
}

/**
 * Estimates the use of an interrupted model call: its input, the output at its last checkpoint and `CHECKPOINT_TOKENS`
 * more, never above its reservation. A call without checkpoints costs its whole reservation.
 */
export function estimateCutOffUse({
  reserved,
  written,
}: Pick<Extract<Phase, { name: "thinking" | "condensing" }>, "reserved" | "written">): Omit<Reservation, "costMicros"> {
  const { inputTokens, outputTokens } = reserved;
  if (written === undefined) return { inputTokens, outputTokens };
  return { inputTokens, outputTokens: Math.min(outputTokens, written + CHECKPOINT_TOKENS) };
}

/** Returns what is left of the grant; null for a kind without a limit. */
function getGrantLeft(state: TaskState): AmountLimit {
  if (state.permit === null) return NO_LIMIT;
  const { tokens, costMicros: money } = state.permit.grant;
  const [used, reserved] = [getOwnUse(state), getReservedModelUse(state)];
  return {
    tokens: tokens === null ? null : tokens - used.tokens - reserved.tokens,
    costMicros: money === null ? null : money - used.costMicros - reserved.costMicros,
  };
}

/**
 * Allots a subtask its part of what this task has left, or returns why it cannot. `sharers`: dispatches that still
 * share it.
 */
export function allotSubtaskBudget(
  state: TaskState,
  tokenBudget: number | null,
  sharers: number,
): { readonly ok: true; readonly budget: AmountLimit } | { readonly ok: false; readonly message: string } {
  const left = getOwnLeft(state);
  const even = (amount: number | null) => (amount === null ? null : Math.floor(amount / (sharers + 1)));
  const open = state.batch.filter(({ wait }) => isSubtaskWait(wait)).length;
  // The request that reads all results has to remain affordable.
  const next = state.contextTokens + (open + sharers) * SUBTASK_RESULT_TOKENS + MIN_OUTPUT_TOKENS;
  const most = left.tokens === null ? null : left.tokens - next;
  const tokens = tokenBudget ?? even(most);
  if (most !== null && tokens !== null) {
    if (tokens > most || tokens < MIN_SUBTASK_TOKENS) {
      const message = `A subtask with ${tokens} tokens does not fit: this task has ${Math.max(0, Math.floor(most))} to give, and a subtask needs ${MIN_SUBTASK_TOKENS}.`;
      return { ok: false, message };
    }
  }
  const money = even(left.costMicros);
  if (money !== null && money <= 0 && getCurrentPrice(state)?.outputPerMillion !== 0) {
    return { ok: false, message: "This task has no money left to give to a subtask." };
  }
  return { ok: true, budget: { tokens, costMicros: money } };
}

/** Returns what the task used without its subtasks. */
export function getOwnUse({ usage }: TaskState): Amount {
  return { tokens: usage.inputTokens + usage.outputTokens, costMicros: usage.costMicros };
}

/** Returns what the task and its subtasks used. */
export function getTreeUse(state: TaskState): Amount {
  const { usedBelow } = state;
  const own = getOwnUse(state);
  return {
    tokens: own.tokens + usedBelow.inputTokens + usedBelow.outputTokens,
    costMicros: own.costMicros + usedBelow.costMicros,
  };
}

function getCurrentPrice({ facts, model }: TaskState) {
  return facts.models[model.index]?.price ?? null;
}

export function getCurrentEncoding({ facts, model }: TaskState): Encoding {
  return getEncoding(facts.models[model.index]?.name ?? "");
}

/** Returns the time left before `maxDurationMs`; `Infinity` without that limit. */
export function getTimeLeftMs(state: TaskState, now: number): number {
  const limit = state.facts.limits.maxDurationMs;
  return limit === null ? Number.POSITIVE_INFINITY : limit - getActiveMs(state, now);
}

/** Returns the limits of which at least 80 % is used. Money in US dollars, time in seconds. */
export function findNearLimits(state: TaskState, now: number): { kind: BudgetKind; used: number; limit: number }[] {
  const { limits } = state.facts;
  const used = getTreeUse(state);
  const rows: [BudgetKind, number, number | null, number][] = [
    ["tokens", used.tokens, limits.maxTokens, 1],
    ["cost", used.costMicros, limits.maxCostMicros, MICROS_PER_DOLLAR],
    ["duration", getActiveMs(state, now), limits.maxDurationMs, 1000],
  ];
  return rows.flatMap(([kind, amount, limit, unit]) =>
    limit !== null && amount >= limit * NEAR_SHARE ? [{ kind, used: amount / unit, limit: limit / unit }] : [],
  );
}

/** Formats the error of a task that a limit ended. */
export function formatExceededLimit(kind: BudgetKind, limits: Limits): string {
  switch (kind) {
    case "tokens":
      return `The task's limit of ${limits.maxTokens ?? 0} tokens does not allow another model call. Raise budget.max_tokens.`;
    case "cost":
      return `The task's limit of ${(limits.maxCostMicros ?? 0) / MICROS_PER_DOLLAR} US dollars does not allow another model call. Raise budget.max_cost_usd.`;
    case "duration":
      return `The task's limit of ${(limits.maxDurationMs ?? 0) / 1000} seconds is used up. Raise budget.max_duration_s.`;
  }
}

function reserve(state: TaskState, now: number, grant: AmountLimit): Allowance {
  const price = getCurrentPrice(state);
  const ceiling = toLowerLimit(getOwnLeft(state), grant);
  const affordable = computeAffordableOutput(state.contextTokens, [ceiling], price);
  if ("exceeded" in affordable) return { ok: false, exceeded: affordable.exceeded };
  const left = getTimeLeftMs(state, now);
  if (left <= 0) return { ok: false, exceeded: "duration" };
  const { outputTokens } = affordable;
  const inputTokens = estimateReservedInput(state, outputTokens, ceiling);
  const reserved = { inputTokens, outputTokens, costMicros: computeCostMicros(price, inputTokens, outputTokens) };
  return { ok: true, reserved, ceiling, timeoutMs: Math.min(RUNNER_CALL_TIMEOUT_MS, left) };
}

/**
 * Estimates the input to reserve. Until the runner measures the request, tools and skills are a guess, limited by the
 * ceiling.
 */
function estimateReservedInput(
  state: TaskState,
  outputTokens: number,
  { tokens, costMicros: money }: AmountLimit,
): number {
  const { contextTokens, isContextCounted, hasCountedTools, facts } = state;
  if (isContextCounted || hasCountedTools === true) return contextTokens;
  const price = getCurrentPrice(state);
  let input = contextTokens + TOOL_LIST_TOKENS + SKILL_TOKENS * facts.skills.length;
  if (tokens !== null) input = Math.min(input, tokens - outputTokens);
  if (money !== null && price !== null && price.inputPerMillion > 0) {
    input = Math.min(input, Math.floor((money - computeCostMicros(price, 0, outputTokens)) / price.inputPerMillion));
  }
  return Math.max(contextTokens, input);
}

/** Returns the lower limit of each kind. */
function toLowerLimit(one: AmountLimit, other: AmountLimit): AmountLimit {
  const least = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b));
  return { tokens: least(one.tokens, other.tokens), costMicros: least(one.costMicros, other.costMicros) };
}

/**
 * Returns what is left of the task's own limits: neither used by it or its subtasks, nor reserved for an open subtask or for what
 * a tool may ask.
 */
function getOwnLeft(state: TaskState): AmountLimit {
  const { maxTokens, maxCostMicros } = state.facts.limits;
  const [used, reserved] = [getTreeUse(state), getReservedModelUse(state)];
  const carved = state.batch.flatMap(({ wait }) => (isSubtaskWait(wait) ? [wait.budget] : []));
  return {
    tokens: maxTokens === null ? null : maxTokens - used.tokens - reserved.tokens - sum(carved, ({ tokens }) => tokens),
    costMicros:
      maxCostMicros === null
        ? null
        : maxCostMicros - used.costMicros - reserved.costMicros - sum(carved, ({ costMicros: money }) => money),
  };
}

/** Returns what is reserved for the model calls of tools that are under way. */
function getReservedModelUse({ batch }: TaskState): Amount {
  return batch.reduce(
    (total, { reserved }) =>
      reserved === undefined
        ? total
        : {
            tokens: total.tokens + reserved.inputTokens + reserved.outputTokens,
            costMicros: total.costMicros + reserved.costMicros,
          },
    NO_AMOUNT,
  );
}

function sum(budgets: readonly AmountLimit[], of: (budget: AmountLimit) => number | null): number {
  return budgets.reduce((total, budget) => total + (of(budget) ?? 0), 0);
}

/** Returns the time that counts against the task. Waiting for a person or in the queue does not count. */
function getActiveMs(state: TaskState, now: number): number {
  const { clock } = state;
  return clock.activeMs + (clock.since === null ? 0 : Math.max(0, now - clock.since));
}
