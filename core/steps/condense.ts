/**
 * Shortening between two model calls: long results become summaries, and older steps become one text. A model gets them
 * as data, and its reply is used only if it is plain text of the requested length.
 */
import { CHECKPOINT_TOKENS } from "../task/budget.ts";
import { MAX_HISTORY_CHARACTERS, readHistory, replaceDetails, writeHistory } from "../prompt/compaction.ts";
import { estimateConversation } from "./context.ts";
import { DATA_NOTE, markText } from "../prompt/mark-data.ts";
import { type ModelUsage, NO_USAGE } from "../model/messages.ts";
import { mayBeCharged } from "../task/model-retry.ts";
import type { CondenseJob, CondenseLine } from "./rpc.ts";
import type { Clock } from "../ports/clock.ts";
import type { ModelPort } from "../ports/model.ts";
import type { ResultsPort } from "../ports/results.ts";
import { getInputTokens, type Shortening, SHORTENINGS } from "../prompt/shortening.ts";
import type { TaskFacts } from "../task/state.ts";
import { estimateTokens } from "../model/tokens.ts";
import { runConcurrently } from "../base/run-concurrently.ts";
import {
  cutBefore,
  EXPAND_RESULT,
  headAndTail,
  type RestOfText,
  type ShapeLimits,
  describeRest,
} from "../gateway/shape.ts";
import { findRecordCalls } from "./read-ground.ts";
import type { Toolset } from "./toolset.ts";

/** The most characters of a text that a model gets; fewer if they exceed the reserved tokens. */
const MAX_READ_CHARACTERS = 16_000;
/** Models count characters imprecisely: a text over this share of the limit is too long. */
const OVERLONG_SHARE = 1.3;
/** The most characters of the task's input in a summary's prompt. */
const MAX_AIM = 300;
const MAX_AT_ONCE = 5;
const MODEL_TIMEOUT_MS = 60_000;

/** The dependencies of a shortening. `model` is null to shorten by rule. */
export interface CondenseDeps {
  readonly model: ModelPort | null;
  readonly results: Pick<ResultsPort, "read">;
  readonly toolset: Pick<Toolset, "specs" | "names" | "skillTexts" | "resolve">;
  readonly limits: ShapeLimits;
  readonly clock: Clock;
}

