/**
 * The request to the model: the instructions of the agent and of the skills in force, then the conversation. The prefix
 * is the same from step to step so that providers' prompt caches hit; nothing in it depends on the clock.
 */
import type { Message } from "../model/messages.ts";
import type { ModelRequest } from "../ports/model.ts";
import type { ThinkJob } from "./rpc.ts";
import type { TaskFacts } from "../task/state.ts";
import { addFacts } from "../prompt/facts-line.ts";
import { DATA_NOTE, toPromptMessages } from "../prompt/mark-data.ts";
import { estimateRequest } from "./request-size.ts";
import type { Toolset } from "./toolset.ts";

/** The note in the last call, which has no tools. */
const FINAL_NOTE =
  "You have no steps left and no tools. Answer now, in plain text, with what you have; say what is missing.";
/** The note to the agent of a subtask, after its instructions. */
const SUBTASK_NOTE =
  "You work on a part of a larger task for another agent, who sees only your last answer: make it complete and understandable on its own, with the facts, figures, names and paths that you found, and say what you could not do.";
/** A model call that is silent for this long fails. */
const IDLE_TIMEOUT_MS = 120_000;

/** The parts of a toolset in a request. */
type RequestToolset = Pick<Toolset, "specs" | "skillTexts">;

/** Builds the request of one step. */
export function buildRequest(job: ThinkJob, toolset: RequestToolset, signal: AbortSignal): ModelRequest {
  const messages = createMessages(job.facts, job.messages, toolset);
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

/** Estimates the tokens of a task's requests with this conversation. */
export function estimateConversation(
  facts: TaskFacts,
  model: string,
  messages: readonly Message[],
  toolset: RequestToolset,
): number {
  const request = createMessages(facts, messages, toolset);
  return estimateRequest({ model, messages: request, tools: toolset.specs });
}

/** The system message, and the conversation as the model reads it, which begins with the facts. */
function createMessages(facts: TaskFacts, messages: readonly Message[], toolset: RequestToolset): Message[] {
  return [createSystemMessage(facts, toolset), ...addFacts(toPromptMessages(messages, facts), facts)];
}

/**
 * Creates the system message. In a call of a skill's tool, the skill's instructions replace the agent's; otherwise they
 * follow them. The hints of a task's apps come last, after what the tasks of one agent share.
 */
function createSystemMessage(facts: TaskFacts, { skillTexts }: RequestToolset): Message {
  const { agent, parentId, kind, skills, apps } = facts;
  const isSkill = skills.some(({ how }) => how === "tool");
  const isSubtask = parentId !== null && kind === "agent";
  const own = isSkill ? [] : [agent.config.instructions];
  const hints = apps === undefined || apps.hints === "" ? [] : [apps.hints];
  return {
    role: "system",
    content: [...own, ...skillTexts, ...(isSubtask ? [SUBTASK_NOTE] : []), DATA_NOTE, ...hints].join("\n\n"),
  };
}
