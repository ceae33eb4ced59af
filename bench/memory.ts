/**
 * `npm run bench:memory`: how fast and how whole a search of memories is, at several sizes, and what the two figures of its
 * ranking do. See docs/memory.md.
 *
 *     npm run bench:memory -- [--sizes 1000,10000,100000]
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { readOptions, wholeNumber } from "../test/drill/read-options.ts";
import { effectsOfRules, tableOfRules } from "./memory/rules.ts";
import { measureSearch, type SearchSpeed, tableOfSpeeds } from "./memory/speed.ts";
import { busyWarning, describeMachine } from "./report.ts";

const sizes = readOptions(() => {
  const { values } = parseArgs({ options: { sizes: { type: "string", default: "1000,10000" } } });
  return values.sizes.split(",").map((size) => wholeNumber("sizes", size, 1));
});

const warning = busyWarning(loadavg()[0] ?? 0);
if (warning !== null) console.log(warning);
const machine = describeMachine();
const speeds: SearchSpeed[] = [];
for (const size of sizes) {
  console.log(`${size} entries`);
  speeds.push(await measureSearch(size, (line) => console.log(line)));
}
console.log(`\nMeasured on ${machine}.\n\n${tableOfSpeeds(speeds)}\n\n${tableOfRules(await effectsOfRules())}`);
