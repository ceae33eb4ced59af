/**
 * What the model is sent: the agent's instructions and those of the skills that it works under, then the conversation. The prefix is the same from step to step, so
 * that providers' prompt caches hold; nothing in it depends on the clock.
 */
import type { Message } from "../model/messages.ts";
import type { ModelRequest } from "../ports/model.ts";
import type { ThinkJob } from "./rpc.ts";
import type { TaskFacts } from "../task/state.ts";
import { DATA_NOTE, toPromptMessages } from "../prompt/mark-data.ts";
import { estimateRequest } from "./request-size.ts";
import type { Toolset } from "./toolset.ts";

/** Said in the last call, which has no tools. */
const FINAL_NOTE =
  "You have no steps left and no tools. Answer now, in plain text, with what you have; say what is missing.";
/** Said to the agent of a subtask, behind its instructions. */
const SUBTASK_NOTE =
  "You work on a part of a larger task for another agent. Your last answer goes to that agent, not to a person, and it is all that the agent sees of your work: make it complete and understandable by itself, with the facts, figures, names and paths that you found, and say what you could not do.";
/** A model that sends nothing for this long is given up. */
const IDLE_TIMEOUT_MS = 120_000;

/** What of a toolset stands in a request. */
type ShownToolset = Pick<Toolset, "specs" | "skillTexts">;

/** The request of one step. */
export function buildRequest(job: ThinkJob, toolset: ShownToolset, signal: AbortSignal): ModelRequest {
  const messages = [systemMessage(job.facts, toolset), ...toPromptMessages(job.messages, job.facts)];
  if (job.final) messages.push({ role: "user", content: FINAL_NOTE });
  return {
    model: job.model,
    messages,
    tools: job.final ? [] : toolset.specs,
    maxOutputTokens: job.maxOutputTokens,
    timeoutMs: job.timeoutMs,
    idleTimeoutMs: Math.min(IDLE_TIMEOUT_MS, job.timeoutMs),
    signal,
  };
}

/** The estimated tokens of the requests of a task once its conversation holds these messages. */
export function estimateConversation(
  facts: TaskFacts,
  model: string,
  messages: readonly Message[],
  toolset: ShownToolset,
): number {
  const request = [systemMessage(facts, toolset), ...toPromptMessages(messages, facts)];
  return estimateRequest({ model, messages: request, tools: toolset.specs });
}

/** A call of a skill's tool has the skill's instructions in the place of the agent's; any other task has them beside those. */
function systemMessage({ agent, parentId, kind, skills }: TaskFacts, { skillTexts }: ShownToolset): Message {
  const isSkill = skills.some(({ how }) => how === "tool");
  const isSubtask = parentId !== null && kind === "agent";
  const own = isSkill ? [] : [agent.config.instructions];
  return {
    role: "system",
    content: [...own, ...skillTexts, ...(isSubtask ? [SUBTASK_NOTE] : []), DATA_NOTE].join("\n\n"),
  };
}
