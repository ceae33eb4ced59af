/** A tool, the outside that it works on, and the two halves of the gateway around it, for tests of what the gateway does. */
import { z } from "zod";
import type { AgentConfig } from "../../../core/agents/agent.ts";
import { notSent, ok } from "../../../core/base/errors.ts";
import { performCalls, type PerformDeps } from "../../../core/steps/perform.ts";
import { prepareCalls } from "../../../core/steps/prepare.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import type { ActJob, ActLine } from "../../../core/steps/rpc.ts";
import type { RunnableCall } from "../../../core/task/decision.ts";
import type { CallOutcome, PreparedCall } from "../../../core/task/commands.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { BoundFile } from "../../../core/sandbox/bind-copy.ts";
import type { EffectClass, Tool } from "../../../core/tool/tool.ts";
import { defineTool, failure, failWith } from "../../../tools/define-tool.ts";
import { factsOf } from "../task/world.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";
import { freeWork } from "../../fakes/work-meter.ts";

/** What the outside saw of the tools below, and how it behaves. */
export interface Outside {
  runs: number;
  running: number;
  mostAtOnce: number;
  /** How many runs lose their answer, and how many after them never leave. */
  lose: number;
  unsent: number;
  happened: "happened" | "not_happened" | "cannot_tell" | "never";
}

/** An outside where everything goes well, but for `change`. */
export function outside(change: Partial<Outside> = {}): Outside {
  return { runs: 0, running: 0, mostAtOnce: 0, lose: 0, unsent: 0, happened: "not_happened", ...change };
}

/** How long the receiver remembers the key of a keyed tool's call, in ms. */
export const KEYED_FOR_MS = 3_600_000;

/** A tool that sends a text outside. Some texts make it behave badly. */
export function toolOf(world: Outside, effect: EffectClass, name = "send"): Tool {
  return defineTool({
    name,
    summary: "Send a text to somebody outside.",
    toolbox: "test",
    category: "communication",
    permissions: ["network"],
    security: "cautious",
    ...(effect === "keyed" ? { effect, keyedForMs: KEYED_FOR_MS } : { effect }),
    needs: [],
    aliases: { message: "text" },
    timeoutMs: 1000,
    input: z.object({ text: z.string().max(20), count: z.int().default(1) }),
    output: z.object({ sent: z.string() }),
    async run({ text }, context) {
      world.runs += 1;
      world.running += 1;
      world.mostAtOnce = Math.max(world.mostAtOnce, world.running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      world.running -= 1;
      if (text === "throw") throw new Error("secret inside");
      if (text === "wrong") return { sent: 1 as unknown as string };
      if (text === "refused") return failure("blocked_by_policy", "Not this one.");
      if (world.runs <= world.lose) return failure("upstream_failed", "The connection was reset.");
      if (world.runs <= world.lose + world.unsent) {
        return failWith(notSent("upstream_failed", "The way out is away.", { retryAfterMs: 1 }).error);
      }
      if (text === "busy") return failure("rate_limited", "Too many.", { retryAfterMs: 60_000 });
      if (text === "slow") await new Promise((resolve) => setTimeout(resolve, 200));
      return { sent: `${text} as ${context.key}` };
    },
    ...(effect === "probe"
      ? {
          async probe() {
            if (world.happened === "never") await new Promise(() => undefined);
            const answer = world.happened === "happened" ? { result: { sent: "before" } } : {};
            return { kind: world.happened, ...answer } as never;
          },
        }
      : {}),
    show({ sent }) {
      if (sent.startsWith("unshowable")) throw new Error("cannot be shown");
      return `Sent ${sent}`;
    },
    examples: [{ note: "a greeting", given: { text: "hi" } }],
  });
}

/** The facts of a task whose agent is configured so. */
export function agent(change: Partial<AgentConfig> = {}): Partial<TaskFacts> {
  const config: AgentConfig = { name: "a", instructions: "", tools: ["*"], permissions: ["network"], ...change };
  return { agent: { id: "agent_x", version: 1, config } };
}

/** Prepares what the model asked for, as hop one does. */
export async function prepare(
  tools: readonly Tool[],
  requested: { name: string; arguments: string }[],
  facts = factsOf(agent()),
  repeat: { hash: string; count: number } | null = null,
): Promise<PreparedCall[]> {
  const toolset = await buildToolset(tools, facts);
  return await prepareCalls(requested, { facts, step: 3, toolset, repeat, context: BY_PRINCIPAL });
}

/** What performing these tools needs; they use no port. */
export function depsFor(tools: readonly Tool[]): PerformDeps {
  return {
    toolset: {
      resolve: (name) => tools.find((tool) => tool.name === name) ?? null,
      names: tools.map(({ name }) => name),
      skills: [],
      admits: () => ok(undefined),
    },
    ports: {} as ToolPorts,
    model: null,
    blobs: { put: async () => ok(undefined), get: async () => ok(new Uint8Array()) },
    limits: { mediumCharacters: 4000, largeCharacters: 12_000 },
    maxParallel: 5,
    scriptTimeoutMs: 120_000,
    retryDelaysMs: [1, 1],
    timer: globalThis,
    meterWork: () => freeWork,
    giveTurn: async () => await new Promise((resolve) => setImmediate(resolve)),
    reportDefect: () => undefined,
    clock: { now: () => Date.now() },
  };
}

/** What the model asks for to have a text sent. */
export const send = (text: string, name = "send") => ({ name, arguments: JSON.stringify({ text }) });

/** The outcomes of the calls of a job, in the order in which they ended. Every start is stored. */
export async function outcomesOf(job: ActJob, deps: PerformDeps, signal: AbortSignal): Promise<CallOutcome[]> {
  const lines = performCalls(job, deps, signal);
  const outcomes: CallOutcome[] = [];
  for (;;) {
    const { value: line, done } = await lines.next(true);
    if (done === true) return outcomes;
    if (line.type === "settled") outcomes.push(line.outcome);
  }
}

/** Performs one call and returns its last line. Every start is stored. */
export async function performLast(call: RunnableCall, facts: TaskFacts, deps: PerformDeps): Promise<ActLine> {
  const job = { facts, step: 1, calls: [], later: [call], timeoutMs: 10_000 };
  const lines = performCalls(job, deps, new AbortController().signal);
  for (let last: ActLine | null = null; ; ) {
    const { value, done } = await lines.next(true);
    if (done !== true) last = value;
    else if (last === null) throw new Error("the call ended without a line");
    else return last;
  }
}

/** The files that a line binds. */
export function boundIn(line: ActLine): readonly BoundFile[] {
  if (line.type !== "bound") throw new Error(`the line binds no files: ${JSON.stringify(line)}`);
  return line.files;
}
