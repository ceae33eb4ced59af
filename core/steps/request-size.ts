/**
 * Measures requests in the step runner, which alone has the tools. The first request of a task is measured before the
 * model call; later ones use the provider's count of the one before.
 */
import { computeAffordableOutput } from "../task/budget.ts";
import { getEncoding } from "../model/table.ts";
import type { ModelRequest, ToolSpec } from "../ports/model.ts";
import type { ThinkJob } from "./rpc.ts";
import { type Encoding, estimateMessages, measureTokens } from "../model/tokens.ts";

/** The error, as a share of the request, up to which an estimate is accepted: a correction is a write. */
const GUESS_TOLERANCE = 0.1;

/** The input of a request and its allowed output, in tokens. */
export type RequestFit =
  /** `isGuessClose`: the guess was near enough to be kept as the reservation. */
  | {
      readonly ok: true;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly isGuessClose: boolean;
    }
  /** The request alone exceeds the limit of the call. */
  | { readonly ok: false; readonly inputTokens: number };

/** Measures the request of a job with a guess against the ceiling of its call; null without a guess. */
export function fitRequest(
  { facts, guess }: Pick<ThinkJob, "facts" | "guess">,
  request: Pick<ModelRequest, "model" | "messages" | "tools" | "maxOutputTokens">,
): RequestFit | null {
  if (guess === undefined) return null;
  const inputTokens = estimateRequest(request);
  const price = facts.models.find(({ name }) => name === request.model)?.price ?? null;
  const affordable = computeAffordableOutput(inputTokens, [guess.ceiling], price);
  if ("exceeded" in affordable) return { ok: false, inputTokens };
  const outputTokens = Math.min(request.maxOutputTokens, affordable.outputTokens);
  const isGuessClose = Math.abs(inputTokens - guess.inputTokens) <= inputTokens * GUESS_TOLERANCE;
  return { ok: true, inputTokens, outputTokens, isGuessClose };
}

/** Estimates the tokens of a request. */
export function estimateRequest({
  model,
  messages,
  tools,
}: Pick<ModelRequest, "model" | "messages" | "tools">): number {
  const encoding = getEncoding(model);
  return Math.ceil(estimateMessages(messages, encoding) + estimateTools(tools, encoding));
}

/** Cached sizes of tool lists: a task's list is the same object from step to step. */
const sizes = new WeakMap<readonly ToolSpec[], Partial<Record<Encoding, number>>>();

function estimateTools(tools: readonly ToolSpec[], encoding: Encoding): number {
  if (tools.length === 0) return 0;
  const known = sizes.get(tools);
  const size = known?.[encoding] ?? measureTokens(JSON.stringify(tools), encoding);
  if (known?.[encoding] === undefined) sizes.set(tools, { ...known, [encoding]: size });
  return size;
}
