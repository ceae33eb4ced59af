/**
 * Sorts a conversation by what its texts may vouch for, for the calls of one step. A text counts as read only when the model
 * did not write it: text from a program, a file, a subtask or a summary could be a copy of the model's own. A file that a
 * person or a channel uploaded could not, where a tool gives its text as it is.
 */
import { DEFAULT_AGENT, type PinnedAgent } from "../agent.ts";
import { getField, getTextField } from "../json-fields.ts";
import type { LabelledMessage, RequestedCall } from "../messages.ts";
import { isHistory } from "../prompt/compaction.ts";
import { decodeText, type Ground, GroundText, type TextSource } from "../provenance/ground.ts";
import { joinLabels, type Label, mayInstruct, OPERATOR, PERSON, TENANT } from "../provenance/label.ts";
import type { CallContext } from "../provenance/label-messages.ts";
import type { TaskFacts } from "../task-state.ts";
import type { Tool } from "../tool.ts";
import { EXPAND_RESULT } from "./shape.ts";
import { CALL_TOOL } from "./shown-tools.ts";
import type { Toolset } from "./toolset.ts";

/** Ports through which a tool reads what others wrote. */
const READING_PORTS: ReadonlySet<string> = new Set(["web", "search", "mcp"]);
/** Tools that give the text of a file as it is. What others make of a file could be the model's own. */
const DOCUMENT_READERS: ReadonlySet<string> = new Set(["read_file", "fs.read", "read_document"]);
/** Ports through which a tool reads what the tenant stored. */
const RECORD_PORTS: ReadonlySet<string> = new Set(["memory", "files"]);
const INPUT = "the task's input";
const ASK_HUMAN = "ask_human";
const LOAD_SKILL = "load_skill";
const MEMORY_SEARCH = "memory_search";

/** The task and the tools of the conversation. */
export interface GroundFacts {
  readonly facts: Pick<TaskFacts, "agent" | "parentId">;
  readonly toolset: Pick<Toolset, "skillTexts"> & Partial<Pick<Toolset, "resolve">>;
}

type Sorted = { -readonly [Kind in keyof Ground]: GroundText[] };

/** Sorts the texts of a call's context. Linear in their number; their characters are read when something is looked up. */
export function readGround({ messages }: CallContext, { facts, toolset }: GroundFacts): Ground {
  const sorted: Sorted = { trusted: [], chosen: [], records: [], read: [], written: [] };
  for (const content of [...listInstructions(facts.agent), ...toolset.skillTexts])
    sorted.trusted.push(toText(content, -1, "your instructions"));
  const calls = new Map<string, RequestedCall>();
  const uploads = new Set<string>();
  let label: Label = OPERATOR;
  let hasHistory = false;
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool" && message.isUpload === true) uploads.add(message.callId);
    if (message.role === "assistant") for (const call of message.calls ?? []) calls.set(call.id, call);
    // The summary of earlier steps may be several messages; only the first one is marked.
    hasHistory ||= message.role === "user" && isHistory(message.content);
    const isByModel = hasHistory || facts.parentId !== null;
    sortMessage(message, at, { sorted, calls, uploads, before: label, isByModel, toolset });
    label = joinLabels(label, message.label);
  }
  return sorted;
}

/** The built-in agent's instructions choose no tool, server or word for the tenant. */
function listInstructions({ id, config: { instructions } }: PinnedAgent): readonly string[] {
  const isBuiltIn = id === DEFAULT_AGENT.id || instructions === DEFAULT_AGENT.config.instructions;
  return isBuiltIn ? [] : [instructions];
}

interface Sorting {
  readonly sorted: Sorted;
  readonly calls: ReadonlyMap<string, RequestedCall>;
  /** The calls whose results are of uploads alone. */
  readonly uploads: ReadonlySet<string>;
  /** The label of all earlier messages. */
  readonly before: Label;
  /** True when a model wrote the user's messages that may not instruct: a subtask's input, or a summary. */
  readonly isByModel: boolean;
  readonly toolset: GroundFacts["toolset"];
}

