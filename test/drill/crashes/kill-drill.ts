/** Drill `crashes`: a task of 20 steps, with the runtime killed at several points of every step and no request to wake it. */
import { setTimeout as sleep } from "node:timers/promises";
import { isEnded } from "../api-client.ts";
import { judge, listFindings, type Verdict } from "../judge.ts";
import { quantile } from "../random.ts";
import { parsePlace } from "../received.ts";
import { columns, ms } from "../table.ts";
import { type Kill, Killer } from "./killer.ts";
import { listDrills, KILL_POINTS, PACE_MS, type PlannedKill } from "./kill-plan.ts";
import { type DrillInput, getExpected, readInput, STEPS } from "./script.ts";
import type { Stage } from "../stage.ts";
import { until } from "../started-system.ts";

/** A task without a request at any mock server for this long is stuck. */
const STUCK_MS = 90_000;
/** Time after the last answer for a retry, if a kill hit it. */
const SETTLE_MS = 4_000;
/** Resumed within this time, at the 95th percentile. */
const LATE_MS = 2_000;

export interface KillDrillReport extends Verdict {
  readonly tasks: number;
  readonly kills: readonly Kill[];
  readonly modelRequests: number;
  readonly effects: number;
  readonly resumeMs: { readonly p50: number; readonly p95: number; readonly max: number };
}

/** Runs the tasks of a plan in sequence. */
export async function runKillDrill(
  stage: Stage,
  plan: readonly PlannedKill[],
  say: (line: string) => void,
): Promise<KillDrillReport> {
  const killer = new Killer(stage, plan);
  stage.hooks = killer.hooks;
  const verdicts: Verdict[] = [];
  const drills = listDrills(plan);
  for (const drill of drills) {
    const before = killer.kills.length;
    const verdict = await runTask(stage, killer, drill);
    verdicts.push(verdict);
    say(`  ${drill}: ${killer.kills.length - before} kills, ${listFindings(verdict).length} findings`);
  }
  stage.hooks = {};
  const resumed = killer.kills.flatMap((done) => (done.resumedAfterMs === null ? [] : [done.resumedAfterMs]));
  return {
    tasks: drills.length,
    kills: killer.kills,
    modelRequests: stage.model.requests.filter((record) =>
      drills.includes(readInput(record.body.messages)?.drill ?? ""),
    ).length,
    effects: stage.keyed.requests.length + stage.unkeyed.requests.length,
    resumeMs: { p50: quantile(resumed, 0.5), p95: quantile(resumed, 0.95), max: Math.max(...resumed) },
    lost: verdicts.flatMap((verdict) => verdict.lost),
    repeatedSteps: verdicts.flatMap((verdict) => verdict.repeatedSteps),
    keyedDuplicates: verdicts.flatMap((verdict) => verdict.keyedDuplicates),
    unkeyedDuplicates: verdicts.flatMap((verdict) => verdict.unkeyedDuplicates),
    other: verdicts.flatMap((verdict) => verdict.other),
    unknownSent: verdicts.reduce((sum, verdict) => sum + verdict.unknownSent, 0),
    unknownUnsent: verdicts.reduce((sum, verdict) => sum + verdict.unknownUnsent, 0),
  };
}

async function runTask(stage: Stage, killer: Killer, drill: string): Promise<Verdict> {
  const { api, model, keyed, unkeyed, system } = stage;
  const input: DrillInput = { drill, kind: "steps", paceMs: PACE_MS, keyed: keyed.url, unkeyed: unkeyed.url };
  const ofDrill = () => model.requests.filter((record) => readInput(record.body.messages)?.drill === drill);
  const id = await stage.createTask(drill, "steps", PACE_MS);
  killer.lastActivityAt = performance.now();
  // Send no further request: the system must resume on its own.
  await until(
    () => {
      if (killer.failure !== null) throw killer.failure;
      if (performance.now() - killer.lastActivityAt > STUCK_MS) {
        const last = killer.kills.at(-1);
        throw new Error(`${drill} is stuck after the kill at step ${last?.step} (${last?.point}):\n${system.output()}`);
      }
      return ofDrill().some((record) => record.step === STEPS + 1 && record.repliedAt !== null);
    },
    30 * 60_000,
    () => `${drill} did not end within 30 minutes`,
  );
  for (
    const end = performance.now() + SETTLE_MS;
    performance.now() < end && (killer.isWaiting || performance.now() - killer.lastActivityAt < 500);
  )
    await sleep(20);
  killer.stopWaiting();
  await system.up();
  await until(
    async () => isEnded((await api.task(id)).status),
    60_000,
    () => `${drill} did not end`,
    200,
  );

  const expected = getExpected(input);
  return judge({
    expected,
    files: await api.files(id, Object.keys(expected.files)),
    task: await api.task(id),
    ledger: await api.ledger(id),
    events: await api.events(id),
    modelRequests: ofDrill(),
    recorded: [...keyed.requests, ...unkeyed.requests].filter((request) => parsePlace(request.path).drill === drill),
    kills: killer.kills,
  });
}

/** Returns the violations of a report, one line each. `judgeTime` also checks the time to resume. */
export function findViolations(report: KillDrillReport, judgeTime: boolean): string[] {
  const violations = listFindings(report);
  if (report.kills.length === 0) violations.push("nothing was killed");
  if (report.modelRequests === 0 || report.effects === 0) violations.push("no call was made");
  if (judgeTime && !(report.resumeMs.p95 <= LATE_MS))
    violations.push(`late: resumed within ${Math.round(report.resumeMs.p95)} ms at p95`);
  return violations;
}

/** Formats the report as a table. */
export function killTable(report: KillDrillReport): string {
  const rows = KILL_POINTS.map((point) => {
    const kills = report.kills.filter((done) => done.point === point);
    const resumed = kills.flatMap((done) => (done.resumedAfterMs === null ? [] : [done.resumedAfterMs]));
    return [point, kills.length, ms(quantile(resumed, 0.5)), ms(quantile(resumed, 0.95)), ms(Math.max(...resumed))];
  });
  const { p50, p95, max } = report.resumeMs;
  return [
    columns(
      ["killed", "kills", "p50", "p95", "max"],
      [...rows, ["all", report.kills.length, ms(p50), ms(p95), ms(max)]],
    ),
    ...report.kills.filter((done) => (done.resumedAfterMs ?? 0) > LATE_MS).map(lateLine),
    "",
    `  tasks ${report.tasks}, model requests ${report.modelRequests}, requests at the recorders ${report.effects}`,
    `  lost ${report.lost.length}, finished steps repeated ${report.repeatedSteps.length}, duplicates at the keyed recorder ${report.keyedDuplicates.length}, at the unkeyed one ${report.unkeyedDuplicates.length}`,
    `  unkeyed calls whose outcome is unknown: ${report.unknownSent} that were sent, ${report.unknownUnsent} that never were`,
  ].join("\n");
}

function lateLine(done: Kill): string {
  return `  late: ${done.drill} step ${done.step}, ${done.point}, ${done.target} killed, ${Math.round(done.resumedAfterMs ?? 0)} ms`;
}
