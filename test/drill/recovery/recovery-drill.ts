/**
 * Drill `recovery`: creates cancelled tasks and drafts, loses the database, and rebuilds its rows while a task is created. Then retention
 * deletes all ended tasks, with a kill in the middle, and a rebuild must not restore them. `test/workerd/tenants/retention.test.ts` and
 * `tenant-reindex.test.ts` cover waiting, sleeping and completed tasks.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, eachAtOnce, type Reply } from "../api-client.ts";
import type { Stage } from "../stage.ts";
import { until } from "../started-system.ts";

/** Concurrent requests while the tasks are created. */
const WIDTH = 16;
/** Every n-th task stays a draft. */
const DRAFT_EVERY = 20;
/** The index is rebuilt within this time. */
const REBUILT_WITHIN_MS = 300_000;
/** How long the tenant's object may wait before it counts its rows again. */
const COUNTED_WITHIN_MS = 11_000;
/** Ended tasks stay for a minute. Then each sweep removes a thousand. */
const SWEEP_MINUTE_MS = 60_000;
const SWEPT_A_MINUTE = 1000;
const DEADLINE_MS = 20 * 60_000;

interface Sizes {
  readonly tasks: number;
  readonly kills: number;
  readonly isTimed: boolean;
  readonly say: (line: string) => void;
}

interface Reindex {
  readonly state: string;
  readonly reason: string;
  readonly rebuilt: Readonly<Record<string, number>>;
  readonly missing: number;
  readonly not_rebuilt: Readonly<Record<string, number>>;
  readonly started_at: string;
  readonly ended_at: string | null;
}

interface Retention {
  readonly stored: { readonly tasks: number; readonly ended_tasks: number };
  readonly removed: { readonly total: number };
}

export async function runRecoveryDrill(stage: Stage, sizes: Sizes) {
  const { system, operator } = stage;
  const violations: string[] = [];
  const check = (holds: boolean, otherwise: string): void => {
    if (!holds) violations.push(`recovery: ${otherwise}`);
  };
  const { id: tenant, api } = await stage.makeTenant("recovery");
  sizes.say(`Drill recovery: ${sizes.tasks} tasks`);
  const { drafts, cancelled } = await createTasks(api, sizes.tasks);
  await sleep(COUNTED_WITHIN_MS);
  await api.must("GET", "/v1/tasks?limit=1");
  const before = await readRetention(api);
  check(before.stored.tasks === sizes.tasks, `${before.stored.tasks} tasks are indexed before the loss`);

  sizes.say("The database is lost");
  await system.crash("everything", (state) => rmSync(join(state, "database"), { recursive: true, force: true }));
  const lostAt = performance.now();
  await api.send("GET", "/v1/tasks?limit=1");
  const during = await api.send("POST", "/v1/tasks", { input: "While it is rebuilt", hold: true });
  check(during.status === 201, `a task was answered ${during.status} while the index was rebuilt`);
  const rebuilt = await untilRebuilt(operator, tenant);
  const tookMs = performance.now() - lostAt;
  check(rebuilt.reason === "missing", `the index was rebuilt because it was ${rebuilt.reason}`);
  check(!sizes.isTimed || tookMs <= REBUILT_WITHIN_MS, `the rebuilding took ${Math.round(tookMs / 1000)} s`);
  check((rebuilt.not_rebuilt["agents"] ?? 0) === 1, `what was lost is ${JSON.stringify(rebuilt.not_rebuilt)}`);
  check(rebuilt.missing === 0, `${rebuilt.missing} tasks are missing`);
  const after = await readRetention(api);
  check(after.stored.tasks === sizes.tasks + 1, `${after.stored.tasks} tasks are indexed after the loss`);

  sizes.say("Retention over all of them");
  await sleep(SWEEP_MINUTE_MS);
  await api.send("PUT", "/v1/retention", { tasks_days: 0 });
  const sweptAt = performance.now();
  for (let kill = 0; kill < sizes.kills; kill += 1) {
    const share = (before.stored.ended_tasks * (kill + 1)) / (sizes.kills + 1);
    await untilRemoved(api, (removed) => removed >= share);
    await system.crash();
  }
  await until(
    async () => (await readRetention(api)).stored.ended_tasks === 0,
    DEADLINE_MS,
    () => "the retention did not end",
    1000,
  );
  const sweptMs = performance.now() - sweptAt;
  const least = Math.max(0, Math.ceil(before.stored.ended_tasks / SWEPT_A_MINUTE) - 2) * SWEEP_MINUTE_MS;
  check(sweptMs >= least, `${before.stored.ended_tasks} tasks were removed within ${Math.round(sweptMs / 1000)} s`);
  const touched = await countOthers(api, drafts, 200);
  check(touched === 0, `${touched} drafts were touched`);
  await operator.send("POST", `/v1/tenants/${tenant}/reindex`, {});
  const again = await untilRebuilt(operator, tenant);
  const left = await readRetention(api);
  check(left.stored.tasks === drafts.length + 1, `${left.stored.tasks} tasks are indexed after the retention`);
  check(left.stored.ended_tasks === 0, `${left.stored.ended_tasks} removed tasks came back`);
  const readable = await countOthers(api, cancelled, 404);
  check(readable === 0, `${readable} removed tasks are not answered 404`);
  const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
  const figures = [
    ["tasks, of them drafts", `${sizes.tasks}, ${drafts.length}`],
    ["rebuilt from the loss on", seconds(tookMs)],
    ["the rebuilding itself", seconds(Date.parse(rebuilt.ended_at ?? "") - Date.parse(rebuilt.started_at))],
    ["rebuilt", JSON.stringify(rebuilt.rebuilt)],
    ["not rebuilt", JSON.stringify(rebuilt.not_rebuilt)],
    ["removed by retention", `${before.stored.ended_tasks} in ${seconds(sweptMs)}, ${sizes.kills} kills`],
    ["rebuilt after it", JSON.stringify(again.rebuilt)],
  ] as const;
  return { figures, violations };
}

