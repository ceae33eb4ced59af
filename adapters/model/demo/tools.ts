/** Finds the tool for an action by the words of its name and summary, and by the names of its arguments. */
import type { ToolSpec } from "../../../core/ports/model.ts";
import type { Action } from "./plan.ts";

export interface Match {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** Earlier results that an action may refer to. */
export interface Findings {
  readonly text: string;
  readonly url: string | null;
  readonly zone: string | null;
}

/** An argument by its name: undefined omits it, null is required but unknown. */
type Given = readonly [name: RegExp, value: unknown];

const PATH = /(?:file|path|document)(?:_?name|_?path)?$|^target_path$/i;
const WORDS: Readonly<Record<Action["kind"], readonly [wanted: RegExp, foreign: RegExp]>> = {
  ask: [/\b(?:ask|question|person|human)\b/g, /\b(?:search|database|email|sql)\b/],
  write: [/\b(?:write|save|create|put)\b/g, /\b(?:append|convert|docx|pptx|pdf|email|memory)\b/],
  read: [/\b(?:read|open|contents?)\b/g, /\b(?:attach|delete|list|search|write|convert|pdf|directory)\b/],
  attach: [/\b(?:attach|deliver|delivery)\b/g, /\b(?:email|write|delete)\b/],
  list: [/\b(?:list|directory|folder)\b/g, /\b(?:create|delete|remove|search)\b/],
  wait: [/\b(?:wait|pause|sleep)\b/g, /\b(?:run|execute)\b/],
  clock: [/\b(?:current|now|date|time|clock)\b/g, /\b(?:schedule|convert|wait)\b/],
  dispatch: [/\b(?:subagents?|subtasks?|dispatch|delegate|hand)\b/g, /\b(?:cancel|list|schedule)\b/],
  fetch: [/\b(?:http|request|fetch|web|url|page)\b/g, /\b(?:webhook|git|screenshot)\b/],
};

/** Tools that the demo model calls by name when the index of `find_tools` has them: one is usable without being shown. */
const TIME_TOOLS: readonly ToolSpec[] = [
  {
    name: "wait",
    description: "Pause the task",
    parameters: { type: "object", properties: { seconds: { type: "integer", minimum: 1, maximum: 300 } } },
  },
  {
    name: "get_current_datetime",
    description: "Tell the current time, and the date",
    parameters: { type: "object", properties: { timezone: { type: "string" } } },
  },
];

/** Adds the tools of the toolbox `time` that the index lists, or all of them where it only counts that toolbox. */
export function addUnshown(shown: readonly ToolSpec[]): readonly ToolSpec[] {
  const index = shown.find(({ name }) => name === "find_tools")?.description ?? "";
  const line = /^\[time\] (.*)$/m.exec(index)?.[1] ?? "";
  const listed = new Set(line.split(/[\s:;,]+/));
  const isCount = /^\d+ tools?$/.test(line);
  const others = TIME_TOOLS.filter(({ name }) => isCount || listed.has(name));
  return [...shown, ...others.filter(({ name }) => !shown.some((tool) => tool.name === name))];
}

/** Null if there is no matching tool, or a required value is unknown. */
export function matchTool(tools: readonly ToolSpec[], action: Action, findings: Findings): Match | null {
  const matches = tools.flatMap((tool) => {
    const words = `${tool.name} ${tool.description.split("\n", 1)[0] ?? ""}`.replaceAll(/[_.-]/g, " ").toLowerCase();
    const [wanted, foreign] = WORDS[action.kind];
    const found = new Set(words.match(wanted) ?? []).size;
    const filled = found === 0 ? null : fill(tool, toGiven(action, findings));
    const fields = Object.keys(toRecord(tool.parameters["properties"])).length;
    const score = found - (foreign.test(words) ? 3 : 0) - fields / 100;
    return filled === null ? [] : [{ match: { name: tool.name, arguments: filled }, score }];
  });
  return matches.sort((one, other) => other.score - one.score)[0]?.match ?? null;
}

function toGiven(action: Action, findings: Findings): readonly Given[] {
  switch (action.kind) {
    case "ask":
      return [
        [/^(?:query|question|message)$/i, action.question],
        [/wait/i, optional(true)],
        [/(?:human|person|user)(?:_name)?$/i, optional(action.person)],
      ];
    case "write":
      return [
        [PATH, action.path],
        [/^(?:contents?|text|body)$/i, action.text ?? findings.text],
      ];
    case "read":
    case "attach":
      return [[PATH, action.path]];
    case "list":
      return [[/path|dir|folder/i, optional(action.path || null)]];
    case "wait":
      return [[/seconds?$|duration|delay/i, action.seconds]];
    case "clock":
      return [
        [
          /^(?:time_?zone|tz|zone)$/i,
          optional(action.place == null ? (action.place === null ? findings.zone : null) : findZone(action.place)),
        ],
      ];
    case "dispatch":
      return [[/task/i, action.task]];
    case "fetch":
      return [
        [/^ur[li]$/i, action.url ?? findings.url],
        [/^method$/i, action.method === "GET" ? optional(null) : action.method],
        [/^(?:body|data)$/i, optional(action.body)],
      ];
  }
}

/** Set only if the tool has such an argument. */
function optional(value: unknown): { readonly optional: unknown } {
  return { optional: value };
}

function fill(tool: ToolSpec, given: readonly Given[]): Record<string, unknown> | null {
  const properties = toRecord(tool.parameters["properties"]);
  const filled: [name: string, value: unknown][] = [];
  for (const [pattern, value] of given) {
    const name = Object.keys(properties).find(
      (field) => pattern.test(field) && !filled.some(([other]) => other === field),
    );
    const isOptional = typeof value === "object" && value !== null && "optional" in value;
    const inner = isOptional ? value.optional : value;
    if (!isOptional && (name === undefined || inner === null)) return null;
    if (name === undefined || inner === null) continue;
    filled.push([name, typeof inner === "number" ? clamp(inner, toRecord(properties[name])) : inner]);
  }
  const required = tool.parameters["required"];
  const isComplete = !Array.isArray(required) || required.every((name) => filled.some(([field]) => field === name));
  return isComplete ? Object.fromEntries(filled) : null;
}

function clamp(value: number, { minimum, maximum }: Record<string, unknown>): number {
  const least = Math.max(value, typeof minimum === "number" ? minimum : value);
  return Math.min(least, typeof maximum === "number" ? maximum : least);
}

/** The IANA zone of that name, or of the city. */
export function findZone(place: string): string | null {
  const wanted = place.trim().replaceAll(/\s+/g, "_").toLowerCase();
  if (wanted === "utc") return "UTC";
  const zones = Intl.supportedValuesOf("timeZone");
  return zones.find((zone) => zone.toLowerCase() === wanted || zone.toLowerCase().endsWith(`/${wanted}`)) ?? null;
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