type Job = CondenseJob;
type Progress = Extract<CondenseLine, { type: "progress" }>;
/** The context of a model call; `deadline` in milliseconds since the epoch. */
interface ModelContext {
  readonly model: ModelPort;
  readonly name: string;
  readonly deadline: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
/** The reply of a model. `text` is null if it is unusable, and is paid for all the same unless `usage` is null. */
interface Answer {
  readonly text: string | null;
  readonly usage: ModelUsage | null;
}
interface Prompt {
  readonly system: string;
  readonly user: string;
}

/** Shortens what the job names within its time, and yields one line for each item. */
export async function* condense(job: Job, deps: CondenseDeps, signal: AbortSignal): AsyncGenerator<CondenseLine> {
  const { model, clock } = deps;
  const asking =
    model === null ? null : { model, name: job.model, deadline: clock.now() + job.timeoutMs, clock, signal };
  yield* runConcurrently(job.results, MAX_AT_ONCE, (result) => summarise(result, job, deps, asking));
  if (job.history !== null) yield* compactHistory(job, job.history, deps, asking);
}

/**
 * Summarises one long result. Without content it stays as it is, already shortened: it could not be read, or no model
 * wrote a usable summary.
 */
async function summarise(
  { callId, tool }: Job["results"][number],
  { facts }: Job,
  { results, toolset }: CondenseDeps,
  asking: ModelContext | null,
): Promise<CondenseLine> {
  const whole = asking === null ? null : await results.read(callId);
  if (asking === null || whole?.ok !== true) return { type: "result", callId, content: null, usage: NO_USAGE };
  const { value: text } = whole;
  const given = cutToTokens(text, getInputTokens(SHORTENINGS.summary));
  const prompt = createSummaryPrompt(tool, text.length, given.text, facts);
  const answer = await awaitAnswer(ask(asking, prompt, SHORTENINGS.summary));
  const rest: RestOfText = toolset.names.includes(EXPAND_RESULT) ? "expandable" : "stored";
  const content =
    answer.text === null
      ? null
      : `${answer.text}\n[… a summary of ${text.length} characters, of which ${given.characters} were read; ${describeRest(callId, rest)} …]`;
  return { type: "result", callId, content, usage: answer.usage ?? NO_USAGE };
}

/** Compacts the older steps into a text, by rule when no model writes it. Yields the model's progress first. */
async function* compactHistory(
  { facts, model, reportsProgress }: Job,
  { through, previous, messages, kept }: NonNullable<Job["history"]>,
  { toolset }: CondenseDeps,
  asking: ModelContext | null,
): AsyncGenerator<CondenseLine, void, void> {
  const canExpand = toolset.names.includes(EXPAND_RESULT);
  const history = readHistory(previous, messages, findRecordCalls(messages, toolset));
  let text = writeHistory(history, { canExpand });
  let usage: ModelUsage | null = null;
  if (asking !== null) {
    const tooMany = Math.max(1, estimateTokens(text) / getInputTokens(SHORTENINGS.history));
    const maxCharacters = Math.floor(MAX_HISTORY_CHARACTERS / tooMany);
    const prompt = createHistoryPrompt(writeHistory(history, { canExpand, maxCharacters }), facts);
    const progress = ask(asking, prompt, SHORTENINGS.history);
    const answer = reportsProgress === true ? yield* progress : await awaitAnswer(progress);
    usage = answer.usage;
    if (answer.text !== null) text = writeHistory(replaceDetails(history, answer.text), { canExpand });
  }
  const contextTokens = estimateConversation(facts, model, [...kept, { role: "user", content: text }], toolset);
  yield { type: "history", through, text, contextTokens, usage };
}

/**
 * Asks a model for a text, without tools. An interrupted call costs the reserved input, the output so far and a
 * checkpoint more, within its reservation; one that no model processed costs nothing. Yields each checkpoint.
 */
async function* ask(
  { model, name, deadline, clock, signal }: ModelContext,
  { system, user }: Prompt,
  { inputTokens, outputTokens, maxCharacters }: Shortening,
): AsyncGenerator<Progress, Answer, void> {
  const refused: Answer = { text: null, usage: null };
  let written = 0;
  const cutOff = (): Answer => {
    const usage = { inputTokens, outputTokens: Math.min(outputTokens, written + CHECKPOINT_TOKENS), estimated: true };
    return { text: null, usage };
  };
  const timeoutMs = Math.min(MODEL_TIMEOUT_MS, deadline - clock.now());
  if (timeoutMs <= 0 || signal.aborted) return refused;
  const chunks = model.stream({
    model: name,
    messages: [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
    tools: [],
    maxOutputTokens: outputTokens,
    timeoutMs,
    idleTimeoutMs: timeoutMs,
    signal,
  });
  for await (const chunk of chunks) {
    if (chunk.type === "text") continue;
    if (chunk.type === "progress") {
      written = Math.max(written, chunk.outputTokens);
      yield { type: "progress", outputTokens: written };
      continue;
    }
    if (chunk.type === "failed") return mayBeCharged(chunk.failure) ? cutOff() : refused;
    const text = chunk.text.trim();
    const isUsable = chunk.finish === "stop" && chunk.calls.length === 0 && text !== "";
    const isShort = text.length <= maxCharacters * OVERLONG_SHARE;
    return { text: isUsable && isShort ? text : null, usage: chunk.usage };
  }
  return cutOff();
}

/** Awaits the answer without its progress. */
async function awaitAnswer(progress: AsyncGenerator<Progress, Answer, void>): Promise<Answer> {
  for (;;) {
    const { done, value } = await progress.next();
    if (done === true) return value;
  }
}

/** Cuts a text to what a model gets: all of it, or its head and tail. */
function cutToTokens(text: string, maxTokens: number): { readonly text: string; readonly characters: number } {
  for (let most = MAX_READ_CHARACTERS; ; ) {
    const { head, tail } = text.length <= most ? { head: text, tail: "" } : headAndTail(text, most);
    const tokens = estimateTokens(head) + estimateTokens(tail);
    if (tokens > maxTokens) {
      most = Math.floor((Math.min(most, text.length) * maxTokens) / (tokens + 1));
      continue;
    }
    const characters = head.length + tail.length;
    const between = characters < text.length ? `\n[… ${text.length - characters} characters left out …]\n` : "";
    return { text: `${head}${between}${tail}`, characters };
  }
}

function createSummaryPrompt(tool: string, characters: number, text: string, facts: TaskFacts): Prompt {
  const system = `You shorten the result of a tool for an agent that will read your text in its place. Write plain text of at most ${SHORTENINGS.summary.maxCharacters} characters: what the result is, and every figure, name, id, date, path and error in it that can matter. Add nothing that it does not say. ${DATA_NOTE}`;
  const aim = markText(formatAim(facts), facts);
  const user = `The agent's task begins: ${aim}\n\nThe result of ${tool}, ${characters} characters:\n${markText(text, facts)}`;
  return { system, user };
}

function createHistoryPrompt(digest: string, facts: TaskFacts): Prompt {
  const system = `You tell an agent in short what it did so far, for it to go on from there. Write plain prose of at most ${SHORTENINGS.history.maxCharacters} characters, in order: what was done and why, what was found (every figure, name, id, date, path and error that can matter), what failed, what is still open. Keep the ids of results (call_…) with what they hold. What people wrote is shown to the agent word for word beside your text: do not repeat it. ${DATA_NOTE}`;
  return { system, user: markText(digest, facts) };
}

/** Returns the start of the task's input. */
function formatAim({ input }: TaskFacts): string {
  const words = typeof input === "string" ? input : (input.findLast(({ role }) => role === "user")?.content ?? "");
  const line = words.replace(/\s+/g, " ").trim();
  return line.length <= MAX_AIM ? line : `${cutBefore(line, MAX_AIM - 1)}…`;
}
