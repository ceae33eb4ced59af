/**
 * Shortening between two model calls: long results become a summary, and the older steps a text that stands for them. What
 * a model is given of them is data, and what it makes of them is used only when it is plain text of the length asked for.
 */
import { CHECKPOINT_TOKENS } from "../task/budget.ts";
import { MAX_HISTORY_CHARACTERS, readHistory, retell, writeHistory } from "../prompt/compaction.ts";
import { estimateConversation } from "./context.ts";
import { DATA_NOTE, markText } from "../prompt/mark-data.ts";
import type { ModelUsage } from "../model/messages.ts";
import { wasWorkedOn } from "../task/model-retry.ts";
import type { CondenseJob, CondenseLine } from "./rpc.ts";
import type { Clock } from "../ports/clock.ts";
import type { ModelPort } from "../ports/model.ts";
import type { ResultsPort } from "../ports/results.ts";
import { readTokens, type Shortening, SHORTENINGS } from "../prompt/shortening.ts";
import type { TaskFacts } from "../task/state.ts";
import { estimateTokens } from "../model/tokens.ts";
import { asTheyEnd } from "../base/as-they-end.ts";
import {
  cutBefore,
  EXPAND_RESULT,
  headAndTail,
  type RestOfText,
  type ShapeLimits,
  shapeText,
  whereRestIs,
} from "../gateway/shape.ts";
import { findRecordCalls } from "./read-ground.ts";
import type { Toolset } from "./toolset.ts";

/** Of a text, what a model is given: so many characters, and fewer when they are more tokens than the task reserved. */
const MAX_READ_CHARACTERS = 16_000;
/** Models count characters badly; what is over this share of what they were asked for is too long. */
const OVERLONG_SHARE = 1.3;
/** Of the task's own words, what a summary is made for. */
const MAX_AIM = 300;
const MAX_AT_ONCE = 5;
const MODEL_TIMEOUT_MS = 60_000;
/** What a call that no model worked on used. */
const NOTHING: ModelUsage = { inputTokens: 0, outputTokens: 0, estimated: false };

/** What shortening needs. `model` is null when none is to write. */
export interface CondenseDeps {
  readonly model: ModelPort | null;
  readonly results: Pick<ResultsPort, "read">;
  readonly toolset: Pick<Toolset, "specs" | "names" | "skillTexts" | "resolve">;
  readonly limits: ShapeLimits;
  readonly clock: Clock;
}

