/** Finds the tool that fits an action, by the shape of its arguments and the words of its summary; never by its name alone. */
import type { ToolSpec } from "../../../core/ports.ts";
import type { Action, ActionKind } from "./intent.ts";
import { TASK_FIELD } from "./words.ts";
import { zoneOf } from "./zones.ts";

/** An argument of a tool, as its JSON Schema declares it. */
interface Field {
  readonly name: string;
  readonly types: readonly string[];
  readonly required: boolean;
  readonly choices: readonly string[] | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
}

const PATH_FIELD = /^(?:.*_)?(?:file_?name|file_?path|path|file|document)$/i;
const CONTENT_FIELD = /^(?:.*_)?(?:contents?|text|body|data)$/i;
const QUESTION_FIELD = /^(?:query|question|message|prompt|text)$/i;
const WAIT_FIELD = /wait|block/i;
const PERSON_FIELD = /(?:human|person|people|user|recipient)(?:_?name)?$/i;
const SECONDS_FIELD = /^(?:.*_)?(?:seconds?|secs?|duration|delay)(?:_s)?$/i;
const ZONE_FIELD = /^(?:time_?zone|tz|zone)$/i;
const URL_FIELD = /^(?:.*_)?ur[li]$/i;

/** The arguments that an action needs, under the tool's own names; null when the tool does not fit. */
type Fill = (fields: readonly Field[], words: string) => Record<string, unknown> | null;

/** What a finished call can tell a later one: text that was already made for it. */
export interface Filling {
  readonly content: string;
  readonly url: string | null;
  readonly place: string | null;
}

