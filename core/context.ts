/**
 * What the model is sent: the agent's instructions, then the conversation. The prefix is the same from step to step, so
 * that providers' prompt caches hold; nothing in it depends on the clock.
 */
import type { Message } from "./messages.ts";
import type { ModelRequest } from "./ports.ts";
import type { ThinkJob } from "./objects.ts";
import type { Toolset } from "./gateway/toolset.ts";

/** Said in the last call, which has no tools. */
const FINAL_NOTE =
  "You have no steps left and no tools. Answer now, in plain text, with what you have; say what is missing.";
/** A model that sends nothing for this long is given up. */
const IDLE_TIMEOUT_MS = 120_000;

/** The request of one step. */
export function buildRequest(job: ThinkJob, toolset: Toolset, signal: AbortSignal): ModelRequest {
  const messages: Message[] = [{ role: "system", content: job.facts.agent.config.instructions }, ...job.messages];
  if (job.final) messages.push({ role: "user", content: FINAL_NOTE });
  return {
    model: job.facts.model,
    messages,
    tools: job.final ? [] : toolset.specs,
    maxOutputTokens: job.maxOutputTokens,
    timeoutMs: job.timeoutMs,
    idleTimeoutMs: Math.min(IDLE_TIMEOUT_MS, job.timeoutMs),
    signal,
  };
}
