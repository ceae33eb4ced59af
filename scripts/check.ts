/**
 * `npm run check`: everything that is said about the code without running the product. `--fix` first formats and
 * writes the catalogue, the skills that ship and the API's types. `--static` leaves the architecture tests out, which `npm test` runs as a suite.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { type CommandEnd, runCommand, stopCommandsOnSignal } from "./project-command.ts";

interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
}

const CHECK_TIMEOUT_MS = 240_000;

/** One TypeScript project for each set of globals that code may see. */
const TYPE_PROJECTS = ["core", ".", "scripts", "sidecar", "web", "bench", "test", "test/workerd", "test/unit/console"];

/** The longest first, so that the last to end ends early. */
const CHECKS: readonly Check[] = [
  { name: "architecture", command: ["vitest", "run", "--project", "architecture"] },
  { name: "unused code", command: ["knip"] },
  { name: "lint", command: ["oxlint"] },
  { name: "format", command: ["biome", "format"] },
  ...TYPE_PROJECTS.map((project): Check => {
    const label = project === "." ? "worker" : project;
    return { name: `types of ${label}`, command: ["tsc", "--project", project, "--checkers", "1"] };
  }),
  { name: "catalogue", command: ["node", "scripts/catalogue.ts", "--check"] },
  { name: "skills", command: ["node", "scripts/skills.ts", "--check"] },
  { name: "API types", command: ["node", "scripts/api-types.ts", "--check"] },
  { name: "API document", command: ["node", "scripts/api-lint.ts"] },
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

/** Runs the checks, as many at once as the machine has cores. */
async function runAll(checks: readonly Check[]): Promise<Outcome[]> {
  const queue = [...checks];
  const outcomes: Outcome[] = [];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) outcomes.push(await run(next));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return outcomes;
}

stopCommandsOnSignal();
const { values } = parseArgs({ options: { fix: { type: "boolean" }, static: { type: "boolean" } } });
const repaired: Outcome[] = [];
if (values.fix) {
  for (const fix of FIXES) repaired.push(await run(fix));
}
const checks = CHECKS.filter(({ name }) => !(values.static && name === "architecture"));
const outcomes = [...repaired, ...(await runAll(checks))];
if (outcomes.some(({ passed }) => !passed)) process.exitCode = 1;
