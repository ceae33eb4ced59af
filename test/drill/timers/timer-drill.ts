/**
 * Drill `timers`: tasks that sleep, questions and approvals with an expiry, some of them answered, while the runtime and
 * now and then the supervisor are killed. Every resume is judged at the model server: never before it is due.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { eachAtOnce, type EventBody, isOver, type PendingBody, type TaskBody } from "../api-client.ts";
import { seededRandom } from "../random.ts";
import { placeOf } from "../received.ts";
import type { DrillTenant, Stage, StageInput } from "../stage.ts";
import { until } from "../started-system.ts";
import { TaskLog } from "../task-log.ts";
import { TimedKiller, type TimedKillPlan } from "../timed-kills.ts";
import { judgeExpiry, judgeNaps, judgeShares, type TimerFinding } from "./judge-timers.ts";
import type { TimerInput } from "./timer-script.ts";

const AT_ONCE = 40;
/** An answer is sent this long after the question is seen at the latest. */
const LATEST_ANSWER_MS = 2_000;

/** How many of each, and for how long they sleep or wait at most. */
export interface TimerPlan {
  readonly seed: number;
  readonly sleepers: number;
  readonly napsEach: number;
  readonly questions: number;
  readonly approvals: number;
  readonly longestSeconds: number;
  /** A task asks within this time, and ends within this time of its answer or of having asked. */
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

/** `expired`: timers that went off; `answered`: those that a person was quicker than. `lateMs` is of the expired. */
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

/** What became of a wait on a person: when the task view said that it expires, and how the answers were received. */
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
  // Drawn before anything runs: what comes first then is not the seed's. Every other one is answered, the rest run out.
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

  const [napped, asked, permitted] = ended;
  const judged = {
    naps: napped.map(({ input, task, events }) =>
      judgeNaps({
        drill: input.drill,
        naps: (input as Extract<TimerInput, { kind: "naps" }>).naps,
        task,
        events,
        trace: log.of(input.drill),
      }),
    ),
    questions: asked.map(({ input, ...rest }) => {
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
    approvals: permitted.map(({ input, ...rest }) => {
      const effects = stage.keyed.requests.filter(({ path }) => placeOf(path).drill === input.drill);
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
    naps: figuresOf(judged.naps),
    questions: figuresOf(judged.questions),
    approvals: figuresOf(judged.approvals),
    modelRequests: log.modelRequests,
    violations,
  };
}

interface Ended extends Answered {
  readonly input: StageInput;
  readonly task: TaskBody;
  readonly events: readonly EventBody[];
}

/** `answerAfterMs` null: nobody answers. `waits`: the task waits for a person, and its view is read meanwhile. */
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
    async () => isOver((task = await api.task(id)).status),
    endWithinMs,
    () => `${name} (${id}) did not end: ${JSON.stringify(task)}\n${stage.system.output()}`,
    500,
  );
  return { input, task, events: await api.events(id), ...answered };
}

/** Reads what the task waits for, and answers it twice. A reply that a kill cut off is asked for again. */
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
      return task.pending.length > 0 || isOver(task.status);
    },
    withinMs,
    () => `${id} asks nobody: ${JSON.stringify(task)}`,
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

function figuresOf(found: readonly TimerFinding[]): TimerFigures {
  return {
    tasks: found.length,
    expired: found.reduce((sum, { lateMs }) => sum + lateMs.length, 0),
    answered: found.filter(({ isAnswered }) => isAnswered).length,
    early: found.flatMap(({ lateMs }) => lateMs).filter((late) => late < 0).length,
    lateMs: found.flatMap(({ lateMs }) => lateMs),
  };
}
