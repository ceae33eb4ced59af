/** Drill 3: Postgres is away for a while. Tasks in flight go on, and the list catches up. */
import { setTimeout as sleep } from "node:timers/promises";
import { eachAtOnce } from "./api-client.ts";
import { inputOf } from "./script.ts";
import type { Stage } from "./stage.ts";
import { kill, until } from "./started-system.ts";

const TASKS = 10;
/** Steps of a task that fit into the outage; the rest comes after it. */
const STEPS_IN_OUTAGE = 18;
/** The list has caught up within this time after the database is back. */
const CATCH_UP_MS = 60_000;

export interface OutageDrillReport {
  readonly tasks: number;
  readonly outageMs: number;
  /** Model requests while the database was away. */
  readonly progress: number;
  readonly databaseKills: number;
  readonly catchUpMs: number;
  readonly violations: readonly string[];
}

/** The database is stopped (it takes connections and answers none), then killed as often as it comes back. */
export async function runOutageDrill(
  stage: Stage,
  outageSeconds: number,
  say: (line: string) => void,
): Promise<OutageDrillReport> {
  const { api, model, system } = stage;
  const violations: string[] = [];
  const names = Array.from({ length: TASKS }, (_, index) => `outage${index + 1}`);
  const paceMs = Math.ceil((outageSeconds * 1000) / STEPS_IN_OUTAGE);
  const ids = await eachAtOnce(names, TASKS, (name) => stage.createTask(name, "writes", paceMs));
  const requestsOf = (name: string) => model.requests.filter((record) => inputOf(record.body.messages)?.drill === name);
  await until(
    () => names.every((name) => requestsOf(name).length > 0),
    30_000,
    () => "the tasks did not begin",
  );

  const from = performance.now();
  const until1 = from + (outageSeconds * 1000) / 2;
  const until2 = from + outageSeconds * 1000;
  const stopped = system.pidOf("database");
  if (stopped === null) throw new Error("there is no database to stop");
  kill(stopped, "SIGSTOP");
  while (performance.now() < until1) await sleep(20);
  let databaseKills = 0;
  let last: number | null = null;
  while (performance.now() < until2) {
    const pid = system.pidOf("database");
    if (pid !== null && pid !== last && kill(pid)) {
      databaseKills += 1;
      last = pid;
    }
    await sleep(5);
  }
  const back = performance.now();
  for (const name of names) {
    const during = requestsOf(name).filter((record) => record.at > from && record.at < back).length;
    if (during === 0) violations.push(`${name} stood still while the database was away`);
  }
  const progress = model.requests.filter((record) => record.at > from && record.at < back).length;
  say(`  ${progress} model requests in ${outageSeconds} s without a database`);

  await eachAtOnce(ids, TASKS, async (id, index) => {
    await until(
      async () => (await api.task(id)).status === "completed",
      120_000,
      () => `${names[index]} did not complete`,
      250,
    );
  });
  const ended = performance.now();
  let missing = new Set(ids);
  await until(
    async () => {
      const reply = await api.send("GET", "/v1/tasks?status=completed&limit=100");
      const listed = new Set(
        reply.status === 200 ? (reply.body as { data: { id: string }[] }).data.map((task) => task.id) : [],
      );
      missing = new Set(ids.filter((id) => !listed.has(id)));
      return missing.size === 0;
    },
    CATCH_UP_MS,
    () =>
      `${missing.size} of ${TASKS} tasks are missing in the list ${CATCH_UP_MS / 1000} s after the database came back`,
    100,
  );
  const listedAt = performance.now();
  for (const [index, id] of ids.entries()) {
    const events = await api.events(id);
    const steps = events.filter((event) => event.type === "step.completed").length;
    if (steps !== 21) violations.push(`${names[index]}: ${steps} steps completed in the log`);
  }
  if (progress === 0 || databaseKills === 0) violations.push("no call was made, or the database was never killed");
  return {
    tasks: TASKS,
    outageMs: back - from,
    progress,
    databaseKills,
    catchUpMs: listedAt - Math.max(back, ended),
    violations,
  };
}
