/**
 * Drill `timers`: tasks sleep, and questions and approvals expire or are answered, while the runtime and sometimes the supervisor are killed.
 * No task may resume early, as judged at the model server.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { eachAtOnce, type EventBody, isEnded, type PendingBody, type TaskBody } from "../api-client.ts";
import { seededRandom } from "../random.ts";
import { parsePlace } from "../received.ts";
import type { DrillTenant, Stage, StageInput } from "../stage.ts";
import { until } from "../started-system.ts";
import { TaskLog } from "../task-log.ts";
import { TimedKiller, type TimedKillPlan } from "../timed-kills.ts";
import { judgeExpiry, judgeNaps, judgeShares, type TimerFinding } from "./judge-timers.ts";
import type { TimerInput } from "./timer-script.ts";

const AT_ONCE = 40;
/** Longest delay of an answer after the question appears. */
const LATEST_ANSWER_MS = 2_000;

/** The number of tasks of each kind, and the longest sleep or wait. */
export interface TimerPlan {
  readonly seed: number;
  readonly sleepers: number;
  readonly napsEach: number;
  readonly questions: number;
  readonly approvals: number;
  readonly longestSeconds: number;
  /** Time for a task to ask, and to end after the answer or the expiry. */
  readonly endWithinMs: number;
  readonly kills: TimedKillPlan;
}

export interface TimerReport {
  readonly kills: number;
  readonly tally: string;
  readonly naps: TimerFigures;
  readonly questions: TimerFigures;
  readonly approvals: TimerFigures;
  readonly modelRequests: number;
  readonly violations: readonly string[];
}

/** `expired` timers fired; `answered` ones were answered before. `lateMs` is that of expired ones. */
export interface TimerFigures {
  readonly tasks: number;
  readonly expired: number;
  readonly answered: number;
  readonly early: number;
  readonly lateMs: readonly number[];
}

interface TimedTask {
  readonly name: string;
  readonly tenant: DrillTenant;
  readonly input: StageInput;
  readonly endWithinMs: number;
}

/** The result of a wait for a person: its expiry in the task view, and the statuses of the answers. */
interface Answered {
  readonly pending: PendingBody | null;
  readonly statuses: readonly number[];
}

export async function runTimerDrill(stage: Stage, plan: TimerPlan, say: (line: string) => void): Promise<TimerReport> {
  const random = seededRandom(plan.seed);
  const seconds = (): number => 1 + Math.floor(random() * plan.longestSeconds);
  const asks = { approval: { rules: [{ tool: "http_request", decision: "ask" }], expires_s: plan.longestSeconds } };
  const tenant = await stage.makeTenant("timers");
  const careful = await stage.makeTenant("timers-approvals", asks);
  const log = new TaskLog();
  stage.hooks = log.hooks;
  const naps = Array.from({ length: plan.sleepers }, (_, index): TimerInput => {
    return { drill: `nap${index + 1}`, kind: "naps", naps: Array.from({ length: plan.napsEach }, seconds) };
  });
  const questions = Array.from({ length: plan.questions }, (_, index): TimerInput => {
    const defaultAnswer = random() < 0.5 ? "as agreed" : null;
    return { drill: `ask${index + 1}`, kind: "asks in time", deadlineSeconds: 2 + seconds(), defaultAnswer };
  });
  const approvals = Array.from({ length: plan.approvals }, (_, index): StageInput => {
    return { drill: `permit${index + 1}`, kind: "one request", paceMs: 0, keyed: stage.keyed.url };
  });
  const killer = new TimedKiller(stage, plan.kills, seededRandom(plan.seed + 1));
  // Draw before running, since the order of later events does not depend on the seed. Every other wait is answered.
  const delaysOf = (inputs: readonly StageInput[]) =>
    inputs.map((_, index) => (index % 2 === 0 ? random() * LATEST_ANSWER_MS : null));
  const [answersAfterMs, decidesAfterMs] = [delaysOf(questions), delaysOf(approvals)];
  const { endWithinMs } = plan;
  const run = async (its: DrillTenant, inputs: readonly StageInput[], delays: readonly (number | null)[] | null) =>
    await eachAtOnce(inputs, AT_ONCE, async (input, index) => {
      const task = { name: input.drill, tenant: its, input, endWithinMs };
      return await runTask(stage, task, delays?.[index] ?? null, delays !== null);
    });
  let ended: [Ended[], Ended[], Ended[]];
  try {
    ended = await Promise.all([
      run(tenant, naps, null),
      run(tenant, questions, answersAfterMs),
      run(careful, approvals, decidesAfterMs),
    ]);
  } finally {
    await killer.stop();
  }
  stage.hooks = {};
  say(`  all ended after ${killer.kills.length} kills (${killer.tally()}); judging`);

  const [endedNaps, endedQuestions, endedApprovals] = ended;
  const judged = {
    naps: endedNaps.map(({ input, task, events }) =>
      judgeNaps({
        drill: input.drill,
        naps: (input as Extract<TimerInput, { kind: "naps" }>).naps,
        task,
        events,
        trace: log.of(input.drill),
      }),
    ),
    questions: endedQuestions.map(({ input, ...rest }) => {
      const { defaultAnswer } = input as Extract<TimerInput, { kind: "asks in time" }>;
      return judgeExpiry({
        drill: input.drill,
        kind: "question",
        defaultAnswer,
        ...rest,
        trace: log.of(input.drill),
        effects: 0,
      });
    }),
    approvals: endedApprovals.map(({ input, ...rest }) => {
      const effects = stage.keyed.requests.filter(({ path }) => parsePlace(path).drill === input.drill);
      const keys = new Set(effects.map(({ idempotencyKey }) => idempotencyKey)).size;
      return judgeExpiry({
        drill: input.drill,
        kind: "approval",
        defaultAnswer: null,
        ...rest,
        trace: log.of(input.drill),
        effects: keys,
      });
    }),
  };
  const violations = [...judged.naps, ...judged.questions, ...judged.approvals].flatMap((found) => found.violations);
  violations.push(...judgeShares(judged));
  if (killer.kills.length === 0) violations.push("nothing was killed");
  if (log.modelRequests === 0) violations.push("no call was made");
  return {
    kills: killer.kills.length,
    tally: killer.tally(),
    naps: computeFigures(judged.naps),
    questions: computeFigures(judged.questions),
    approvals: computeFigures(judged.approvals),
    modelRequests: log.modelRequests,
    violations,
  };
}

