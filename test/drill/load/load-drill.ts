/**
 * Drill `load`: many concurrent tasks, replaced until the time has passed, while the runtime, the database and sometimes the complete system
 * are killed every few seconds. Requests that create tasks are repeated under their key until answered.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, eachAtOnce, fromAtOnce, isEnded, type TaskBody } from "../api-client.ts";
import { judge, type KillTime, listFindings, makeLostVerdict, type Verdict } from "../judge.ts";
import { seededRandom } from "../random.ts";
import type { DrillTenant, Stage, StageHooks } from "../stage.ts";
import { TaskLog } from "../task-log.ts";
import { TimedKiller, type TimedKillPlan } from "../timed-kills.ts";
import { answerDelayMs, expectedOfLoad, type LoadInput, planTasks } from "./load-script.ts";

/** Time after the last kill until the list of tasks is complete and correct. */
const LISTED_WITHIN_MS = 60_000;
const SAY_EVERY_MS = 10_000;
const JUDGED_AT_ONCE = 8;
/** Every n-th creation is repeated at the end under its key. */
const REPEAT_EVERY = 10;

/** The same seed gives the same tasks and the same kills. */
export interface LoadPlan {
  readonly seed: number;
  /** Minimum number of tasks. */
  readonly tasks: number;
  /** Ended tasks are replaced for this many seconds. */
  readonly minSeconds: number;
  /** A task without a request at any mock server for this long is stuck. */
  readonly stuckMs: number;
  readonly atOnce: number;
  readonly paceMs: readonly [number, number];
  readonly kills: TimedKillPlan;
}

export interface LoadReport {
  readonly tasks: number;
  /** Tasks with every result exact. */
  readonly exact: number;
  readonly stuck: number;
  readonly lost: number;
  readonly repeatedSteps: number;
  readonly seconds: number;
  readonly kills: number;
  readonly tally: string;
  /** Requests that made the tasks, the repeated ones included. */
  readonly creations: number;
  readonly steps: number;
  readonly modelRequests: number;
  /** At the recorder that honours keys: requests, and effects, one for each key. */
  readonly keyedRequests: number;
  readonly keyedEffects: number;
  readonly keyedCalls: number;
  /** At the other recorder: requests, their calls, and expected calls. */
  readonly unkeyedRequests: number;
  readonly unkeyedEffects: number;
  readonly unkeyedCalls: number;
  /** Unkeyed calls with an unknown outcome. */
  readonly unknownSent: number;
  readonly unknownUnsent: number;
  /** From the last kill until the list was complete and correct. */
  readonly listedMs: number;
  readonly violations: readonly string[];
}

/** A task. `id` is null if its creation failed. */
interface Made {
  readonly input: LoadInput;
  readonly id: string | null;
  readonly creations: number;
  readonly ended: boolean;
}

