/**
 * The model phase of a step: calls the model, prepares its calls, and makes those that change nothing. The task's object
 * runs it, or the step runner does (`OTTO_MODEL_PHASE`).
 */
import { appRightsFromEnv } from "../adapters/env/app-rights.ts";
import { connectionsFromEnv } from "../adapters/env/connections.ts";
import { drainLeftFromEnv } from "../adapters/env/steps.ts";
import { taskModelFromEnv } from "../adapters/env/model.ts";
import { databasesFromEnv } from "../adapters/env/databases.ts";
import { secretsFromEnv } from "../adapters/env/secrets.ts";
import type { Env } from "../adapters/env/bindings.ts";
import { joinMessages, labelMessage } from "../core/model/label-messages.ts";
import type { ModelChunk, ModelFailure } from "../core/ports/model.ts";
import { joinLabels, OPERATOR } from "../core/provenance/label.ts";
import { toSecretUser } from "../core/secrets/secret-use.ts";
import { buildRequest } from "../core/steps/context.ts";
import { OTHER_RELEASE } from "../core/steps/job-version.ts";
import { mayPerformEarly, performEarly } from "../core/steps/perform-early.ts";
import { listRequested, prepareCalls } from "../core/steps/prepare.ts";
import { fitRequest } from "../core/steps/request-size.ts";
import type { ThinkJob, ThinkLine } from "../core/steps/rpc.ts";
import type { Toolset } from "../core/steps/toolset.ts";
import type { ModelReply } from "../core/task/commands.ts";
import { MODEL_PHASE_MS } from "../core/tenant/cost-rates.ts";
import type { Tool } from "../core/tool/tool.ts";
import { chargeCost, chargeTurns } from "./http/charge-cost.ts";
import { openPerformDeps } from "./tools/perform-deps.ts";
import { openToolset } from "./tools/toolsets.ts";

/** Runs a model phase and yields its lines; the last one is returned. An aborted `signal` ends it. */
export async function* streamModelPhase(
  env: Env,
  job: ThinkJob,
  signal: AbortSignal,
  tools: readonly Tool[],
): AsyncGenerator<ThinkLine, ThinkLine, boolean> {
  const drainMs = await drainLeftFromEnv(env);
  if (drainMs > 0) return { type: "failed", failure: { ...DRAINING, retryAfterMs: drainMs } };
  const found = await openToolset(env, job.facts, tools);
  if (!found.ok) return { type: "failed", failure: NO_TOOLS };
  const { value: toolset } = found;
  chargeCost(env, job.facts.tenant, MODEL_PHASE_MS);
  const built = buildRequest(job, toolset, signal);
  const fit = fitRequest(job, built);
  if (fit?.ok === false) return { type: "unaffordable", inputTokens: fit.inputTokens };
  const maxOutputTokens = fit?.outputTokens ?? built.maxOutputTokens;
  if (fit?.isGuessClose === false) {
    yield { type: "measured", inputTokens: fit.inputTokens, outputTokens: maxOutputTokens };
  }
  for await (const chunk of taskModelFromEnv(env, job.facts).stream({ ...built, maxOutputTokens })) {
    if (chunk.type === "text") yield chunk;
    else if (chunk.type === "progress") {
      if (job.reportsProgress === true) yield chunk;
    } else if (chunk.type === "failed") return { type: "failed", failure: chunk.failure };
    else return { type: "replied", reply: await toReply(env, job, { toolset, tools, done: chunk, signal }) };
  }
  return { type: "failed", failure: NO_ANSWER };
}

/** A reply of the model, and what is needed to prepare its calls. */
interface Replied {
  readonly tools: readonly Tool[];
  readonly toolset: Toolset;
  readonly done: Extract<ModelChunk, { type: "done" }>;
  readonly signal: AbortSignal;
}

async function toReply(
  env: Env,
  { facts, step, final, repeat, messages: read, label = OPERATOR, actors, sources }: ThinkJob,
  { toolset, tools, done, signal }: Replied,
): Promise<ModelReply> {
  const messages = read.map((message) => labelMessage(message, facts.label));
  const context = { label: joinLabels(label, joinMessages(messages)), messages };
  const boundSecrets = () => secretsFromEnv(env, facts.tenant, toSecretUser(facts)).boundToAgent();
  const giveWay = chargeTurns(env, facts.tenant);
  const connections = connectionsFromEnv(env, facts.tenant);
  const steered = actors === undefined ? {} : { actors };
  const appRights = appRightsFromEnv(env, facts.tenant);
  const databases = databasesFromEnv(env, facts);
  const ports = { boundSecrets, giveWay, connections, appRights, databases };
  const known = { facts, step, toolset, repeat, context, ...ports, ...steered };
  const prepared = final ? [] : await prepareCalls(done.calls, known);
  const calls =
    prepared.length > 0 && mayPerformEarly(prepared, toolset)
      ? await performEarly(
          { facts, step, label: context.label, calls: prepared, ...(sources === undefined ? {} : { sources }) },
          openPerformDeps(env, facts, { toolset, own: [], tools, connections }),
          signal,
        )
      : prepared;
  const requested = listRequested(calls, done.calls, toolset);
  return { text: done.text, calls, requested, usage: done.usage, finish: done.finish };
}

/** The model port ended without a result. */
const NO_ANSWER: ModelFailure = {
  kind: "cut_off",
  retryable: true,
  retryAfterMs: null,
  message: "The model's answer was cut off.",
};

/** A deployment is about to reset the objects. No model was called. */
const DRAINING: ModelFailure = {
  kind: "unavailable",
  retryable: true,
  retryAfterMs: null,
  message: OTHER_RELEASE,
};

/** The tenant's own tools could not be read. No model was called. */
const NO_TOOLS: ModelFailure = {
  kind: "unavailable",
  retryable: true,
  retryAfterMs: null,
  message: "The task's tools could not be read.",
};
