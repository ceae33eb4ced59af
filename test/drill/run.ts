/**
 * `npm run drill` runs chaos drills on the complete system, and exits with status 1 on any violation. See test/drill/README.md for the
 * drills and the options.
 */
import { parseArgs } from "node:util";
import { runAccounts } from "./accounts/accounts.ts";
import { runApps } from "./apps/apps.ts";
import { runChannels } from "./channels/channels.ts";
import { runCrashes } from "./crashes/crashes.ts";
import { runEngine } from "./engine/engine.ts";
import { runFairness } from "./fairness/fairness.ts";
import { scenarioNamed } from "./fairness/scenarios.ts";
import type { GroupOptions, GroupReport } from "./group.ts";
import { runLoad } from "./load/load.ts";
import { dependencyNamed } from "./outages/dependencies.ts";
import { runOutages } from "./outages/outages.ts";
import { readOptions, wholeNumber } from "./read-options.ts";
import { runRecovery } from "./recovery/recovery.ts";
import { closing } from "./table.ts";
import { runTimers } from "./timers/timers.ts";

const GROUP_NAMES = [
  "crashes",
  "engine",
  "timers",
  "load",
  "outages",
  "channels",
  "accounts",
  "apps",
  "fairness",
  "recovery",
] as const;

const { options, chosen, sizes } = readOptions(() => {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      short: { type: "boolean", default: false },
      only: { type: "string", default: GROUP_NAMES.join() },
      kills: { type: "string" },
      waiting: { type: "string" },
      tasks: { type: "string" },
      "outage-s": { type: "string" },
      away: { type: "string", multiple: true },
      noise: { type: "string", multiple: true },
    },
  });
  const { short, away = null, noise = null } = values;
  away?.forEach(dependencyNamed);
  noise?.forEach(scenarioNamed);
  const numberOr = <Otherwise>(name: "seed" | "kills" | "waiting" | "tasks" | "outage-s", otherwise: Otherwise) => {
    const text = values[name];
    return text === undefined ? otherwise : wholeNumber(name, text, name === "seed" ? 0 : 1);
  };
  return {
    options: {
      seed: numberOr("seed", Math.floor(Math.random() * 2 ** 31)),
      short,
      say: (line: string) => console.log(line),
    } satisfies GroupOptions,
    chosen: values.only.split(",").map(groupNamed),
    sizes: {
      kills: numberOr("kills", null),
      waitingTasks: numberOr("waiting", short ? 40 : 200),
      tasks: numberOr("tasks", null),
      outage: { seconds: numberOr("outage-s", short ? 10 : 120), away },
      noise,
    },
  };
});
const { seed, short } = options;

const GROUPS: Readonly<Record<(typeof GROUP_NAMES)[number], () => Promise<GroupReport>>> = {
  crashes: () => runCrashes(options, sizes),
  engine: () => runEngine(options),
  timers: () => runTimers(options),
  load: () => runLoad(options, sizes),
  outages: () => runOutages(options, sizes.outage),
  channels: () => runChannels(options),
  accounts: () => runAccounts(options),
  apps: () => runApps(options),
  fairness: () => runFairness(options, sizes.noise),
  recovery: () => runRecovery(options, sizes.tasks),
};

console.log(`Drills ${chosen.join(", ")}, ${short ? "short" : "long"} form, seed ${seed}`);
const violations: string[] = [];
for (const name of chosen) {
  const report = await runGroup(name);
  console.log(`\n${report.text}\n`);
  violations.push(...report.violations);
}
console.log(closing(violations, seed));
process.exit(violations.length === 0 ? 0 : 1);

/** Reports a failed group as a violation and continues with the others. */
async function runGroup(name: (typeof GROUP_NAMES)[number]): Promise<GroupReport> {
  try {
    return await GROUPS[name]();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { text: `  ${name} broke off`, violations: [`${name} broke off: ${why}`] };
  }
}

function groupNamed(name: string): (typeof GROUP_NAMES)[number] {
  const found = GROUP_NAMES.find((group) => group === name);
  if (found === undefined) throw new Error(`there are no drills named ${name}: ${GROUP_NAMES.join(", ")}`);
  return found;
}
