/** Waits until a contender has done what is left to do, so that it is not in the figures of the next one. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Contender } from "../contenders/contender.ts";
import { cpuMs } from "../processes.ts";

/** Processes are quiet when they used no more than this of such a time. */
const QUIET_CPU_MS = 20;
const LOOK_EVERY_MS = 300;
const MAX_LOOKS = 30;

/** Otto gathers what tasks leave behind for two seconds, in which its processes are quiet. */
const GATHERED_MS = 3_000;

/** Waits until a contender has also stored what its tasks leave behind. */
export async function untilSettled(contender: Contender): Promise<void> {
  await sleep(GATHERED_MS);
  await untilQuiet(contender);
}

/** Warns when a contender is not quiet after nine seconds: its remaining work then distorts the next figures. */
export async function untilQuiet(contender: Contender): Promise<void> {
  let before = cpuMs(contender.pids());
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    await sleep(LOOK_EVERY_MS);
    const now = cpuMs(contender.pids());
    if (now - before <= QUIET_CPU_MS) return;
    before = now;
  }
  const seconds = (MAX_LOOKS * LOOK_EVERY_MS) / 1_000;
  console.log(`! ${contender.name} was not quiet after ${seconds} s: the figures that follow hold some of its work`);
}