export async function runLoadDrill(stage: Stage, plan: LoadPlan, say: (line: string) => void): Promise<LoadReport> {
  const { keyed, unkeyed } = stage;
  const planned = planTasks(plan.seed, { paceMs: plan.paceMs, keyed: keyed.url, unkeyed: unkeyed.url });
  const inputs: LoadInput[] = [];
  const tenant = await stage.makeTenant("load", { budget: { max_steps: 15 } });
  const log = new TaskLog();
  stage.hooks = slowly(log.hooks, plan.seed);
  const from = performance.now();
  const killer = new TimedKiller(stage, plan.kills, seededRandom(plan.seed + 1));
  function* generateInputs(): Generator<LoadInput> {
    for (const input of planned) {
      const isOverTime = performance.now() - from >= plan.minSeconds * 1000;
      if (killer.hasFailed || (isOverTime && inputs.length >= plan.tasks)) return;
      inputs.push(input);
      yield input;
    }
  }
  let ended = 0;
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - from) / 1000);
    say(
      `  ${seconds} s: ${ended} tasks ended, ${inputs.length - ended} open; ${killer.kills.length} kills (${killer.tally()}); ${log.modelRequests} model requests, ${log.effects} effects`,
    );
  }, SAY_EVERY_MS);
  let tasks: Made[];
  try {
    tasks = await fromAtOnce(generateInputs(), plan.atOnce, async (input) => {
      const done = await runTask(tenant, input, log, killer, plan.stuckMs);
      ended += 1;
      return done;
    });
  } finally {
    clearInterval(progress);
    await killer.stop();
  }
  const lastKillAt = killer.kills.at(-1)?.at ?? from;
  const seconds = (performance.now() - from) / 1000;
  say(`  ${tasks.length} tasks through after ${Math.round(seconds)} s and ${killer.kills.length} kills; judging`);
  const violations: string[] = [];
  violations.push(...(await judgeList(tenant, tasks, lastKillAt)));
  const listedMs = performance.now() - lastKillAt;
  // Calls also complete without the database.
  const kills = killer.kills.filter(({ target }) => target !== "database");
  const verdicts = await eachAtOnce(tasks, JUDGED_AT_ONCE, async (task) => await judgeTask(tenant, task, log, kills));
  stage.hooks = {};
  violations.push(...(await judgeRepeats(tenant, tasks)), ...verdicts.flatMap(listFindings));
  const counted = countEffects(stage, inputs);
  if (counted.keyedEffects !== counted.keyedCalls)
    violations.push(`${counted.keyedEffects} keyed effects for ${counted.keyedCalls} keyed calls`);
  if (log.modelRequests === 0 || log.effects === 0) violations.push("no call was made");
  if (killer.kills.length === 0) violations.push("nothing was killed");
  if (tasks.length < plan.tasks || seconds < plan.minSeconds)
    violations.push(`${tasks.length} tasks in ${Math.round(seconds)} s are fewer or shorter than planned`);
  return {
    tasks: tasks.length,
    exact: verdicts.filter((verdict) => listFindings(verdict).length === 0).length,
    stuck: tasks.filter((task) => !task.ended).length,
    lost: verdicts.filter(({ lost }) => lost.length > 0).length,
    repeatedSteps: verdicts.flatMap(({ repeatedSteps }) => repeatedSteps).length,
    seconds,
    kills: killer.kills.length,
    tally: killer.tally(),
    creations: tasks.reduce((sum, { creations }) => sum + creations, 0),
    steps: inputs.reduce((sum, { steps }) => sum + steps, 0),
    modelRequests: log.modelRequests,
    ...counted,
    unknownSent: verdicts.reduce((sum, { unknownSent }) => sum + unknownSent, 0),
    unknownUnsent: verdicts.reduce((sum, { unknownUnsent }) => sum + unknownUnsent, 0),
    listedMs,
    violations,
  };
}

/** Delays the recorder's reply after its effect, so that a kill can hide the effect. */
function slowly(hooks: StageHooks, seed: number): StageHooks {
  return {
    ...hooks,
    async afterEffect(record) {
      await hooks.afterEffect?.(record);
      await sleep(answerDelayMs(seed, record.path));
    },
  };
}

/** Creates a task and waits until it has ended or is stuck. */
async function runTask(
  { api, agent }: DrillTenant,
  input: LoadInput,
  log: TaskLog,
  killer: TimedKiller,
  stuckMs: number,
): Promise<Made> {
  const trace = log.of(input.drill);
  const isStuck = (): boolean => killer.hasFailed || performance.now() - trace.lastAt > stuckMs;
  trace.lastAt = performance.now();
  let creations = 0;
  let id: string | null = null;
  while (id === null) {
    if (isStuck()) return { input, id, creations, ended: false };
    creations += 1;
    const reply = await create(api, agent, input);
    if (reply.status === 201) id = (reply.body as TaskBody).id;
    else if (!isPassing(reply.status)) throw new Error(`a task could not be made: ${JSON.stringify(reply)}`);
    else await sleep(200);
  }
  const isAnswered = (): boolean =>
    trace.requests.some(({ step, repliedWallAt }) => step === input.steps && repliedWallAt !== null);
  while (!isAnswered()) {
    if (isStuck()) return { input, id, creations, ended: false };
    await sleep(100);
  }
  for (;;) {
    const reply = await api.send("GET", `/v1/tasks/${id}`);
    if (reply.status === 200 && isEnded((reply.body as TaskBody).status)) return { input, id, creations, ended: true };
    if (isStuck()) return { input, id, creations, ended: false };
    await sleep(500);
  }
}

