/**
 * How a tool is written: one file, one call of `defineTool`. The input's and output's types come from their schemas, the
 * context holds the ports that `needs` names and no others, and a definition that makes no sense throws with the reason
 * when its file is loaded.
 */
import type { z } from "zod";
import { type ErrorCode, failed, type Failure, type FailureExtra } from "../core/base/errors.ts";
import type { ModelUse } from "../core/ports/language.ts";
import type { ToolPorts } from "../core/ports/tool-ports.ts";
import type { Carried } from "../core/provenance/carry-out.ts";
import type { CopyScope } from "../core/sandbox/working-copy.ts";
import type {
  Control,
  EffectClass,
  CheckFacts,
  EffectFacts,
  KnownEnd,
  PathUse,
  Permission,
  ProbeOutcome,
  SecurityLevel,
  Shown,
  Tool,
  ToolCategory,
  ToolContext,
  ToolExample,
  ToolOutcome,
  Touch,
  Yields,
} from "../core/tool/tool.ts";
import type { SandboxRules } from "../core/sandbox/rules.ts";

/** How long a call may take when its tool does not say. */
const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_NAME_CHARACTERS = 64;
const MAX_SUMMARY_CHARACTERS = 1_024;
const NAME = /^[a-z][a-z0-9]*(?:[_.][a-z0-9]+)*$/;
/** Their tools also have the names of document 002, such as `workspace_execute_command`. */
const WORKSPACE_TOOLBOXES: readonly string[] = ["files", "shell"];

/** What a tool file writes down, in this order. Aliases are other names of arguments, such as `{ path: "filename" }`. */
export type ToolDefinition<
  In extends z.ZodObject,
  Out extends z.ZodType,
  Need extends keyof ToolPorts,
> = EffectDefinition<In> & ToolParts<In, Out, Need>;

/** A tool with a keyed effect says how long the receiver remembers the key, in ms. */
type EffectDefinition<In extends z.ZodObject> =
  | {
      readonly effect: UnkeyedEffect | ((given: z.output<In>, facts: EffectFacts) => UnkeyedEffect);
      readonly keyedForMs?: never;
    }
  | {
      readonly effect: "keyed" | ((given: z.output<In>, facts: EffectFacts) => EffectClass);
      readonly keyedForMs: number | ((given: z.output<In>, facts: EffectFacts) => number);
    };
type UnkeyedEffect = Exclude<EffectClass, "keyed">;

interface ToolParts<In extends z.ZodObject, Out extends z.ZodType, Need extends keyof ToolPorts> {
  readonly name: string;
  /** Names by which other documents call the tool. */
  readonly alsoNamed?: readonly string[];
  /** The tool with the same ability that models see instead. */
  readonly aliasOf?: string;
  readonly summary: string;
  readonly toolbox: string;
  readonly category: ToolCategory;
  readonly permissions: readonly Permission[];
  readonly security: SecurityLevel | ((given: z.output<In>, facts: EffectFacts) => SecurityLevel);
  /** Whether a call reaches outside the sandbox; absent: when the tool needs `network` or `exec`. */
  reachesOutside?(given: z.output<In>, facts: EffectFacts): boolean;
  readonly needs: readonly Need[];
  /** What a call reads and writes, where that does not follow from `needs` and the effect class. */
  touches?(given: z.output<In>, effect: EffectClass): readonly Touch[];
  /** The source of the tool's text; absent: `outside` when it needs the web, a search, MCP, mail or SSH, else `own`. */
  readonly yields?: Yields;
  /** Arguments that are paths of the sandbox, or lists of them, and how the call uses them. */
  readonly refersTo?: { readonly [Argument in keyof z.output<In>]?: PathUse };
  /** Of a tool that runs a program: what that is given a copy of. An approval covers the content of all of it. */
  copies?(given: z.output<In>): CopyScope;
  /** The data that a call which only reads carries outside; null: none. */
  carries?(given: z.output<In>): Carried | null;
  /** What an agent's `tool_config` may set; the call finds it in `config`. */
  readonly settings?: z.ZodObject;
  /** Arguments that take the value of one of the settings when a call omits them. */
  readonly fills?: { readonly [Argument in keyof z.output<In>]?: string };
  readonly aliases?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number | ((given: z.output<In>) => number);
  /** True for a tool that returns `control(…)`. */
  readonly steers?: boolean;
  /** Of a tool that queries a database of the tenant: the name that a call gives; null: the only one. */
  queries?(given: z.output<In>): string | null;
  /** Of a tool that needs `language`: what a call may ask, which its task reserves first; null: this one asks nothing. */
  modelUse?(given: z.output<In>): ModelUse | null;
  /** The most calls of the tool in one step; further ones are refused. Absent: only all calls of a step have a limit. */
  readonly maxCallsPerStep?: number;
  /** Of a tool that asks a person to connect an app: the app that a call names. */
  connects?(given: z.output<In>): string;
  /** True for a tool that only tasks with apps have. */
  readonly onlyWithApps?: boolean;
  /** True for a tool that is off until an agent's `tools` name it: no pattern with a wildcard opens it. */
  readonly onlyByName?: boolean;
  /** True for a tool that runs only scripts of pinned skills, which need no permission `exec`. */
  readonly runsPinnedSkills?: boolean;
  /** Of a tool that only a task's own model calls, because it dispatches subtasks or ends the task. */
  readonly onlyByModel?: "dispatches" | "finishes";
  /** True for a tool that bounds its results itself: they are never shortened. */
  readonly wholeResult?: boolean;
  /** Why the tool cannot work under these rules; null: it can. */
  disabled?(rules: SandboxRules): string | null;
  readonly input: In;
  /** Runs before policy: how the call ends, where that is known beforehand; null: nothing is known. */
  check?(given: z.output<In>, facts: CheckFacts): KnownEnd<z.input<Out>> | null;
  readonly output: Out;
  /** Gives the output, or `failure(…)` for what can be expected to go wrong, or `control(…)`. */
  run(given: z.output<In>, context: ToolContext<Need>): Promise<Returned<z.input<Out>>> | Returned<z.input<Out>>;
  probe?(given: z.output<In>, context: ToolContext<Need>): Promise<ProbeOutcome<z.input<Out>>>;
  /** A list is `{ head, rows, tail }`: a long one is cut after a whole row. */
  show(result: z.output<Out>): Shown;
  /** In the canonical names of the arguments. At least one. */
  readonly examples: readonly ToolExample<z.input<In>>[];
}

