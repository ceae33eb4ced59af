/**
 * Sorts a conversation by what its texts may vouch for, for the calls of one step. A text counts as read only when the model
 * did not write it: text from a program, a file, a subtask or a summary could be a copy of the model's own. A file that a
 * person or a channel uploaded could not, where a tool gives its text as it is. What a model wrote about texts that are not
 * in this conversation, and a result of a call that is not in it, may have the tenant's records in them.
 */
import { DEFAULT_AGENT, type PinnedAgent } from "../agents/agent.ts";
import { getField, getTextField } from "../base/json-fields.ts";
import type { LabelledMessage, Message, RequestedCall } from "../model/messages.ts";
import { isHistory, mayHaveRecords, splitHistory } from "../prompt/compaction.ts";
import { decodeText, type Ground, GroundText, type TextSource } from "../provenance/ground.ts";
import { joinLabels, type Label, mayInstruct, OPERATOR, PERSON, TENANT } from "../provenance/label.ts";
import type { CallContext } from "../model/label-messages.ts";
import type { TaskFacts } from "../task/state.ts";
import type { Tool } from "../tool/tool.ts";
import { EXPAND_RESULT } from "../gateway/shape.ts";
import { CALL_TOOL } from "./shown-tools.ts";
import type { Toolset } from "./toolset.ts";

/** Ports through which a tool reads what others wrote. */
const READING_PORTS: ReadonlySet<string> = new Set(["web", "search", "mcp"]);
/** Tools that give the text of a file as it is. What others make of a file could be the model's own. */
const DOCUMENT_READERS: ReadonlySet<string> = new Set(["read_file", "fs.read", "read_document"]);
/** Ports through which a tool reads what the tenant stored. */
const RECORD_PORTS: ReadonlySet<string> = new Set(["memory", "files"]);
const INPUT = "the task's input";
const SUMMARY = "the summary of earlier steps";
const ASK_HUMAN = "ask_human";
const LOAD_SKILL = "load_skill";
const MEMORY_SEARCH = "memory_search";

/** The task and the tools of the conversation. */
export interface GroundFacts {
  readonly facts: Pick<TaskFacts, "agent" | "parentId" | "copiesRecord">;
  readonly toolset: Pick<Toolset, "skillTexts"> & Partial<Pick<Toolset, "resolve">>;
}

/** Grounds of recent contexts: the calls of one step share theirs. */
const grounds = new WeakMap<CallContext, Ground>();

/** The sorted texts of a call's context, which are read once for each context. */
export function getGround(context: CallContext, facts: GroundFacts): Ground {
  const ground = grounds.get(context) ?? readGround(context, facts);
  grounds.set(context, ground);
  return ground;
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
  let summary: Sorting["summary"] = null;
  let isInput = true;
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool" && message.isUpload === true) uploads.add(message.callId);
    if (message.role === "assistant") for (const call of message.calls ?? []) calls.set(call.id, call);
    if (message.role === "user" && isHistory(message.content))
      summary = { hasRecords: mayHaveRecords(message.content) };
    isInput &&= message.role !== "assistant" && summary === null;
    sortMessage(message, at, { sorted, calls, uploads, before: label, summary, isInput, facts, toolset });
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
  /** The summary of earlier steps; null: none is before this message. */
  readonly summary: { readonly hasRecords: boolean } | null;
  /** True for the messages before anything that the model wrote. */
  readonly isInput: boolean;
  readonly facts: GroundFacts["facts"];
  readonly toolset: GroundFacts["toolset"];
}

function sortMessage(message: LabelledMessage, at: number, sorting: Sorting): void {
  const { sorted, before } = sorting;
  const { label, content } = message;
  switch (message.role) {
    case "system":
      sorted.trusted.push(toText(content, at, INPUT));
      return;
    case "user":
      if (message.isSummary === true || isHistory(content)) sortSummary(message, at, sorting);
      else sortUserText(message, at, sorting);
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

/** A text of a person or a program. In a subtask the parent's model wrote the input. */
function sortUserText(
  { label, content }: LabelledMessage,
  at: number,
  { sorted, summary, isInput, facts: { parentId, copiesRecord } }: Sorting,
): void {
  const text = toText(content, at, INPUT);
  const isAsked = isInput && parentId !== null;
  if (label <= PERSON) {
    sorted.trusted.push(text);
    if (isAsked && copiesRecord === true) sorted.records.push(text);
  } else if (summary === null && parentId === null) sorted.read.push(text);
  // The text may quote the agent, or be a part of a summary by an object of an earlier release.
  else if (!(isAsked && copiesRecord === false)) sorted.records.push(text);
}

/** A part of the text that replaces earlier steps. What people wrote in it stays theirs; the rest vouches for no more than a host. */
function sortSummary({ label, content }: LabelledMessage, at: number, { sorted, summary }: Sorting): void {
  for (const { isWords, text } of splitHistory(content)) {
    const part = toText(text, at, isWords ? INPUT : SUMMARY);
    if (label <= PERSON) (isWords ? sorted.trusted : sorted.chosen).push(part);
    if (!isWords && summary?.hasRecords !== false) sorted.records.push(part);
  }
}

function sortResult(message: Extract<LabelledMessage, { role: "tool" }>, at: number, sorting: Sorting): void {
  const { sorted, calls, uploads, toolset } = sorting;
  const { label, content } = message;
  const made = findCall(message.callId, message.name, calls);
  const tool = findTool(made, toolset);
  const text = toText(content, at, message.name, { page: findPage(made.given), source: tool?.destination ?? null });
  const isByOthers = made.name === ASK_HUMAN || (made.name === LOAD_SKILL && label === OPERATOR);
  if (label <= PERSON && isByOthers) {
    sorted.trusted.push(text);
    return;
  }
  if (label === TENANT || mayReadRecords(tool)) sorted.records.push(text);
  if (label <= PERSON) {
    sorted.chosen.push(text);
    return;
  }
  const readsOthers = needsOneOf(tool, READING_PORTS);
  const isOfUpload = uploads.has(made.id) && DOCUMENT_READERS.has(tool?.name ?? made.name);
  if (label === TENANT || readsOthers || isOfUpload || isOfFacts(made)) sorted.read.push(text);
}

/** The ids of calls whose results may have the tenant's records in them. */
export function findRecordCalls(
  messages: readonly Message[],
  toolset: Partial<Pick<Toolset, "resolve">>,
): ReadonlySet<string> {
  const calls = new Map<string, RequestedCall>();
  const found = new Set<string>();
  for (const message of messages) {
    if (message.role === "assistant") for (const call of message.calls ?? []) calls.set(call.id, call);
    if (message.role !== "tool") continue;
    const tool = findTool(findCall(message.callId, message.name, calls), toolset);
    if (message.label === TENANT || mayReadRecords(tool)) found.add(message.callId);
  }
  return found;
}

/** The tool behind a result; null: nobody knows, such as for a result of an earlier step that `expand_result` read. */
function findTool({ name }: MadeCall, { resolve }: Partial<Pick<Toolset, "resolve">>): Tool | null {
  return name === EXPAND_RESULT ? null : (resolve?.(name) ?? null);
}

/**
 * Whether a tool's results may have the tenant's records in them. The label does not say so: a file has that of the step
 * that wrote it. A subtask may have read records, and so may an unknown tool (null).
 */
function mayReadRecords(tool: Tool | null): boolean {
  if (tool === null || tool.onlyByModel === "dispatches") return true;
  return !needsOneOf(tool, READING_PORTS) && needsOneOf(tool, RECORD_PORTS);
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
