/**
 * `npm run check`: everything that is said about the code without running the product. `--fix` first formats and
 * writes the catalogue, the skills that ship and the API's types. `--static` leaves the architecture tests out, which `npm test` runs as a suite.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { runAtMost } from "./at-most.ts";
import { type CommandEnd, runCommand, stopCommandsOnSignal } from "./project-command.ts";

interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
}

const CHECK_TIMEOUT_MS = 600_000;

/** The longest first, so that the last to end ends early. */
const CHECKS: readonly Check[] = [
  // The linter needs the types anyway, so it reports the errors in them too: each file by its own project's globals.
  { name: "lint and types", command: ["oxlint"] },
  { name: "architecture", command: ["vitest", "run", "--project", "architecture"] },
  // Core runs in the Worker and in the sidecar, so it has to compile by their globals as well.
  { name: "core in the Worker", command: ["tsc", "--project", "core/tsconfig.worker.json", "--checkers", "1"] },
  { name: "core in the sidecar", command: ["tsc", "--project", "sidecar", "--checkers", "1"] },
  { name: "unused code", command: ["knip"] },
  { name: "format", command: ["biome", "format"] },
  { name: "API types", command: ["node", "scripts/api-types.ts", "--check"] },
  { name: "API document", command: ["node", "scripts/api-lint.ts"] },
  { name: "catalogue", command: ["node", "scripts/catalogue.ts", "--check"] },
  { name: "skills", command: ["node", "scripts/skills.ts", "--check"] },
];

const FIXES: readonly Check[] = [
  { name: "catalogue", command: ["node", "scripts/catalogue.ts"] },
  { name: "skills", command: ["node", "scripts/skills.ts"] },
  { name: "API types", command: ["node", "scripts/api-types.ts"] },
  { name: "format", command: ["biome", "format", "--write"] },
];

async function run({ name, command: [tool, ...args] }: Check): Promise<Outcome> {
  const started = performance.now();
  const end: CommandEnd = await runCommand(tool, args, { show: false, timeoutMs: CHECK_TIMEOUT_MS });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const passed = end.exitCode === 0;
  console.log(`${passed ? "ok    " : "FAILED"} ${seconds.padStart(5)} s  ${name}`);
  if (!passed) console.log(end.output.trimEnd());
  return { name, passed };
}

stopCommandsOnSignal();
const { values } = parseArgs({ options: { fix: { type: "boolean" }, static: { type: "boolean" } } });
const repaired: Outcome[] = [];
if (values.fix) {
  for (const fix of FIXES) repaired.push(await run(fix));
}
const checks = CHECKS.filter(({ name }) => !(values.static && name === "architecture"));
const outcomes = [...repaired, ...(await runAtMost(availableParallelism(), checks, run))];
if (outcomes.some(({ passed }) => !passed)) process.exitCode = 1;
