/** What schedules cost that wait, and how late those are that are due at one moment. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eachAtOnce } from "../../test/drill/api-client.ts";
import { burstWord, findSaidWord } from "../../test/drill/channels/burst-script.ts";
import { quantile } from "../../test/drill/random.ts";
import { openStage, type Stage as DrillStage } from "../../test/drill/stage.ts";
import { objectsInMemory } from "../objects-on-disk.ts";
import { cpuMs } from "../processes.ts";
import type { Section } from "./section.ts";

const OURS = "Otto";
/** Each is an object of its own with a row in the database: creating them takes most of the time. */
const IDLE = 2_000;
const DUE = 1_000;
/** Of one tenant; its limit is above it. */
const EACH_TENANT = 1_000;
const AT_ONCE = 20;
/** The runtime puts an object out of memory that nobody called for ten seconds. */
const REST_MS = 20_000;
const LOOK_MS = 10_000;
const MINUTE_MS = 60_000;

export const SCHEDULES: Section = {
  name: "schedules",
  once: true,
  rows: [
    { key: "idle-objects", label: `objects in memory of ${IDLE} schedules that wait`, digits: 0, target: "0", must: 0 },
    { key: "idle-cpu", label: "– CPU of the runtime over 10 s beyond that without them, ms", digits: 0, target: "0" },
    { key: "due-p50", label: `${DUE} due at one moment: late by, s (p50)`, digits: 2, target: "" },
    { key: "due-last", label: "– the last, s", digits: 2, target: "≤ 60", must: 60 },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    const drill = await openStage({ env: { OTTO_MAX_RUNNING_TASKS: "256", OTTO_REQUESTS_PER_MINUTE: "1000000" } });
    try {
      const late = await lateness(drill);
      note("due-p50", OURS, quantile(late, 0.5));
      note("due-last", OURS, Math.max(...late));
      const before = await cpuOver(drill);
      const year = new Date(Date.now() + 365 * 86_400_000).toISOString();
      for (let made = 0; made < IDLE; made += EACH_TENANT)
        await makeSchedules(drill, `idle ${made}`, EACH_TENANT, year);
      await sleep(REST_MS);
      note("idle-cpu", OURS, Math.max(0, (await cpuOver(drill)) - before));
      const folder = join(drill.system.stateFolder, "runtime/do/otto-ScheduleObject");
      note("idle-objects", OURS, objectsInMemory(drill.system.workerdPid() ?? Number.NaN, folder));
    } finally {
      await drill.close();
    }
  },
};

/** How late each of many schedules was that were due at one moment, in seconds, by its task's first model call. */
async function lateness(drill: DrillStage): Promise<number[]> {
  const calledAt = new Map<string, number>();
  const before = drill.hooks;
  drill.hooks = {
    ...before,
    onModelRequest(_, body) {
      const word = findSaidWord(body.messages);
      if (word !== null && !calledAt.has(word)) calledAt.set(word, Date.now());
    },
  };
  const due = Math.ceil((Date.now() + 2 * MINUTE_MS) / 1000) * 1000;
  await makeSchedules(drill, "due", DUE, new Date(due).toISOString());
  if (Date.now() > due) throw new Error("the schedules were due before all of them were made");
  for (const end = due + 2 * MINUTE_MS; calledAt.size < DUE && Date.now() < end; ) await sleep(200);
  drill.hooks = before;
  if (calledAt.size < DUE) throw new Error(`only ${calledAt.size} of ${DUE} schedules fired`);
  return [...calledAt.values()].map((at) => (at - due) / 1000);
}

async function makeSchedules(drill: DrillStage, name: string, count: number, at: string): Promise<void> {
  const tenant = await drill.makeTenant(name);
  const numbers = Array.from({ length: count }, (_, index) => index);
  await eachAtOnce(numbers, AT_ONCE, async (index) => {
    await tenant.api.must("POST", "/v1/schedules", {
      name: `${name} ${index}`,
      when: { kind: "once", at },
      time_zone: "UTC",
      overlap: "allow",
      task: { input: burstWord(name.replace(" ", ""), index), agent: tenant.agent },
    });
  });
}

async function cpuOver(drill: DrillStage): Promise<number> {
  const pid = drill.system.workerdPid() ?? Number.NaN;
  const before = cpuMs([pid]);
  await sleep(LOOK_MS);
  return cpuMs([pid]) - before;
}
