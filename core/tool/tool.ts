/** The contract of a tool, as the gateway sees it. Tools are written with `tools/define-tool.ts`. */
import type { ErrorCode, Failure } from "../base/errors.ts";
import type { GiveWay } from "../base/turns.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import type { PatternBudget } from "../lib/json-schema/limit-patterns.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import type { Carried } from "../provenance/carry-out.ts";
import type { Label } from "../provenance/label.ts";
import type { SandboxRules } from "../sandbox/rules.ts";
import type { CopyScope, WorkingCopy } from "../sandbox/working-copy.ts";
import type { Skill, SkillInForce } from "../skills/skill.ts";
import type { KeyLifetimes } from "../web/idempotent-hosts.ts";
import type { z } from "zod";

/** What a tool must be allowed to do. An agent has a set of these. */
export const PERMISSIONS = ["read", "write", "exec", "network"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** How much harm a call can do; the approval policy decides by it. */
export const SECURITY_LEVELS = ["safe", "cautious", "dangerous", "critical"] as const;
export type SecurityLevel = (typeof SECURITY_LEVELS)[number];

/**
 * What a call does outside Otto, and so what a crash means for it:
 * `none` repeats freely, `keyed` repeats under the receiver's idempotency key while that is remembered, `probe` can be looked up,
 * `once` neither.
 */
export type EffectClass = "none" | "keyed" | "probe" | "once";

/**
 * Something that a call reads or writes, and by which calls of one step are ordered: `files` (the sandbox and project
 * folders), `memory`, `connection:<id>` (an account elsewhere), `server:<name>` (that of an outside tool).
 */
export interface Touch {
  readonly resource: string;
  /** `add`: the call only adds entries under names of its own, so calls that add run together. */
  readonly mode: "read" | "add" | "write";
}

/** How one effect may be repeated. */
export interface EffectTerms {
  readonly effect: EffectClass;
  /** Of a keyed effect: how long its receiver remembers the key, in ms. Absent: as `gateway/outcome.ts` assumes. */
  readonly keyedForMs?: number;
  /** True when the tool can look up whether the effect happened. */
  readonly canProbe?: boolean;
}

/**
 * The source of a tool's text: `own` Otto itself (the result has the label of the call's context), `tenant` the tenant's
 * records, `outside` possible strangers. Files and results that a call reads add their own labels.
 */
export type Yields = "own" | "tenant" | "outside";

/** The catalogue's categories. */
export const TOOL_CATEGORIES = [
  "research",
  "file_ops",
  "shell",
  "database",
  "ssh",
  "api",
  "git",
  "communication",
  "developer",
  "productivity",
  "widget",
  "control",
  "maths",
  "memory",
  "documents",
] as const;
export type ToolCategory = (typeof TOOL_CATEGORIES)[number];

/** A tool that steers its task returns one of these; `core/task/task.ts` interprets it. */
export type Control =
  | {
      readonly kind: "ask";
      readonly query: string;
      readonly person: string | null;
      /** The id of that person's record; absent: there is none. */
      readonly personId?: string;
      readonly choices: readonly string[] | null;
      /** False: a notification; the task goes on at once. */
      readonly wait: boolean;
      /** Seconds until the question expires; null: never. */
      readonly deadlineSeconds: number | null;
      /** The answer that stands when it expires; null: the model is told that nobody answered. */
      readonly defaultAnswer: string | null;
      /** With it the answer is not the call's result: the call is made again, and finds both in `resumed`. */
      readonly state?: JsonState;
    }
  | { readonly kind: "sleep"; readonly seconds: number }
  /** `hash`: SHA-256 of the content to deliver, in hex. Absent from a runner of an earlier release. */
  | {
      readonly kind: "attach";
      readonly path: string;
      readonly size: number;
      readonly contentType: string;
      readonly hash?: string;
    }
  /**
   * A subtask with the words of the call's own arguments. `tools` are patterns that narrow its tools beyond those of this
   * task (null: it has them all); `tokenBudget` null: an even share of what is left; `skill`: it works by the instructions of
   * this one in the place of the agent's.
   */
  | {
      readonly kind: "dispatch";
      readonly maxSteps: number;
      readonly tokenBudget: number | null;
      readonly tools: readonly string[] | null;
      readonly skill?: SkillInForce;
    }
  /** The skill comes into force; `content` is what the model reads. */
  | { readonly kind: "load"; readonly skill: SkillInForce; readonly result: unknown; readonly content: string }
  /** The task ends with this text once the other calls of the step are settled. */
  | { readonly kind: "finish"; readonly summary: string };

/** JSON that a call leaves behind when it asks a person, to go on with; at most `MAX_STATE_CHARACTERS`. */
export type JsonState = Readonly<Record<string, unknown>>;

/** Of the JSON text: it is stored with the task's own state, whose row holds 2 MB. */
export const MAX_STATE_CHARACTERS = 16_000;

/** What a call goes on with that asked a person. `answer` is null when nobody answered in time. */
export interface Resumed {
  readonly state: JsonState;
  readonly answer: string | null;
  /** How many questions of the call are over, this one counted. */
  readonly questions: number;
}

/** The failure of a tool: a result for the model, never a failed task. `retry` defaults to the code's own. */
export type ToolFailure = Failure;

/** What `run` gives back. */
export type ToolOutcome<Out> =
  | { readonly kind: "result"; readonly result: Out }
  | { readonly kind: "failure"; readonly failure: ToolFailure }
  | { readonly kind: "control"; readonly control: Control };

/** A probe's answer: did the call with this key happen? */
export type ProbeOutcome<Out> =
  | { readonly kind: "happened"; readonly result: Out }
  | { readonly kind: "not_happened" }
  | { readonly kind: "cannot_tell" };

/** The skills of a call's task. */
export interface CallSkills {
  /** Those that there are for the task. */
  readonly pinned: readonly Skill[];
  /** The hashes of those that it works under; null: a call from the API that belongs to no task, which may name any. */
  readonly inForce: readonly string[] | null;
  /** How long a script may run. */
  readonly scriptTimeoutMs: number;
}

/** What every call knows, whatever its tool needs. */
export interface CallFacts {
  /** Long work calls it between bounded turns, because code that does not wait cannot be interrupted. */
  readonly giveWay: GiveWay;
  readonly tenant: string;
  readonly agent: { readonly id: string; readonly version: number };
  readonly task: string;
  /** The task whose sandbox it works in: its own, or the root of its tree. */
  readonly rootTask: string;
  readonly project: string | null;
  readonly step: number;
  readonly callId: string;
  /** The join over the request that the call was asked for in: what wrote its arguments. `PRINCIPAL` for a call from the API. */
  readonly label: Label;
  /** The idempotency key to pass downstream: the same on every attempt. */
  readonly key: string;
  readonly correlationId: string;
  readonly permissions: readonly Permission[];
  /** The names of the tools that the task may use. */
  readonly tools: readonly string[];
  readonly sandbox: SandboxRules;
  readonly workingDirectory: string;
  /** Hosts that the agent's tools may reach; `*` is any public host, null none but what the operator opened. */
  readonly allowedDomains: readonly string[] | null;
  /** The agent's `tool_config` for this tool. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly taskSkills: CallSkills;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Null unless the call asked a person with a state and is made again. */
  readonly resumed: Resumed | null;
  /** Of a program that a person approved: what it is given, which is what was approved. */
  readonly approvedCopy?: WorkingCopy;
  /** Milliseconds since the epoch at the start of the call. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** The context of a call: the facts and the declared ports, and no others. */
export type ToolContext<Need extends keyof ToolPorts> = CallFacts & Pick<ToolPorts, Need>;

/** An example: shown to the model and the console, and run by the generic example test on fakes. */
export interface ToolExample<In> {
  readonly note: string;
  readonly given: In;
}

/**
 * A tool with its types erased, as the gateway and the catalogue hold it. `input` and `output` are strict zod schemas;
 * `effect` and `security` may depend on the parsed arguments.
 */
export interface Tool {
  readonly name: string;
  /** Names by which other documents call it: calls and patterns may use them. The model is shown `name` alone. */
  readonly alsoNamed?: readonly string[];
  readonly summary: string;
  readonly toolbox: string;
  readonly category: ToolCategory;
  readonly permissions: readonly Permission[];
  readonly security: SecurityLevel | ((given: never, facts: EffectFacts) => SecurityLevel);
  readonly effect: EffectClass | ((given: never, facts: EffectFacts) => EffectClass);
  /** Of a keyed effect: how long its receiver remembers the key, in ms. */
  readonly keyedForMs?: number | ((given: never, facts: EffectFacts) => number);
  readonly needs: readonly (keyof ToolPorts)[];
  /** What a call reads and writes. Absent: it follows from `needs` and the effect class (`core/gateway/touches.ts`). */
  touches?(given: never, effect: EffectClass): readonly Touch[];
  /** Absent: `outside` for a tool that needs the web, a search, MCP, mail or SSH, else `own`. */
  readonly yields?: Yields;
  /** Arguments that name files of the sandbox, a path or a list of them: an approval covers the content of these files. */
  readonly refersTo?: { readonly [argument: string]: "file" | undefined };
  /** Of a tool that runs a program: what that is given a copy of. An approval covers the content of all of it. */
  copies?(given: never): CopyScope;
  /** What a call sends outside although it only reads; null: nothing. Absent: no call of it does. */
  carries?(given: never): Carried | null;
  /** Of a tool that its tenant brought: the MCP server or the host that its calls go to. */
  readonly destination?: string;
  /** What an agent's `tool_config` may set of it; calls find that in `config`. */
  readonly settings?: z.ZodObject;
  /** Other names of arguments, e.g. `{ path: "filename" }`. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Milliseconds until the gateway gives up on the call; may depend on the arguments. */
  readonly timeoutMs: number | ((given: never) => number);
  /** True for a tool that can return a `Control`. */
  readonly steers: boolean;
  /** True for a tool that is off until an agent's `tools` name it: no pattern with a wildcard opens it. */
  readonly onlyByName?: boolean;
  /** Of a tool that only a task's own model calls, because it dispatches subtasks or ends the task. */
  readonly onlyByModel?: "dispatches" | "finishes";
  /** True for a tool that bounds its results itself: the model reads each as it is shown, and none is kept beside its row. */
  readonly wholeResult: boolean;
  /** Why it cannot work under these rules, for lists and for the model; null: it can. Its calls answer the same. */
  disabled?(rules: SandboxRules): string | null;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  /** Of a skill's tool: the skill. */
  readonly skill?: Skill;
  /**
   * Of a tool with a schema that its tenant or a server wrote: compiles that of its input unless that is done. False: the
   * patterns in it do not fit the budget, and nothing was compiled.
   */
  compileInput?(budget: PatternBudget): boolean;
  /** The same of its output. False: this result is not checked. */
  compileOutput?(budget: PatternBudget): boolean;
  /** Of a tool that its tenant brought: its source, and the JSON Schemas as they were written, which `input` and `output` check by. */
  readonly written?: { readonly source: string; readonly input: JsonSchema; readonly output: JsonSchema | null };
  run(given: never, context: ToolContext<keyof ToolPorts>): Promise<ToolOutcome<unknown>>;
  probe?(given: never, context: ToolContext<keyof ToolPorts>): Promise<ProbeOutcome<unknown>>;
  /** What the model reads of a result. */
  show(result: never): string;
  readonly examples: readonly ToolExample<unknown>[];
}

/** What the effect class and security level of a call may depend on beside its arguments. */
export interface EffectFacts extends KeyLifetimes {
  /** The skills that there are for the task. */
  readonly skills: readonly Skill[];
  /** How long the provider of mail remembers a mail's key, in ms; null: it honours none. */
  readonly mailKeyedForMs: number | null;
}

/** The error of a tool call as the API and the model see it. */
export interface ToolError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string;
  readonly retry: "never" | "now" | "later";
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The result of a tool call as the API shows it. */
export type ToolResult =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: ToolError };
