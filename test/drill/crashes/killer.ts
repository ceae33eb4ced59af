/** Kills at the planned points, and measures the time until the system works again. */
import { setTimeout as sleep } from "node:timers/promises";
import { parsePlace } from "../received.ts";
import { readInput } from "./script.ts";
import type { KillTime } from "../judge.ts";
import type { KillPoint, PlannedKill } from "./kill-plan.ts";
import type { Stage, StageHooks } from "../stage.ts";
import { killRuntime } from "../started-system.ts";

/** Time for a request that the sidecar was sending when the runtime died. */
const IN_FLIGHT_MS = 150;

/** A kill, from `from` until `at`. `resumedAfterMs` is the time to the next request at a mock server, null if none was due. */
export interface Kill extends PlannedKill, KillTime {
  resumedAfterMs: number | null;
}

/** Watches the mock servers. Times are `performance.now()` milliseconds. */
export class Killer {
  readonly kills: Kill[] = [];
  lastActivityAt = performance.now();
  /** The failure of a kill in the background. */
  failure: Error | null = null;
  readonly #planned: PlannedKill[];
  #waiting: Kill[] = [];
  readonly #stage: Stage;

  constructor(stage: Stage, plan: readonly PlannedKill[]) {
    this.#stage = stage;
    this.#planned = [...plan];
  }

  /** True until a request follows the last kill. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** The task has ended: kills without a request since then had nothing to resume. */
  stopWaiting(): void {
    this.#waiting = [];
  }

  get hooks(): StageHooks {
    return {
      onModelRequest: async (record) => {
        this.#arrived("model");
        await this.#strike("model holds", readInput(record.body.messages)?.drill, record.step);
      },
      onModelReplied: (record) => {
        const drill = readInput(record.body.messages)?.drill;
        const points = ["on the reply", "soon after", "while it restarts"] as const;
        for (const point of points) this.#strikeLater(point, drill, record.step);
      },
      beforeEffect: async ({ path }) => {
        this.#arrived("recorder");
        const { drill, step } = parsePlace(path);
        const done = await this.#strike("before the effect", drill, step);
        return done?.dropEffect === true ? "drop" : undefined;
      },
      afterEffect: async ({ path }) => {
        const { drill, step } = parsePlace(path);
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

  /** Kills if planned. Resolves when the process is dead. */
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
