/** Time of a program in its cage, from the start to its end and its last output, compared with the bare program started from Node. */
import { execFile } from "node:child_process";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { DEFAULT_LIMITS } from "../../sidecar/cage/cage.ts";
import { type Cages, openCages } from "../../sidecar/cage/cages.ts";
import { startCaged } from "../../sidecar/cage/start-caged.ts";
import { quantile } from "../../test/drill/random.ts";
import { nowMs } from "../clock.ts";
import type { Section } from "./section.ts";

const RUNS = 40;
const PROGRAM = ["/bin/echo", "hello"] as const;
const OURS = "Otto";
const IN_NODE = "AI SDK loop";

export const CAGE: Section = {
  name: "cage",
  once: true,
  rows: [{ key: "cage", label: "A program in its cage, and without, ms (p50)", digits: 1, target: "≤ 50", must: 50 }],
  async measure(stage, note) {
    const cages = await openCages({ chosen: undefined });
    try {
      for (const { name } of stage.contenders) {
        if (name === OURS) note("cage", name, await medianOf(() => runCaged(cages)));
        if (name === IN_NODE) note("cage", name, await medianOf(runAlone));
      }
    } finally {
      await cages.close();
    }
  },
};

async function medianOf(run: () => Promise<string>): Promise<number> {
  const times: number[] = [];
  // The first one meets what was not read before.
  for (let at = 0; at <= RUNS; at += 1) {
    const startedAt = nowMs();
    const said = await run();
    if (said !== "hello\n") throw new Error(`the program said ${JSON.stringify(said)}`);
    if (at > 0) times.push(nowMs() - startedAt);
  }
  return quantile(times, 0.5);
}

async function runCaged(cages: Cages): Promise<string> {
  const spec = { argv: PROGRAM, cwd: "/tmp", env: {}, mounts: [], limits: DEFAULT_LIMITS, network: null } as const;
  const started = await startCaged(cages, { ...spec, stdin: "empty" });
  if (!started.ok) throw new Error(started.error.message);
  const [said] = await Promise.all([text(started.value.stdout), text(started.value.stderr), started.value.ended]);
  return said;
}

async function runAlone(): Promise<string> {
  const [program, ...args] = PROGRAM;
  return (await promisify(execFile)(program, args)).stdout;
}
