/** Kills the runtime at random moments of a drill, after numbers of requests that a seed replays. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelRecord } from "../mock-servers/model-server.ts";
import type { Stage, StageHooks } from "./stage.ts";
import { killRuntime } from "./started-system.ts";
import { findDrill, parsePlace } from "./received.ts";

/** `after` counts requests at the mock servers. */
interface RandomKill {
  readonly after: number;
  readonly delayMs: number;
  readonly target: "workerd" | "host";
}

const LONGEST_DELAY_MS = 150;
const HOST_SHARE = 0.25;
/** A reply that was written this shortly before a kill may be lost. */
const JUST_MS = 100;

/** Plans kills within the first `within` requests. */
export function planRandomKills(random: () => number, count: number, within: number): RandomKill[] {
  const plan = Array.from({ length: count }, (): RandomKill => {
    const after = 1 + Math.floor(random() * within);
    return { after, delayMs: random() * LONGEST_DELAY_MS, target: random() < HOST_SHARE ? "host" : "workerd" };
  });
  return plan.toSorted((a, b) => a.after - b.after);
}

/** Executes a plan for the requests of the drills whose names begin with `prefix`. */
export class RandomKiller {
  kills = 0;
  /** Model requests that were unanswered or just answered at a kill. */
  readonly inFlight = new Set<ModelRecord>();
  readonly #stage: Stage;
  readonly #prefix: string;
  readonly #left: RandomKill[];
  #seen = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(stage: Stage, prefix: string, plan: readonly RandomKill[]) {
    this.#stage = stage;
    this.#prefix = prefix;
    this.#left = [...plan];
  }

  get hooks(): StageHooks {
    return {
      onModelRequest: (record) => this.#count(findDrill(record.body)),
      beforeEffect: ({ path }) => this.#count(parsePlace(path).drill),
    };
  }

  /** Waits for the running kills. Throws a kill's failure. */
  async done(): Promise<void> {
    await this.#running;
  }

  #count(drill: string | null): void {
    if (!this.#isOurs(drill)) return;
    this.#seen += 1;
    while ((this.#left[0]?.after ?? Number.POSITIVE_INFINITY) <= this.#seen) {
      const next = this.#left.shift();
      if (next !== undefined) this.#running = this.#after(this.#running, next);
    }
    // `done` reports the failure.
    this.#running.catch(() => undefined);
  }

  async #after(before: Promise<void>, next: RandomKill): Promise<void> {
    await before;
    await this.#kill(next);
  }

  async #kill({ delayMs, target }: RandomKill): Promise<void> {
    await sleep(delayMs);
    const before = performance.now();
    const ours = () => this.#stage.model.requests.filter((record) => this.#isOurs(findDrill(record.body)));
    const open = ours().filter(({ repliedAt, dropped }) =>
      repliedAt === null ? !dropped : repliedAt >= before - JUST_MS,
    );
    const at = await killRuntime(this.#stage.system, target);
    this.kills += 1;
    const late = ours().filter((record) => record.at >= before && record.at <= at);
    for (const record of [...open, ...late]) this.inFlight.add(record);
  }

  #isOurs(drill: string | null): boolean {
    return drill?.startsWith(this.#prefix) === true;
  }
}
