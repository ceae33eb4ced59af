/**
 * The request that creates a task, and how it becomes the task's facts. Pure: ids, times, the agent and the default
 * model are given.
 */
import { z } from "zod";
import {
  type AgentConfig,
  type BudgetLimits,
  budgetSchema,
  DEFAULT_MAX_STEPS,
  MAX_STEPS_CEILING,
  type PinnedAgent,
} from "../agents/agent.ts";
import { type Actor, type Actors, joinActors, startActors } from "../connections/actors.ts";
import { MICROS_PER_DOLLAR } from "./amounts.ts";
import { API_SOURCE, deliverSchema, type TaskSource } from "./source.ts";
import { type Failure, failed, ok, type Result } from "../base/errors.ts";
import { makeId } from "../base/ids.ts";
import { type ModelChoice, toModelChoice } from "../model/table.ts";
import { mayInstruct, PRINCIPAL } from "../provenance/label.ts";
import { joinMessages } from "../model/label-messages.ts";
import { getSourceLabel } from "./source-label.ts";
import { joinSkillPatterns } from "./skills-in-force.ts";
import { MAX_IN_FORCE, type SkillInForce, type Skill } from "../skills/skill.ts";
import { matchSkills, getSkillCeiling } from "./match-skills.ts";
import type { LabelledText } from "../model/label-parts.ts";
import type { Caller, Limits, TaskFacts } from "./state.ts";
import type { PinnedSource } from "../tool/source.ts";

/** Characters (Unicode code points, as JSON Schema counts them) of a task's input, all messages together. */
export const MAX_INPUT_CHARACTERS = 200_000;
/** Bytes of a task's `metadata`, written as JSON. */
const MAX_METADATA_BYTES = 16_384;
const MAX_METADATA_KEYS = 50;
const MAX_INPUT_MESSAGES = 1000;

const text = z.string().min(1, "must not be empty");

const messageSchema = z.strictObject({ role: z.enum(["user", "assistant"]), content: text });

const inputSchema = z
  .union([text, z.array(messageSchema).min(1).max(MAX_INPUT_MESSAGES)], {
    error: "is required: a text that is not empty, or a list of messages {role: user or assistant, content}",
  })
  .superRefine((input, context) => {
    const size =
      typeof input === "string"
        ? countCodePoints(input)
        : input.reduce((sum, message) => sum + countCodePoints(message.content), 0);
    if (size > MAX_INPUT_CHARACTERS) {
      context.addIssue({ code: "custom", message: `has ${size} characters; the limit is ${MAX_INPUT_CHARACTERS}` });
    }
    if (typeof input !== "string" && input.at(-1)?.role !== "user") {
      context.addIssue({ code: "custom", message: "the last message must be the user's" });
    }
  });

const metadataSchema = z.record(z.string().min(1).max(200), z.json()).superRefine((metadata, context) => {
  if (Object.keys(metadata).length > MAX_METADATA_KEYS) {
    context.addIssue({ code: "custom", message: `has more than ${MAX_METADATA_KEYS} keys` });
  }
  if (new TextEncoder().encode(JSON.stringify(metadata)).length > MAX_METADATA_BYTES) {
    context.addIssue({ code: "custom", message: `is over ${MAX_METADATA_BYTES} bytes of JSON` });
  }
});

/** A project's name. It is part of the addresses of stored files, so it has no separator. */
export const projectSchema = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "1 to 64 letters, digits, _ or -");

/** The body of `POST /v1/tasks`. */
export const taskRequestSchema = z.strictObject({
  input: inputSchema,
  agent: z.string().min(1).max(200).optional(),
  project: projectSchema.optional(),
  tools: z.array(z.string().min(1).max(200)).max(200).optional(),
  skills: z.array(z.string().min(1).max(200)).max(MAX_IN_FORCE).optional(),
  budget: budgetSchema.optional(),
  deliver: deliverSchema.optional(),
  mode: z.enum(["live", "staged"]).optional(),
  hold: z.boolean().optional(),
  metadata: metadataSchema.optional(),
});
export type TaskRequest = z.infer<typeof taskRequestSchema>;

/** The sources of an input's texts, as far as the channel knows them. */
export interface InputSources {
  /** The input's messages with their labels. Absent: all have the label of the task's source. */
  readonly texts?: readonly LabelledText[];
  /**
   * The part of the input that may instruct and so choose skills. Absent: the last message, if its source may instruct.
   */
  readonly instructions?: string;
}

