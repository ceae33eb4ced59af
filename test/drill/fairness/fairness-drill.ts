/** Drill `fairness`: measures how a tenant with a hundred times the load slows down many small tenants. */
import { eachAtOnce, type TaskBody } from "../api-client.ts";
import { quantile } from "../random.ts";
import type { DrillTenant, Stage } from "../stage.ts";
import { until } from "../started-system.ts";

const TENANTS = 19;
/** Duration of a model's reply. Keeps the machine partly idle with small tasks alone. */
const PACE_MS = 1_000;
/** How often the two measurements alternate, so that other load affects both. */
const ROUNDS = 3;
/** Concurrent tasks of the large tenant. Each other tenant has one. */
const TIMES = 100;
/** Maximum slowdown of the others' tasks at the 95th percentile. */
const LARGEST_RATIO = 2;
const END_WITHIN_MS = 60_000;

export interface FairnessReport {
  readonly tasks: number;
  readonly largeTasks: number;
  readonly aloneP95Ms: number;
  readonly besideP95Ms: number;
  readonly ratio: number;
  readonly violations: readonly string[];
}

/** `tasks` is how many each small tenant runs in sequence per round, without and with the large one. */
export async function runFairnessDrill(stage: Stage, { tasks }: { readonly tasks: number }): Promise<FairnessReport> {
  const names = Array.from({ length: TENANTS }, (_, index) => `fair${index + 1}`);
  const tenants = await eachAtOnce(names, 5, async (name) => await stage.makeTenant(name));
  const large = await stage.makeTenant("fairlarge");
  const runSmall = async (): Promise<number[]> => {
    const times = await eachAtOnce(tenants, TENANTS, async (tenant) => {
      const taken: number[] = [];
      for (let task = 0; task < tasks; task += 1) taken.push(await runQuick(stage, tenant));
      return taken;
    });
    return times.flat();
  };
  let largeTasks = 0;
  const runSmallBesideLarge = async (): Promise<number[]> => {
    let goesOn = true;
    const load = Promise.all(
      Array.from({ length: TIMES }, async () => {
        while (goesOn) {
          await runQuick(stage, large);
          largeTasks += 1;
        }
      }),
    );
    // Awaited below. An earlier error must not abort the drill and leave its system running.
    load.catch(() => undefined);
    const times = await runSmall();
    goesOn = false;
    await load;
    return times;
  };
  // Warm up, since work of the first use does not count.
  await runSmall();
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(...(await runSmall()));
    beside.push(...(await runSmallBesideLarge()));
  }
  const [aloneP95Ms, besideP95Ms] = [quantile(alone, 0.95), quantile(beside, 0.95)];
  const ratio = besideP95Ms / aloneP95Ms;
  const violations: string[] = [];
  if (alone.length === 0 || largeTasks === 0) violations.push("fairness: no task was run");
  if (!(ratio <= LARGEST_RATIO)) violations.push(`fairness: the others' p95 grew ${ratio.toFixed(2)} times`);
  return { tasks: beside.length, largeTasks, aloneP95Ms, besideP95Ms, ratio, violations };
}

/** Creates a task and waits for its end. Returns the milliseconds. */
async function runQuick({ keyed }: Stage, { id, api, agent }: DrillTenant): Promise<number> {
  const input = JSON.stringify({ drill: `fair-${id}`, kind: "quick", paceMs: PACE_MS, keyed: keyed.url });
  const from = performance.now();
  const made = await api.must<TaskBody>("POST", "/v1/tasks?wait=60", { input, agent });
  await until(
    async () => made.status === "completed" || (await api.task(made.id)).status === "completed",
    END_WITHIN_MS,
    () => `a task of the fairness drill is ${made.status}`,
    100,
  );
  return performance.now() - from;
}
