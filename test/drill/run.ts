/**
 * `npm run drill`: drills on the whole system. Ends with status 1 on any violation. See test/drill/README.md for the drills
 * and the options.
 */
import { parseArgs } from "node:util";
import { runCrashes } from "./crashes/crashes.ts";
import { runEngine } from "./engine/engine.ts";
import type { GroupOptions, GroupReport } from "./group.ts";
import { runLoad } from "./load/load.ts";
import { runOutages } from "./outages/outages.ts";
import { closing } from "./table.ts";
import { runTimers } from "./timers/timers.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    short: { type: "boolean", default: false },
    only: { type: "string" },
    kills: { type: "string" },
    waiting: { type: "string" },
    tasks: { type: "string" },
    "outage-s": { type: "string" },
    away: { type: "string", multiple: true },
  },
});
const { short } = values;
const seed = number(values.seed, Math.floor(Math.random() * 2 ** 31));
const options: GroupOptions = { seed, short, say: (line) => console.log(line) };
const kills = values.kills === undefined ? null : number(values.kills, 0);
const tasks = values.tasks === undefined ? null : number(values.tasks, 0);

const GROUPS: Readonly<Record<string, () => Promise<GroupReport>>> = {
  crashes: () => runCrashes(options, { kills, waitingTasks: number(values.waiting, short ? 40 : 200) }),
  engine: () => runEngine(options),
  timers: () => runTimers(options),
  load: () => runLoad(options, { tasks }),
  outages: () =>
    runOutages(options, { seconds: number(values["outage-s"], short ? 10 : 120), away: values.away ?? null }),
};
const chosen = values.only?.split(",") ?? Object.keys(GROUPS);
const unknown = chosen.filter((name) => GROUPS[name] === undefined);
if (unknown.length > 0)
  throw new Error(`there are no drills named ${unknown.join(", ")}: ${Object.keys(GROUPS).join(", ")}`);

console.log(`Drills ${chosen.join(", ")}, ${short ? "short" : "long"} form, seed ${seed}`);
const violations: string[] = [];
for (const name of chosen) {
  const report = await GROUPS[name]?.();
  console.log(`\n${report?.text}\n`);
  violations.push(...(report?.violations ?? []));
}
console.log(closing(violations, seed));
process.exit(violations.length === 0 ? 0 : 1);

function number(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${text} is no whole number`);
  return value;
}
