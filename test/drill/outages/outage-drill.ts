/**
 * Drill `outages`: a dependency is away for a while as tasks run. All of them go on when it is back, none does anything
 * twice, and what was tried meanwhile is bounded.
 */
import { eachAtOnce, isOver, type LedgerBody, type TaskBody } from "../api-client.ts";
import { notePath, fileText } from "../calls.ts";
import { placeOf, textOf } from "../received.ts";
import type { DrillTenant, Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import { type Asked, TaskLog } from "../task-log.ts";
import type { Dependency } from "./dependencies.ts";
import { kindOf, type OutageInput, persistedText } from "./outage-script.ts";

const TASKS = 10;
const GOALS = 22;
/** Goals that fit into the outage of something that tasks can do without; the others come after it. */
const GOALS_IN_OUTAGE = 18;
const PACE_MS = 500;
const END_WITHIN_MS = 240_000;
/** Everything goes on, and the list is right, within this time of the return. */
const BACK_WITHIN_MS = 60_000;
/** What a task that cannot go on may ask of the model and the recorders: so much at first, and so much a second. */
const LARGEST_START = 12;
const LARGEST_RATE = 0.5;

export interface OutageReport {
  readonly dependency: string;
  readonly tasks: number;
  readonly seconds: number;
  /** How often it was killed or stopped. */
  readonly taken: number;
  /** Requests of a task at the model server and the recorders while it was away: the mean and the most of any task. */
  readonly meanRequests: number;
  readonly mostRequests: number;
  /** Calls that failed or ended unknown, of all tasks. */
  readonly failedCalls: number;
  readonly unknownCalls: number;
  /** From the return until the last task went on; until the list was right after the last task's end. */
  readonly backMs: number;
  readonly listedMs: number;
  readonly violations: readonly string[];
}

export async function runOutageDrill(
  stage: Stage,
  dependency: Dependency,
  { seconds, round }: { readonly seconds: number; readonly round: number },
): Promise<OutageReport> {
  const { keyed, unkeyed, system } = stage;
  const violations: string[] = [];
  const paceMs = dependency.isDispensable ? Math.ceil((seconds * 1000) / GOALS_IN_OUTAGE) : PACE_MS;
  const inputs = Array.from({ length: TASKS }, (_, index): OutageInput => {
    const drill = `outage${round}-${index + 1}`;
    return {
      drill,
      kind: "persists",
      goals: GOALS,
      kinds: dependency.kinds,
      paceMs,
      keyed: keyed.url,
      unkeyed: unkeyed.url,
    };
  });
  const tenant = await stage.makeTenant(`outage ${round}`, { budget: { max_steps: 100 } });
  const log = new TaskLog();
  stage.hooks = log.hooks;
  const ids = await eachAtOnce(inputs, TASKS, async (input) => await tenant.createTask(input));
  await until(
    () => inputs.every(({ drill }) => log.of(drill).asked.length > 1),
    60_000,
    () => "the tasks did not begin",
  );

  const from = performance.now();
  const taken = await dependency.take(stage, seconds * 1000);
  const back = performance.now();
  const during = inputs.map(({ drill }) => requestsIn(log, drill, from, back));
  const bound = LARGEST_START + seconds * LARGEST_RATE;
  for (const [index, { drill }] of inputs.entries()) {
    const requests = during[index] ?? 0;
    if (dependency.isDispensable && requests === 0) violations.push(`${drill} stood still`);
    if (!dependency.isDispensable && requests > bound)
      violations.push(`${drill} made ${requests} requests in ${seconds} s`);
  }

  // A reply that was given after the return is progress; a request alone may still hang.
  const wentOn = await eachAtOnce(inputs, TASKS, async ({ drill }) => {
    const isOn = ({ at, repliedWallAt }: Asked): boolean => at > back && repliedWallAt !== null;
    await until(
      () => log.of(drill).asked.some(isOn),
      END_WITHIN_MS,
      () => `${drill} does not go on:\n${system.output()}`,
    );
    return performance.now() - back;
  });
  const backMs = Math.max(...wentOn);
  if (backMs > BACK_WITHIN_MS) violations.push(`the last task went on ${Math.round(backMs)} ms after the return`);
  await system.up();
  const tasks = await eachAtOnce(
    ids,
    TASKS,
    async (id, index) => await untilOver(stage, tenant, id, inputs[index]?.drill ?? ""),
  );
  const ended = performance.now();
  await untilListed(tenant, ids);
  const listedMs = performance.now() - ended;
  stage.hooks = {};

  const ledgers = await eachAtOnce(ids, TASKS, async (id) => await tenant.api.ledger(id));
  for (const [index, input] of inputs.entries()) {
    const [task, ledger, id] = [tasks[index], ledgers[index] ?? [], ids[index] ?? ""];
    violations.push(...judgeTask(stage, input, { task, ledger, asked: log.of(input.drill).asked }));
    for (let goal = 1; goal <= GOALS; goal += 1) {
      if (kindOf(input, goal) !== "file") continue;
      const text = await tenant.api.file(id, notePath(String(goal)));
      if (text !== fileText(input.drill, String(goal)))
        violations.push(`${input.drill}: file ${goal} holds ${text?.slice(0, 40)}`);
    }
  }
  if (taken === 0 || log.modelRequests === 0) violations.push("nothing was taken away, or no call was made");
  const states = ledgers.flat().map(({ state }) => state);
  return {
    dependency: dependency.name,
    tasks: TASKS,
    seconds: (back - from) / 1000,
    taken,
    meanRequests: during.reduce((sum, count) => sum + count, 0) / TASKS,
    mostRequests: Math.max(...during),
    failedCalls: states.filter((state) => state === "failed").length,
    unknownCalls: states.filter((state) => state === "unknown").length,
    backMs,
    listedMs,
    violations: violations.map((line) => `${dependency.name}: ${line}`),
  };
}

function requestsIn(log: TaskLog, drill: string, from: number, to: number): number {
  const { asked, recorded } = log.of(drill);
  return [...asked, ...recorded].filter(({ at }) => at > from && at < to).length;
}

async function untilOver(stage: Stage, { api }: DrillTenant, id: string, drill: string): Promise<TaskBody> {
  let task = await api.task(id);
  await until(
    async () => isOver((task = await api.task(id)).status),
    END_WITHIN_MS,
    () => `${drill} did not end: ${JSON.stringify(task)}\n${stage.system.output()}`,
    250,
  );
  return task;
}

async function untilListed({ api }: DrillTenant, ids: readonly string[]): Promise<void> {
  let missing = ids.length;
  await until(
    async () => {
      const reply = await api.send("GET", "/v1/tasks?status=completed&limit=100");
      const listed = reply.status === 200 ? (reply.body as { data: { id: string }[] }).data : [];
      missing = ids.filter((id) => listed.every((task) => task.id !== id)).length;
      return missing === 0;
    },
    BACK_WITHIN_MS,
    () => `${missing} tasks are missing in the list ${BACK_WITHIN_MS / 1000} s after their end`,
    100,
  );
}

/** Every goal was reached once, and what the ledger says of a request is what the recorders saw. */
function judgeTask(
  { keyed, unkeyed }: Stage,
  input: OutageInput,
  { task, ledger, asked }: { task: TaskBody | undefined; ledger: readonly LedgerBody[]; asked: readonly Asked[] },
): string[] {
  const { drill } = input;
  const found: string[] = [];
  if (task?.status !== "completed" || task.output?.text !== persistedText(input))
    found.push(`${drill} ended as ${task?.status} with ${JSON.stringify(task?.output?.text)}`);
  const back = asked.find(({ step }, index) => step < (asked[index - 1]?.step ?? 0));
  if (back !== undefined) found.push(`${drill}: step ${back.step} was asked for again after a later one`);
  const seen = [...keyed.requests, ...unkeyed.requests].filter(({ path }) => placeOf(path).drill === drill);
  const results = (asked.at(-1)?.body.messages ?? []).filter(({ role }) => role === "tool");
  let goal = 1;
  for (const [index, row] of ledger.entries()) {
    const kind = kindOf(input, goal);
    const where = `${drill} goal ${goal} (${kind}), call ${index + 1}, ${row.state}`;
    const own = seen.filter(({ path }) => path === `/${drill}/${kind}/${goal}/${index + 1}`);
    const keys = new Set(own.map(({ idempotencyKey }) => idempotencyKey)).size;
    const isRequest = kind === "keyed" || kind === "once";
    if (row.state === "confirmed" && isRequest && own.length === 0) found.push(`${where}: it never happened`);
    if (row.state === "failed" && own.length > 0) found.push(`${where}: it happened`);
    if (kind === "once" && own.length > 1) found.push(`${where}: it happened ${own.length} times`);
    if (kind === "keyed" && keys > 1) found.push(`${where}: sent under ${keys} keys`);
    const told = results[index] === undefined ? "" : textOf(results[index]);
    if (row.state === "unknown" && !told.startsWith("Error (outcome_unknown)"))
      found.push(`${where}: the model read ${told}`);
    if (row.state === "confirmed" || (row.state === "unknown" && isRequest)) goal += 1;
  }
  if (goal !== input.goals + 1) found.push(`${drill}: the ledger has ${goal - 1} goals of ${input.goals}`);
  return found;
}
