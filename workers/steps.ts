/**
 * The step runner: stateless, called by the task's object. The model phase calls the model, prepares its calls, and
 * makes those that change nothing. The tool phase makes the others. Between them, long results are shortened. Each
 * streams its lines to the object, and stops when the object aborts it.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { blobsFromEnv, filesFromEnv } from "../adapters/env/files.ts";
import { systemClock } from "../adapters/env/clock.ts";
import { documentsFromEnv } from "../adapters/env/documents.ts";
import { drainLeftFromEnv } from "../adapters/env/steps.ts";
import { mailFromEnv, taskMailFromEnv } from "../adapters/env/mail.ts";
import { mcpFromEnv } from "../adapters/env/mcp.ts";
import { modelFromEnv } from "../adapters/env/model.ts";
import { patternsFromEnv } from "../adapters/env/patterns.ts";
import { pagesFromEnv } from "../adapters/env/pages.ts";
import { peopleFromEnv } from "../adapters/env/people.ts";
import { resultsFromEnv } from "../adapters/env/results.ts";
import { scriptsFromEnv } from "../adapters/env/scripts.ts";
import { secretsFromEnv } from "../adapters/env/secrets.ts";
import { searchFromEnv } from "../adapters/env/search.ts";
import { sshFromEnv } from "../adapters/env/ssh.ts";
import { slackNotesFromEnv } from "../adapters/env/slack.ts";
import { settingsFromEnv, type Settings } from "../adapters/env/settings.ts";
import { skillsFromEnv } from "../adapters/env/skills.ts";
import { taskMemoryFromEnv } from "../adapters/env/memory.ts";
import { tasksFromEnv } from "../adapters/env/tasks.ts";
import { webFromEnv } from "../adapters/env/web.ts";
import type { Env } from "../adapters/env/bindings.ts";
import { buildRequest } from "../core/steps/context.ts";
import { fitRequest } from "../core/steps/request-size.ts";
import { failed, ok, type Result } from "../core/base/errors.ts";
import { openToolSearch } from "../core/steps/find-tools.ts";
import { condense } from "../core/steps/condense.ts";
import { buildToolset, toMissingToolFailure, type Toolset } from "../core/steps/toolset.ts";
import { performCalls, type PerformDeps, RETRY_DELAYS_MS } from "../core/steps/perform.ts";
import { mayPerformEarly, performEarly } from "../core/steps/perform-early.ts";
import { listRequested, prepareCalls } from "../core/steps/prepare.ts";
import { reviseCall } from "../core/steps/revise.ts";
import type { ShapeLimits } from "../core/gateway/shape.ts";
import { type LineListener, sendLines } from "../core/steps/lines.ts";
import { isSupported, OTHER_RELEASE } from "../core/steps/job-version.ts";
import {
  type ActJob,
  type ActLine,
  type CondenseJob,
  type CondenseLine,
  type EarlierStepsRpc,
  mustBeStored,
  type OwnResult,
  type ReviseJob,
  type StepsRpc,
  type ThinkJob,
  type ThinkLine,
  type UnsupportedLine,
} from "../core/steps/rpc.ts";
import { toSecretUser } from "../core/secrets/secret-use.ts";
import { joinLabels, OPERATOR } from "../core/provenance/label.ts";
import { joinMessages, labelMessage } from "../core/model/label-messages.ts";
import type { ModelFailure, ModelChunk } from "../core/ports/model.ts";
import type { ModelReply, RevisedCall } from "../core/task/commands.ts";
import type { SkillInForce } from "../core/skills/skill.ts";
import { formatSkill } from "../core/skills/skill-text.ts";
import type { TaskFacts } from "../core/task/state.ts";
import { CALL_MS, MODEL_PHASE_MS } from "../core/tenant/cost-rates.ts";
import type { Tool } from "../core/tool/tool.ts";
import { openTaskReminders } from "./schedules/task-reminders.ts";
import { chargeCost, chargeTurns, meterWork } from "./http/charge-cost.ts";
import { logDefect } from "./http/log.ts";
import { findOwnApi } from "./http/own-origin.ts";
import { openPinnedTools, getWeight } from "./tools/pinned.ts";
import { openToolLists } from "./tools/lists.ts";
import { catalogue } from "../tools/catalogue.generated.ts";

/**
 * Toolsets of recent agents, the oldest first, by agent, version, the request's restriction and the tenant's own
 * tools. Everything is pinned, so they stay valid.
 */