/** The person for whom a task acts, from one record. */
export interface CallingPerson extends Caller {
  readonly person: string;
}

/** What the request does not contain. `random` is at least 10 bytes; with `createdAt` it determines the task's id. */
export interface TaskOrigin extends InputSources {
  readonly tenant: string;
  /** The id of the API key of the request; null if unknown. */
  readonly key: string | null;
  readonly via: TaskSource;
  /** The person for whom the task acts. Null or absent for nobody. */
  readonly actsFor?: CallingPerson | null;
  /** Who wrote the input; null if unknown. Absent: the person for whom the task acts. */
  readonly by?: Actor | null;
  /** Who steered the conversation that the task continues. */
  readonly actors?: Actors;
  /** The name and the time zone of the person who asks, where `actsFor` is absent. */
  readonly caller?: Caller | null;
  readonly agent: PinnedAgent;
  /** The tenant's own tools at this time. */
  readonly sources: readonly PinnedSource[];
  /** The skills among them. */
  readonly skills: readonly Skill[];
  /** The model of an agent that names none. */
  readonly defaultModel: string;
  readonly createdAt: number;
  readonly random: Uint8Array;
}

/** Returns an error for a field whose feature this release lacks; null otherwise. */
function findUnavailableField(request: TaskRequest): Failure | null {
  if (request.mode === "staged")
    return failUnavailable("mode", 'Staged mode is not available yet. Omit `mode` or send "live".');
  return null;
}

/** Creates the facts of a requested task. `not_available` and `invalid_input` name the field. */
export function createTaskFacts(request: TaskRequest, origin: TaskOrigin): Result<TaskFacts> {
  const missing = findUnavailableField(request);
  if (missing !== null) return { ok: false, error: missing };
  const { config } = origin.agent;
  const models = resolveModels(config, origin.defaultModel);
  const limits = resolveLimits(request.budget ?? {}, config.budget ?? {}, models);
  if (!limits.ok) return limits;
  const source = getSourceLabel(origin.via);
  const instructions = origin.instructions ?? (mayInstruct(source) ? undefined : "");
  const matched = matchSkills({ ...request, instructions }, origin);
  if (!matched.ok) return matched;
  const ceiling = getSkillCeiling(origin);
  const patterns = joinSkillPatterns(matched.value);
  const id = makeId("task", origin.createdAt, origin.random);
  return ok({
    id,
    tenant: origin.tenant,
    key: origin.key,
    via: origin.via,
    ...toCallerFacts(origin),
    deliver: request.deliver ?? [],
    rootId: id,
    parentId: null,
    depth: 0,
    kind: "agent",
    input: request.input,
    label: origin.texts === undefined ? source : joinMessages(origin.texts),
    ...(origin.texts === undefined ? {} : { texts: origin.texts }),
    agent: origin.agent,
    tools: [request.tools, ceiling, patterns].flatMap((list) => (list === undefined || list === null ? [] : [list])),
    skills: matched.value,
    sources: origin.sources,
    project: request.project ?? null,
    models,
    limits: limits.value,
    metadata: request.metadata ?? {},
    createdAt: origin.createdAt,
  });
}

/** Returns for whom a task acts, and its first actors unless that person wrote its input alone. */
function toCallerFacts({
  actsFor = null,
  caller = null,
  by,
  actors,
}: Pick<TaskOrigin, "actsFor" | "caller" | "by" | "actors">) {
  const person = actsFor?.person ?? null;
  const author = by === undefined ? person : (by?.person ?? null);
  const named = actsFor ?? caller;
  const isCallerAlone = actors === undefined && author === person;
  const first = startActors(person, author);
  return {
    ...(named === null ? {} : { caller: { name: named.name, timeZone: named.timeZone } }),
    actsFor: person === null ? null : { person },
    ...(isCallerAlone ? {} : { actors: actors === undefined ? first : joinActors(first, actors) }),
  };
}

/** Returns the models of a task in the order of use: the agent's own, then its fallbacks, each once. */
function resolveModels({ model, fallbacks = [] }: AgentConfig, defaultModel: string): ModelChoice[] {
  return [...new Set([model ?? defaultModel, ...fallbacks])].map(toModelChoice);
}

