/**
 * The tool phase of a step: makes calls of the ledger. The step runner runs it; the task's object runs it for calls that
 * only read from the web (`core/steps/own-phases.ts`).
 */
import { connectionsFromEnv } from "../adapters/env/connections.ts";
import { tasksFromEnv } from "../adapters/env/tasks.ts";
import type { Env } from "../adapters/env/bindings.ts";
import { performCalls } from "../core/steps/perform.ts";
import type { ActJob, ActLine } from "../core/steps/rpc.ts";
import { toMissingToolFailure, type Toolset } from "../core/steps/toolset.ts";
import type { TaskFacts } from "../core/task/state.ts";
import type { Tool } from "../core/tool/tool.ts";
import { openPerformDeps } from "./tools/perform-deps.ts";
import { openAvailableToolset } from "./tools/toolsets.ts";

/** Runs a tool phase and yields its lines. An aborted `signal` ends it. */
export async function* streamToolPhase(
  env: Env,
  job: ActJob,
  signal: AbortSignal,
  tools: readonly Tool[],
): AsyncGenerator<ActLine, null, boolean> {
  const now = await readCurrentFacts(env, job.facts);
  const facts = now ?? job.facts;
  const joined = job.calls.length;
  const toolset = now === null ? NO_TOOLSET : await openAvailableToolset(env, facts, tools);
  yield* performCalls(
    { ...job, facts },
    openPerformDeps(env, facts, {
      toolset,
      own: job.results ?? null,
      tools,
      joined,
      connections: connectionsFromEnv(env, facts.tenant),
    }),
    signal,
  );
  return null;
}

/**
 * Returns the current facts of a call. A call over the API that waited, for example for an approval, belongs to a
 * task whose model may have loaded a restricting skill meanwhile. Returns null if that task does not answer.
 */
async function readCurrentFacts(env: Env, facts: TaskFacts): Promise<TaskFacts | null> {
  if (facts.kind !== "call" || facts.parentId === null) return facts;
  const parent = await tasksFromEnv(env)(facts.tenant, facts.parentId).facts();
  return parent.ok ? { ...facts, tools: parent.value.tools, skills: parent.value.skills } : null;
}

/** For a call whose task does not report its tools: no tool is available. */
const NO_TOOLSET: Toolset = {
  resolve: () => null,
  specs: [],
  names: [],
  findable: [],
  admits: (tool) => ({ ok: false, error: toMissingToolFailure(tool.name, { isPart: true }) }),
  specOf: () => null,
  skills: [],
  skillTexts: [],
  isPart: true,
};
