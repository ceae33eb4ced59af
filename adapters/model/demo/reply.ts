/**
 * The demo model's decision: the next calls, or the answer. A pure function of messages and tools: each step parses the
 * plan again and subtracts the calls made so far.
 */
import type { Message } from "../../../core/model/messages.ts";
import type { ToolSpec } from "../../../core/ports/model.ts";
import { removeFacts } from "../../../core/prompt/facts-line.ts";
import { unmarkData } from "../../../core/prompt/mark-data.ts";
import { type Action, type Plan, type Planned, readPlan } from "./plan.ts";
import { addUnshown, type Findings, findZone, type Match, matchTool } from "./tools.ts";

export interface DemoReply {
  readonly text: string;
  readonly calls: readonly Match[];
}

/** A call that was made; `content` is null without a result. */
interface MadeCall {
  readonly name: string;
  readonly action: Action | null;
  readonly content: string | null;
  /** Says that a person approved it with other arguments. */
  readonly changed: string | null;
  readonly failed: boolean;
}

/** Calls of one step, apart from subtasks. */
const MAX_AT_ONCE = 5;
const MAX_REPEAT = 600;
const LABEL = "I am Otto's demo model: I follow plain rules and am not a language model.";
const SHORT_LABEL = "Otto's demo model, which is not a language model";
const CHANGED = /^A person approved this with other arguments\b[^\n]*(?=\n)/;
const REFUSED = /^Error \(permission_denied\): A person refused this(?::\s*(.*?)\.?|\.)?$/s;
const HELP =
  "I understand requests such as: “Ask me which city I live in, then write a short note about it to notes/city.md and attach it.” I can ask a person, dispatch subagents (“Dispatch two subagents: one to read a.txt, one to find the time in Lisbon. Then write what they found to notes/found.md.”), write, read, list and attach files, wait, tell the time in a place, and fetch a URL. To work with a language model, set OPENAI_API_KEY or OPENAI_BASE_URL.";

export function replyTo(messages: readonly Message[], shown: readonly ToolSpec[]): DemoReply {
  const tools = addUnshown(shown);
  const open = messages.slice(findStart(messages));
  const { planned, unknown } = readPlans(open);
  const anything: Findings = { text: "-", url: "https://example.com/", zone: "UTC" };
  const canDo = ({ action }: Planned): boolean => tools.length === 0 || matchTool(tools, action, anything) !== null;
  const doable = planned.filter(canDo);
  const made = readCalls(open, doable);
  const next = tools.length === 0 || hasStopped(made) ? [] : chooseNext(doable.slice(made.length));
  const calls = next.map((action) => matchTool(tools, toWorded(action), toFindings(action, made)));
  const matched = calls.filter((call) => call !== null);
  if (matched.length > 0 && matched.length === calls.length) {
    return { text: `Demo model, no language model. Next: ${next.map(describe).join("; ")}.`, calls: matched };
  }
  const missing = [...planned.filter((each) => !canDo(each)).map(({ action }) => action), ...next];
  const left = planned.length - made.length;
  const sentences = [
    ...made.map(describeOutcome),
    ...(hasStopped(made) ? ["I stopped there."] : []),
    ...missing.map((action) => `I cannot ${describe(action)}: I was given no tool for that.`),
    ...(tools.length === 0 && left > 0
      ? [`I have no step left for the rest (${left} of ${planned.length} actions).`]
      : []),
    ...(planned.length > 0 ? unknown.map((clause) => `I did not understand “${clause.slice(0, 200)}”.`) : [HELP]),
  ];
  return { text: [LABEL, ...sentences].join(" "), calls: [] };
}

/** An answer without calls closes the request before it. */
function findStart(messages: readonly Message[]): number {
  const isAnswer = (message: Message): boolean => message.role === "assistant" && (message.calls ?? []).length === 0;
  return messages.slice(0, -1).findLastIndex(isAnswer) + 1;
}

/** A note has a date, which is looked up first. */
function readPlans(messages: readonly Message[]): Plan {
  const planned: Planned[] = [];
  const unknown: string[] = [];
  for (const message of messages) {
    if (message.role !== "user") continue;
    const last = planned.findLast(({ action }) => "path" in action && action.kind !== "list")?.action;
    const plan = readPlan(removeFacts(message.content), last !== undefined && "path" in last ? last.path : null);
    const hasNote = plan.planned.some(({ action }) => action.kind === "write" && action.isNote);
    if (hasNote) planned.push({ action: { kind: "clock", place: undefined }, isAfter: false });
    planned.push(...plan.planned);
    unknown.push(...plan.unknown);
  }
  return { planned, unknown };
}

