/** How soon what comes from Slack is acknowledged while the database and the model hang, and how soon its task begins when they do not. */
import { setTimeout as sleep } from "node:timers/promises";
import { runBurstDrill } from "../../test/drill/channels/burst-drill.ts";
import { burstWord, findSaidWord } from "../../test/drill/channels/burst-script.ts";
import { SIGNING_SECRET } from "../../test/drill/channels/channels.ts";
import { quantile } from "../../test/drill/random.ts";
import { openStage, type Stage as DrillStage } from "../../test/drill/stage.ts";
import { SlackClient } from "../../test/mock-servers/slack-client.ts";
import { eventEnvelope, messageEvent, signJson } from "../../test/mock-servers/slack-requests.ts";
import { startSlackServer } from "../../test/mock-servers/slack-server.ts";
import type { Section } from "./section.ts";

const OURS = "Otto";
const BURST = { seed: 7, perSecond: 50, seconds: 10, hangSeconds: 12, kills: false, endWithinMs: 120_000 } as const;
/** Messages one after the other, and between two of them. */
const MESSAGES = 40;
const GAP_MS = 250;
/** The first ones meet what was not read before. */
const WARM_UP = 10;

export const SLACK: Section = {
  name: "slack",
  once: true,
  rows: [
    {
      key: "ack-p50",
      label: "Slack event acknowledged, 50/s, database and model hang, ms (p50)",
      digits: 1,
      target: "",
    },
    { key: "ack-p99", label: "– p99", digits: 1, target: "≤ 500", must: 500 },
    { key: "first-step", label: "Slack event in to first model call, ms (p50)", digits: 1, target: "tens" },
    { key: "first-step-p99", label: "– p99", digits: 1, target: "" },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    const slack = await startSlackServer();
    try {
      const env = { SLACK_API_URL: `${slack.url}/api/`, SLACK_SIGNING_SECRET: SIGNING_SECRET };
      const drill = await openStage({ env });
      try {
        const times = await firstSteps(drill, slack.url);
        note("first-step", OURS, quantile(times, 0.5));
        note("first-step-p99", OURS, quantile(times, 0.99));
        const { ackMs, violations } = await runBurstDrill(drill, slack.url, SIGNING_SECRET, BURST);
        if (violations.length > 0) throw new Error(violations.join("; "));
        note("ack-p50", OURS, ackMs.p50);
        note("ack-p99", OURS, ackMs.p99);
      } finally {
        await drill.close();
      }
    } finally {
      await slack.close();
    }
  },
};

/** From a message's sending to its task's first model call. Both clocks are this process's: the model is served in it. */
async function firstSteps(drill: DrillStage, slackUrl: string): Promise<number[]> {
  const client = new SlackClient(slackUrl, "T0STEPS");
  const channel = "D0STEPS";
  const app = await client.make({
    users: [{ id: "U0STEPS" }],
    channels: [{ id: channel, isDirect: true, user: "U0STEPS" }],
  });
  const tenant = await drill.makeTenant("first steps");
  await tenant.api.must("POST", "/v1/slack/installs", { bot_token: app.token });
  const calledAt = new Map<string, number>();
  const before = drill.hooks;
  drill.hooks = {
    ...before,
    onModelRequest(_, body) {
      const word = findSaidWord(body.messages);
      if (word !== null && !calledAt.has(word)) calledAt.set(word, performance.now());
    },
  };
  const times: number[] = [];
  for (let index = 0; index < WARM_UP + MESSAGES; index += 1) {
    const word = burstWord("steps", index);
    const said = { user: "U0STEPS", text: `say ${word}`, channel, ts: `${1_790_000_000 + index}.000100` };
    const request = await signJson(eventEnvelope(app, messageEvent(said, "im"), `Ev${word}`), {
      secret: SIGNING_SECRET,
    });
    const sentAt = performance.now();
    await (await fetch(`${drill.system.url}/slack/events`, request)).arrayBuffer();
    for (let waited = 0; !calledAt.has(word) && waited < 400; waited += 1) await sleep(5);
    if (index >= WARM_UP) times.push((calledAt.get(word) ?? Number.NaN) - sentAt);
    await sleep(GAP_MS);
  }
  drill.hooks = before;
  return times;
}