/**
 * Resolves the limits of a task. The agent's limit is the default and the maximum; without one, a request may set any.
 * The default of 10 steps may be raised to 100. A limit of money needs a known price of every model.
 */
export function resolveLimits(
  requested: BudgetLimits,
  agents: BudgetLimits,
  models: readonly ModelChoice[],
): Result<Limits> {
  for (const name of ["max_steps", "max_tokens", "max_cost_usd", "max_duration_s"] as const) {
    const ceiling = agents[name] ?? (name === "max_steps" ? MAX_STEPS_CEILING : undefined);
    const value = requested[name];
    if (value !== undefined && ceiling !== undefined && value > ceiling) {
      const field = `budget.${name}`;
      return failed("invalid_input", `${field} is ${value}; the agent allows at most ${ceiling}.`, { field });
    }
  }
  const cost = requested.max_cost_usd ?? agents.max_cost_usd ?? null;
  const unpriced = models.find(({ price }) => price === null);
  if (cost !== null && unpriced !== undefined) {
    const message = `The price of the model ${unpriced.name} is unknown, so budget.max_cost_usd cannot be enforced. Omit it, or limit max_tokens.`;
    return failed("invalid_input", message, { field: "budget.max_cost_usd" });
  }
  const seconds = requested.max_duration_s ?? agents.max_duration_s ?? null;
  return ok({
    maxSteps: requested.max_steps ?? agents.max_steps ?? DEFAULT_MAX_STEPS,
    maxTokens: requested.max_tokens ?? agents.max_tokens ?? null,
    maxCostMicros: cost === null ? null : Math.round(cost * MICROS_PER_DOLLAR),
    maxDurationMs: seconds === null ? null : Math.round(seconds * 1000),
  });
}

/**
 * Returns the configuration, or the error if its own limits refuse every task: a limit of money with a model without a
 * price.
 */
export function checkAgentLimits(config: AgentConfig, defaultModel: string): Result<AgentConfig> {
  const limits = checkTaskLimits({}, config, defaultModel);
  return limits.ok ? ok(config) : limits;
}

/** Resolves the limits that a task of the agent would have, or returns why it may not have them. */
export function checkTaskLimits(requested: BudgetLimits, config: AgentConfig, defaultModel: string): Result<Limits> {
  return resolveLimits(requested, config.budget ?? {}, resolveModels(config, defaultModel));
}

/**
 * Creates the facts of the hidden task of one tool call from the API. Under `of`, the task that the call belongs to, it
 * has that task's tools, skills and sandbox, and the caller's key and person. `skills` are the agent's own, for a call
 * without a task.
 */
export function createCallFacts(
  origin: Omit<TaskOrigin, "skills" | "via" | "actors">,
  call: { project: string | null; of: TaskFacts | null; skills: readonly SkillInForce[]; toolName: string },
): TaskFacts {
  const id = makeId("task", origin.createdAt, origin.random);
  const patterns = joinSkillPatterns(call.skills);
  return {
    id,
    tenant: origin.tenant,
    key: origin.key,
    via: call.of?.via ?? API_SOURCE,
    ...toCallerFacts(origin),
    deliver: call.of?.deliver ?? [],
    rootId: call.of?.rootId ?? id,
    parentId: call.of?.id ?? null,
    depth: call.of?.depth ?? 0,
    kind: "call",
    input: `Call ${call.toolName}`,
    label: PRINCIPAL,
    agent: origin.agent,
    tools: call.of?.tools ?? (patterns === null ? [] : [patterns]),
    skills: call.of?.skills ?? call.skills,
    sources: call.of?.sources ?? origin.sources,
    ...(call.of?.apps === undefined ? {} : { apps: call.of.apps }),
    project: call.of?.project ?? call.project,
    models: resolveModels(origin.agent.config, origin.defaultModel),
    limits: { maxSteps: 1, maxTokens: null, maxCostMicros: null, maxDurationMs: null },
    metadata: {},
    createdAt: origin.createdAt,
  };
}

function countCodePoints(value: string): number {
  let count = value.length;
  for (let i = 1; i < value.length; i += 1) {
    if ((value.charCodeAt(i) & 0xfc00) === 0xdc00 && (value.charCodeAt(i - 1) & 0xfc00) === 0xd800) count -= 1;
  }
  return count;
}

function failUnavailable(field: string, message: string): Failure {
  return { code: "not_available", message, field };
}