async function create(api: ApiClient, agent: string, input: LoadInput) {
  const body = { input: JSON.stringify(input), agent };
  return await api.send("POST", "/v1/tasks", body, { "idempotency-key": `make ${input.drill}` });
}

/** Retryable statuses: no connection, the first request still runs, rate limited, an internal error. */
function isPassing(status: number): boolean {
  return status === 0 || status === 409 || status === 429 || status >= 500;
}

/** Checks that the list has each task once, as completed. */
async function judgeList({ api }: DrillTenant, tasks: readonly Made[], lastKillAt: number): Promise<string[]> {
  const wanted = new Set(tasks.flatMap(({ id }) => (id === null ? [] : [id])));
  for (;;) {
    const listed = await api.pages<TaskBody>("/v1/tasks");
    const right = new Set(listed.flatMap(({ id, status }) => (wanted.has(id) && status === "completed" ? [id] : [])));
    if (listed.length === wanted.size && right.size === wanted.size) return [];
    if (performance.now() - lastKillAt > LISTED_WITHIN_MS) {
      return [
        `the list holds ${listed.length} tasks, ${right.size} of them completed, ${LISTED_WITHIN_MS / 1000} s after the last kill: ${wanted.size} were made`,
      ];
    }
    await sleep(500);
  }
}

/** Checks that a request repeated at the end returns its task. */
async function judgeRepeats({ api, agent }: DrillTenant, tasks: readonly Made[]): Promise<string[]> {
  const some = tasks.filter((_, index) => index % REPEAT_EVERY === 0);
  const found = await eachAtOnce(some, JUDGED_AT_ONCE, async ({ input, id }) => {
    const reply = await create(api, agent, input);
    const again = (reply.body as Partial<TaskBody> | null)?.id ?? null;
    return reply.status === 201 && again === id ? [] : [`${input.drill}: a repeat got ${reply.status} and ${again}`];
  });
  return found.flat();
}

async function judgeTask(
  { api }: DrillTenant,
  { input, id, ended }: Made,
  log: TaskLog,
  kills: readonly KillTime[],
): Promise<Verdict> {
  const expected = expectedOfLoad(input);
  const { requests, recorded } = log.of(input.drill);
  if (id === null) return makeLostVerdict(`${input.drill} was never made`);
  const task = await api.task(id);
  if (!ended) return makeLostVerdict(`${input.drill} (${id}) is stuck as ${task.status}`);
  return judge({
    expected,
    task,
    ledger: await api.ledger(id),
    events: await api.events(id),
    files: await api.files(id, Object.keys(expected.files)),
    modelRequests: requests,
    recorded,
    kills,
  });
}

function countEffects({ keyed, unkeyed }: Stage, inputs: readonly LoadInput[]) {
  const ours = new Set(inputs.map(({ drill }) => drill));
  const isOurs = ({ path, method }: { path: string; method: string }): boolean =>
    method !== "GET" && ours.has(path.split("/")[1] ?? "");
  const atKeyed = keyed.requests.filter(isOurs);
  const atUnkeyed = unkeyed.requests.filter(isOurs);
  const calls = inputs.flatMap((input) => expectedOfLoad(input).steps.flat());
  return {
    keyedRequests: atKeyed.length,
    keyedEffects: atKeyed.filter(({ acted }) => acted).length,
    keyedCalls: calls.filter(({ effect }) => effect === "keyed").length,
    unkeyedRequests: atUnkeyed.length,
    unkeyedEffects: new Set(atUnkeyed.map(({ path }) => path)).size,
    unkeyedCalls: calls.filter(({ effect }) => effect === "once").length,
  };
}
