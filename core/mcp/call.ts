/**
 * Calls an MCP server's tool, including the questions that the server asks. A question ends the attempt: the task waits
 * for a person with the server's state, and the call is repeated with the answer
 * (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).
 */
import { sleep, type Timer } from "../base/deadline.ts";
import { getOwn } from "../base/own-field.ts";
import { ANSWERED, failed, type Failure } from "../base/errors.ts";
import type { McpAnswer, McpQuestion, McpReply } from "../ports/mcp.ts";
import type { OutsideCaller } from "../gateway/outside-tool.ts";
import type { OutsideTool } from "../tool/source.ts";
import { type JsonState, MAX_STATE_CHARACTERS, type ToolContext, type ToolOutcome } from "../tool/tool.ts";
import { readContent } from "./content.ts";
import { readAnswer, readQuestion, formatQuestion } from "./question.ts";
import { cleanText } from "./tool-list.ts";

/** Questions of one call; further ones fail it. */
const MAX_QUESTIONS = 20;
/** How often a server may return only its state, and the pause before each continuation. */
const MAX_STATES = 5;
const PAUSE_MS = 1_000;
const MAX_ERROR = 2_000;

/** The state of an unfinished call: the server's questions and state, and the answers so far. */
interface PendingQuestions {
  readonly questions: Readonly<Record<string, McpQuestion>>;
  readonly answers: Readonly<Record<string, McpAnswer>>;
  readonly state: string | null;
  /** The key of the question to a person. */
  readonly asking: string;
}

type Context = ToolContext<"mcp" | "files"> & { readonly timer: Timer };
type Outcome = ToolOutcome<unknown>;
type Target = OutsideTool & { readonly origin: Extract<OutsideTool["origin"], { kind: "mcp" }> };

/** Creates what calls the tools of MCP servers. `timer` is for the pauses after which a call is continued. */
export function createMcpCaller(timer: Timer): OutsideCaller<"mcp", "mcp" | "files"> {
  return {
    needs: ["mcp", "files"],
    call: (target, given, context) => callMcpTool(target, given, { ...context, timer }),
  };
}

/** Makes the call, or continues it. Never throws for the server's behaviour. */
async function callMcpTool(
  target: Target,
  given: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<Outcome> {
  const { resumed } = context;
  if (resumed === null) return await send(target, given, {}, null, context);
  const pending = resumed.state as unknown as PendingQuestions;
  const question = getOwn(pending.questions, pending.asking);
  const form = question === undefined ? null : readQuestion(question);
  if (form === null) return toFailure({ code: "internal", message: "The question of this call is missing." });
  const read = readAnswer(form, resumed.answer);
  if (!read.ok) return askPerson(target, pending, read.problem, resumed.questions);
  const answers = { ...pending.answers, [pending.asking]: read.answer };
  const open = Object.keys(pending.questions).find((key) => !Object.hasOwn(answers, key));
  if (open !== undefined) return askPerson(target, { ...pending, answers, asking: open }, null, resumed.questions);
  return await send(target, given, answers, pending.state, context);
}

async function send(
  target: Target,
  given: Readonly<Record<string, unknown>>,
  answers: Readonly<Record<string, McpAnswer>>,
  state: string | null,
  context: Context,
): Promise<Outcome> {
  const { server, tool } = target.origin;
  const { mcp, task, signal, resumed, timer } = context;
  const call = { server, tool, input: target.input, arguments: given, task, timeoutMs: target.timeoutMs, signal };
  let present = { answers, state };
  for (let states = 0; ; states += 1) {
    const replied = await mcp.call({ ...call, ...present });
    if (!replied.ok) return toFailure(replied.error);
    const reply = replied.value;
    if (reply.kind === "result") return await toOutcome(target, reply, context);
    const [first] = Object.keys(reply.questions);
    if (first !== undefined) {
      const pending = { questions: reply.questions, answers: {}, state: reply.state, asking: first };
      return askPerson(target, pending, null, resumed?.questions ?? 0);
    }
    if (states >= MAX_STATES || !(await sleep(timer, PAUSE_MS, signal))) {
      const message = `The MCP server ${server} does not finish ${tool}: it keeps returning its state.`;
      return toFailure({ code: "upstream_failed", message, cause: ANSWERED });
    }
    present = { answers: {}, state: reply.state };
  }
}

/** Asks a person. */
function askPerson(
  { origin: { server, tool } }: Target,
  pending: PendingQuestions,
  problem: string | null,
  questions: number,
): Outcome {
  const refuse = (why: string) => {
    const message = `The MCP server ${server} asks a question for ${tool} that Otto cannot pass on: ${why}.`;
    return toFailure({ code: "upstream_failed", message, cause: ANSWERED });
  };
  const question = getOwn(pending.questions, pending.asking);
  const form = question === undefined ? null : readQuestion(question);
  if (question === undefined || form === null) return refuse("the form has other than simple fields");
  if (questions >= MAX_QUESTIONS) return refuse(`it asked ${MAX_QUESTIONS} times already`);
  const state: JsonState = { ...pending };
  if (JSON.stringify(state).length > MAX_STATE_CHARACTERS) {
    return refuse(`its state has more than ${MAX_STATE_CHARACTERS} characters`);
  }
  const { query, choices } = formatQuestion(server, tool, question, form, problem);
  const rest = { person: null, wait: true, deadlineSeconds: null, defaultAnswer: null } as const;
  return { kind: "control", control: { kind: "ask", query, choices, ...rest, state } };
}

async function toOutcome(
  { origin: { server, tool }, output }: Target,
  { content, structured, isError }: Extract<McpReply, { kind: "result" }>,
  context: Context,
): Promise<Outcome> {
  const result = await readContent(server, content, context);
  if (isError) {
    const text = result.content === "" ? "it gave no reason." : cleanText(result.content, MAX_ERROR);
    const message = `The MCP server ${server} says that ${tool} failed: ${text}`;
    const retry = isPassing(text) ? "later" : "never";
    const details = { service: server };
    return { kind: "failure", failure: failed("upstream_failed", message, { cause: ANSWERED, retry, details }).error };
  }
  // The call did happen, so missing structured content is a result in the wrong form, not a failure of the call.
  if (output !== null) return { kind: "result", result: structured ?? null };
  if (structured !== undefined) return { kind: "result", result: { ...result, structured } };
  return { kind: "result", result: result.files.length === 0 ? result.content : result };
}

/** Whether a server's words say that its error passes. Any other error is the same for the same arguments. */
function isPassing(text: string): boolean {
  return /\b(?:429|502|503|504|rate.?limit|too many requests|time(?:d )?.?out|try again|temporar|unavailable|busy|overloaded)/i.test(
    text,
  );
}

function toFailure(error: Failure): Outcome {
  return { kind: "failure", failure: failed(error.code, error.message, error).error };
}