type Job = CondenseJob;
type Progress = Extract<CondenseLine, { type: "progress" }>;
/** What asking a model needs; `deadline` in milliseconds since the epoch. */
interface Asking {
  readonly model: ModelPort;
  readonly name: string;
  readonly deadline: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
/** What came of asking. `text` is null when there is none of use; it is paid for all the same, unless `usage` is null. */
interface Answer {
  readonly text: string | null;
  readonly usage: ModelUsage | null;
}
interface Prompt {
  readonly system: string;
  readonly user: string;
}

/** Shortens what the job names, in the time that it has, and yields what came of each: one line for everything named. */
export async function* condense(job: Job, deps: CondenseDeps, signal: AbortSignal): AsyncGenerator<CondenseLine> {
  const { model, clock } = deps;
  const asking =
    model === null ? null : { model, name: job.model, deadline: clock.now() + job.timeoutMs, clock, signal };
  yield* asTheyEnd(job.results, MAX_AT_ONCE, (result) => summarise(result, job, deps, asking));
  if (job.history !== null) yield* tellHistory(job, job.history, deps, asking);
}

/** One long result as a summary, or as its head and tail; without content it stays as it is, which was not read. */
async function summarise(
  { callId, tool }: Job["results"][number],
  { facts }: Job,
  { results, toolset, limits }: CondenseDeps,
  asking: Asking | null,
): Promise<CondenseLine> {
  const whole = asking === null ? null : await results.read(callId);
  if (asking === null || whole?.ok !== true) return { type: "result", callId, content: null, usage: NOTHING };
  const { value: text } = whole;
  const given = readable(text, readTokens(SHORTENINGS.summary));
  const prompt = summaryPrompt(tool, text.length, given.text, facts);
  const answer = await withoutProgress(ask(asking, prompt, SHORTENINGS.summary));
  const rest: RestOfText = toolset.names.includes(EXPAND_RESULT) ? "expandable" : "kept";
  const content =
    answer.text === null
      ? shapeText(text, limits, callId, rest)
      : `${answer.text}\n[… a summary of ${text.length} characters, of which ${given.characters} were read; ${whereRestIs(callId, rest)} …]`;
  return { type: "result", callId, content, usage: answer.usage ?? NOTHING };
}

/** The older steps as a text: always one, by rule when no model writes it. Yields the progress of its model before. */
async function* tellHistory(
  { facts, model, reportsProgress }: Job,
  { through, previous, messages, kept }: NonNullable<Job["history"]>,
  { toolset }: CondenseDeps,
  asking: Asking | null,
): AsyncGenerator<CondenseLine, void, void> {
  const canExpand = toolset.names.includes(EXPAND_RESULT);
  const history = readHistory(previous, messages, findRecordCalls(messages, toolset));
  let text = writeHistory(history, { canExpand });
  let usage: ModelUsage | null = null;
  if (asking !== null) {
    const tooMany = Math.max(1, estimateTokens(text) / readTokens(SHORTENINGS.history));
    const maxCharacters = Math.floor(MAX_HISTORY_CHARACTERS / tooMany);
    const prompt = historyPrompt(writeHistory(history, { canExpand, maxCharacters }), facts);
    const asked = ask(asking, prompt, SHORTENINGS.history);
    const answer = reportsProgress === true ? yield* asked : await withoutProgress(asked);
    usage = answer.usage;
    if (answer.text !== null) text = writeHistory(retell(history, answer.text), { canExpand });
  }
  const contextTokens = estimateConversation(facts, model, [...kept, { role: "user", content: text }], toolset);
  yield { type: "history", through, text, contextTokens, usage };
}

/**
 * Asks for a text. It has no tools to call, and a call is no text. A call that broke off counts as the input reserved, what
 * it is known to have written and a checkpoint more, within its reservation; one that no model worked on costs nothing. Yields
 * each checkpoint.
 */
async function* ask(
  { model, name, deadline, clock, signal }: Asking,
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
    if (chunk.type === "failed") return wasWorkedOn(chunk.failure) ? cutOff() : refused;
    const text = chunk.text.trim();
    const isUsable = chunk.finish === "stop" && chunk.calls.length === 0 && text !== "";
    const isShort = text.length <= maxCharacters * OVERLONG_SHARE;
    return { text: isUsable && isShort ? text : null, usage: chunk.usage };
  }
  return cutOff();
}

/** The answer of a call whose checkpoints nobody stores. */
async function withoutProgress(asked: AsyncGenerator<Progress, Answer, void>): Promise<Answer> {
  for (;;) {
    const { done, value } = await asked.next();
    if (done === true) return value;
  }
}

/** What a model is given of a text: all of it, or its head and tail. */
function readable(text: string, maxTokens: number): { readonly text: string; readonly characters: number } {
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

function summaryPrompt(tool: string, characters: number, text: string, facts: TaskFacts): Prompt {
  const system = `You shorten the result of a tool for an agent that will read your text in its place. Write plain text of at most ${SHORTENINGS.summary.maxCharacters} characters: what the result is, and every figure, name, id, date, path and error in it that can matter. Add nothing that it does not say. ${DATA_NOTE}`;
  const aim = markText(aimOf(facts), facts);
  const user = `The agent's task begins: ${aim}\n\nThe result of ${tool}, ${characters} characters:\n${markText(text, facts)}`;
  return { system, user };
}

function historyPrompt(digest: string, facts: TaskFacts): Prompt {
  const system = `You tell an agent in short what it did so far, for it to go on from there. Write plain prose of at most ${SHORTENINGS.history.maxCharacters} characters, in order: what was done and why, what was found (every figure, name, id, date, path and error that can matter), what failed, what is still open. Keep the ids of results (call_…) with what they hold. What people wrote is shown to the agent word for word beside your text: do not repeat it. ${DATA_NOTE}`;
  return { system, user: markText(digest, facts) };
}

/** What the task is about, in its own first words. */
function aimOf({ input }: TaskFacts): string {
  const words = typeof input === "string" ? input : (input.findLast(({ role }) => role === "user")?.content ?? "");
  const line = words.replace(/\s+/g, " ").trim();
  return line.length <= MAX_AIM ? line : `${cutBefore(line, MAX_AIM - 1)}…`;
}