/** Finds the tasks whose status code differs. */
async function countOthers(api: ApiClient, ids: readonly string[], status: number): Promise<number> {
  const statuses = await eachAtOnce(ids, WIDTH, async (id) => (await api.send("GET", `/v1/tasks/${id}`)).status);
  return statuses.filter((one) => one !== status).length;
}

/** Creates drafts and cancels most of them, which ends them without a model call. */
async function createTasks(api: ApiClient, count: number): Promise<{ drafts: string[]; cancelled: string[] }> {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const made = await eachAtOnce(numbers, WIDTH, async (index) => {
    const { id } = await api.must<{ id: string }>("POST", "/v1/tasks", { input: `Task ${index}`, hold: true });
    const isDraft = index % DRAFT_EVERY === 0;
    if (!isDraft) await api.must("POST", `/v1/tasks/${id}/cancel`);
    return { id, isDraft };
  });
  const idsOf = (wanted: boolean) => made.filter(({ isDraft }) => isDraft === wanted).map(({ id }) => id);
  return { drafts: idsOf(true), cancelled: idsOf(false) };
}

async function readRetention(api: ApiClient): Promise<Retention> {
  return await api.must<Retention>("GET", "/v1/retention");
}

async function untilRemoved(api: ApiClient, isEnough: (removed: number) => boolean): Promise<void> {
  await until(
    async () => isEnough((await readRetention(api)).removed.total),
    DEADLINE_MS,
    () => "the retention does not continue",
    500,
  );
}

/** The tenant's own row was lost too: until it is restored, the operator's request finds no such tenant, or no database. */
async function untilRebuilt(operator: ApiClient, tenant: string): Promise<Reindex> {
  let last: Reply = { status: 0, body: null };
  await until(
    async () => {
      last = await operator.send("GET", `/v1/tenants/${tenant}/reindex`);
      return last.status === 200 && (last.body as Reindex).state === "done";
    },
    2 * REBUILT_WITHIN_MS,
    () => `the index was not rebuilt: ${JSON.stringify(last)}`,
    500,
  );
  return last.body as Reindex;
}
