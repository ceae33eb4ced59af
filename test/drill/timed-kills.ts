/** Kills a part every few seconds. A seed replays the gaps and the targets. */
import { setTimeout as sleep } from "node:timers/promises";
import type { KillTime } from "./judge.ts";
import type { Stage } from "./stage.ts";
import { kill, killRuntime, type Part, type StartedSystem, until } from "./started-system.ts";

export const KILL_TARGETS = ["workerd", "host", "database", "sidecar", "supervisor", "everything"] as const;
export type KillTarget = (typeof KILL_TARGETS)[number];

/** Relative frequency of each part. */
export type KillWeights = Readonly<Partial<Record<KillTarget, number>>>;

export interface TimedKillPlan {
  /** Milliseconds from the end of a kill, or from the system's recovery if that is awaited, to the next. */
  readonly gapMs: readonly [shortest: number, longest: number];
  readonly weights: KillWeights;
  /**
   * The most kills; absent: until it is stopped. On a slow machine each start takes longer than the gap, so the work between
   * endless kills takes minutes.
   */
  readonly most?: number;
}

/** A kill. One of the supervisor or of everything is complete when the system answers again. */
export interface TimedKill extends KillTime {
  readonly target: KillTarget;
}

/**
 * After this many kills the system must answer before the next. Otherwise it would never work on a machine where its start takes longer
 * than the gap.
 */
const KILLS_WITHOUT_ANSWER = 3;
/** How long to wait for a part that was killed shortly before. */
const COMES_BACK_MS = 60_000;

/** Generates the endless gaps and targets of a plan. */
export function* timedKills(
  { gapMs: [shortest, longest], weights }: TimedKillPlan,
  random: () => number,
): Generator<{ readonly gapMs: number; readonly target: KillTarget }> {
  const parts = KILL_TARGETS.flatMap((target) => [{ target, weight: weights[target] ?? 0 }]);
  const sum = parts.reduce((total, { weight }) => total + weight, 0);
  for (;;) {
    const gapMs = shortest + random() * (longest - shortest);
    let left = random() * sum;
    const hit = parts.find(({ weight }) => (left -= weight) < 0);
    yield { gapMs, target: hit?.target ?? "workerd" };
  }
}

/** Executes a plan until it is stopped. */
export class TimedKiller {
  readonly kills: TimedKill[] = [];
  readonly #stage: Stage;
  readonly #over = new AbortController();
  readonly #running: Promise<void>;

  constructor(stage: Stage, plan: TimedKillPlan, random: () => number) {
    this.#stage = stage;
    this.#running = this.#run(timedKills(plan, random), plan.most ?? Infinity);
    // `stop` reports the failure.
    this.#running.catch(() => this.#over.abort());
  }

  /** True once a kill has failed, so that the drill can end. */
  get hasFailed(): boolean {
    return this.#over.signal.aborted;
  }

  /** Stops; resolves when the last kill is complete and the system answers. Throws a kill's failure. */
  async stop(): Promise<void> {
    this.#over.abort();
    await this.#running;
    await this.#stage.system.up();
  }

  /** The kills by target, e.g. `12 workerd, 3 database`. */
  tally(): string {
    const counted = KILL_TARGETS.map((target) => ({
      target,
      count: this.kills.filter((done) => done.target === target).length,
    }));
    return counted.flatMap(({ target, count }) => (count === 0 ? [] : [`${count} ${target}`])).join(", ");
  }

  async #run(plan: ReturnType<typeof timedKills>, most: number): Promise<void> {
    const { signal } = this.#over;
    for (const { gapMs, target } of plan) {
      if (this.kills.length >= most) return;
      await sleep(gapMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const from = performance.now();
      await strike(this.#stage.system, target);
      this.kills.push({ target, from, at: performance.now() });
      if (this.kills.length % KILLS_WITHOUT_ANSWER === 0) await this.#stage.system.up();
    }
  }
}

/** Kills a part. One of the supervisor or of everything is complete when the system answers again. */
export async function strike(system: StartedSystem, target: KillTarget): Promise<void> {
  if (target === "supervisor" || target === "everything") await system.crash(target);
  else if (target === "workerd" || target === "host") await killRuntime(system, target);
  else await killPart(system, target);
}

async function killPart(system: StartedSystem, part: Part): Promise<void> {
  await until(
    () => {
      const pid = system.pidOf(part);
      return pid !== null && kill(pid);
    },
    COMES_BACK_MS,
    () => `there was no ${part} to kill:\n${system.output()}`,
    5,
  );
}
