/**
 * `npm run bench`: what Otto costs beyond the model's own time, beside two floors in the same run: an AI SDK loop in Node
 * that keeps nothing, and a bare Durable Object that keeps one row a step; and a peer. See docs/bench.md.
 *
 *     npm run bench -- [--only gap,rate] [--rounds 3] [--no-floors] [--agents FOLDER] [--write]
 *
 * `--write` puts the table into docs/bench.md. `--agents` names the folder that the peer's package is installed in.
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { readOptions, wholeNumber } from "../test/drill/read-options.ts";
import type { Contender } from "./contenders/contender.ts";
import { startBareObject } from "./contenders/bare-object.ts";
import { checkAgents, startCloudflareAgents } from "./contenders/cloudflare-agents.ts";
import { startOtto } from "./contenders/otto.ts";
import { startSdkLoop } from "./contenders/sdk-loop.ts";
import { startModel } from "./model/model.ts";
import { busyWarning, describeMachine, PEER_NOT_MEASURED, reportOf, writeReport } from "./report.ts";
import { APPS } from "./rows/apps.ts";
import { BUNDLE } from "./rows/bundle.ts";
import { CAGE } from "./rows/cage.ts";
import { CALL } from "./rows/call.ts";
import { CODEBASE } from "./rows/codebase.ts";
import { CONSOLE } from "./rows/console.ts";
import { CHOICE } from "./rows/choice.ts";
import { CONNECTIONS_LIST } from "./rows/connections.ts";
import { CONVERSATION } from "./rows/conversation.ts";
import { COST } from "./rows/cost.ts";
import { DOCUMENTS } from "./rows/documents.ts";
import { ENDED_TASKS } from "./rows/ended.ts";
import { FAN } from "./rows/fan.ts";
import { FIND_TOOLS } from "./rows/find-tools.ts";
import { FINISHED } from "./rows/finished.ts";
import { FIRST_CALL } from "./rows/first-call.ts";
import { GAP } from "./rows/gap.ts";
import { GREP } from "./rows/grep.ts";
import { KNOWLEDGE } from "./rows/knowledge.ts";
import { MARKETPLACE } from "./rows/marketplace.ts";
import { PAGES } from "./rows/pages.ts";
import { PARALLEL_TOOLS } from "./rows/parallel-tools.ts";
import { RATE, RATE_SLOW_MODEL } from "./rows/rate.ts";
import { RESUME } from "./rows/resume.ts";
import { runTasks } from "./rows/run-tasks.ts";
import { SCHEDULES } from "./rows/schedules.ts";
import type { Section, Stage } from "./rows/section.ts";
import { SLACK } from "./rows/slack.ts";
import { SQL } from "./rows/sql.ts";
import { START_MEMORY } from "./rows/start-memory.ts";
import { TASK_INDEX } from "./rows/task-index.ts";
import { TENANT } from "./rows/tenant.ts";
import { WAITING } from "./rows/waiting.ts";
import { WATCHED } from "./rows/watched.ts";
import { Figures, tableOf } from "./table.ts";

const SECTIONS: readonly Section[] = [
  GAP,
  CALL,
  RATE,
  RATE_SLOW_MODEL,
  FIRST_CALL,
  PARALLEL_TOOLS,
  FAN,
  RESUME,
  WATCHED,
  CONVERSATION,
  GREP,
  WAITING,
  FINISHED,
  ENDED_TASKS,
  START_MEMORY,
  TASK_INDEX,
  CONNECTIONS_LIST,
  MARKETPLACE,
  FIND_TOOLS,
  CHOICE,
  APPS,
  CAGE,
  DOCUMENTS,
  CODEBASE,
  KNOWLEDGE,
  PAGES,
  SQL,
  SLACK,
  SCHEDULES,
  TENANT,
  CONSOLE,
  BUNDLE,
  COST,
];
const WARM_UP_TASKS = 50;
const WARM_UP_ROUNDS = 3;

/** Fewer rounds give no useful median. */
const FEWEST_WRITTEN_ROUNDS = 3;

