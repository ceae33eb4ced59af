/**
 * Sends a burst of Slack mentions while the database and the model hang. Each must be acknowledged in time; Slack resends all in another
 * order; each must become one task.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { SlackClient } from "../../mock-servers/slack-client.ts";
import { eventEnvelope, mentionEvent, signJson } from "../../mock-servers/slack-requests.ts";
import { eachAtOnce } from "../api-client.ts";
import { breakModel, holdPart } from "../outages/dependencies.ts";
import { quantile, seededRandom } from "../random.ts";
import type { Stage } from "../stage.ts";
import { kill } from "../started-system.ts";
import { burstWord, findWord } from "./burst-script.ts";

export interface BurstPlan {
  readonly seed: number;
  readonly perSecond: number;
  readonly seconds: number;
  /** How long the database and the model hang, from the first event on. */
  readonly hangSeconds: number;
  /** Kills workerd during the burst; Slack then resends unacknowledged events. */
  readonly kills: boolean;
  readonly endWithinMs: number;
}

export interface BurstReport {
  readonly events: number;
  /** Requests without a 200 reply. 0 without kills. */
  readonly refused: number;
  /** Acknowledgement times of first attempts. */
  readonly ackMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly tasks: number;
  /** From the return of database and model to the last task's end. */
  readonly caughtUpMs: number;
  readonly violations: readonly string[];
}

const CHANNEL = "C0BURST";
const USER = "U0BURST";
/** Concurrent resent requests. */
const AGAIN_AT_ONCE = 10;
/** Slack's pause before a retry, shortened. */
const RETRY_MS = 200;
/** Time to detect duplicates after all tasks exist. */
const LINGER_MS = 2000;

interface BurstEvent {
  readonly word: string;
  readonly body: unknown;
}

/** `slackUrl` is the mock server of Slack, `secret` its signing secret. */
export async function runBurstDrill(
  stage: Stage,
  slackUrl: string,
  secret: string,
  plan: BurstPlan,
): Promise<BurstReport> {
  const burst = `${plan.seed.toString(36)}${plan.kills ? "k" : ""}`;
  const slack = new SlackClient(slackUrl, `T0${burst.toUpperCase()}`);
  const app = await slack.make({ users: [{ id: USER }], channels: [{ id: CHANNEL, name: "burst", isMember: true }] });
  const tenant = await stage.makeTenant(`burst ${burst}`);
  await tenant.api.must("POST", "/v1/slack/installs", { bot_token: app.token });
  const events = Array.from({ length: plan.perSecond * plan.seconds }, (_, index): BurstEvent => {
    const word = burstWord(burst, index);
    const ts = `${1_780_000_000 + index}.000100`;
    const said = { user: USER, text: `<@${app.botUser}> say ${word}`, channel: CHANNEL, ts };
    return { word, body: eventEnvelope(app, mentionEvent(said), `Ev${burst}${index}`) };
  });

  const hangMs = plan.hangSeconds * 1000;
  const hanging = Promise.all([
    holdPart(stage, "database", "SIGSTOP", hangMs),
    breakModel(stage, { kind: "hang" }, hangMs),
  ]);
  const acks: number[] = [];
  let refused = 0;
  const post = async ({ body }: BurstEvent, retry: number): Promise<void> => {
    const request = await signJson(body, {
      secret,
      ...(retry > 0 && { retry: { number: retry, reason: "http_timeout" } }),
    });
    const startedAt = performance.now();
    const status = await fetch(`${stage.system.url}/slack/events`, { ...request, signal: AbortSignal.timeout(30_000) })
      .then(async (response) => {
        await response.arrayBuffer();
        return response.status;
      })
      .catch(() => 0);
    if (status === 200) {
      if (retry === 0) acks.push(performance.now() - startedAt);
      return;
    }
    refused += 1;
    await sleep(RETRY_MS);
    await post({ word: "", body }, retry + 1);
  };
  const sent: Promise<void>[] = [];
  const startedAt = performance.now();
  for (const [index, event] of events.entries()) {
    const due = startedAt + (index * 1000) / plan.perSecond;
    if (due > performance.now()) await sleep(due - performance.now());
    sent.push(post(event, 0));
    if (plan.kills && index === Math.floor(events.length / 2)) kill(stage.system.workerdPid() ?? Number.NaN);
  }
  await Promise.all(sent);
  await hanging;
  const returnedAt = performance.now();
  const random = seededRandom(plan.seed);
  const again = events.map((event) => ({ event, at: random() })).toSorted((a, b) => a.at - b.at);
  await eachAtOnce(again, AGAIN_AT_ONCE, async ({ event }) => await post(event, 1));

  const words = await untilAll(tenant.api, events.length, returnedAt + plan.endWithinMs);
  const caughtUpMs = performance.now() - returnedAt;
  await sleep(LINGER_MS);
  const found = (await endedTasks(tenant.api)).map(({ word }) => word);
  const violations = [
    ...judge(events, found),
    ...(words < events.length ? [`only ${words} of ${events.length} events had a task that ended in time`] : []),
    ...(!plan.kills && refused > 0 ? [`${refused} requests were not acknowledged`] : []),
  ];
  const ackMs = { p50: quantile(acks, 0.5), p99: quantile(acks, 0.99), max: Math.max(...acks) };
  return { events: events.length, refused, ackMs, tasks: found.length, caughtUpMs, violations };
}

/** Checks that each event has one task, and that no other task exists. */
function judge(events: readonly BurstEvent[], found: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  const lost = events.filter(({ word }) => !counts.has(word)).length;
  const double = [...counts.values()].filter((count) => count > 1).length;
  const strange = found.filter((word) => !events.some((event) => event.word === word)).length;
  return [
    ...(lost > 0 ? [`${lost} events became no task`] : []),
    ...(double > 0 ? [`${double} events became more than one task`] : []),
    ...(strange > 0 ? [`${strange} tasks are of no event`] : []),
  ];
}

type Api = Awaited<ReturnType<Stage["makeTenant"]>>["api"];

/** Waits until this many tasks have ended. Returns how many had. */
async function untilAll(api: Api, count: number, end: number): Promise<number> {
  for (;;) {
    const ended = (await endedTasks(api)).filter(({ status }) => status === "completed").length;
    if (ended >= count || performance.now() > end) return ended;
    await sleep(500);
  }
}

/** Every task of the tenant, with the word of its event. */
async function endedTasks(api: Api): Promise<{ readonly word: string; readonly status: string }[]> {
  const tasks: { word: string; status: string }[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const path = `/v1/tasks?limit=100${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page: { data: readonly { input: unknown; status: string }[]; next_cursor: string | null } = await api.must(
      "GET",
      path,
    );
    for (const { input, status } of page.data) tasks.push({ word: findWord(JSON.stringify(input)) ?? "", status });
    cursor = page.next_cursor;
  }
  return tasks;
}