type Returned<Result> = Result | ResultWithText<Result> | NotAResult;

/** A result with the text that the model reads of it. A class, so that no output can be taken for one. */
class ResultWithText<Result> {
  readonly result: Result;
  readonly content: string;

  constructor(result: Result, content: string) {
    this.result = result;
    this.content = content;
  }
}

/** Returns a result with the text that the model reads of it: for text that `show` cannot derive from the result. */
export function withText<Result>(result: Result, content: string): ResultWithText<Result> {
  return new ResultWithText(result, content);
}

/** What `run` gives when it has no result. A class, so that no output can be taken for one. */
class NotAResult {
  readonly outcome: Exclude<ToolOutcome<never>, { kind: "result" }>;

  constructor(outcome: Exclude<ToolOutcome<never>, { kind: "result" }>) {
    this.outcome = outcome;
  }
}

/** An expected failure. `message` is read by the model: it says what to do next. */
export function failure<Code extends ErrorCode>(
  code: Code,
  message: string,
  extra: FailureExtra<Code> = {},
): NotAResult {
  return new NotAResult({ kind: "failure", failure: failed(code, message, extra).error });
}

/** A failure of a tool whose document defines the fields of `result` also for a failure. */
export function failureWithResult<Code extends ErrorCode>(
  code: Code,
  message: string,
  field: string,
  result: object,
): NotAResult {
  return new NotAResult({ kind: "failure", failure: failed(code, message, { field }).error, result });
}

/** Passes on a failure of a port or of a rule. */
export function failWith(error: Failure): NotAResult {
  return new NotAResult({ kind: "failure", failure: error });
}

/** Hands the task something to act on. */
export function control(wanted: Control): NotAResult {
  return new NotAResult({ kind: "control", control: wanted });
}

/** Checks a definition and gives the tool that the gateway calls. Its input refuses fields that it does not name. */
export function defineTool<In extends z.ZodObject, Out extends z.ZodType, const Need extends keyof ToolPorts = never>(
  definition: ToolDefinition<In, Out, Need>,
): Tool {
  const { aliases = {}, timeoutMs = DEFAULT_TIMEOUT_MS, steers = false, wholeResult = false, ...given } = definition;
  const input = definition.input.strict();
  const reason = whyInvalid(definition, input);
  if (reason !== null) throw new TypeError(`The tool ${String(definition.name)} is not valid: ${reason}.`);
  const alsoNamed = listOtherNames(definition);
  const tool: Tool = {
    ...given,
    ...(alsoNamed.length === 0 ? {} : { alsoNamed }),
    aliases,
    timeoutMs,
    steers,
    wholeResult,
    input,
    run: async (arguments_: z.output<In>, context) => {
      const returned = await definition.run(arguments_, context);
      if (returned instanceof NotAResult) return returned.outcome;
      if (returned instanceof ResultWithText) {
        const { result, content } = returned;
        return { kind: "result", result, content };
      }
      return { kind: "result", result: returned };
    },
  };
  for (const part of [tool.permissions, tool.needs, tool.aliases, tool.examples]) Object.freeze(part);
  return Object.freeze(tool);
}

