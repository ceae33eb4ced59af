/**
 * Measures a request where it is built: only the step runner has the tools. The first request of a task is measured before
 * its model is asked; later ones are sized by the provider's count of the one before.
 */
import { affordableOutput } from "../task/budget.ts";
import { encodingOf } from "../model/table.ts";
import type { ModelRequest, ToolSpec } from "../ports/model.ts";
import type { ThinkJob } from "./rpc.ts";
import { type Encoding, estimateMessages, measureTokens } from "../model/tokens.ts";

/** The difference, as a share of the request, up to which a guess is left as it is: a correction is a write. */
const GUESS_TOLERANCE = 0.1;

/** The input of a request and the output that it may ask for, in tokens. */
export type RequestFit =
  /** `isAsGuessed`: the guess was near enough to be kept as the reservation. */
  | {
      readonly ok: true;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly isAsGuessed: boolean;
    }
  /** The request alone holds more than the call may use. */
  | { readonly ok: false; readonly inputTokens: number };

/** Measures the request of a job with a guess against the ceiling of its call; null: the job has no guess. */
export function fitRequest(
  { facts, guess }: Pick<ThinkJob, "facts" | "guess">,
  request: Pick<ModelRequest, "model" | "messages" | "tools" | "maxOutputTokens">,
): RequestFit | null {
  if (guess === undefined) return null;
  const inputTokens = estimateRequest(request);
  const price = facts.models.find(({ name }) => name === request.model)?.price ?? null;
  const affordable = affordableOutput(inputTokens, [guess.ceiling], price);
  if ("exceeded" in affordable) return { ok: false, inputTokens };
  const outputTokens = Math.min(request.maxOutputTokens, affordable.outputTokens);
  const isAsGuessed = Math.abs(inputTokens - guess.inputTokens) <= inputTokens * GUESS_TOLERANCE;
  return { ok: true, inputTokens, outputTokens, isAsGuessed };
}

/** The estimated tokens of a request. */
export function estimateRequest({
  model,
  messages,
  tools,
}: Pick<ModelRequest, "model" | "messages" | "tools">): number {
  const encoding = encodingOf(model);
  return Math.ceil(estimateMessages(messages, encoding) + estimateTools(tools, encoding));
}

/** Sizes of tool lists: a task's list stays the same object from step to step. */
const sizes = new WeakMap<readonly ToolSpec[], Partial<Record<Encoding, number>>>();

function estimateTools(tools: readonly ToolSpec[], encoding: Encoding): number {
  if (tools.length === 0) return 0;
  const known = sizes.get(tools);
  const size = known?.[encoding] ?? measureTokens(JSON.stringify(tools), encoding);
  if (known?.[encoding] === undefined) sizes.set(tools, { ...known, [encoding]: size });
  return size;
}
