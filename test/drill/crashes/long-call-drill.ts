/**
 * Drill `long call`: a model call that begins in the request that creates its task and takes 90 s of real time. It outlasts the alarm that
 * guards it, which must not begin it again. The object of a second task is aborted during the call, which must begin again once.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { doneText } from "../engine/engine-script.ts";
import { type GroupOptions, withStage } from "../group.ts";
import { findDrill } from "../received.ts";
import type { DrillTenant, Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import { abortTask, addAbortEntry } from "./abort-entry.ts";

const CALL_MS = 90_000;
/** When the object is aborted: the guard's alarm has then run long ago. */
const ABORTED_AFTER_MS = 45_000;
/** How soon the call begins again after the abort. */
const AGAIN_WITHIN_MS = 60_000;
const ENDS_WITHIN_MS = 2 * CALL_MS + AGAIN_WITHIN_MS;
const BEGINS_WITHIN_MS = 10_000;

export interface LongCallReport {
  /** Model requests of the task that nothing disturbed, and of the one whose object was aborted. */
  readonly undisturbed: number;
  readonly aborted: number;
  /** Milliseconds from the abort to the next model request. */
  readonly againAfterMs: number;
  readonly violations: readonly string[];
}

/** Runs both tasks at once on a system of their own. */
export async function runLongCallDrill({ say }: Pick<GroupOptions, "say">): Promise<LongCallReport> {
  return await withStage(say, async (stage) => {
    await stage.system.end();
    addAbortEntry(stage.system.stateFolder);
    await stage.system.startAgain();
    return await runTasks(stage);
  });
}

async function runTasks(stage: Stage): Promise<LongCallReport> {
  const { keyed, system } = stage;
  const violations: string[] = [];
  const tenant = await stage.makeTenant("long-call");
  const create = async (drill: string) =>
    await tenant.createTask({ drill, kind: "quick", paceMs: CALL_MS, keyed: keyed.url });
  const names = ["undisturbed", "aborted"] as const;
  const [undisturbed, aborted] = [await create(names[0]), await create(names[1])];
  await until(
    () => names.every((name) => listRequests(stage, name).length > 0),
    BEGINS_WITHIN_MS,
    () => "the model calls did not begin",
  );

  await sleep(ABORTED_AFTER_MS);
  if (listRequests(stage, names[1]).length !== 1) violations.push("long call: a call began again before the abort");
  const abortedAt = performance.now();
  await abortTask(system.url, tenant.id, aborted);
  await until(
    () => listRequests(stage, names[1]).some((at) => at > abortedAt),
    AGAIN_WITHIN_MS,
    () => "the aborted task did not call its model again",
  );
  const againAfterMs = Math.min(...listRequests(stage, names[1]).filter((at) => at > abortedAt)) - abortedAt;

  const requests = { undisturbed: 0, aborted: 0 };
  for (const [name, id, attempts] of [
    ["undisturbed", undisturbed, [1]],
    ["aborted", aborted, [1, 2]],
  ] as const) {
    violations.push(...(await judgeTask(tenant, { name, id, attempts })));
    requests[name] = listRequests(stage, name).length;
    if (requests[name] !== attempts.length)
      violations.push(`long call: ${name} made ${requests[name]} model requests instead of ${attempts.length}`);
  }
  return { ...requests, againAfterMs, violations };
}

/** Waits for the end of a task and checks its attempts in its log. */
async function judgeTask(
  { api }: DrillTenant,
  { name, id, attempts }: { readonly name: string; readonly id: string; readonly attempts: readonly number[] },
): Promise<string[]> {
  await until(
    async () => ["completed", "failed"].includes((await api.task(id)).status),
    ENDS_WITHIN_MS,
    () => `${name} did not end`,
    500,
  );
  const { status, output, usage } = await api.task(id);
  const began = (await api.events(id)).filter(({ type }) => type === "step.started").map(({ data }) => data["attempt"]);
  return [
    ...(output?.text === doneText(name)
      ? []
      : [`long call: ${name} is ${status} with ${JSON.stringify(output?.text)}`]),
    ...(usage.steps === 1 ? [] : [`long call: ${name} counts ${usage.steps} steps`]),
    ...(began.join() === attempts.join() ? [] : [`long call: ${name} has the attempts ${began.join()}`]),
  ];
}

/** Returns when the requests of a task arrived at the model server. */
function listRequests({ model }: Stage, name: string): number[] {
  return model.requests.filter(({ body }) => findDrill(body) === name).map(({ at }) => at);
}