function sortMessage(message: LabelledMessage, at: number, sorting: Sorting): void {
  const { sorted, before, isByModel } = sorting;
  const { label, content } = message;
  switch (message.role) {
    case "system":
      sorted.trusted.push(toText(content, at, INPUT));
      return;
    case "user":
      if (label <= PERSON) sorted.trusted.push(toText(content, at, INPUT));
      else if (!isByModel) sorted.read.push(toText(content, at, INPUT));
      return;
    case "assistant": {
      const texts = [content, ...(message.calls ?? []).map(readArguments)];
      // A record can have been written under influence, so what the model writes after reading one is no choice of its own.
      const kind = mayInstruct(joinLabels(label, before)) ? sorted.chosen : sorted.written;
      kind.push(toText(texts.join("\n"), at, "the agent"));
      return;
    }
    case "tool":
      sortResult(message, at, sorting);
  }
}

function sortResult(message: Extract<LabelledMessage, { role: "tool" }>, at: number, sorting: Sorting): void {
  const { sorted, calls, uploads, toolset } = sorting;
  const { label, content } = message;
  const made = findCall(message.callId, message.name, calls);
  const tool = toolset.resolve?.(made.name) ?? null;
  const text = toText(content, at, message.name, { page: findPage(made.given), source: tool?.destination ?? null });
  if (label <= PERSON) {
    const isByOthers = made.name === ASK_HUMAN || (made.name === LOAD_SKILL && label === OPERATOR);
    if (isByOthers) sorted.trusted.push(text);
    else sorted.chosen.push(text);
    return;
  }
  // In an influenced step the label of a record's text is that of the step, so the tool says what it read.
  const readsOthers = needsOneOf(tool, READING_PORTS);
  const readsRecords = label === TENANT || (!readsOthers && needsOneOf(tool, RECORD_PORTS));
  if (readsRecords) sorted.records.push(text);
  const isOfUpload = uploads.has(made.id) && DOCUMENT_READERS.has(tool?.name ?? made.name);
  if (label === TENANT || readsOthers || isOfUpload || isOfFacts(made)) sorted.read.push(text);
}

function needsOneOf(tool: Tool | null, ports: ReadonlySet<string>): boolean {
  return tool?.needs.some((port) => ports.has(port)) === true;
}

/** True when a result has only memories that are facts. A memory that this task saved under influence is not one. */
function isOfFacts({ name, given }: MadeCall): boolean {
  return name === MEMORY_SEARCH && getField(given, "include_outside") === undefined;
}

interface MadeCall {
  readonly id: string;
  readonly name: string;
  readonly given: unknown;
}

/** The call behind a result: the inner one of `call_tool`, and of `expand_result` the one whose result it reads. */
function findCall(id: string, name: string, calls: ReadonlyMap<string, RequestedCall>): MadeCall {
  const call = calls.get(id);
  const given = parseGiven(call?.arguments);
  if (name === CALL_TOOL) return { id, name: getTextField(given, "name") ?? name, given: getField(given, "arguments") };
  if (name !== EXPAND_RESULT) return { id, name, given };
  const earlier = getTextField(given, "result_id");
  const first = earlier === null || earlier === id ? undefined : calls.get(earlier);
  return first === undefined || first.name === EXPAND_RESULT
    ? { id, name, given }
    : findCall(first.id, first.name, calls);
}

/** The page whose text a call reads; null: its arguments name none. */
function findPage(given: unknown): URL | null {
  const written = getTextField(given, "url");
  return written === null ? null : URL.parse(written);
}

/** The texts in the arguments, with encodings read, because a destination could repeat them. */
function readArguments({ arguments: given }: RequestedCall): string {
  const parsed = parseGiven(given);
  const text = typeof parsed === "string" ? parsed : textsIn(parsed).join("\n");
  const decoded = decodeText(text);
  return decoded === text ? text : `${text}\n${decoded}`;
}

function parseGiven(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "{}") as unknown;
  } catch {
    return text ?? "";
  }
}

/** Every text in a JSON value, names of properties too. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") texts.push(next);
    else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (typeof next === "object" && next !== null) {
      for (const [name, item] of Object.entries(next)) {
        texts.push(name);
        open.push(item);
      }
    }
  }
  return texts;
}

function toText(
  text: string,
  at: number,
  from: string,
  { page, source }: Pick<TextSource, "page" | "source"> = { page: null, source: null },
): GroundText {
  return new GroundText(text, { at, from, page, source });
}