const toolsets = new Map<string, { readonly toolset: Toolset; readonly weight: number }>();
const MAX_TOOLSETS = 200;
/** Maximum weight of all toolsets, in characters of the tenants' own tools. */
const MAX_WEIGHT = 24_000_000;
let weight = 0;

export class StepRunner extends WorkerEntrypoint<Env> implements StepsRpc, EarlierStepsRpc {
  /** The callable tools. A test's runner adds its own. */
  protected readonly tools: readonly Tool[] = catalogue;

  async runModelPhase(job: ThinkJob, listener: LineListener<ThinkLine>): Promise<ThinkLine | null> {
    if (!isSupported(job.version)) return UNSUPPORTED;
    return await sendLines(listener, (signal) => this.streamModelPhase(job, signal));
  }

  async runToolPhase(job: ActJob, listener: LineListener<ActLine>): Promise<ActLine | null> {
    if (!isSupported(job.version)) return UNSUPPORTED;
    return await sendLines(listener, (signal) => this.streamToolPhase(job, signal), mustBeStored);
  }

  async shorten(job: CondenseJob, listener: LineListener<CondenseLine>): Promise<CondenseLine | null> {
    if (!isSupported(job.version)) return UNSUPPORTED;
    return await sendLines(listener, (signal) => this.streamCondense(job, signal));
  }

  async reviseCall(job: ReviseJob): Promise<Result<RevisedCall>> {
    if (!isSupported(job.version)) return failed("upstream_failed", OTHER_RELEASE);
    return await reviseCall(job, await this.openAvailableToolset(job.facts), filesFromEnv(this.env, job.facts));
  }

  async think(job: ThinkJob, listener: LineListener<ThinkLine>): Promise<ThinkLine | null> {
    return await this.runModelPhase(job, listener);
  }

  async act(job: ActJob, listener: LineListener<ActLine>): Promise<ActLine | null> {
    return await this.runToolPhase(job, listener);
  }

  async condense(job: CondenseJob, listener: LineListener<CondenseLine>): Promise<CondenseLine | null> {
    return await this.shorten(job, listener);
  }

  async revise(job: ReviseJob): Promise<Result<RevisedCall>> {
    return await this.reviseCall(job);
  }

  private async *streamModelPhase(job: ThinkJob, signal: AbortSignal): AsyncGenerator<ThinkLine, ThinkLine, boolean> {
    const drainMs = await drainLeftFromEnv(this.env);
    if (drainMs > 0) return { type: "failed", failure: { ...DRAINING, retryAfterMs: drainMs } };
    const found = await this.openToolset(job.facts);
    if (!found.ok) return { type: "failed", failure: NO_TOOLS };
    const { value: toolset } = found;
    chargeCost(this.env, job.facts.tenant, MODEL_PHASE_MS);
    const built = buildRequest(job, toolset, signal);
    const fit = fitRequest(job, built);
    if (fit?.ok === false) return { type: "unaffordable", inputTokens: fit.inputTokens };
    const maxOutputTokens = fit?.outputTokens ?? built.maxOutputTokens;
    if (fit?.isGuessClose === false) {
      yield { type: "measured", inputTokens: fit.inputTokens, outputTokens: maxOutputTokens };
    }
    for await (const chunk of modelFromEnv(this.env).stream({ ...built, maxOutputTokens })) {
      if (chunk.type === "text") yield chunk;
      else if (chunk.type === "progress") {
        if (job.reportsProgress === true) yield chunk;
      } else if (chunk.type === "failed") return { type: "failed", failure: chunk.failure };
      else return { type: "replied", reply: await this.toReply(job, toolset, chunk, signal) };
    }
    return { type: "failed", failure: NO_ANSWER };
  }

