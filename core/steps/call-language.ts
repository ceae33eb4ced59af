/**
 * The questions that one call puts to the model of its task: no more than was reserved for the call, and each counted until its use
 * is known. What the model reads of the input is data (`core/prompt/mark-data.ts`).
 */
import { z } from "zod";
import { failed, ok, type Result } from "../base/errors.ts";
import { type ModelUsage, NO_USAGE } from "../model/messages.ts";
import type { LanguagePort, ModelUse, Question } from "../ports/language.ts";
import type { ModelChunk, ModelFailure, ModelPort, ModelRequest, ToolSpec } from "../ports/model.ts";
import { DATA_NOTE, markText } from "../prompt/mark-data.ts";
import { CHECKPOINT_TOKENS } from "../task/budget.ts";
import { mayBeCharged } from "../task/model-retry.ts";
import { toModelSchema } from "./model-schema.ts";
import { estimateRequest } from "./request-size.ts";

/** The tool through which the model answers. */
const ANSWER = "answer";
const ANSWER_NOTE = `Answer with one call of the tool ${ANSWER}.`;
/** The longest wait for one answer. The call's own limit is usually shorter. */
const TIMEOUT_MS = 60_000;
const IDLE_TIMEOUT_MS = 30_000;
const FENCE = "```";

/** What the questions of a call need. `model` null: no language model is configured. */
export interface LanguageDeps {
  readonly model: ModelPort | null;
  /** The task's model in use. */
  readonly name: string;
  /** What is reserved for the call. Absent: it may ask nothing. */
  readonly asks?: ModelUse | undefined;
  readonly task: { readonly id: string };
}

/** The language port of one call. */
export class CallLanguage implements LanguagePort {
  private readonly deps: LanguageDeps;
  private asked = 0;
  private open = 0;
  private ended = NO_USAGE;

  constructor(deps: LanguageDeps) {
    this.deps = deps;
  }

  /** What the questions used so far. One without an end counts as its reservation. */
  get used(): ModelUsage {
    const { inputTokens = 0, outputTokens = 0 } = this.deps.asks ?? {};
    const open = { inputTokens: this.open * inputTokens, outputTokens: this.open * outputTokens };
    return this.open === 0 ? this.ended : addUsage(this.ended, { ...open, estimated: true });
  }

  async ask<Answer>(question: Question<Answer>): Promise<Result<Answer>> {
    const { model, asks } = this.deps;
    if (model === null || asks === undefined) return NO_MODEL;
    if (question.signal.aborted) return failed("timeout", "The call ended before the question was sent.");
    if (this.asked >= asks.calls) {
      const message = `A call may ask the language model ${asks.calls} times, and that is used up.`;
      return failed("budget_exceeded", message);
    }
    const request = this.toRequest(question, asks);
    const tokens = estimateRequest(request);
    if (tokens > asks.inputTokens) {
      const message = `The question has about ${tokens} tokens, and ${asks.inputTokens} are allowed. Ask about less.`;
      return failed("budget_exceeded", message);
    }
    this.asked += 1;
    this.open += 1;
    const end = await readReply(model.stream(request), asks.inputTokens, request.maxOutputTokens);
    this.open -= 1;
    this.ended = addUsage(this.ended, end.usage);
    return end.kind === "failed" ? toFailure(end.failure) : readAnswer(end.reply, question.schema);
  }

  private toRequest<Answer>(
    { instructions, input, schema, maxOutputTokens, signal }: Question<Answer>,
    asks: ModelUse,
  ): ModelRequest {
    const answer: ToolSpec = {
      name: ANSWER,
      description: "Gives your answer.",
      parameters: toModelSchema(z.toJSONSchema(schema)),
    };
    return {
      model: this.deps.name,
      messages: [
        { role: "system", content: [instructions, ANSWER_NOTE, DATA_NOTE].join("\n\n") },
        { role: "user", content: markText(input, this.deps.task) },
      ],
      tools: [answer],
      maxOutputTokens: Math.min(maxOutputTokens, asks.outputTokens),
      timeoutMs: TIMEOUT_MS,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      signal,
    };
  }
}

type Reply = Extract<ModelChunk, { type: "done" }>;

/** The end of a question. */
type QuestionEnd =
  | { readonly kind: "replied"; readonly reply: Reply; readonly usage: ModelUsage }
  | { readonly kind: "failed"; readonly failure: ModelFailure; readonly usage: ModelUsage };

/** Reads a reply to its end. One that ended while it was written costs the input, the output so far and a checkpoint more. */
async function readReply(
  chunks: AsyncIterable<ModelChunk>,
  inputTokens: number,
  maxOutputTokens: number,
): Promise<QuestionEnd> {
  let written = 0;
  const cutOff = () => ({
    inputTokens,
    outputTokens: Math.min(maxOutputTokens, written + CHECKPOINT_TOKENS),
    estimated: true,
  });
  let isWriting = false;
  for await (const chunk of chunks) {
    isWriting ||= chunk.type === "text" || chunk.type === "progress";
    if (chunk.type === "progress") written = Math.max(written, chunk.outputTokens);
    else if (chunk.type === "done") return { kind: "replied", reply: chunk, usage: chunk.usage };
    else if (chunk.type === "failed") {
      const { failure } = chunk;
      return { kind: "failed", failure, usage: isWriting || mayBeCharged(failure) ? cutOff() : NO_USAGE };
    }
  }
  return { kind: "failed", failure: NO_END, usage: cutOff() };
}

/** Returns the answer that a reply has: the arguments of its call, or its text, if the model called no tool. */
function readAnswer<Answer>({ calls, text }: Reply, schema: z.ZodType<Answer>): Result<Answer> {
  const written = calls.find(({ name }) => name === ANSWER)?.arguments ?? removeFence(text.trim());
  try {
    const parsed = schema.safeParse(JSON.parse(written));
    return parsed.success ? ok(parsed.data) : OTHER_SHAPE;
  } catch {
    return OTHER_SHAPE;
  }
}

/** Returns the content of a text that is one block of code, and any other text unchanged. */
function removeFence(text: string): string {
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE) || text.length < 2 * FENCE.length) return text;
  const content = text.slice(FENCE.length, -FENCE.length);
  return content.startsWith("json") ? content.slice("json".length) : content;
}

function toFailure({ kind, message }: ModelFailure): ReturnType<typeof failed> {
  if (kind === "not_configured") return NO_MODEL;
  return failed(kind === "timeout" ? "timeout" : "upstream_failed", `The language model did not answer: ${message}`);
}

function addUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    estimated: one.estimated || other.estimated,
  };
}

const NO_END: ModelFailure = {
  kind: "cut_off",
  retryable: true,
  retryAfterMs: null,
  message: "The answer was cut off.",
};

const NO_MODEL = failed(
  "not_available",
  "This needs a language model, and none answers for this task. An operator configures one with OTTO_MODEL.",
);

const OTHER_SHAPE = failed(
  "upstream_failed",
  "The language model's answer has another form than was asked for. Try again, or in other words.",
);
