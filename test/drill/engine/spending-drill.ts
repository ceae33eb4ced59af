/** Drill `spending`: many tasks spend concurrently up to their tenant's limit, with kills. */
import { eachAtOnce, type TaskBody } from "../api-client.ts";
import type { EngineInput } from "./engine-script.ts";
import { seededRandom } from "../random.ts";
import { planRandomKills, RandomKiller } from "../random-kills.ts";
import type { Stage } from "../stage.ts";
import { measureTokens } from "../../../core/model/tokens.ts";
import { until } from "../started-system.ts";
import { findDrill } from "../received.ts";

const SPENDERS = 10;
const STEPS = 60;
/** Tokens of each model call. */
const INPUT = 1_500;
const OUTPUT = 500;
/** Text that counts as INPUT tokens by Otto's own estimate. */
const FILLER = " word".repeat(Math.ceil(INPUT / measureTokens(" word")));
const END_WITHIN_MS = 150_000;
/** Time for a task's last report to its tenant after its end. */
const SETTLE_MS = 15_000;

export interface SpendingReport {
  readonly limit: number;
  readonly kills: number;
  /** Tokens that the model server served, and those in flight at a kill. */
  readonly served: number;
  readonly inFlight: number;
  readonly used: number;
  readonly tasksUsed: number;
  readonly reserved: number;
  readonly failed: number;
  readonly completed: number;
  readonly violations: readonly string[];
}

interface Account {
  readonly account: string;
  readonly used: { readonly tokens: number };
  readonly reserved: { readonly tokens: number };
}

export async function runSpendingDrill(
  stage: Stage,
  { limit, kills, seed }: { readonly limit: number; readonly kills: number; readonly seed: number },
): Promise<SpendingReport> {
  const { model, keyed, system } = stage;
  const drill = kills === 0 ? "spending" : "spendingkilled";
  const violations: string[] = [];
  const check = (holds: boolean, otherwise: string): void => {
    if (!holds) violations.push(`${drill}: ${otherwise}`);
  };
  const { api, createTask } = await stage.makeTenant(drill, { budget: { max_steps: STEPS + 5 } });
  await api.must("PUT", "/v1/budgets/tenant", { max_tokens: limit, period: "total" });
  // Kill within the first half of the limit, while tasks run.
  const within = Math.floor(limit / (INPUT + OUTPUT) / 2);
  const killer = new RandomKiller(stage, drill, planRandomKills(seededRandom(seed), kills, within));
  stage.hooks = killer.hooks;
  const names = Array.from({ length: SPENDERS }, (_, index) => `${drill}${index + 1}`);
  const create = async (name: string, steps: number): Promise<string> => {
    const given = { steps, input: INPUT, output: OUTPUT, filler: FILLER };
    const input: EngineInput = { drill: name, kind: "spends", paceMs: 40, keyed: keyed.url, ...given };
    return await createTask(input);
  };
  const ids = await eachAtOnce(names, SPENDERS, async (name) => await create(name, STEPS));
  const untilEnded = async (id: string): Promise<TaskBody> => {
    let task: TaskBody | null = null;
    await until(
      async () => ["completed", "failed", "cancelled"].includes((task = await api.task(id)).status),
      END_WITHIN_MS,
      () => `${drill}: a spender did not end: ${JSON.stringify(task)}\n${system.output()}`,
      100,
    );
    return task as unknown as TaskBody;
  };
  const tasks = await eachAtOnce(ids, SPENDERS, untilEnded);
  await killer.done();
  stage.hooks = {};
  await system.up();

  const account = async (): Promise<Account | undefined> =>
    (await api.must<{ data: Account[] }>("GET", "/v1/budgets")).data.find((one) => one.account === "tenant");
  const settledBy = performance.now() + SETTLE_MS;
  const tasksUsed = sum(tasks.map(({ usage }) => usage.input_tokens + usage.output_tokens));
  let last = await account();
  while (performance.now() < settledBy && (last?.reserved.tokens !== 0 || last.used.tokens !== tasksUsed))
    last = await account();
  const { used: { tokens: used } = { tokens: -1 }, reserved: { tokens: reserved } = { tokens: -1 } } = last ?? {};
  const ours = model.requests.filter((record) => findDrill(record.body)?.startsWith(drill) === true);
  const servedIn = (records: readonly { readonly repliedAt: number | null }[]): number =>
    records.filter(({ repliedAt }) => repliedAt !== null).length * (INPUT + OUTPUT);
  const served = servedIn(ours);
  const inFlight = killer.inFlight.size * (INPUT + OUTPUT);
  check(served > 0, "no call was made");
  // Each kill uses up the reservations of calls in flight, so the limit may be exhausted before the last kill.
  check(kills === 0 || killer.kills > 0, "no kill was made");
  check(
    served <= limit + inFlight,
    `${served} tokens were served against a limit of ${limit}, with ${inFlight} in flight`,
  );
  check(used <= limit, `${used} tokens are counted against a limit of ${limit}`);
  check(served <= used, `${served} tokens were served and ${used} counted`);
  check(kills > 0 || served === used, `${served} tokens were served and ${used} counted, with no kill`);
  check(reserved === 0, `${reserved} tokens stay reserved after all have ended`);
  check(used === tasksUsed, `the tenant used ${used} and its tasks ${tasksUsed}`);
  const failed = tasks.filter(({ status, reason }) => status === "failed" && reason === "budget_exceeded").length;
  const completed = tasks.filter(({ status }) => status === "completed").length;
  check(failed > 0, "no task was stopped by the limit");
  check(failed + completed === SPENDERS, `${SPENDERS - failed - completed} tasks ended in another way`);

  await api.must("PUT", "/v1/budgets/tenant", { max_tokens: limit * 2, period: "total" });
  const more = await untilEnded(await create(`${drill}more`, 2));
  check(more.status === "completed", `a new task ended as ${more.status} after the limit was raised`);
  return { limit, kills: killer.kills, served, inFlight, used, tasksUsed, reserved, failed, completed, violations };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