  private async *streamToolPhase(job: ActJob, signal: AbortSignal): AsyncGenerator<ActLine, null, boolean> {
    const now = await this.readCurrentFacts(job.facts);
    const facts = now ?? job.facts;
    const toolset = now === null ? NO_TOOLSET : await this.openAvailableToolset(facts);
    yield* performCalls({ ...job, facts }, this.performDeps(facts, toolset, job.results ?? null), signal);
    return null;
  }

  /** `own` are the task's results that its object sent; null if they have to be read from the object. */
  private performDeps(facts: TaskFacts, toolset: Toolset, own: readonly OwnResult[] | null): PerformDeps {
    const { env } = this;
    const settings = settingsFromEnv(env);
    const user = toSecretUser(facts);
    return {
      toolset,
      ports: {
        files: filesFromEnv(env, facts),
        web: webFromEnv(env, facts, user),
        search: searchFromEnv(env),
        results: resultsFromEnv(env, facts, own),
        patterns: patternsFromEnv(env),
        memory: taskMemoryFromEnv(env, facts),
        mcp: mcpFromEnv(env, facts, user),
        scripts: scriptsFromEnv(env, facts),
        documents: documentsFromEnv(env, facts),
        pages: pagesFromEnv(env, facts),
        ssh: sshFromEnv(env, facts, user),
        slack: slackNotesFromEnv(env, facts),
        skills: skillsFromEnv(env, facts),
        people: peopleFromEnv(env, facts),
        reminders: openTaskReminders(env, facts),
        mail: taskMailFromEnv(env, facts),
        toolSearch: openToolSearch(toolset, async () => await openToolLists(env, facts, this.tools)),
      },
      blobs: blobsFromEnv(env),
      limits: toLimits(settings),
      maxParallel: settings.maxParallelToolCalls,
      scriptTimeoutMs: settings.scriptTimeoutMs,
      retryDelaysMs: RETRY_DELAYS_MS,
      timer: globalThis,
      reportDefect: (tool: string, thrown: unknown) => logDefect(tool, facts.id, thrown),
      giveTurn: async () => await scheduler.wait(0),
      meterWork: (limit) => meterWork(env, facts.tenant, { countedMs: CALL_MS, signal: limit }),
      clock: systemClock,
    };
  }

  /** The demo model never shortens: it reads a conversation, not an instruction to rewrite a text. */
  private async *streamCondense(job: CondenseJob, signal: AbortSignal): AsyncGenerator<CondenseLine, null, boolean> {
    const { env } = this;
    const settings = settingsFromEnv(env);
    const deps = {
      model: job.withModel && !settings.isDemo ? modelFromEnv(env) : null,
      results: resultsFromEnv(env, job.facts, []),
      toolset: await this.openAvailableToolset(job.facts),
      limits: toLimits(settings),
      clock: systemClock,
    };
    yield* condense(job, deps, signal);
    return null;
  }

  private async toReply(
    { facts, step, final, repeat, messages: read, label = OPERATOR }: ThinkJob,
    toolset: Toolset,
    done: Extract<ModelChunk, { type: "done" }>,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    const messages = read.map((message) => labelMessage(message, facts.label));
    const context = { label: joinLabels(label, joinMessages(messages)), messages };
    const boundSecrets = () => secretsFromEnv(this.env, facts.tenant, toSecretUser(facts)).boundToAgent();
    const giveWay = chargeTurns(this.env, facts.tenant);
    const known = { facts, step, toolset, repeat, context, boundSecrets, giveWay };
    const prepared = final ? [] : await prepareCalls(done.calls, known);
    const calls =
      prepared.length > 0 && mayPerformEarly(prepared, toolset)
        ? await performEarly(
            { facts, step, label: context.label, calls: prepared },
            this.performDeps(facts, toolset, []),
            signal,
          )
        : prepared;
    const requested = listRequested(calls, done.calls, toolset);
    return { text: done.text, calls, requested, usage: done.usage, finish: done.finish };
  }

