/** What a fresh system holds before its first task: every process that `npm start` runs. */
import { setTimeout as sleep } from "node:timers/promises";
import { startSystem } from "../../test/drill/started-system.ts";
import { parentOf, processTree, proportionalKib } from "../processes.ts";
import type { Section } from "./section.ts";

const OURS = "Otto";
const SETTLE_MS = 5_000;
const KIB_PER_MIB = 1024;

export const START_MEMORY: Section = {
  name: "start-memory",
  once: true,
  rows: [
    {
      key: "start-memory",
      label: "memory before the first task, first start, MiB",
      digits: 0,
      target: "≤ 700",
      must: 700,
    },
    { key: "start-memory-again", label: "– second start, MiB", digits: 0, target: "≤ 700", must: 700 },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    const system = await startSystem({ OTTO_DEMO_APPS: "yes" });
    const readMib = async (): Promise<number> => {
      await sleep(SETTLE_MS);
      const supervisor = parentOf(system.pidOf("runtime") ?? Number.NaN);
      return proportionalKib(processTree(supervisor)) / KIB_PER_MIB;
    };
    try {
      note("start-memory", OURS, await readMib());
      await system.end();
      await system.startAgain();
      note("start-memory-again", OURS, await readMib());
    } finally {
      await system.stop();
    }
  },
};
