/**
 * Drill `outages`: a dependency is unavailable for a while as tasks run. All tasks must resume afterwards, repeat nothing, and retry a
 * bounded number of times.
 */
import { eachAtOnce, isEnded, type TaskBody } from "../api-client.ts";
import { parsePlace } from "../received.ts";
import type { DrillTenant, Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import { TaskLog, type TaskTrace } from "../task-log.ts";
import type { Dependency } from "./dependencies.ts";
import {
  filesOfGoals,
  isAnswered,
  judgeHeldBack,
  judgeOnItsWay,
  judgeTask,
  type Outage,
  countRequests,
  findResumeTime,
} from "./judge-outage.ts";
import type { OutageInput } from "./outage-script.ts";

/** Few enough for a short outage: above eight steps per second, a tenant next to another is paced. */
const TASKS = 6;
const GOALS = 22;
/** Goals that fit into an outage during which tasks continue. The others come after it. */
const GOALS_IN_OUTAGE = 10;
/** How many of them must be reached. Every other task has only these, and ends during the outage. */
const FEWEST_GOALS = GOALS_IN_OUTAGE / 2;
const PACE_MS = 500;
const BEGUN_WITHIN_MS = 30_000;
/** Time after the outage until every task has resumed and the list contains those that ended. */
const BACK_WITHIN_MS = 60_000;
/** Time until the list contains a task that ended later. */
const LISTED_WITHIN_MS = 30_000;

export interface OutageReport {
  readonly dependency: string;
  readonly tasks: number;
  readonly seconds: number;
  /** How often it was killed or stopped. */
  readonly taken: number;
  /** Requests per task at the model server and the recorders during the outage: mean and maximum. */
  readonly meanRequests: number;
  readonly mostRequests: number;
  /** Failed and unknown calls of all tasks. */
  readonly failedCalls: number;
  readonly unknownCalls: number;
  /** From the end of the outage until the last task resumed. */
  readonly backMs: number;
  /** From the end of the outage until the list contained the tasks that had ended in it. NaN if none had to. */
  readonly caughtUpMs: number;
  /** From the last task's end until the list contained all tasks. */
  readonly listedMs: number;
  readonly violations: readonly string[];
}

interface OutageTask {
  readonly input: OutageInput;
  readonly id: string;
  readonly trace: TaskTrace;
}

/** `endWithinMs` is the time for all tasks to end after the outage. */
export interface OutagePlan {
  readonly seconds: number;
  readonly round: number;
  readonly endWithinMs: number;
}

export async function runOutageDrill(stage: Stage, dependency: Dependency, plan: OutagePlan): Promise<OutageReport> {
  const { keyed, unkeyed, system } = stage;
  const inputs = planTasks(stage, dependency, plan);
  const tenant = await stage.makeTenant(`outage ${plan.round}`, { budget: { max_steps: 100 } });
  const log = new TaskLog();
  stage.hooks = log.hooks;
  const tasks = await eachAtOnce(inputs, TASKS, async (input): Promise<OutageTask> => {
    return { input, id: await tenant.createTask(input), trace: log.of(input.drill) };
  });
  await until(
    () => tasks.every(({ trace }) => trace.requests.length > 1),
    BEGUN_WITHIN_MS,
    () => "the tasks did not begin",
  );

  const from = performance.now();
  const taken = await dependency.take(stage, plan.seconds * 1000);
  const outage: Outage = { from, back: performance.now() };
  const violations = tasks.flatMap((task) => judgeMeanwhile(task, dependency, outage));
  const during = tasks.map(({ trace }) => countRequests(trace, outage));
  const [endedMeanwhile, open] = [true, false].map((ended) =>
    tasks.filter(({ trace, input }) => isAnswered(trace, input) === ended),
  ) as [OutageTask[], OutageTask[]];

  const endBy = outage.back + plan.endWithinMs;
  const [backMs, caughtUpMs] = await Promise.all([
    untilAllOn(stage, open, outage, endBy),
    endedMeanwhile.length === 0 ? Number.NaN : untilListed(tenant, endedMeanwhile, outage.back, BACK_WITHIN_MS),
  ]);
  if (backMs > BACK_WITHIN_MS) violations.push(`the last task resumed ${Math.round(backMs)} ms after the outage`);
  await system.up();
  const ended = await eachAtOnce(tasks, TASKS, async (task) => await untilEnded(stage, tenant, task, endBy));
  const listedMs = await untilListed(tenant, tasks, performance.now(), LISTED_WITHIN_MS);
  stage.hooks = {};

  const requests = [...keyed.requests, ...unkeyed.requests];
  const ledgers = await eachAtOnce(tasks, TASKS, async ({ id }) => await tenant.api.ledger(id));
  for (const [index, { input, id, trace }] of tasks.entries()) {
    violations.push(
      ...judgeTask(input, {
        task: ended[index],
        ledger: ledgers[index] ?? [],
        requests: trace.requests,
        seen: requests.filter(({ path }) => parsePlace(path).drill === input.drill),
        files: await tenant.api.files(id, Object.keys(filesOfGoals(input))),
      }),
    );
  }
  if (taken === 0 || log.modelRequests === 0) violations.push("no outage happened, or no call was made");
  const states = ledgers.flat().map(({ state }) => state);
  return {
    dependency: dependency.name,
    tasks: TASKS,
    seconds: (outage.back - from) / 1000,
    taken,
    meanRequests: during.reduce((sum, count) => sum + count, 0) / TASKS,
    mostRequests: Math.max(...during),
    failedCalls: states.filter((state) => state === "failed").length,
    unknownCalls: states.filter((state) => state === "unknown").length,
    backMs,
    caughtUpMs,
    listedMs,
    violations: violations.map((line) => `${dependency.name}: ${line}`),
  };
}

/** Where tasks continue, every other one has its last goal during the outage. */
function planTasks(
  { keyed, unkeyed }: Stage,
  { isDispensable, kinds }: Dependency,
  { seconds, round }: OutagePlan,
): OutageInput[] {
  return Array.from({ length: TASKS }, (_, index): OutageInput => {
    return {
      drill: `outage${round}-${index + 1}`,
      kind: "persists",
      goals: isDispensable && index % 2 === 1 ? FEWEST_GOALS : GOALS,
      kinds,
      paceMs: isDispensable ? Math.ceil((seconds * 1000) / GOALS_IN_OUTAGE) : PACE_MS,
      keyed: keyed.url,
      unkeyed: unkeyed.url,
    };
  });
}

function judgeMeanwhile({ input, trace }: OutageTask, { isDispensable }: Dependency, outage: Outage): string[] {
  if (!isDispensable) return judgeHeldBack(input.drill, trace, outage);
  if (input.goals === GOALS) return judgeOnItsWay(input.drill, trace, outage, FEWEST_GOALS);
  return isAnswered(trace, input) ? [] : [`${input.drill} did not come to its end meanwhile`];
}

/** Waits until each of these tasks has resumed. Returns the time of the last one after the outage. */
async function untilAllOn({ system }: Stage, tasks: readonly OutageTask[], { back }: Outage, endBy: number) {
  const times = await eachAtOnce(tasks, TASKS, async ({ input: { drill }, trace }) => {
    let at: number | null = null;
    await until(
      () => (at = findResumeTime(trace, back)) !== null,
      endBy - performance.now(),
      () => `${drill} does not go on:\n${system.output()}`,
    );
    return (at ?? Number.NaN) - back;
  });
  return Math.max(0, ...times);
}

async function untilEnded(
  stage: Stage,
  { api }: DrillTenant,
  { id, input }: OutageTask,
  endBy: number,
): Promise<TaskBody> {
  let task = await api.task(id);
  await until(
    async () => isEnded((task = await api.task(id)).status),
    endBy - performance.now(),
    () => `${input.drill} did not end: ${JSON.stringify(task)}\n${stage.system.output()}`,
    250,
  );
  return task;
}

/** Waits until the list contains these tasks as completed. Returns the time since `since`. Throws if it is late. */
async function untilListed(
  { api }: DrillTenant,
  tasks: readonly OutageTask[],
  since: number,
  withinMs: number,
): Promise<number> {
  let missing = tasks.length;
  await until(
    async () => {
      const reply = await api.send("GET", "/v1/tasks?status=completed&limit=100");
      const listed = reply.status === 200 ? (reply.body as { data: { id: string }[] }).data : [];
      missing = tasks.filter(({ id }) => listed.every((task) => task.id !== id)).length;
      return missing === 0;
    },
    since + withinMs - performance.now(),
    () => `${missing} tasks that ended are missing in the list after ${withinMs / 1000} s`,
    100,
  );
  return performance.now() - since;
}
