/** Kills every few seconds, of one part or another, which a seed replays: the same gaps and targets in the same order. */
import { setTimeout as sleep } from "node:timers/promises";
import type { KillTime } from "./judge.ts";
import type { Stage } from "./stage.ts";
import { kill, killRuntime, type Part, type StartedSystem, until } from "./started-system.ts";

export const KILL_TARGETS = ["workerd", "host", "database", "sidecar", "supervisor", "everything"] as const;
export type KillTarget = (typeof KILL_TARGETS)[number];

/** How often each part is hit, relative to the others. */
export type KillWeights = Readonly<Partial<Record<KillTarget, number>>>;

export interface TimedKillPlan {
  /** Milliseconds from the end of one kill to the next, or from the system's answer where that is waited for. */
  readonly gapMs: readonly [shortest: number, longest: number];
  readonly weights: KillWeights;
}

/** A kill that happened. One of the supervisor or of everything is done when the system answers again. */
export interface TimedKill extends KillTime {
  readonly target: KillTarget;
}

/**
 * After so many kills the system has to answer before the next: on a machine where it starts more slowly than it is killed, it would
 * never work.
 */
const KILLS_WITHOUT_ANSWER = 3;
/** A part that is not there when its turn comes was killed a moment ago; it is waited for no longer than this. */
const COMES_BACK_MS = 60_000;

/** The gaps and targets of a plan, without end. */
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

/** Carries a plan out until it is stopped. */
export class TimedKiller {
  readonly kills: TimedKill[] = [];
  readonly #stage: Stage;
  readonly #over = new AbortController();
  readonly #running: Promise<void>;

  constructor(stage: Stage, plan: TimedKillPlan, random: () => number) {
    this.#stage = stage;
    this.#running = this.#run(timedKills(plan, random));
    // Whoever stops it reads the failure.
    this.#running.catch(() => this.#over.abort());
  }

  /** True once a kill has gone wrong: the drill need not go on. */
  get hasFailed(): boolean {
    return this.#over.signal.aborted;
  }

  /** Ends the killing; resolves when the last kill is done and the system answers. Throws what went wrong with one. */
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

  async #run(plan: ReturnType<typeof timedKills>): Promise<void> {
    const { signal } = this.#over;
    for (const { gapMs, target } of plan) {
      await sleep(gapMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const from = performance.now();
      await strike(this.#stage.system, target);
      this.kills.push({ target, from, at: performance.now() });
      if (this.kills.length % KILLS_WITHOUT_ANSWER === 0) await this.#stage.system.up();
    }
  }
}

async function strike(system: StartedSystem, target: KillTarget): Promise<void> {
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
