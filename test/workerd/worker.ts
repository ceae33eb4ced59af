/**
 * The Worker as it is deployed, with one tool more (tests need one whose effect can be looked up), one channel more, that of
 * the inboxes `test/…`, and a sender of every channel that takes the deliveries of tests. Its tasks, tenants and runners note the
 * calls that they receive while a test records them, and its runners play other releases.
 */
import { z } from "zod";
import { CHANNELS } from "../../workers/channels/channels.ts";
import { ChannelRunner as DeployedChannelRunner } from "../../workers/channels/runner.ts";
import { StepRunner as DeployedStepRunner } from "../../workers/steps.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { catalogue } from "../../tools/catalogue.generated.ts";
import { defineTool, failWith } from "../../tools/define-tool.ts";
import { testChannel } from "./channels/inbox/test-receiver.ts";
import { noteCall } from "./call-notes.ts";
import { playRelease } from "./task/runner-release.ts";
import { withTestSender } from "./channels/outbox/test-sender.ts";

export {
  default,
  InboxObject,
  OutboxObject,
  SandboxObject,
  ScheduleObject,
  SidecarObject,
  SweepRunner,
} from "../../workers/index.ts";
export { TaskObject, TenantObject } from "./noted-objects.ts";

const input = z.object({ url: z.url(), before_ms: z.int().default(0), after_ms: z.int().default(0) });

/** Posts to a recorder under the call's key, and finds out there whether an earlier attempt did. */
const testSend = defineTool({
  name: "test_send",
  summary: "Post to a recorder, slowly.",
  toolbox: "test",
  category: "communication",
  permissions: ["network"],
  security: "cautious",
  effect: "probe",
  needs: ["web"],
  input,
  output: z.object({ sent: z.string() }),
  async run({ url, before_ms, after_ms }, { web, key, signal }) {
    await pause(before_ms);
    const sent = await web.request({ ...requestTo(`${url}/sent/${key}`, "POST"), signal });
    await pause(after_ms);
    return sent.ok ? { sent: "now" } : failWith(sent.error);
  },
  async probe({ url }, { web, key, signal }) {
    const reply = await web.request({ ...requestTo(`${url}/records`, "GET"), signal });
    if (!reply.ok) return { kind: "cannot_tell" };
    const happened = new TextDecoder().decode(reply.value.body).includes(`/sent/${key}`);
    return happened ? { kind: "happened", result: { sent: "before" } } : { kind: "not_happened" };
  },
  show: ({ sent }) => `Sent ${sent}.`,
  examples: [{ note: "at once", given: { url: "http://recorder.example/" } }],
});

/** Posts to a recorder, without a way to look up whether it did. */
const testPost = defineTool({
  name: "test_post",
  summary: "Post to a recorder, slowly, with nothing to look up.",
  toolbox: "test",
  category: "communication",
  permissions: ["network"],
  security: "cautious",
  effect: "once",
  needs: ["web"],
  input: input.extend({ number: z.int() }),
  output: z.object({ sent: z.string() }),
  async run({ url, before_ms, after_ms }, { web, key, signal }) {
    await pause(before_ms);
    const sent = await web.request({ ...requestTo(`${url}/posted/${key}`, "POST"), signal });
    await pause(after_ms);
    return sent.ok ? { sent: "now" } : failWith(sent.error);
  },
  show: ({ sent }) => `Sent ${sent}.`,
  examples: [{ note: "at once", given: { url: "http://recorder.example/", number: 1 } }],
});

export class StepRunner extends DeployedStepRunner {
  protected override readonly tools: readonly Tool[] = [...catalogue, testSend, testPost];

  override async runModelPhase(...[job, listener]: Parameters<DeployedStepRunner["runModelPhase"]>) {
    noteCall(job.facts.id, "model phase");
    return await super.runModelPhase(playRelease(job, "runModelPhase"), listener);
  }

  override async runToolPhase(...[job, listener]: Parameters<DeployedStepRunner["runToolPhase"]>) {
    noteCall(job.facts.id, "tool phase");
    return await super.runToolPhase(playRelease(job, "runToolPhase"), listener);
  }

  override async shorten(...[job, listener]: Parameters<DeployedStepRunner["shorten"]>) {
    noteCall(job.facts.id, "shortening");
    return await super.shorten(playRelease(job, "shorten"), listener);
  }
}

export class ChannelRunner extends DeployedChannelRunner {
  protected override readonly channels = new Map([...withTestSender(CHANNELS), ["test", testChannel]]);
}

function requestTo(url: string, method: string) {
  return {
    url,
    method,
    headers: [],
    body: null,
    timeoutMs: 5000,
    maxBytes: 1_000_000,
    followRedirects: false,
    allowedDomains: ["*"],
  };
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
