/** `npm run drill`: crash drills on the whole system. Ends with status 1 on any violation. */
import { parseArgs } from "node:util";
import { reportText, runDrills } from "./drill.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    kills: { type: "string" },
    short: { type: "boolean", default: false },
    "outage-s": { type: "string" },
    waiting: { type: "string" },
  },
});
const seed = number(values.seed, Math.floor(Math.random() * 2 ** 31));
const report = await runDrills({
  seed,
  short: values.short,
  kills: values.kills === undefined ? null : number(values.kills, 0),
  outageSeconds: number(values["outage-s"], values.short ? 10 : 60),
  waitingTasks: number(values.waiting, values.short ? 40 : 200),
  say: (line) => console.log(line),
});
console.log(reportText(report, seed));
process.exit(report.violations.length === 0 ? 0 : 1);

function number(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${text} is no whole number`);
  return value;
}
