/** Drill `fan-in`: many subtasks of one step and random kills; the parent must resume once, with all results. */
import type { ModelRecord } from "../../mock-servers/model-server.ts";
import { eachAtOnce, type TaskBody } from "../api-client.ts";
import { CHILD_ROLES, type ChildPlan, type ChildRole, doneText, type EngineInput } from "./engine-script.ts";
import { seededRandom } from "../random.ts";
import { planRandomKills, RandomKiller } from "../random-kills.ts";
import type { Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import { findDrill, parsePlace, readText } from "../received.ts";

const LONGEST_PACE_MS = 1_500;
const END_WITHIN_MS = 150_000;

/** `round` distinguishes the drills of one stage. */
export interface FanInPlan {
  readonly children: number;
  readonly kills: number;
  readonly seed: number;
  readonly round: number;
}

export interface FanInReport {
  readonly children: number;
  readonly kills: number;
  readonly modelRequests: number;
  readonly effects: number;
  readonly violations: readonly string[];
}

/** The expected end of a subtask: its status, and its result in the parent. */
const ENDS: Readonly<Record<ChildRole, { status: string; reads: (drill: string) => RegExp; requests: number }>> = {
  answers: { status: "completed", reads: (drill) => exactly(doneText(drill)), requests: 1 },
  posts: { status: "completed", reads: (drill) => exactly(doneText(drill)), requests: 3 },
  writes: {
    status: "completed",
    reads: (drill) => exactly(`${doneText(drill)}\nFiles: notes/${drill}.md`),
    requests: 4,
  },
  fails: { status: "failed", reads: () => /^Error \(upstream_failed\): The subtask failed: /, requests: 1 },
  overspends: { status: "failed", reads: () => /^Error \(budget_exceeded\): The subtask failed: /, requests: 0 },
  "is cancelled": { status: "cancelled", reads: () => /^Error \(conflict\): The subtask was cancelled/, requests: 1 },
};

export async function runFanInDrill(
  stage: Stage,
  { children: count, kills, seed, round }: FanInPlan,
): Promise<FanInReport> {
  const { model, keyed } = stage;
  const random = seededRandom(seed);
  const drill = `fanin${round}of${count}`;
  const plan = Array.from({ length: count }, (_, index): ChildPlan => {
    const role = CHILD_ROLES[index % CHILD_ROLES.length] ?? "answers";
    return { role, paceMs: Math.floor(random() * LONGEST_PACE_MS) };
  });
  const requests = plan.reduce((sum, { role }) => sum + ENDS[role].requests, 1);
  const killer = new RandomKiller(stage, drill, planRandomKills(random, kills, requests));
  stage.hooks = killer.hooks;
  const tenant = await stage.makeTenant("fan-in");
  const input: EngineInput = { drill, kind: "fan-out", paceMs: 100, keyed: keyed.url, children: plan };
  const id = await tenant.createTask(input);
  await cancelThoseThatAsk(tenant.api, id, plan);
  await until(
    async () => (await tenant.api.task(id)).status === "completed",
    END_WITHIN_MS,
    () => `the parent of ${count} subtasks did not end (seed ${seed}):\n${stage.system.output()}`,
    100,
  );
  await killer.done();
  stage.hooks = {};
  await stage.system.up();

  const parent = await tenant.api.task(id);
  const made = await tenant.api.subtasks(id);
  const listed = await tenant.api.pages<TaskBody>("/v1/tasks");
  const rows = await tenant.api.ledger(id);
  const events = await tenant.api.events(id);
  const ofParent = model.requests.filter((record) => findDrill(record.body) === drill);
  const violations: string[] = [];
  const check = (holds: boolean, otherwise: string): void => {
    if (!holds) violations.push(`${drill}: ${otherwise}`);
  };
  const times = (type: string, field?: string, value?: unknown): number =>
    events.filter((event) => event.type === type && (field === undefined || event.data[field] === value)).length;

  check(parent.output?.text === doneText(drill), `the parent ended with ${JSON.stringify(parent.output?.text)}`);
  check(parent.usage.steps === 2, `the parent counts ${parent.usage.steps} steps`);
  check(times("task.resumed") === 1, `the parent was resumed ${times("task.resumed")} times`);
  for (const step of [1, 2])
    check(
      times("step.completed", "step", step) === 1,
      `step ${step} completed ${times("step.completed", "step", step)} times`,
    );
  check(
    ofParent.length <= 2 + killer.kills,
    `the parent's model was asked ${ofParent.length} times over ${killer.kills} kills`,
  );
  check(isInOrder(ofParent), "the parent's model was asked for the first step after the second");
  check(made.length === count, `${made.length} subtasks are listed`);
  check(new Set(made.map(({ id: child }) => child)).size === made.length, "a subtask is listed twice");
  const below = listed.filter(({ parent_id }) => parent_id === id).length;
  check(below === count, `the index has ${below} subtasks`);
  check(rows.length === count, `the ledger has ${rows.length} rows`);
  for (const [index, { role }] of plan.entries()) {
    const name = `${drill}-c${index + 1}`;
    const { status, reads } = ENDS[role];
    const [child, row] = [made[index], rows[index]];
    check(child !== undefined && getName(child) === name, `subtask ${index + 1} is ${child && getName(child)}`);
    check(child?.status === status, `${name} (${role}) ended as ${child?.status}`);
    check(row?.state === (status === "completed" ? "confirmed" : "failed"), `${name}: the ledger says ${row?.state}`);
    for (const type of ["subtask.created", "subtask.ended"])
      check(
        times(type, "subtask_id", child?.id) === 1,
        `${name}: ${type} ${times(type, "subtask_id", child?.id)} times`,
      );
    for (const record of ofParent.filter(({ step }) => step === 2)) {
      const result = readText(record.body.messages.filter(({ role: speaker }) => speaker === "tool")[index]);
      check(reads(name).test(result), `${name} (${role}): the parent read ${JSON.stringify(result.slice(0, 100))}`);
    }
    if (role === "posts" || role === "writes") violations.push(...judgeEffect(stage, name));
  }
  for (const record of ofParent.filter(({ step }) => step === 2)) {
    const results = record.body.messages.filter(({ role }) => role === "tool").length;
    check(results === count, `the parent read ${results} results`);
  }
  check(killer.kills === kills, `${killer.kills} of ${kills} kills were made`);
  const isOurs = (name: string | null): boolean => name?.startsWith(drill) === true;
  return {
    children: count,
    kills: killer.kills,
    modelRequests: model.requests.filter((record) => isOurs(findDrill(record.body))).length,
    effects: keyed.requests.filter(({ path }) => isOurs(parsePlace(path).drill)).length,
    violations,
  };
}

/** Waits for each subtask with a question, and cancels it. */
async function cancelThoseThatAsk(api: Stage["api"], parent: string, plan: readonly ChildPlan[]): Promise<void> {
  const places = plan.flatMap(({ role }, index) => (role === "is cancelled" ? [index] : []));
  await until(
    async () => (await api.subtasks(parent)).length === plan.length,
    END_WITHIN_MS,
    () => "not all subtasks were made",
    100,
  );
  const made = await api.subtasks(parent);
  await eachAtOnce(places, 5, async (place) => {
    const id = made[place]?.id ?? "";
    await until(
      async () => (await api.task(id)).status === "waiting_input",
      END_WITHIN_MS,
      () => `subtask ${place + 1} does not ask`,
      100,
    );
    await api.must("POST", `/v1/tasks/${id}/cancel`);
  });
}

/** Checks that a subtask's effect happened, under one key and with one body. */
function judgeEffect({ keyed }: Stage, name: string): string[] {
  const seen = keyed.requests.filter(({ path }) => parsePlace(path).drill === name);
  const kinds = new Set(
    seen.map(({ method, path, idempotencyKey, body }) => JSON.stringify([method, path, idempotencyKey, body])),
  );
  if (seen.length === 0) return [`${name}: its request never came`];
  if (seen.some(({ idempotencyKey }) => idempotencyKey === null)) return [`${name}: its request came without a key`];
  return kinds.size === 1 ? [] : [`${name}: its request came in ${kinds.size} forms`];
}

function isInOrder(records: readonly ModelRecord[]): boolean {
  return records.every(({ step }, index) => step >= (records[index - 1]?.step ?? 0));
}

function getName({ input }: TaskBody): string {
  return (JSON.parse(input) as EngineInput).drill;
}

function exactly(text: string): RegExp {
  return new RegExp(`^${RegExp.escape(text)}$`);
}