interface Ended extends Answered {
  readonly input: StageInput;
  readonly task: TaskBody;
  readonly events: readonly EventBody[];
}

/** `answerAfterMs` is null for no answer. `waits` means that the task waits for a person, so its view is read. */
async function runTask(
  stage: Stage,
  { name, tenant, input, endWithinMs }: TimedTask,
  answerAfterMs: number | null,
  waits: boolean,
): Promise<Ended> {
  const { api } = tenant;
  const id = await tenant.createTask(input);
  const answered = waits ? await answerInTime(tenant, id, answerAfterMs, endWithinMs) : { pending: null, statuses: [] };
  let task = await api.task(id);
  await until(
    async () => isEnded((task = await api.task(id)).status),
    endWithinMs,
    () => `${name} (${id}) did not end: ${JSON.stringify(task)}\n${stage.system.output()}`,
    500,
  );
  return { input, task, events: await api.events(id), ...answered };
}

/** Reads what the task waits for, and answers twice. Retries a request that a kill interrupted. */
async function answerInTime(
  { api }: DrillTenant,
  id: string,
  afterMs: number | null,
  withinMs: number,
): Promise<Answered> {
  let task = await api.task(id);
  await until(
    async () => {
      task = await api.task(id);
      return task.pending.length > 0 || isEnded(task.status);
    },
    withinMs,
    () => `${id} has no question: ${JSON.stringify(task)}`,
    100,
  );
  const [pending] = task.pending;
  if (pending === undefined || afterMs === null) return { pending: pending ?? null, statuses: [] };
  await sleep(afterMs);
  const [path, body] =
    pending.kind === "question"
      ? [`questions/${pending.id}/answer`, { text: "by a person" }]
      : [`approvals/${pending.id}`, { decision: "approve" }];
  const statuses: number[] = [];
  for (const end = performance.now() + withinMs; statuses.length < 2 && performance.now() < end; ) {
    const { status } = await api.send("POST", `/v1/tasks/${id}/${path}`, body);
    if (status === 0 || status >= 500) await sleep(100);
    else statuses.push(status);
  }
  return { pending, statuses };
}

function computeFigures(found: readonly TimerFinding[]): TimerFigures {
  return {
    tasks: found.length,
    expired: found.reduce((sum, { lateMs }) => sum + lateMs.length, 0),
    answered: found.filter(({ isAnswered }) => isAnswered).length,
    early: found.flatMap(({ lateMs }) => lateMs).filter((late) => late < 0).length,
    lateMs: found.flatMap(({ lateMs }) => lateMs),
  };
}
