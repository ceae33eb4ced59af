/** The contract of a tool, as the gateway sees it. Tools are written with `tools/define-tool.ts`. */
import type { ErrorCode, Failure, Result } from "../base/errors.ts";
import type { Account, ConnectReason, ToolApp } from "../connections/account.ts";
import type { YieldTurn } from "../base/turns.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import type { PatternsPort } from "../lib/patterns.ts";
import type { PatternBudget } from "../lib/json-schema/limit-patterns.ts";
import type { ModelUse } from "../ports/language.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import type { Carried } from "../provenance/carry-out.ts";
import type { Label } from "../provenance/label.ts";
import type { SandboxRules } from "../sandbox/rules.ts";
import type { CopyScope, WorkingCopy } from "../sandbox/working-copy.ts";
import type { Skill, SkillInForce } from "../skills/skill.ts";
import type { KeyLifetimes } from "../web/idempotent-hosts.ts";
import type { AppAction } from "./app-action.ts";
import type { ReplaceFile, UploadedFile } from "./file-arguments.ts";
import type { z } from "zod";

/** The permissions of tools. An agent has a set of these. */
export const PERMISSIONS = ["read", "write", "exec", "network"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** How much harm a call can do, for the approval policy. */
export const SECURITY_LEVELS = ["safe", "cautious", "dangerous", "critical"] as const;
export type SecurityLevel = (typeof SECURITY_LEVELS)[number];

/** From what repeats freely to what never does. */
export const EFFECT_CLASSES = ["none", "keyed", "probe", "once"] as const;

/**
 * The effect of a call outside Otto, which decides its recovery after a crash. `none` repeats freely, `keyed` repeats
 * under the receiver's idempotency key while that is remembered, `probe` can be looked up, `once` can be neither
 * repeated nor looked up.
 */
export type EffectClass = (typeof EFFECT_CLASSES)[number];

/**
 * A resource that a call reads or writes, which orders the calls of one step: `files` (the sandbox and project
 * folders), `memory`, `connection:<id>` (an outside account), `server:<name>` (of an outside tool).
 */
export interface Touch {
  readonly resource: string;
  /** `add`: the call only adds entries under unique names, so calls that add run in parallel. */
  readonly mode: "read" | "add" | "write";
}

/** How one effect may be repeated. */
export interface EffectTerms {
  readonly effect: EffectClass;
  /**
   * For a keyed effect: how long its receiver remembers the key, in ms. Absent: the default of `gateway/outcome.ts`.
   */
  readonly keyedForMs?: number;
  /** True when the tool can look up whether the effect happened. */
  readonly canProbe?: boolean;
}

/**
 * The source of a tool's text: `own` is Otto itself (the result has the label of the call's context), `tenant` the
 * tenant's records, `outside` possible strangers. Files and results that a call reads add their own labels.
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
      /** The id of that person's record, if any. */
      readonly personId?: string;
      readonly choices: readonly string[] | null;
      /** False for a notification, after which the task continues at once. */
      readonly wait: boolean;
      /** Seconds until the question expires; null: never. */
      readonly deadlineSeconds: number | null;
      /** The answer if it expires; null: the model reads that nobody answered. */
      readonly defaultAnswer: string | null;
      /** If present, the answer is not the call's result: the call runs again and finds both in `resumed`. */
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
   * A subtask whose input is the call's arguments. `tools` are patterns that narrow its tools beyond this task's (null:
   * all of them); `tokenBudget` null: an even share of the rest; `skill`: its instructions replace the agent's.
   */
  | {
      readonly kind: "dispatch";
      readonly maxSteps: number;
      readonly tokenBudget: number | null;
      readonly tools: readonly string[] | null;
      readonly skill?: SkillInForce;
    }
  /** Puts the skill in force; `content` is what the model reads. */
  | { readonly kind: "load"; readonly skill: SkillInForce; readonly result: unknown; readonly content: string }
  /** Ends the task with this text once the other calls of the step are settled. */
  | { readonly kind: "finish"; readonly summary: string }
  /**
   * A person has to connect the app; nothing was done. From a tool with `app` for its own, whose account the app refused,
   * and from one with `connects` for the app of the call. `person`: who has to (null: an administrator); absent: the owner
   * of the call's account. `why`: what it is needed for.
   */
  | {
      readonly kind: "connect";
      readonly app: string;
      readonly reason: ConnectReason;
      readonly person?: string | null;
      readonly why?: string;
    };

/** State with which a call resumes after it asked a person; JSON of at most `MAX_STATE_CHARACTERS`. */
export type JsonState = Readonly<Record<string, unknown>>;

/** The most characters of the JSON, which is part of the task's state in a row of at most 2 MB. */
export const MAX_STATE_CHARACTERS = 16_000;

/** The state and the answer with which a call resumes. `answer` is null when nobody answered in time. */
export interface Resumed {
  readonly state: JsonState;
  readonly answer: string | null;
  /** The number of settled questions of the call, including this one. */
  readonly questions: number;
}

/** The failure of a tool: a result for the model, never a failed task. `retry` defaults to the code's own. */
export type ToolFailure = Failure;

/** The outcome of `run`. `content` is what the model reads of the result, in place of the text of `show`. */
export type ToolOutcome<Out> =
  | { readonly kind: "result"; readonly result: Out; readonly content?: string }
  /** `result`: the fields that the tool's document defines also for a failure. */
  | { readonly kind: "failure"; readonly failure: ToolFailure; readonly result?: unknown }
  | { readonly kind: "control"; readonly control: Control };

/** The result of a probe: whether the call with this key happened. */
export type ProbeOutcome<Out> =
  | { readonly kind: "happened"; readonly result: Out }
  /** `failure`: the service refused the call, so it fails with this. Absent: the call was not found, and may run. */
  | { readonly kind: "not_happened"; readonly failure?: ToolFailure }
  | { readonly kind: "cannot_tell" };

/** The skills of a call's task. */
export interface CallSkills {
  /** The skills available to the task. */
  readonly pinned: readonly Skill[];
  /** The hashes of those in force; null for an API call without a task, which may name any. */
  readonly inForce: readonly string[] | null;
  /** How long a script may run. */
  readonly scriptTimeoutMs: number;
}

/** The facts that every call has. */
export interface CallFacts {
  /** Called by long work between bounded turns, because code that does not wait cannot be interrupted. */
  readonly giveWay: YieldTurn;
  readonly tenant: string;
  readonly agent: { readonly id: string; readonly version: number };
  readonly task: string;
  /** The task whose sandbox it uses: its own, or the root of its tree. */
  readonly rootTask: string;
  readonly project: string | null;
  readonly step: number;
  readonly callId: string;
  /** The label of the request that wrote the call's arguments. `PRINCIPAL` for a call from the API. */
  readonly label: Label;
  /** The idempotency key to pass downstream: the same on every attempt. */
  readonly key: string;
  /** The number of the attempt, from 1. For a probe: of the latest one that may have been sent. */
  readonly attempt: number;
  /** When the call was requested, before any attempt; milliseconds since the epoch. */
  readonly intendedAt: number;
  readonly correlationId: string;
  readonly permissions: readonly Permission[];
  /** The names of the tools that the task may use. */
  readonly tools: readonly string[];
  readonly sandbox: SandboxRules;
  readonly workingDirectory: string;
  /** Hosts that the agent's tools may reach; `*` is any public host, null only what the operator opened. */
  readonly allowedDomains: readonly string[] | null;
  /** The agent's `tool_config` for this tool. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly taskSkills: CallSkills;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Null unless the call asked a person with a state and runs again. */
  readonly resumed: Resumed | null;
  /** The account through which the call acts; for a tool with `app`. */
  readonly account?: Account;
  /** For a tool with `upload`: the files that the call names. */
  readonly uploads?: readonly UploadedFile[];
  /** For an approved program: the approved files that it gets. */
  readonly approvedCopy?: WorkingCopy;
  /** Milliseconds since the epoch at the start of the call. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** The context of a call: the facts and the declared ports, and no others. */
export type ToolContext<Need extends keyof ToolPorts> = CallFacts & Pick<ToolPorts, Need>;

/** A result as the model reads it. */
export type Shown = string | ShownRows;

/** A list: lines before and after it, and its rows, each of one or more lines. */
export interface ShownRows {
  readonly head?: string;
  readonly rows: readonly string[];
  readonly tail?: string;
}

/** An example: shown in the tool's page and the console, and run by the generic example test on fakes. */
export interface ToolExample<In> {
  readonly note: string;
  readonly given: In;
}

/**
 * How a call uses a path of the sandbox: `file` reads a file whose content an approval covers, `read` and `write` name a
 * file, `directory` a place to list or to search.
 */
export type PathUse = "file" | "read" | "write" | "directory";

/**
 * A tool with its types erased, for the gateway and the catalogue. `input` and `output` are strict zod schemas;
 * `effect` and `security` may depend on the parsed arguments.
 */
export interface Tool {
  readonly name: string;
  /** Further names for calls and patterns. The model sees only `name`. */
  readonly alsoNamed?: readonly string[];
  /**
   * The tool with the same ability that models see instead (`core/steps/shown-tools.ts`). This one stays callable, listed
   * in the API and usable in an agent's `tools`.
   */
  readonly aliasOf?: string;
  readonly summary: string;
  readonly toolbox: string;
  readonly category: ToolCategory;
  readonly permissions: readonly Permission[];
  readonly security: SecurityLevel | ((given: never, facts: EffectFacts) => SecurityLevel);
  /** Whether a call reaches outside the sandbox, for the default policy. Absent: if the tool needs `network` or `exec`. */
  reachesOutside?(given: never, facts: EffectFacts): boolean;
  readonly effect: EffectClass | ((given: never, facts: EffectFacts) => EffectClass);
  /** For a keyed effect: how long its receiver remembers the key, in ms. */
  readonly keyedForMs?: number | ((given: never, facts: EffectFacts) => number);
  readonly needs: readonly (keyof ToolPorts)[];
  /** The resources of a call. Absent: derived from `needs` and the effect class (`core/gateway/touches.ts`). */
  touches?(given: never, effect: EffectClass): readonly Touch[];
  /** Absent: `outside` for a tool that needs the web, a search, MCP, mail or SSH, otherwise `own`. */
  readonly yields?: Yields;
  /** Arguments that are paths of the sandbox, a path or a list of them. The gateway canonicalises and judges each. */
  readonly refersTo?: { readonly [argument: string]: PathUse | undefined };
  /**
   * Replaces each argument that names a file of the sandbox, at any depth, by what `replace` returns; the first failure ends
   * it. `field` is a dotted path. The gateway canonicalises and judges each, and an approval covers their content.
   */
  mapFiles?(given: never, replace: ReplaceFile): Result<unknown>;
  /** The most bytes of a file that a call may name. Absent: no limit of the tool. */
  readonly maxFileBytes?: number;
  /** Uploads the files that a call names, before an attempt of the call begins. A repeat uploads them again. */
  upload?(given: never, context: ToolContext<keyof ToolPorts>): Promise<Result<readonly UploadedFile[]>>;
  /** For a tool that runs a program: the files that the program gets a copy of. An approval covers their content. */
  copies?(given: never): CopyScope;
  /** The data that a reading call sends outside; null if none. Absent if no call of the tool does. */
  carries?(given: never): Carried | null;
  /** For a tenant's own tool: the MCP server, the app or the host of its calls. */
  readonly destination?: string;
  /** The settings that an agent's `tool_config` may set; calls read them from `config`. */
  readonly settings?: z.ZodObject;
  /**
   * Arguments that take the value of a setting when a call omits them, e.g. `{ channel: "default_channel" }`. The gateway
   * adds them before policy and hash, so that an approval shows them.
   */
  readonly fills?: { readonly [argument: string]: string | undefined };
  /** Other names of arguments, e.g. `{ path: "filename" }`. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Milliseconds until the gateway gives up on the call; may depend on the arguments. */
  readonly timeoutMs: number | ((given: never) => number);
  /** True for a tool that can return a `Control`. */
  readonly steers: boolean;
  /** The app through whose account its calls act; absent: through none. */
  readonly app?: ToolApp;
  /** For a tool that queries a database of the tenant, through which its calls act: the name that a call gives, or null. */
  queries?(given: never): string | null;
  /** For a tool that asks a language model: what a call may ask; null if this one asks nothing. */
  modelUse?(given: never): ModelUse | null;
  /** The most calls of the tool in one step; further ones are refused. Absent: only all calls of a step have a limit. */
  readonly maxCallsPerStep?: number;
  /** For a tool that asks a person to connect an app: the app that a call names. */
  connects?(given: never): string;
  /** True for a tool that only tasks with apps have. */
  readonly onlyWithApps?: boolean;
  /** True for a tool that is off until an agent's `tools` name it; a wildcard does not enable it. */
  readonly onlyByName?: boolean;
  /** True for a tool that runs only scripts of the task's pinned skills: `read` is enough instead of `exec`. */
  readonly runsPinnedSkills?: boolean;
  /** For a tool that only a task's own model may call, because it dispatches subtasks or ends the task. */
  readonly onlyByModel?: "dispatches" | "finishes";
  /** True for a tool that bounds its own results: the model reads each unshortened, and no copy is stored. */
  readonly wholeResult: boolean;
  /** Why the tool does not work under these rules, for lists and for the model; null if it does. Its calls fail with it. */
  disabled?(rules: SandboxRules): string | null;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  /**
   * Checks valid arguments before policy, so that no person approves a call that fails for a reason known beforehand.
   * Null: nothing is known against it.
   */
  check?(given: never, facts: CheckFacts): KnownEnd | null;
  /** For a skill's tool: the skill. */
  readonly skill?: Skill;
  /** For an action of an app: what the capability gate and the rights of apps judge (`core/apps/`). */
  readonly action?: AppAction;
  /**
   * For a schema that a tenant or a server wrote: compiles the input's if needed. False if its patterns exceed the
   * budget; then nothing was compiled.
   */
  compileInput?(budget: PatternBudget): boolean;
  /** The same for the output. False: this result is not checked. */
  compileOutput?(budget: PatternBudget): boolean;
  /** For a tenant's own tool: its source, and the original JSON Schemas behind `input` and `output`. */
  readonly written?: { readonly source: string; readonly input: JsonSchema; readonly output: JsonSchema | null };
  run(given: never, context: ToolContext<keyof ToolPorts>): Promise<ToolOutcome<unknown>>;
  probe?(given: never, context: ToolContext<keyof ToolPorts>): Promise<ProbeOutcome<unknown>>;
  /** Formats a result for the model. A list is rows, so that a long one is cut after a whole row. */
  show(result: never): Shown;
  readonly examples: readonly ToolExample<unknown>[];
}

/** Facts of a call before policy. `config` is the agent's `tool_config` for the tool. */
export interface CheckFacts {
  readonly config: Readonly<Record<string, unknown>>;
  readonly skills: Pick<CallSkills, "pinned" | "inForce">;
  readonly permissions: readonly Permission[];
  /** The engine for patterns of the settings; null where it is not at hand. */
  readonly patterns: PatternsPort | null;
}

/** `fails`: the call is refused. `answers`: this is its result. The tool does not run, so nobody has to approve the call. */
export type KnownEnd<Result = unknown> =
  | { readonly kind: "fails"; readonly failure: Failure }
  | { readonly kind: "answers"; readonly result: Result };

/** Facts besides the arguments on which a call's effect class and security level may depend. */
export interface EffectFacts extends KeyLifetimes {
  /** The skills available to the task. */
  readonly skills: readonly Skill[];
  /** How long the mail provider remembers a key, in ms; null if it honours none. */
  readonly mailKeyedForMs: number | null;
}

/** The error of a tool call, as the API and the model get it. */
export interface ToolError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string;
  readonly retry: "never" | "now" | "later";
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The result of a tool call, as the API returns it. */
export type ToolResult =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: ToolError; readonly result?: unknown };
