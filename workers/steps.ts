/**
 * The step runner: stateless, called by the task's object. The model phase calls the model, prepares its calls, and
 * makes those that change nothing. The tool phase makes the others. Between them, long results are shortened. Each
 * streams its lines to the object, and stops when the object aborts it.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { appRightsFromEnv } from "../adapters/env/app-rights.ts";
import { filesFromEnv } from "../adapters/env/files.ts";
import { systemClock } from "../adapters/env/clock.ts";
import { taskModelFromEnv } from "../adapters/env/model.ts";
import { resultsFromEnv } from "../adapters/env/results.ts";
import { settingsFromEnv } from "../adapters/env/settings.ts";
import type { Env } from "../adapters/env/bindings.ts";
import { failed, type Result } from "../core/base/errors.ts";
import { condense } from "../core/steps/condense.ts";
import { reviseCall } from "../core/steps/revise.ts";
import { type LineListener, sendLines } from "../core/steps/lines.ts";
import { isSupported, OTHER_RELEASE } from "../core/steps/job-version.ts";
import {
  type ActJob,
  type ActLine,
  type CondenseJob,
  type CondenseLine,
  type EarlierStepsRpc,
  mustBeStored,
  type ReviseJob,
  type StepsRpc,
  type ThinkJob,
  type ThinkLine,
  type UnsupportedLine,
} from "../core/steps/rpc.ts";
import type { RevisedCall } from "../core/task/commands.ts";
import type { Tool } from "../core/tool/tool.ts";
import { catalogue } from "../tools/catalogue.generated.ts";
import { streamModelPhase } from "./model-phase.ts";
import { streamToolPhase } from "./tool-phase.ts";
import { toShapeLimits } from "./tools/perform-deps.ts";
import { openAvailableToolset } from "./tools/toolsets.ts";

export class StepRunner extends WorkerEntrypoint<Env> implements StepsRpc, EarlierStepsRpc {
  /** The callable tools. A test's runner adds its own. */
  protected readonly tools: readonly Tool[] = catalogue;

  async runModelPhase(job: ThinkJob, listener: LineListener<ThinkLine>): Promise<ThinkLine | null> {
    if (!isSupported(job.version)) return UNSUPPORTED;
    return await sendLines(listener, (signal) => streamModelPhase(this.env, job, signal, this.tools));
  }

  async runToolPhase(job: ActJob, listener: LineListener<ActLine>): Promise<ActLine | null> {
    if (!isSupported(job.version)) return UNSUPPORTED;
    const giveTurn = job.hearsAll === true ? async () => await scheduler.wait(0) : undefined;
    return await sendLines(listener, (signal) => streamToolPhase(this.env, job, signal, this.tools), {
      mustBeStored,
      giveTurn,
    });
  }

  async shorten(job: CondenseJob, listener: LineListener<CondenseLine>): Promise<CondenseLine | null> {
    if (!isSupported(job.version)) return UNSUPPORTED;
    return await sendLines(listener, (signal) => this.streamCondense(job, signal));
  }

  async reviseCall(job: ReviseJob): Promise<Result<RevisedCall>> {
    if (!isSupported(job.version)) return failed("upstream_failed", OTHER_RELEASE);
    return await reviseCall(
      job,
      await openAvailableToolset(this.env, job.facts, this.tools),
      filesFromEnv(this.env, job.facts),
      appRightsFromEnv(this.env, job.facts.tenant),
    );
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

  /** The demo model never shortens: it reads a conversation, not an instruction to rewrite a text. */
  private async *streamCondense(job: CondenseJob, signal: AbortSignal): AsyncGenerator<CondenseLine, null, boolean> {
    const { env } = this;
    const settings = settingsFromEnv(env);
    const deps = {
      model: job.withModel && !settings.isDemo ? taskModelFromEnv(env, job.facts) : null,
      results: resultsFromEnv(env, job.facts, []),
      toolset: await openAvailableToolset(this.env, job.facts, this.tools),
      limits: toShapeLimits(settings),
      clock: systemClock,
    };
    yield* condense(job, deps, signal);
    return null;
  }
}

const UNSUPPORTED: UnsupportedLine = { type: "unsupported" };