function listOtherNames({
  name,
  alsoNamed = [],
  toolbox,
}: Pick<Tool, "name" | "alsoNamed" | "toolbox">): readonly string[] {
  const isNamedByDocument = WORKSPACE_TOOLBOXES.includes(toolbox) && !name.includes(".");
  return isNamedByDocument ? [...alsoNamed, `workspace_${name}`] : alsoNamed;
}

const FIELDS: ReadonlySet<string> = new Set<keyof ToolDefinition<z.ZodObject, z.ZodType, never>>([
  "name",
  "alsoNamed",
  "aliasOf",
  "summary",
  "toolbox",
  "category",
  "permissions",
  "security",
  "reachesOutside",
  "effect",
  "keyedForMs",
  "needs",
  "touches",
  "yields",
  "refersTo",
  "copies",
  "carries",
  "settings",
  "fills",
  "aliases",
  "timeoutMs",
  "steers",
  "queries",
  "modelUse",
  "maxCallsPerStep",
  "connects",
  "onlyWithApps",
  "onlyByName",
  "runsPinnedSkills",
  "onlyByModel",
  "wholeResult",
  "disabled",
  "input",
  "check",
  "output",
  "run",
  "probe",
  "show",
  "examples",
]);

/** The first thing that is wrong with a definition, in words that end a sentence. */
function whyInvalid<In extends z.ZodObject, Out extends z.ZodType, Need extends keyof ToolPorts>(
  definition: ToolDefinition<In, Out, Need>,
  input: z.ZodObject,
): string | null {
  const { name, summary, toolbox, effect, examples, timeoutMs = DEFAULT_TIMEOUT_MS } = definition;
  const unknown = Object.keys(definition).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) return `there is no field "${unknown}"`;
  if (!NAME.test(name)) return "its name is not snake_case, with dots at most";
  const other = definition.alsoNamed?.find(
    (one) => one === name || !NAME.test(one) || one.length > MAX_NAME_CHARACTERS,
  );
  if (other !== undefined) return `it cannot also be named "${other}"`;
  if (name.length > MAX_NAME_CHARACTERS) return `its name is longer than ${MAX_NAME_CHARACTERS} characters`;
  if (definition.aliasOf === name) return "it is an alias of itself";
  if (summary.trim() === "") return "it has no summary";
  if (summary.length > MAX_SUMMARY_CHARACTERS) return `its summary is longer than ${MAX_SUMMARY_CHARACTERS} characters`;
  if (toolbox === "") return "it names no toolbox";
  if (effect === "keyed" && definition.keyedForMs === undefined)
    return 'its effect is "keyed" and it has no keyedForMs: say how long the receiver remembers the key';
  if (typeof definition.keyedForMs === "number" && !(definition.keyedForMs > 0))
    return "its keyedForMs is not positive";
  if (effect === "probe" && definition.probe === undefined) return 'its effect is "probe" and it has no probe';
  if (typeof timeoutMs === "number" && timeoutMs <= 0) return "its timeoutMs is not positive";
  if (definition.needs.some((need) => need === "language") !== (definition.modelUse !== undefined))
    return "it has one of language in needs and modelUse, and a tool that asks a model has both";
  if (definition.modelUse !== undefined && (effect !== "none" || definition.copies !== undefined))
    return 'it asks a model, so its effect has to be "none" and it gives no program files: an interrupted call runs again';
  const { maxCallsPerStep = 1 } = definition;
  if (!Number.isInteger(maxCallsPerStep) || maxCallsPerStep < 1) return "its maxCallsPerStep is no whole number from 1";
  const unset = Object.entries(definition.fills ?? {}).find(
    ([argument, setting]) => !hasField(input, argument) || !hasField(definition.settings, setting),
  );
  if (unset !== undefined) return `it fills "${unset[0]}", which is no argument, or for which there is no such setting`;
  return whyAliasesInvalid(definition.aliases ?? {}, input) ?? whyExamplesInvalid(examples, input);
}

function hasField(schema: z.ZodObject | undefined, name: unknown): boolean {
  return typeof name === "string" && Object.hasOwn(schema?.shape ?? {}, name);
}

function whyAliasesInvalid(aliases: Readonly<Record<string, string>>, input: z.ZodObject): string | null {
  for (const [alias, canonical] of Object.entries(aliases)) {
    if (!Object.hasOwn(input.shape, canonical))
      return `the alias "${alias}" is for "${canonical}", which is no argument`;
    if (Object.hasOwn(input.shape, alias)) return `the alias "${alias}" is an argument itself`;
  }
  return null;
}

function whyExamplesInvalid(examples: readonly ToolExample<unknown>[], input: z.ZodObject): string | null {
  if (examples.length === 0) return "it has no example";
  for (const { note, given } of examples) {
    const parsed = input.safeParse(given);
    if (!parsed.success)
      return `its example "${note}" does not fit its input: ${parsed.error.issues[0]?.message ?? ""}`;
  }
  return null;
}
