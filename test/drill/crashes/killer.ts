/** Carries out a plan: kills at the planned points, and takes the time until the system works again. */
import { setTimeout as sleep } from "node:timers/promises";
import { placeOf } from "../received.ts";
import { inputOf } from "./script.ts";
import type { KillTime } from "../judge.ts";
import type { KillPoint, PlannedKill } from "./kill-plan.ts";
import type { Stage, StageHooks } from "../stage.ts";
import { killRuntime } from "../started-system.ts";

/** A request that the sidecar was already making when the runtime died reaches a recorder within this time. */
const IN_FLIGHT_MS = 150;

/** A kill that happened: set about at `from`, done at `at`. `resumedAfterMs`: until the next request at a stand-in; null: there was none to make. */
export interface Kill extends PlannedKill, KillTime {
  resumedAfterMs: number | null;
}

/** Watches the stand-ins. Times are `performance.now()` milliseconds. */
export class Killer {
  readonly kills: Kill[] = [];
  lastActivityAt = performance.now();
  /** What went wrong with a kill that nobody waits for. */
  failure: Error | null = null;
  readonly #planned: PlannedKill[];
  #waiting: Kill[] = [];
  readonly #stage: Stage;

  constructor(stage: Stage, plan: readonly PlannedKill[]) {
    this.#stage = stage;
    this.#planned = [...plan];
  }

  /** True while a kill has not been followed by a request. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** The task is over: what has not been followed by now had nothing to resume. */
  stopWaiting(): void {
    this.#waiting = [];
  }

  get hooks(): StageHooks {
    return {
      onModelRequest: async (record) => {
        this.#arrived("model");
        await this.#strike("model holds", inputOf(record.body.messages)?.drill, record.step);
      },
      onModelReplied: (record) => {
        const drill = inputOf(record.body.messages)?.drill;
        const points = ["on the reply", "soon after", "while it restarts"] as const;
        for (const point of points) this.#strikeLater(point, drill, record.step);
      },
      beforeEffect: async ({ path }) => {
        this.#arrived("recorder");
        const { drill, step } = placeOf(path);
        const done = await this.#strike("before the effect", drill, step);
        return done?.dropEffect === true ? "drop" : undefined;
      },
      afterEffect: async ({ path }) => {
        const { drill, step } = placeOf(path);
        await this.#strike("after the effect", drill, step);
      },
    };
  }

  #arrived(where: "model" | "recorder"): void {
    const now = performance.now();
    this.lastActivityAt = now;
    const inFlight = (done: Kill): boolean => where === "recorder" && now - done.at < IN_FLIGHT_MS;
    for (const done of this.#waiting) if (!inFlight(done)) done.resumedAfterMs = now - done.at;
    this.#waiting = this.#waiting.filter(inFlight);
  }

  #strikeLater(point: KillPoint, drill: string | undefined, step: number): void {
    this.#strike(point, drill, step).catch((error: unknown) => {
      this.failure ??= error instanceof Error ? error : new Error(String(error));
    });
  }

  /** Kills if the plan says so. Resolves when the process is dead. */
  async #strike(point: KillPoint, drill: string | undefined, step: number): Promise<Kill | null> {
    const index = this.#planned.findIndex(
      (planned) => planned.drill === drill && planned.step === step && planned.point === point,
    );
    const planned = this.#planned[index];
    if (planned === undefined) return null;
    this.#planned.splice(index, 1);
    if (point === "soon after") await sleep(planned.delayMs);
    const from = performance.now();
    let at = await killRuntime(this.#stage.system, planned.target);
    if (point === "while it restarts") {
      await sleep(planned.delayMs);
      at = await killRuntime(this.#stage.system, "workerd");
    }
    const done: Kill = { ...planned, from, at, resumedAfterMs: null };
    this.lastActivityAt = at;
    this.kills.push(done);
    this.#waiting.push(done);
    return done;
  }
}
