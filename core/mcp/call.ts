/**
 * One call of an MCP server's tool, with the questions that the server asks on the way. A question ends the attempt: the
 * task waits for a person with what the server wants back, and the call is made again with the answer
 * (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).
 */
import { getOwn } from "../base/own-field.ts";
import { ANSWERED, failed, type Failure } from "../base/errors.ts";
import type { McpAnswer, McpQuestion, McpReply } from "../ports/mcp.ts";
import type { OutsideCaller } from "../gateway/outside-tool.ts";
import type { OutsideTool } from "../tool/source.ts";
import { type JsonState, MAX_STATE_CHARACTERS, type ToolContext, type ToolOutcome } from "../tool/tool.ts";
import { readContent } from "./content.ts";
import { readAnswer, readQuestion, showQuestion } from "./question.ts";
import { plainText } from "./tool-list.ts";

/** Questions of one call; a server that asks for more is not answered. */
const MAX_QUESTIONS = 20;
/** How often a server may answer with nothing but its state, and how long it is left alone after each. */
const MAX_STATES = 5;
const PAUSE_MS = 1_000;
const MAX_ERROR = 2_000;

/** What an unfinished call leaves behind: the server's questions and its state, and the answers so far. */
interface Asked {
  readonly questions: Readonly<Record<string, McpQuestion>>;
  readonly answers: Readonly<Record<string, McpAnswer>>;
  readonly state: string | null;
  /** The key of the question that a person is asked. */
  readonly asking: string;
}

type Context = ToolContext<"mcp" | "files">;
type Outcome = ToolOutcome<unknown>;
type Target = OutsideTool & { readonly origin: Extract<OutsideTool["origin"], { kind: "mcp" }> };

/** How calls of the tools of MCP servers are made. */
export const mcpCaller: OutsideCaller<"mcp", "mcp" | "files"> = { needs: ["mcp", "files"], call: callMcpTool };

/** Makes the call, or goes on with it. Never throws for what a server does. */
async function callMcpTool(
  target: Target,
  given: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<Outcome> {
  const { resumed } = context;
  if (resumed === null) return await send(target, given, {}, null, context);
  const asked = resumed.state as unknown as Asked;
  const question = getOwn(asked.questions, asked.asking);
  const form = question === undefined ? null : readQuestion(question);
  if (form === null) return failure({ code: "internal", message: "The question of this call is gone." });
  const read = readAnswer(form, resumed.answer);
  if (!read.ok) return ask(target, asked, read.problem, resumed.questions);
  const answers = { ...asked.answers, [asked.asking]: read.answer };
  const open = Object.keys(asked.questions).find((key) => !Object.hasOwn(answers, key));
  if (open !== undefined) return ask(target, { ...asked, answers, asking: open }, null, resumed.questions);
  return await send(target, given, answers, asked.state, context);
}

async function send(
  target: Target,
  given: Readonly<Record<string, unknown>>,
  answers: Readonly<Record<string, McpAnswer>>,
  state: string | null,
  context: Context,
): Promise<Outcome> {
  const { server, tool } = target.origin;
  const { mcp, task, signal, resumed } = context;
  const call = { server, tool, input: target.input, arguments: given, task, timeoutMs: target.timeoutMs, signal };
  let present = { answers, state };
  for (let states = 0; ; states += 1) {
    const replied = await mcp.call({ ...call, ...present });
    if (!replied.ok) return failure(replied.error);
    const reply = replied.value;
    if (reply.kind === "result") return await resultOf(target, reply, context);
    const [first] = Object.keys(reply.questions);
    if (first !== undefined) {
      const asked = { questions: reply.questions, answers: {}, state: reply.state, asking: first };
      return ask(target, asked, null, resumed?.questions ?? 0);
    }
    if (states >= MAX_STATES || signal.aborted) {
      const message = `The MCP server ${server} does not come to an end: it answers ${tool} with its state again and again.`;
      return failure({ code: "upstream_failed", message, cause: ANSWERED });
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    present = { answers: {}, state: reply.state };
  }
}

/** Puts the question to a person. */
function ask({ origin: { server, tool } }: Target, asked: Asked, problem: string | null, questions: number): Outcome {
  const refuse = (why: string) => {
    const message = `The MCP server ${server} asks a person something for ${tool} that Otto cannot pass on: ${why}.`;
    return failure({ code: "upstream_failed", message, cause: ANSWERED });
  };
  const question = getOwn(asked.questions, asked.asking);
  const form = question === undefined ? null : readQuestion(question);
  if (question === undefined || form === null) return refuse("the form is not one of simple fields");
  if (questions >= MAX_QUESTIONS) return refuse(`it asked ${MAX_QUESTIONS} times already`);
  const state: JsonState = { ...asked };
  if (JSON.stringify(state).length > MAX_STATE_CHARACTERS) {
    return refuse(`what it wants back is over ${MAX_STATE_CHARACTERS} characters`);
  }
  const { query, choices } = showQuestion(server, tool, question, form, problem);
  const rest = { person: null, wait: true, deadlineSeconds: null, defaultAnswer: null } as const;
  return { kind: "control", control: { kind: "ask", query, choices, ...rest, state } };
}

async function resultOf(
  { origin: { server, tool }, output }: Target,
  { content, structured, isError }: Extract<McpReply, { kind: "result" }>,
  context: Context,
): Promise<Outcome> {
  const result = await readContent(server, content, context);
  if (isError) {
    const text = result.content === "" ? "it says no more." : plainText(result.content, MAX_ERROR);
    const message = `The MCP server ${server} says that ${tool} failed: ${text}`;
    return failure({ code: "upstream_failed", message, cause: ANSWERED });
  }
  // It did happen, so a promised form that is missing is a result of the wrong form, not a failure of the call.
  if (output !== null) return { kind: "result", result: structured ?? null };
  if (structured !== undefined) return { kind: "result", result: { ...result, structured } };
  return { kind: "result", result: result.files.length === 0 ? result.content : result };
}

function failure(error: Failure): Outcome {
  return { kind: "failure", failure: failed(error.code, error.message, error).error };
}
