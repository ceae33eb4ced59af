/** slack.notify over workspaces in memory. */
import { describe, expect, it } from "vitest";
import { maybeSent } from "../../../core/base/errors.ts";
import type { SlackPort } from "../../../core/ports/slack.ts";
import type { ProbeOutcome, ToolContext } from "../../../core/tool/tool.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import slackNotify from "../../../tools/slack/notify.ts";
import { type FakeSlack, fakeSlack, makeNotesPort } from "../../fakes/slack.ts";
import { contextFacts, freshPorts, runTool } from "../run-tool.ts";

const CHANNELS = [{ id: "C1", name: "general", isOpen: true }];
const workspace = (team: string) => fakeSlack({ team, channels: CHANNELS, users: [] });
const GIVEN = { message: "The **report** is ready. <!channel>" };

/** A workspace whose answer to a post is lost, before the post takes effect or after. */
function losing(fake: FakeSlack, takesEffect: boolean): Pick<FakeSlack, "team" | "slack"> {
  const slack: SlackPort = {
    ...fake.slack,
    async post(message) {
      if (takesEffect) await fake.slack.post(message);
      return maybeSent("upstream_failed", "Slack cannot be reached.");
    },
  };
  return { team: fake.team, slack };
}

async function probe(fake: Pick<FakeSlack, "team" | "slack">, key: string): Promise<ProbeOutcome<unknown>> {
  const context = { ...contextFacts(), key, ...freshPorts(), slack: makeNotesPort([fake]) } as ToolContext<
    keyof ToolPorts
  >;
  const parsed = slackNotify.input.parse(GIVEN);
  return (await slackNotify.probe?.(parsed as never, context)) ?? { kind: "cannot_tell" };
}

describe("slack.notify", () => {
  it("posts to #general, in Slack's form, and says where that is", async () => {
    const fake = workspace("T1");
    const ran = await runTool(slackNotify, GIVEN, { slack: makeNotesPort([fake]) });
    const [message] = fake.messages;
    expect(ran.result).toEqual({
      sent: true,
      message: GIVEN.message,
      channel: "C1",
      ts: message?.ts,
      permalink: expect.stringMatching(/^https:\/\/t1\.slack\.com\/archives\/C1\/p\d+$/),
    });
    expect(message?.text).toBe("The *report* is ready. &lt;!channel&gt;");
  });

  it("says how Slack is connected where it is not", async () => {
    const { failure } = await runTool(slackNotify, GIVEN, { slack: makeNotesPort([]) });
    expect(failure).toMatchObject({
      code: "not_available",
      message: expect.stringContaining("POST /v1/slack/authorize"),
    });
  });

  it("asks which workspace is meant where there are several, and takes the agent's setting", async () => {
    const [one, two] = [workspace("T1"), workspace("T2")];
    const ports = { slack: makeNotesPort([one, two]) };
    const { failure } = await runTool(slackNotify, GIVEN, ports);
    expect(failure).toMatchObject({
      code: "invalid_input",
      field: "team",
      message: expect.stringContaining("T1 (Team T1), T2"),
    });
    await runTool(slackNotify, { ...GIVEN, team: "team t2" }, ports);
    await runTool(slackNotify, GIVEN, ports, { config: { team: "T1" } });
    expect([one.messages.length, two.messages.length]).toEqual([1, 1]);
  });

  it("posts to the agent's default channel where the call names none", async () => {
    const fake = fakeSlack({
      team: "T1",
      channels: [...CHANNELS, { id: "C2", name: "alerts", isOpen: true }],
      users: [],
    });
    const ports = { slack: makeNotesPort([fake]) };
    const facts = { config: { default_channel: "#alerts" } };
    expect((await runTool(slackNotify, GIVEN, ports, facts)).result).toMatchObject({ channel: "C2" });
    const named = await runTool(slackNotify, { ...GIVEN, channel: "#general" }, ports, facts);
    expect(named.result).toMatchObject({ channel: "C1" });
  });

  it("takes the workspace of the settings also for a call that an earlier release prepared", async () => {
    const [one, two] = [workspace("T1"), workspace("T2")];
    const context = { ...contextFacts(), ...freshPorts(), slack: makeNotesPort([one, two]), config: { team: "T2" } };
    const prepared = { message: "Hi", channel: "#general" };
    await slackNotify.run(prepared as never, context);
    expect([one.messages.length, two.messages.length]).toEqual([0, 1]);
  });

  it.each([
    ["nowhere", "not_found"],
    ["#General Chat", "invalid_input"],
    ["../C1", "invalid_input"],
  ])("refuses the channel %s", async (channel, code) => {
    const { failure } = await runTool(slackNotify, { ...GIVEN, channel }, { slack: makeNotesPort([workspace("T1")]) });
    expect(failure).toMatchObject({ code, field: "channel", happened: "no" });
  });

  it("finds the message whose answer was lost", async () => {
    const fake = workspace("T1");
    const ran = await runTool(slackNotify, GIVEN, { slack: makeNotesPort([losing(fake, true)]) });
    expect(ran.result).toMatchObject({ sent: true, ts: fake.messages[0]?.ts });
    expect(fake.messages).toHaveLength(1);
  });

  it("does not say of a lost message that it was not sent", async () => {
    const { failure } = await runTool(slackNotify, GIVEN, { slack: makeNotesPort([losing(workspace("T1"), false)]) });
    expect(failure).toMatchObject({ code: "upstream_failed", happened: "unknown" });
  });

  it("says of a message to a Slack that cannot be reached that it was not sent", async () => {
    const fake = workspace("T1");
    const away = async () => maybeSent("upstream_failed", "Slack is unavailable.", { details: { service: "slack" } });
    const slack: SlackPort = { ...fake.slack, whoAmI: away, post: away, listOwnMessages: away };
    const { failure } = await runTool(slackNotify, GIVEN, { slack: makeNotesPort([{ team: "T1", slack }]) });
    expect(failure).toMatchObject({ code: "upstream_failed", happened: "no", details: { service: "slack" } });
  });

  it("can look up whether a call posted", async () => {
    const fake = workspace("T1");
    await runTool(slackNotify, GIVEN, { slack: makeNotesPort([fake]) }, { key: "call_1" });
    expect(await probe(fake, "call_1")).toMatchObject({
      kind: "happened",
      result: { sent: true, message: GIVEN.message, channel: "C1" },
    });
    expect(await probe(fake, "call_2")).toEqual({ kind: "not_happened" });
    fake.revoke();
    expect(await probe(fake, "call_1")).toEqual({ kind: "cannot_tell" });
  });
});
