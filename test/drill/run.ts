/** `npm run drill`: drills on the whole system. Ends with status 1 on any violation. `--only crashes` or `--only engine`. */
import { parseArgs } from "node:util";
import { reportText, runDrills } from "./drill.ts";
import { engineText, FULL_SIZES, runEngineDrills, SHORT_SIZES } from "./engine.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    kills: { type: "string" },
    short: { type: "boolean", default: false },
    only: { type: "string" },
    "outage-s": { type: "string" },
    waiting: { type: "string" },
  },
});
const seed = number(values.seed, Math.floor(Math.random() * 2 ** 31));
const say = (line: string): void => console.log(line);
const { only } = values;
if (only !== undefined && only !== "crashes" && only !== "engine") throw new Error(`there are no drills named ${only}`);
const violations: string[] = [];
if (only !== "engine") {
  const report = await runDrills({
    seed,
    short: values.short,
    kills: values.kills === undefined ? null : number(values.kills, 0),
    outageSeconds: number(values["outage-s"], values.short ? 10 : 60),
    waitingTasks: number(values.waiting, values.short ? 40 : 200),
    say,
  });
  say(reportText(report, seed));
  violations.push(...report.violations);
}
if (only !== "crashes") {
  const report = await runEngineDrills(values.short ? SHORT_SIZES : FULL_SIZES, seed, say);
  say(engineText(report, seed));
  violations.push(...report.violations);
}
process.exit(violations.length === 0 ? 0 : 1);

function number(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${text} is no whole number`);
  return value;
}
