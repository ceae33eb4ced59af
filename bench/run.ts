/**
 * `npm run bench`: what a step costs beyond the model's own time, and how many run at once, beside two floors in the same
 * run: an AI SDK loop in Node that keeps nothing, and a bare Durable Object that keeps one row a step. Three rounds.
 */
import { parseArgs } from "node:util";
import { quantile } from "../test/drill/random.ts";
import { startModelServer } from "../test/stand-ins/model-server.ts";
import { type Contender, startBareObject, startOtto, startSdkLoop } from "./contenders.ts";
import { measureGap, measureRate } from "./measure.ts";
import { benchScript, MAX_STEPS } from "./scripted-task.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, tasks: { type: "string", default: "200" } },
});
const rounds = Number(values.rounds);
const tasks = Number(values.tasks);
const GAP_STEPS = 80;
const RATE_STEPS = 5;

/** One contender's figures, one entry a round. */
interface Figures {
  readonly gapMs: number[];
  readonly tasksPerSecond: number[];
  readonly stepsPerSecond: number[];
}

const server = await startModelServer({ script: benchScript, keepBodies: false });
const contenders: Contender[] = [];
try {
  console.log("Starting Otto and the floors …");
  contenders.push(await startOtto(server.url), startSdkLoop(server.url), await startBareObject(server.url));
  const figures = new Map<string, Figures>();
  for (const contender of contenders) {
    figures.set(contender.name, { gapMs: [], tasksPerSecond: [], stepsPerSecond: [] });
    await measureRate(server, contender, 20, RATE_STEPS);
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const contender of contenders) {
      const of = figures.get(contender.name);
      const gapMs = await measureGap(server, contender, Math.min(GAP_STEPS, MAX_STEPS));
      const rate = await measureRate(server, contender, tasks, RATE_STEPS);
      of?.gapMs.push(gapMs);
      of?.tasksPerSecond.push(rate.tasksPerSecond);
      of?.stepsPerSecond.push(rate.stepsPerSecond);
      console.log(
        `  round ${round}  ${contender.name.padEnd(12)} gap ${gapMs.toFixed(2)} ms, ${rate.tasksPerSecond.toFixed(0)} tasks/s, ${rate.stepsPerSecond.toFixed(0)} steps/s`,
      );
    }
  }
  console.log(table(figures));
} finally {
  for (const contender of contenders) await contender.close();
  await server.close();
}

function table(figures: ReadonlyMap<string, Figures>): string {
  const otto = figures.get("Otto");
  const floors = [...figures].filter(([name]) => name !== "Otto");
  const rows: [label: string, pick: (of: Figures) => number[], digits: number][] = [
    ["gap between model calls, ms (p50)", (of) => of.gapMs, 2],
    [`tasks a second, ${tasks} at once`, (of) => of.tasksPerSecond, 1],
    [`steps a second, ${tasks} at once`, (of) => of.stepsPerSecond, 0],
  ];
  const lines = [
    "",
    `Median of ${rounds} rounds (lowest–highest). Ratios are Otto's figure over the floor's, round by round.`,
    "",
    `| | Otto | ${floors.map(([name]) => `${name} | Otto / ${name}`).join(" | ")} |`,
    `| --- | ---: | ${floors.map(() => "---: | ---:").join(" | ")} |`,
  ];
  for (const [label, pick, digits] of rows) {
    const own = otto === undefined ? [] : pick(otto);
    const cells = floors.map(([, of]) => {
      const floor = pick(of);
      const ratios = own.map((value, round) => value / (floor[round] ?? Number.NaN));
      return `${spread(floor, digits)} | ${spread(ratios, 2)}`;
    });
    lines.push(`| ${label} | ${spread(own, digits)} | ${cells.join(" | ")} |`);
  }
  return lines.join("\n");
}

function spread(values: readonly number[], digits: number): string {
  return `${quantile(values, 0.5).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;
}
