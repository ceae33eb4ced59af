/**
 * The Worker as it is deployed, with tools of tests (one's effect can be looked up, one acts through an account), one channel more, that of
 * the inboxes `test/…`, a sender of every channel that takes the deliveries of tests, and a provider of apps and variables that a test sets. Its tasks, tenants and runners note the
 * calls that they receive while a test records them, and its runners play other releases.
 */
import { CHANNELS } from "../../workers/channels/channels.ts";
import { ChannelRunner as DeployedChannelRunner } from "../../workers/channels/runner.ts";
import { StepRunner as DeployedStepRunner } from "../../workers/steps.ts";
import type { LineListener } from "../../core/steps/lines.ts";
import type { ActLine } from "../../core/steps/rpc.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { ok } from "../../core/base/errors.ts";
import { getSource } from "./catalogue/test-source.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import deployed from "../../workers/index.ts";
import { testChannel } from "./channels/inbox/test-receiver.ts";
import { noteCall } from "./call-notes.ts";
import { playRelease } from "./task/runner-release.ts";
import { ingestDepsOfTests } from "./knowledge/test-reader.ts";
import { withVariables } from "./variables.ts";
import { TOOLS_OF_TESTS } from "./task/test-tools.ts";
import { withTestSender } from "./channels/outbox/test-sender.ts";

export {
  InboxObject,
  OutboxObject,
  ScheduleObject,
  SidecarObject,
  SweepRunner,
} from "../../workers/index.ts";
export { SandboxObject, TaskObject, TenantObject } from "./noted-objects.ts";

/** Requests see the variables that a test sets. */
export default {
  ...deployed,
  fetch: (request, env, context) => deployed.fetch(request, withVariables(env), context),
} satisfies ExportedHandler<Env>;

export class StepRunner extends DeployedStepRunner {
  protected override readonly tools: readonly Tool[] = TOOLS_OF_TESTS;

  override async runModelPhase(...[job, listener]: Parameters<DeployedStepRunner["runModelPhase"]>) {
    noteCall(job.facts.id, "model phase");
    return await super.runModelPhase(playRelease(job, "runModelPhase"), listener);
  }

  override async runToolPhase(...[job, listener]: Parameters<DeployedStepRunner["runToolPhase"]>) {
    noteCall(job.facts.id, "tool phase");
    return await super.runToolPhase(playRelease(job, "runToolPhase"), noteLines(job.facts.id, listener));
  }

  override async shorten(...[job, listener]: Parameters<DeployedStepRunner["shorten"]>) {
    noteCall(job.facts.id, "shortening");
    return await super.shorten(playRelease(job, "shorten"), listener);
  }
}

/** Notes the calls of a listener, apart from those of the task. */
function noteLines(task: string, listener: LineListener<ActLine>): LineListener<ActLine> {
  const note = (method: string, lines: number) => noteCall(`lines of ${task}`, `${method} ${lines}`);
  return {
    async hear(line) {
      note("hear", 1);
      await listener.hear(line);
    },
    async hearAll(lines) {
      note("hearAll", lines.length);
      await listener.hearAll(lines);
    },
    async commit(line) {
      note("commit", 1);
      return await listener.commit(line);
    },
    givenUp: async () => await listener.givenUp(),
  };
}

export class ChannelRunner extends DeployedChannelRunner {
  protected override readonly channels = new Map([...withTestSender(CHANNELS), ["test", testChannel]]);
  protected override readonly sourceOfApps = () => Promise.resolve(ok(getSource()));
  protected override readonly ingestDeps = ingestDepsOfTests;
}