/** A tool and its arguments. */
export interface Match {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** The best tool for an action; null when there is none. */
export function matchTool(tools: readonly ToolSpec[], action: Action, filling: Filling): Match | null {
  let best: (Match & { score: number }) | null = null;
  for (const tool of tools) {
    const words = wordsOf(tool);
    const score = scoreOf(action.kind, words);
    if (score === null) continue;
    const fields = fieldsOf(tool);
    const filled = fillerOf(action, filling)(fields, words);
    if (filled === null) continue;
    if (fields.some((field) => field.required && !Object.hasOwn(filled, field.name))) continue;
    const total = score - fields.length / 100;
    if (best === null || total > best.score) best = { name: tool.name, arguments: filled, score: total };
  }
  return best === null ? null : { name: best.name, arguments: best.arguments };
}

/** The name and the summary, without the examples that follow it on lines of their own. */
function wordsOf(tool: ToolSpec): string {
  return `${tool.name} ${tool.description.split("\n", 1)[0] ?? ""}`.replaceAll(/[_.-]/g, " ").toLowerCase();
}

/** Words that a tool for this kind of action has, words that it has not, and whether it must have one of the first. */
const WORDS: Readonly<
  Record<ActionKind, { readonly wanted: RegExp; readonly foreign: RegExp; readonly needed: boolean }>
> = {
  ask: {
    wanted: /\b(?:ask|question|person|human|people)\b/g,
    foreign: /\b(?:search|database|email|sql)\b/,
    needed: true,
  },
  write: {
    wanted: /\b(?:write|save|create|store|put)\b/g,
    foreign: /\b(?:append|convert|docx|pptx|pdf|email|memory)\b/,
    needed: false,
  },
  read: {
    wanted: /\b(?:read|open|content|contents)\b/g,
    foreign: /\b(?:attach|delete|list|search|write|save|convert|pdf|directory)\b/,
    needed: true,
  },
  attach: {
    wanted: /\b(?:attach|deliver|delivery|attachment)\b/g,
    foreign: /\b(?:email|write|delete)\b/,
    needed: true,
  },
  list: {
    wanted: /\b(?:list|directory|directories|folder)\b/g,
    foreign: /\b(?:create|delete|remove|search)\b/,
    needed: true,
  },
  wait: { wanted: /\b(?:wait|pause|sleep|delay)\b/g, foreign: /\b(?:run|execute)\b/, needed: true },
  clock: {
    wanted: /\b(?:current|now|today|clock|date|time|datetime)\b/g,
    foreign: /\b(?:schedule|convert|wait|pause)\b/,
    needed: true,
  },
  dispatch: {
    wanted: /\b(?:subagents?|subtasks?|dispatch|delegate|hand|parallel)\b/g,
    foreign: /\b(?:cancel|list|schedule)\b/,
    needed: true,
  },
  fetch: {
    wanted: /\b(?:http|request|fetch|web|url|get|page)\b/g,
    foreign: /\b(?:webhook|git|screenshot)\b/,
    needed: false,
  },
};

function scoreOf(kind: ActionKind, words: string): number | null {
  const { wanted, foreign, needed } = WORDS[kind];
  const found = new Set(words.match(wanted) ?? []).size;
  if (needed && found === 0) return null;
  return found - (foreign.test(words) ? 3 : 0);
}

function fillerOf(action: Action, filling: Filling): Fill {
  switch (action.kind) {
    case "ask":
      return (fields) => {
        const question = text(fields, QUESTION_FIELD);
        if (question === null) return null;
        const filled: [name: string, value: unknown][] = [[question.name, action.question]];
        const waits = fields.find((field) => field.types.includes("boolean") && WAIT_FIELD.test(field.name));
        if (waits !== undefined) filled.push([waits.name, true]);
        const person = text(fields, PERSON_FIELD);
        if (person !== null && action.person !== null) filled.push([person.name, action.person]);
        const choices = fields.find((field) => field.types.includes("array") && /choice|option/i.test(field.name));
        if (choices !== undefined && action.choices !== null) filled.push([choices.name, action.choices]);
        return Object.fromEntries(filled);
      };
    case "write":
      return (fields) => {
        const path = text(fields, PATH_FIELD);
        const content = text(
          fields.filter((field) => field !== path),
          CONTENT_FIELD,
        );
        if (path === null || content === null || text(fields, URL_FIELD) !== null) return null;
        return { [path.name]: action.path, [content.name]: filling.content };
      };
    case "read":
    case "attach":
    case "list":
      return (fields) => {
        const path = text(fields, PATH_FIELD) ?? text(fields, /dir|folder/i);
        if (path === null || fields.some((field) => field.required && CONTENT_FIELD.test(field.name))) return null;
        return action.kind === "list" && action.path === "" && !path.required ? {} : { [path.name]: action.path };
      };
    case "wait":
      return (fields) => {
        const seconds = fields.find((field) => SECONDS_FIELD.test(field.name) && isNumber(field));
        if (seconds === undefined) return null;
        const least = Math.max(seconds.minimum ?? 0, action.seconds);
        const bounded = Math.min(seconds.maximum ?? least, least);
        return {
          [seconds.name]: seconds.types.includes("number")
            ? bounded
            : Math.max(seconds.minimum ?? 0, Math.ceil(bounded)),
        };
      };
    case "clock":
      return (fields) => {
        const zone = text(fields, ZONE_FIELD);
        if (fields.length > 0 && zone === null) return null;
        const wanted = action.there ? filling.place : action.place;
        const name = wanted === null ? null : zoneOf(wanted);
        if (zone === null || name === null) return zone?.required === true ? { [zone.name]: "UTC" } : {};
        return { [zone.name]: name };
      };
    case "dispatch":
      return (fields) => {
        const task = text(fields, TASK_FIELD);
        return task === null ? null : { [task.name]: action.task };
      };
    case "fetch":
      return (fields, words) => fillFetch(action, filling.url, fields, words);
  }
}

function fillFetch(
  action: Extract<Action, { kind: "fetch" }>,
  found: string | null,
  fields: readonly Field[],
  words: string,
): Record<string, unknown> | null {
  const url = text(fields, URL_FIELD);
  const target = action.url ?? found;
  if (url === null || target === null) return null;
  const method = fields.find((field) => /^(?:http_)?method$/i.test(field.name));
  const isPostTool = /\bpost\b/.test(words) && method === undefined;
  if (method === undefined && (action.method === "POST") !== isPostTool) return null;
  if (method === undefined && action.method !== "GET" && action.method !== "POST") return null;
  if (method?.choices?.includes(action.method) === false) return null;
  const filled: [name: string, value: unknown][] = [[url.name, target]];
  if (method !== undefined && action.method !== "GET") filled.push([method.name, action.method]);
  const body = fields.find((field) => /^(?:body|data|payload)$/i.test(field.name));
  if (action.body !== null && body !== undefined) filled.push([body.name, action.body]);
  return Object.fromEntries(filled);
}

function text(fields: readonly Field[], name: RegExp): Field | null {
  return (
    fields.find((field) => name.test(field.name) && (field.types.includes("string") || field.types.length === 0)) ??
    null
  );
}

function isNumber(field: Field): boolean {
  return field.types.includes("integer") || field.types.includes("number");
}

function fieldsOf(tool: ToolSpec): Field[] {
  const properties = record(tool.parameters["properties"]);
  const required = tool.parameters["required"];
  return Object.entries(properties).map(([name, declared]) => {
    const schema = record(declared);
    return {
      name,
      types: typesOf(schema),
      required: Array.isArray(required) && required.includes(name),
      choices: Array.isArray(schema["enum"]) ? schema["enum"].filter((choice) => typeof choice === "string") : null,
      minimum: numberOf(schema["minimum"]),
      maximum: numberOf(schema["maximum"]),
    };
  });
}

/** The types that a schema admits at its top, through unions. */
function typesOf(schema: Record<string, unknown>): string[] {
  const own = schema["type"];
  if (typeof own === "string") return [own];
  if (Array.isArray(own)) return own.filter((type) => typeof type === "string");
  const union = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(union) ? union.flatMap((part) => typesOf(record(part))) : [];
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