const { sections, rounds, floors, agents, write } = readOptions(() => {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      only: { type: "string", default: SECTIONS.map(({ name }) => name).join() },
      rounds: { type: "string", default: "3" },
      floors: { type: "boolean", default: true },
      agents: { type: "string" },
      write: { type: "boolean", default: false },
    },
  });
  const wanted = chosen(values.only.split(","));
  if (values.write && (wanted.length < SECTIONS.length || !values.floors))
    throw new Error("--write is for a whole run: leave --only and --no-floors out");
  if (values.agents !== undefined) checkAgents(values.agents);
  const least = values.write ? FEWEST_WRITTEN_ROUNDS : 1;
  return {
    ...values,
    agents: values.agents ?? null,
    sections: wanted,
    rounds: wholeNumber("rounds", values.rounds, least),
  };
});
const machine = describeMachine();

const startedAt = performance.now();
const figures = new Figures();
const failedSections: string[] = [];
const model = await startModel();
const contenders: Contender[] = [];
const isComputed = sections.every((section) => section.isComputed === true);
const warning = isComputed ? null : busyWarning(loadavg()[0] ?? 0);
if (warning !== null) console.log(warning);
let closing: Promise<void> | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void close().then(() => process.exit(1)));
try {
  if (!isComputed) {
    say("starting");
    contenders.push(await startOtto(model));
    if (floors) contenders.push(await startBareObject(model), await startSdkLoop(model));
    if (agents !== null) contenders.push(await startCloudflareAgents(model, agents));
  }
  let tasks = 0;
  const stage: Stage = {
    model,
    contenders,
    taskName() {
      tasks += 1;
      return `t${tasks}`;
    },
  };
  if (!isComputed) say("warming up");
  for (const contender of stage.contenders) await warmUp(stage, contender);
  for (let round = 1; round <= rounds; round += 1) {
    for (const section of sections) {
      if (section.once !== true || round === rounds) await tryToMeasure(section, stage, round);
    }
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const notes = [...(agents === null && !isComputed ? [PEER_NOT_MEASURED] : []), ...failedSections.map(noteFailed)];
  const report = reportOf(tableOf(figures, sections), { machine, rounds, seconds, notes });
  console.log(`\n${report}\n`);
  if (write) writeReport(report);
} finally {
  await close();
}

/** Closes everything once; a second caller waits for the first. */
function close(): Promise<void> {
  closing ??= Promise.allSettled(contenders.map((contender) => contender.close())).then(() => model.close());
  return closing;
}

async function warmUp(stage: Stage, contender: Contender): Promise<void> {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    await runTasks(stage, contender, WARM_UP_TASKS, { kind: "clock", steps: 4, modelMs: 0 });
  }
}

/** A section that fails leaves its rows without figures, and the others are measured. The run then exits with 1. */
async function tryToMeasure(section: Section, stage: Stage, round: number): Promise<void> {
  try {
    await measure(section, stage, round);
  } catch (thrown) {
    say(
      `round ${round} of ${rounds}  ${section.name} failed: ${thrown instanceof Error ? thrown.stack : String(thrown)}`,
    );
    if (!failedSections.includes(section.name)) failedSections.push(section.name);
    process.exitCode = 1;
  }
}

function noteFailed(name: string): string {
  return `The section \`${name}\` failed, so that figures are missing.`;
}

/** Measures a section once; prints its name before and its figures after. */
async function measure(section: Section, run: Stage, round: number): Promise<void> {
  const stage = section.peers === true ? run : { ...run, contenders: run.contenders.filter(({ isPeer }) => !isPeer) };
  if (section.isComputed !== true) say(`round ${round} of ${rounds}  ${section.name} …`);
  await section.measure(stage, (row, contender, value) => figures.add(row, contender, value));
  if (section.isComputed === true) return;
  for (const { key, label, digits } of section.rows) {
    const shown = stage.contenders.map(({ name }) => `${name} ${figures.of(key, name).at(-1)?.toFixed(digits) ?? "–"}`);
    say(`round ${round} of ${rounds}  ${label}: ${shown.join(", ")}`);
  }
}

function chosen(names: readonly string[]): Section[] {
  const unknown = names.filter((name) => !SECTIONS.some((section) => section.name === name));
  if (unknown.length > 0)
    throw new Error(`there is no section ${unknown.join()}; there are ${SECTIONS.map(({ name }) => name).join()}`);
  return SECTIONS.filter(({ name }) => names.includes(name));
}

function say(line: string): void {
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${line}`);
}
