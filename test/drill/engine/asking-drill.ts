/** Drill `asking`: a tool asks the task's model, and the runtime is killed before, during and after the question. */
import pg from "pg";
import type { ModelRecord } from "../../mock-servers/model-server.ts";
import type { PostgresServer } from "../../mock-servers/postgres-server.ts";
import { type ApiClient, isEnded, type TaskBody } from "../api-client.ts";
import { findDrill } from "../received.ts";
import type { DrillTenant, Stage, StageHooks } from "../stage.ts";
import { killRuntime, until } from "../started-system.ts";
import { countTokens, type EngineInput, isQuestion, QUESTION_TOKENS } from "./engine-script.ts";

const MOMENTS = ["never", "before", "during", "after"] as const;
type Moment = (typeof MOMENTS)[number];

const ORDERS = 3;
const END_WITHIN_MS = 120_000;
/** Time for a task's last report to its tenant after its end. */
const SETTLE_MS = 15_000;
const PASSWORD = "canary-asking";

export interface AskingReport {
  readonly kills: number;
  /** Questions that arrived at the model server. */
  readonly questions: number;
  /** Tokens that the model server billed for questions, and what all tasks were charged. */
  readonly billed: number;
  readonly charged: number;
  readonly violations: readonly string[];
}

/** Each task asks one question. `postgres` is open to the system's egress. */
export async function runAskingDrill(stage: Stage, postgres: PostgresServer): Promise<AskingReport> {
  const violations: string[] = [];
  const check = (holds: boolean, otherwise: string): void => {
    if (!holds) violations.push(`asking: ${otherwise}`);
  };
  const tenant = await stage.makeTenant("asking");
  const { api, createTask } = tenant;
  await addDatabase(postgres, tenant);
  let [kills, billed, charged, questions] = [0, 0, 0, 0];
  for (const moment of MOMENTS) {
    const drill = `asking${moment}`;
    const question = `How many orders are there, ${drill}?`;
    const isOurs = ({ body }: ModelRecord) => isQuestion(body) && JSON.stringify(body.messages).includes(question);
    let killing: Promise<unknown> | null = null;
    const kill = async (): Promise<void> => {
      killing ??= killRuntime(stage.system, "workerd");
      await killing;
    };
    stage.hooks = hooksAt(moment, kill, isOurs, drill);
    const input: EngineInput = { drill, kind: "asks", paceMs: 0, keyed: stage.keyed.url, question };
    const id = await createTask(input);
    const task = await untilEnded(stage, async () => await api.task(id));
    stage.hooks = {};
    await stage.system.up();
    if (killing !== null) kills += 1;
    const asked = stage.model.requests.filter(isOurs).length;
    const steps = stage.model.requests.filter(({ body, repliedAt }) => findDrill(body) === drill && repliedAt !== null);
    const bill = asked * (QUESTION_TOKENS.input + QUESTION_TOKENS.output);
    const used = task.usage.input_tokens + task.usage.output_tokens;
    const stepTokens = steps.reduce((sum, { body }) => sum + countTokens(body.messages), 0);
    check(task.status === "completed", `${moment}: the task is ${task.status}`);
    check(task.output?.text.includes(`[${ORDERS}]`) === true, `${moment}: the answer is ${task.output?.text}`);
    check((moment !== "never") === (killing !== null), `${moment}: the kill was not made`);
    check(asked >= 1 && asked <= 2, `${moment}: ${asked} questions arrived`);
    check(used >= bill, `${moment}: ${used} tokens are charged and ${bill} were billed for questions`);
    check(moment !== "never" || used <= bill + 2 * stepTokens + 1_000, `${moment}: ${used} tokens are charged`);
    [questions, billed, charged] = [questions + asked, billed + bill, charged + used];
  }
  await checkTenant(api, charged, check);
  return { kills, questions, billed, charged, violations };
}

function hooksAt(
  moment: Moment,
  kill: () => Promise<void>,
  isOurs: (record: ModelRecord) => boolean,
  drill: string,
): StageHooks {
  switch (moment) {
    case "never":
      return {};
    case "before":
      return { onModelReplied: ({ body }) => void (findDrill(body) === drill && kill()) };
    case "during":
      return { onModelRequest: async (record) => (isOurs(record) ? await kill() : undefined) };
    case "after":
      return { onModelReplied: (record) => void (isOurs(record) && kill()) };
  }
}

/** Adds a table of `ORDERS` rows, a role that only reads, and the database with it, which the drill's agent may use. */
async function addDatabase({ admin, urlOf }: PostgresServer, tenant: DrillTenant): Promise<void> {
  await admin.query("create database asking");
  const url = urlOf("reader", PASSWORD, "asking");
  await admin.query(`create role reader login password '${PASSWORD}'`);
  const owner = new pg.Client(urlOf("postgres", "canary-superuser", "asking"));
  await owner.connect();
  await owner.query("create table orders (id int primary key)");
  await owner.query(`insert into orders select generate_series(1, ${ORDERS})`);
  await owner.query("grant select on orders to reader");
  await owner.end();
  const order = { name: "shop", kind: "postgres", dsn: url, tls: "off", agents: [tenant.agent] };
  await tenant.api.must("POST", "/v1/databases", order);
  await tenant.api.must("POST", "/v1/databases/shop/check");
}

async function untilEnded(stage: Stage, read: () => Promise<TaskBody>): Promise<TaskBody> {
  let task: TaskBody | null = null;
  await until(
    async () => isEnded((task = await read()).status),
    END_WITHIN_MS,
    () => `asking: a task did not end: ${JSON.stringify(task)}\n${stage.system.output()}`,
    100,
  );
  return task as unknown as TaskBody;
}

/** The tenant's own account has what its tasks were charged, and nothing stays reserved. */
async function checkTenant(
  api: ApiClient,
  charged: number,
  check: (holds: boolean, otherwise: string) => void,
): Promise<void> {
  const settledBy = performance.now() + SETTLE_MS;
  const read = async () =>
    (await api.must<{ data: readonly Account[] }>("GET", "/v1/budgets")).data.find((one) => one.account === "tenant");
  let last = await read();
  while (performance.now() < settledBy && (last?.used.tokens !== charged || last.reserved.tokens !== 0))
    last = await read();
  check(last?.used.tokens === charged, `the tenant was charged ${last?.used.tokens} and its tasks ${charged}`);
  check(last?.reserved.tokens === 0, `${last?.reserved.tokens} tokens stay reserved`);
}

interface Account {
  readonly account: string;
  readonly used: { readonly tokens: number };
  readonly reserved: { readonly tokens: number };
}
