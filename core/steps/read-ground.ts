/**
 * Sorts the texts of a conversation by what they may vouch for, for the calls of one step. A text counts as read only
 * if the model did not write it: text from a program, a file, a subtask or a summary could be a copy of the model's
 * own. An upload of a person or a channel could not, if a tool returns its text unchanged. A model's text about texts
 * outside this conversation, and the result of a call outside it, may contain the tenant's records.
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

/** Ports through which a tool reads other authors' text. */
const READING_PORTS: ReadonlySet<string> = new Set(["web", "search", "mcp", "apps"]);
/** Tools that return the text of a file unchanged. The output of others could be the model's own text. */
const DOCUMENT_READERS: ReadonlySet<string> = new Set(["read_file", "fs.read", "read_document"]);
/** Ports through which a tool reads the tenant's records. */
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

/** Cached grounds of recent contexts: the calls of one step share theirs. */
const grounds = new WeakMap<CallContext, Ground>();

/** Returns the sorted texts of a call's context, computed once for each context. */
export function getGround(context: CallContext, facts: GroundFacts): Ground {
  const ground = grounds.get(context) ?? readGround(context, facts);
  grounds.set(context, ground);
  return ground;
}

type Sorted = { -readonly [Kind in keyof Ground]: GroundText[] };

/** Sorts the texts of a call's context. Linear in their number; their characters are read on look-up. */
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

/** Returns the agent's instructions; none for the built-in agent, whose instructions are not the tenant's choice. */
function listInstructions({ id, config: { instructions } }: PinnedAgent): readonly string[] {
  const isBuiltIn = id === DEFAULT_AGENT.id || instructions === DEFAULT_AGENT.config.instructions;
  return isBuiltIn ? [] : [instructions];
}

interface Sorting {
  readonly sorted: Sorted;
  readonly calls: ReadonlyMap<string, RequestedCall>;
  /** The calls whose results come from uploads alone. */
  readonly uploads: ReadonlySet<string>;
  /** The label of all earlier messages. */
  readonly before: Label;
  /** The summary of earlier steps; null before it. */
  readonly summary: { readonly hasRecords: boolean } | null;
  /** True for the messages before the model's first. */
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
      // A record may have been written under influence, so the model's text after reading one is not its own choice.
      const kind = mayInstruct(joinLabels(label, before)) ? sorted.chosen : sorted.written;
      kind.push(toText(texts.join("\n"), at, "the agent"));
      return;
    }
    case "tool":
      sortResult(message, at, sorting);
  }
}

/** Sorts a text of a person or a program. A subtask's input was written by the parent's model. */
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
  // The text may quote the agent, or be part of a summary by an object of an earlier release.
  else if (!(isAsked && copiesRecord === false)) sorted.records.push(text);
}

/**
 * Sorts the text that replaces earlier steps. Quoted messages of people remain theirs; the rest vouches at most for a
 * host.
 */
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
  const resultCall = findCall(message.callId, message.name, calls, toolset);
  const tool = findTool(resultCall, toolset);
  const text = toText(content, at, message.name, {
    page: findPage(resultCall.given),
    source: tool?.destination ?? null,
  });
  const isByOthers = resultCall.name === ASK_HUMAN || (resultCall.name === LOAD_SKILL && label === OPERATOR);
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
  const isOfUpload = uploads.has(resultCall.id) && DOCUMENT_READERS.has(tool?.name ?? resultCall.name);
  if (label === TENANT || readsOthers || isOfUpload || hasOnlyFacts(resultCall)) sorted.read.push(text);
}

/** Returns the ids of calls whose results may contain the tenant's records. */
export function findRecordCalls(messages: readonly Message[], toolset: Names): ReadonlySet<string> {
  const calls = new Map<string, RequestedCall>();
  const found = new Set<string>();
  for (const message of messages) {
    if (message.role === "assistant") for (const call of message.calls ?? []) calls.set(call.id, call);
    if (message.role !== "tool") continue;
    const tool = findTool(findCall(message.callId, message.name, calls, toolset), toolset);
    if (message.label === TENANT || mayReadRecords(tool)) found.add(message.callId);
  }
  return found;
}

/** Returns the tool of a result; null if unknown, such as for a result of an earlier step that `expand_result` read. */
function findTool({ name }: ResultCall, { resolve }: Names): Tool | null {
  return name === EXPAND_RESULT ? null : (resolve?.(name) ?? null);
}

/**
 * Whether a tool's results may contain the tenant's records. The label does not say so: a file has the label of the
 * step that wrote it. A subtask or an unknown tool (null) may have read records.
 */
function mayReadRecords(tool: Tool | null): boolean {
  if (tool === null || tool.onlyByModel === "dispatches") return true;
  return !needsOneOf(tool, READING_PORTS) && needsOneOf(tool, RECORD_PORTS);
}

function needsOneOf(tool: Tool | null, ports: ReadonlySet<string>): boolean {
  return tool?.needs.some((port) => ports.has(port)) === true;
}

/** True when a result has only memories that are facts. A memory that this task saved under influence is not one. */
function hasOnlyFacts({ name, given }: ResultCall): boolean {
  const isRead = typeof given === "object" && given !== null;
  return name === MEMORY_SEARCH && isRead && getField(given, "include_outside") === undefined;
}

interface ResultCall {
  readonly id: string;
  readonly name: string;
  readonly given: unknown;
}

type Names = Partial<Pick<Toolset, "resolve">>;

/**
 * Returns the call of a result: the inner one of `call_tool`, and for `expand_result` the call whose result it reads.
 * Names and arguments are as the model wrote them; the returned name is the tool's own.
 */
function findCall(id: string, name: string, calls: ReadonlyMap<string, RequestedCall>, names: Names): ResultCall {
  const toOwnName = (written: string) => names.resolve?.(written)?.name ?? written;
  const call = calls.get(id);
  const written = parseArguments(call?.arguments);
  const own = toOwnName(name);
  const isWrapped = toOwnName(call?.name ?? name) === CALL_TOOL;
  const inner = isWrapped && own === CALL_TOOL ? toOwnName(getTextField(written, "name") ?? name) : own;
  const given = isWrapped ? parseText(getField(written, "arguments")) : written;
  if (inner !== EXPAND_RESULT) return { id, name: inner, given };
  const earlier = getTextField(given, "result_id");
  const first = earlier === null || earlier === id ? undefined : calls.get(earlier);
  const found = first === undefined ? null : findCall(first.id, first.name, new Map([[first.id, first]]), names);
  return found === null || found.name === EXPAND_RESULT ? { id, name: EXPAND_RESULT, given } : found;
}

/** Returns the page that a call reads; null if its arguments name none. */
function findPage(given: unknown): URL | null {
  const written = getTextField(given, "url");
  return written === null ? null : URL.parse(written);
}

/** Returns the texts in the arguments, decoded too, because a destination could repeat them. */
function readArguments({ arguments: given }: RequestedCall): string {
  const parsed = parseArguments(given);
  const text = typeof parsed === "string" ? parsed : listTexts(parsed).join("\n");
  const decoded = decodeText(text);
  return decoded === text ? text : `${text}\n${decoded}`;
}

/** Arguments may be JSON inside JSON, as the gateway accepts them. */
function parseArguments(text: string | undefined): unknown {
  return parseText(parseText(text ?? "{}"));
}

function parseText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** Returns every text in a JSON value, including property names. */
export function listTexts(value: unknown): string[] {
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