function readCalls(messages: readonly Message[], doable: readonly Planned[]): MadeCall[] {
  const results = new Map<string, string>();
  for (const message of messages) if (message.role === "tool") results.set(message.callId, unmarkData(message.content));
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.calls ?? []) : []));
  return calls.map(({ id, name }, index) => {
    const result = results.get(id) ?? null;
    const changed = CHANGED.exec(result ?? "")?.[0] ?? null;
    const content = result !== null && changed !== null ? result.slice(changed.length + 1) : result;
    const failed = /^Error(?:\s*\(|:)|^\{\s*"ok"\s*:\s*false\b/.test(content ?? "");
    return { name, action: doable[index]?.action ?? null, content, changed, failed };
  });
}

/** A failure ends the work; a subagent's failure does so only when all of them failed. */
function hasStopped(made: readonly MadeCall[]): boolean {
  const subtasks = made.filter(({ action }) => action?.kind === "dispatch");
  const hasFailed = made.some(({ action, failed }) => failed && action?.kind !== "dispatch");
  return hasFailed || (subtasks.length > 0 && subtasks.every(({ failed }) => failed));
}

/** The first open action, and those after it that can run concurrently. */
function chooseNext(open: readonly Planned[]): Action[] {
  const next: Action[] = [];
  for (const { action, isAfter } of open) {
    const isFull = next.length >= MAX_AT_ONCE && action.kind !== "dispatch";
    if (next.length > 0 && (isAfter || isFull || !isIndependent(action) || !next.every(isIndependent))) break;
    next.push(action);
  }
  return next;
}

function isIndependent(action: Action): boolean {
  if (action.kind === "fetch") return action.url !== null;
  if (action.kind === "clock") return action.place !== null;
  return !["write", "attach", "wait"].includes(action.kind);
}

function toWorded(action: Action): Action {
  return action.kind === "ask" ? { ...action, question: `${action.question} (Asked by ${SHORT_LABEL}.)` } : action;
}

function toFindings(action: Action, made: readonly MadeCall[]): Findings {
  const answer = made.findLast((call) => call.action?.kind === "ask")?.content?.slice(0, 200) ?? "";
  const words = answer.split(/[^\p{L}_/-]+/u).filter((word) => word.length > 2);
  const places = [answer, ...words.map((word, index) => `${word} ${words[index + 1] ?? ""}`), ...words];
  const url = made.map(({ content }) => /https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)\]]/i.exec(content ?? "")?.[0] ?? null);
  return {
    text: action.kind === "write" ? composeText(action.isNote, made) : "",
    url: url.findLast((found) => found !== null) ?? null,
    zone: places.map(findZone).find((zone) => zone !== null) ?? null,
  };
}

/** The results so far, one line per call. */
function composeText(isNote: boolean, made: readonly MadeCall[]): string {
  const lines = made.flatMap(({ action, content, failed }) => {
    const text = repeat(content ?? "").replaceAll(`${LABEL} `, "");
    if (action?.kind === "dispatch") return [`- ${action.task.replace(/\.$/, "")}: ${text}`];
    if (failed || action === null || ["write", "attach", "wait"].includes(action.kind)) return [];
    if (action.kind === "ask") return [`- Asked: ${action.question}`, `- Answer: ${text}`];
    return [action.kind === "clock" ? `- Time: ${text}` : text];
  });
  return [...(isNote ? ["# Note", ""] : []), ...lines, "", `By ${SHORT_LABEL}.`, ""].join("\n");
}

function describeOutcome({ name, action, content, changed, failed }: MadeCall): string {
  const result = repeat(content ?? "");
  const refused = REFUSED.exec(result);
  if (content === null) return `${name} has no result yet.`;
  if (refused !== null) {
    return `I did not call ${name}: a person refused it${refused[1] === undefined ? "" : `, saying “${refused[1]}”`}.`;
  }
  if (changed !== null) return `${name}: ${changed}. ${result}`;
  if (action?.kind === "dispatch") return `A subagent on “${action.task}”: ${result.replaceAll(`${LABEL} `, "")}`;
  if (failed) return `${name} did not work: ${result}`;
  if (action?.kind === "ask") return `I asked and was told: “${result}”.`;
  if (action?.kind === "write") return `I wrote ${action.path}.`;
  if (action?.kind === "attach") return `I attached ${action.path}.`;
  if (action?.kind === "clock") return `The clock says ${result}.`;
  return action?.kind === "wait" ? "I waited." : `${name} says:\n${result}\n`;
}

function repeat(content: string): string {
  const trimmed = content.trim();
  return trimmed.length <= MAX_REPEAT ? trimmed : `${trimmed.slice(0, MAX_REPEAT)} …`;
}

function describe(action: Action): string {
  switch (action.kind) {
    case "ask":
      return `ask ${action.person ?? "you"} “${action.question}”`;
    case "dispatch":
      return `have a subagent do “${action.task}”`;
    case "fetch":
      return `${action.method} ${action.url ?? "the address that I was given"}`;
    case "clock":
      return "look up the date and the time";
    case "wait":
      return `wait ${action.seconds} s`;
    case "list":
      return "list the files";
    default:
      return `${action.kind} ${action.path}`;
  }
}
