/** Drill `switch`: the kill switch halts a tenant's running tasks within five seconds, and all resume after the release. */
import { setTimeout as sleep } from "node:timers/promises";
import type { WireBody } from "../../mock-servers/model-server.ts";
import { eachAtOnce } from "../api-client.ts";
import { type ChildPlan, doneText, type EngineInput } from "./engine-script.ts";
import type { DrillTenant, Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import { findDrill, parsePlace } from "../received.ts";

const TASKS = 8;
const STEPS = 6;
const PACE_MS = 400;
/** Duration of a further task's model call, longer than the time to halt. */
const SLOW_MS = 6_500;
/** Everything is halted within this time of the stop. */
const HALTED_WITHIN_MS = 5_000;
/** How long no request may follow. */
const SILENT_MS = 3_000;
const CHILDREN: readonly ChildPlan[] = [
  { role: "posts", paceMs: 2_500 },
  { role: "writes", paceMs: 1_500 },
];

export interface SwitchReport {
  readonly tasks: number;
  readonly before: number;
  /** Milliseconds from the stop to the last request at a mock server. */
  readonly lastAfterMs: number;
  readonly after: number;
  readonly violations: readonly string[];
}

export async function runSwitchDrill(stage: Stage): Promise<SwitchReport> {
  const { operator, keyed, model } = stage;
  const drill = "switch";
  const isOurs = (body: WireBody): boolean => findDrill(body)?.startsWith(drill) === true;
  const violations: string[] = [];
  const check = (holds: boolean, otherwise: string): void => {
    if (!holds) violations.push(`${drill}: ${otherwise}`);
  };
  const tenant = await stage.makeTenant(drill);
  const bystander = await stage.makeTenant("switch-bystander");
  const { api } = tenant;
  const names = Array.from({ length: TASKS }, (_, index) => `${drill}${index + 1}`);
  const create = async ({ createTask }: DrillTenant, name: string): Promise<string> =>
    await createTask({ drill: name, kind: "posts", steps: STEPS, paceMs: PACE_MS, keyed: keyed.url });
  const ids = await eachAtOnce(names, TASKS, async (name) => await create(tenant, name));
  const family: EngineInput = {
    drill: `${drill}family`,
    kind: "fan-out",
    paceMs: 0,
    keyed: keyed.url,
    children: CHILDREN,
  };
  ids.push(await tenant.createTask(family));
  const slow: EngineInput = { drill: `${drill}slow`, kind: "quick", paceMs: SLOW_MS, keyed: keyed.url };
  ids.push(await tenant.createTask(slow));
  const other = await create(bystander, "bystander");
  await until(
    () => names.every((name) => listArrivals(stage, name).length >= 3) && listArrivals(stage, slow.drill).length > 0,
    30_000,
    () => "the tasks did not begin",
  );

  const before = listArrivals(stage, drill).length;
  const stoppedAt = performance.now();
  const stop = await api.send("POST", "/v1/kill-switch/stop", { reason: "a drill" });
  check(stop.status === 200, `the stop answered ${stop.status}`);
  await sleep(Math.max(0, stoppedAt + HALTED_WITHIN_MS - performance.now()));
  const lastAfterMs = Math.max(0, ...listArrivals(stage, drill).map((at) => at - stoppedAt));
  const open = model.requests.filter(({ body, repliedAt, dropped }) => isOurs(body) && repliedAt === null && !dropped);
  check(open.length === 0, `${open.length} model calls are still open ${HALTED_WITHIN_MS} ms after the stop`);
  await sleep(SILENT_MS);
  const late = listArrivals(stage, drill).filter((at) => at > stoppedAt + HALTED_WITHIN_MS).length;
  check(late === 0, `${late} requests came later than ${HALTED_WITHIN_MS} ms after the stop`);
  const refused = await api.send("POST", "/v1/tasks", { input: "begin" });
  check(refused.status === 409, `a new task was answered ${refused.status} while the tenant is stopped`);
  await untilDone(bystander, other, "bystander");

  const byOperator = await operator.send("POST", `/v1/tenants/${tenant.id}/stop`, { reason: "a drill" });
  check(byOperator.status === 200, `the operator's stop answered ${byOperator.status}`);
  const own = await api.send("POST", "/v1/kill-switch/release");
  check(own.status === 403, `the tenant's release of the operator's stop answered ${own.status}`);
  const lifted = await operator.send("POST", `/v1/tenants/${tenant.id}/release`);
  check(lifted.status === 200, `the operator's release answered ${lifted.status}`);
  await sleep(SILENT_MS);
  check(
    listArrivals(stage, drill).every((at) => at <= stoppedAt + HALTED_WITHIN_MS),
    "something moved while the tenant's own stop stood",
  );
  const releasedAt = performance.now();
  const release = await api.send("POST", "/v1/kill-switch/release");
  check(release.status === 200, `the tenant's release answered ${release.status}`);

  for (const [index, id] of ids.entries()) {
    const name = names[index] ?? (index === TASKS ? family.drill : slow.drill);
    await untilDone(tenant, id, name);
    const { output, usage } = await api.task(id);
    check(output?.text === doneText(name), `${name} ended with ${JSON.stringify(output?.text)}`);
    const steps = name === slow.drill ? 1 : name === family.drill ? 2 : STEPS + 1;
    check(usage.steps === steps, `${name} counts ${usage.steps} steps`);
    const rows = await api.ledger(id);
    check(
      rows.every(({ state }) => state === "confirmed"),
      `${name}: ${rows.map(({ state }) => state).join(" ")}`,
    );
  }
  const paths = Map.groupBy(listEffects(stage, drill), ({ path }) => path);
  check(paths.size === TASKS * STEPS + CHILDREN.length, `${paths.size} different requests came to the recorder`);
  for (const [path, requests] of paths) {
    const keys = new Set(requests.map(({ idempotencyKey }) => idempotencyKey)).size;
    check(keys === 1, `${path} came under ${keys} keys`);
  }
  const after = listArrivals(stage, drill).filter((at) => at >= releasedAt).length;
  check(before > 0 && after > 0, "no call was made before the stop or after the release");
  return { tasks: ids.length, before, lastAfterMs, after, violations };
}

async function untilDone({ api }: DrillTenant, id: string, name: string): Promise<void> {
  await until(
    async () => (await api.task(id)).status === "completed",
    60_000,
    () => `${name} did not complete`,
    100,
  );
}

/** Returns when requests of these drills arrived at the model server and the recorder. */
function listArrivals(stage: Stage, prefix: string): number[] {
  const modelRequests = stage.model.requests.filter(({ body }) => findDrill(body)?.startsWith(prefix) === true);
  return [...modelRequests, ...listEffects(stage, prefix)].map(({ at }) => at);
}

function listEffects({ keyed }: Stage, prefix: string) {
  return keyed.requests.filter(({ path }) => parsePlace(path).drill.startsWith(prefix));
}