  /**
   * Returns the current facts of a call. A call over the API that waited, for example for an approval, belongs to a
   * task whose model may have loaded a restricting skill meanwhile. Returns null if that task does not answer.
   */
  private async readCurrentFacts(facts: TaskFacts): Promise<TaskFacts | null> {
    if (facts.kind !== "call" || facts.parentId === null) return facts;
    const parent = await tasksFromEnv(this.env)(facts.tenant, facts.parentId).facts();
    return parent.ok ? { ...facts, tools: parent.value.tools, skills: parent.value.skills } : null;
  }

  /** Returns the tools of a task. Fails while the tenant's own tools or the skills cannot be read. */
  private async openToolset(facts: TaskFacts): Promise<Result<Toolset>> {
    const { tenant, agent, tools, sources } = facts;
    const told = facts.skills.filter(({ how }) => how !== "load");
    const hashes = [...sources, ...told].map(({ hash }) => hash).join(" ");
    const key = `${tenant} ${agent.id} ${agent.version} ${JSON.stringify(tools)} ${hashes}`;
    const cached = toolsets.get(key);
    if (cached !== undefined) return ok(cached.toolset);
    const own = await openPinnedTools(this.env, facts, this.tools);
    if (!own.ok) return own;
    const texts = await this.skillTexts(told, facts, own.value);
    if (!texts.ok) return texts;
    const { keyedForMs: mailKeyedForMs } = mailFromEnv(this.env);
    const keys = { mailKeyedForMs, ownApi: findOwnApi(this.env), patterns: patternsFromEnv(this.env) };
    const built = { ...(await buildToolset([...this.tools, ...own.value], facts, texts.value)), ...keys };
    cacheToolset(key, built, getWeight(tenant, sources));
    return ok(built);
  }

  /**
   * Returns the texts of the skills that the model reads from the first step on. Fails while their packages cannot be
   * read.
   */
  private async skillTexts(
    skills: readonly SkillInForce[],
    facts: TaskFacts,
    tools: readonly Tool[],
  ): Promise<Result<string[]>> {
    const port = skillsFromEnv(this.env, facts);
    const texts: string[] = [];
    for (const { hash, name } of skills) {
      const opened = await port.open(hash);
      if (!opened.ok) return opened;
      const known = tools.find(({ skill }) => skill?.hash === hash)?.skill;
      texts.push(formatSkill({ name, scripts: known?.scripts ?? [] }, opened.value));
    }
    return ok(texts);
  }

  /**
   * Returns the tools of a task, or the built-in ones if the tenant's cannot be read. Calls of missing tools then
   * fail.
   */
  private async openAvailableToolset(facts: TaskFacts): Promise<Toolset> {
    const found = await this.openToolset(facts);
    return found.ok ? found.value : { ...(await buildToolset(this.tools, facts)), isPart: true };
  }
}

function cacheToolset(key: string, toolset: Toolset, its: number): void {
  weight += its - (toolsets.get(key)?.weight ?? 0);
  toolsets.delete(key);
  toolsets.set(key, { toolset, weight: its });
  for (const [oldest, { weight: lost }] of toolsets) {
    if (toolsets.size <= MAX_TOOLSETS && weight <= MAX_WEIGHT) break;
    toolsets.delete(oldest);
    weight -= lost;
  }
}

function toLimits({ mediumResultThreshold, largeResultThreshold }: Settings): ShapeLimits {
  return { mediumCharacters: mediumResultThreshold, largeCharacters: largeResultThreshold };
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

const UNSUPPORTED: UnsupportedLine = { type: "unsupported" };

/** The tenant's own tools could not be read. No model was called. */
const NO_TOOLS: ModelFailure = {
  kind: "unavailable",
  retryable: true,
  retryAfterMs: null,
  message: "The task's tools could not be read.",
};
