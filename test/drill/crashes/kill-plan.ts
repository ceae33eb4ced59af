/** Plans when the runtime is killed: the step, the point in it, and the process. */
import { getCalls, type DrillInput, STEPS } from "./script.ts";

/** The points of a step, in order. */
export const KILL_POINTS = [
  /** The model server holds its reply. */
  "model holds",
  /** The reply has left the model server. */
  "on the reply",
  /** Up to 50 ms later, during the step's calls or the next model call. */
  "soon after",
  /** On the reply, and again as soon as the new workerd runs. */
  "while it restarts",
  /** The recorder has received the request but not acted. */
  "before the effect",
  /** The recorder has acted and holds its reply. */
  "after the effect",
] as const;
export type KillPoint = (typeof KILL_POINTS)[number];

/** One kill. `dropEffect` drops the request that the recorder holds. */
export interface PlannedKill {
  readonly drill: string;
  readonly step: number;
  readonly point: KillPoint;
  readonly target: "workerd" | "host";
  readonly dropEffect: boolean;
  readonly delayMs: number;
}

/** The longest wait of `soon after`. */
const SOON_MS = 50;
/** Every n-th kill hits the process that hosts workerd. */
const HOST_EVERY = 4;

/** Steps 5, 8 and 14 have unkeyed effects, 3, 9, 16, 18 and 19 keyed ones. */
const SHORT: readonly (readonly [step: number, point: KillPoint])[] = [
  [1, "model holds"],
  [3, "before the effect"],
  [5, "before the effect"],
  [6, "on the reply"],
  [8, "after the effect"],
  [9, "after the effect"],
  [11, "soon after"],
  [14, "before the effect"],
  [16, "while it restarts"],
  [18, "after the effect"],
  [19, "before the effect"],
  [20, "on the reply"],
  [21, "model holds"],
];

/** The model's pace in the tasks of a plan: `soon after` needs steps that last. */
export const PACE_MS = 30;

/** Returns the task names of a plan, in order. */
export function listDrills(plan: readonly PlannedKill[]): string[] {
  return [...new Set(plan.map((kill) => kill.drill))];
}

/**
 * The full plan has a task for each point, killed at every step with that point. The short plan has one task with every point, at keyed
 * and unkeyed effects.
 */
export function planKills(options: {
  readonly short: boolean;
  readonly kills: number | null;
  readonly random: () => number;
}): PlannedKill[] {
  const { random } = options;
  const plan: PlannedKill[] = [];
  const add = (drill: string, step: number, point: KillPoint): void => {
    const isHost = plan.length % HOST_EVERY === HOST_EVERY - 1 && point !== "while it restarts";
    const target = isHost ? "host" : "workerd";
    plan.push({ drill, step, point, target, dropEffect: random() < 0.5, delayMs: random() * SOON_MS });
  };
  if (options.short) {
    for (const [step, point] of SHORT) add("short", step, point);
  } else {
    for (const [index, point] of KILL_POINTS.entries()) {
      for (let step = 1; step <= STEPS + 1; step += 1) {
        // Half of the steps each, so that no kill hits the restart after a previous one.
        const drill =
          point === "soon after" ? `point${index + 1}${step % 2 === 1 ? "odd" : "even"}` : `point${index + 1}`;
        if (hasPoint(step, point)) add(drill, step, point);
      }
    }
  }
  return options.kills === null ? plan : sampleEvenly(plan, options.kills);
}

/** Steps without a request to a recorder have no point around an effect. */
function hasPoint(step: number, point: KillPoint): boolean {
  if (point !== "before the effect" && point !== "after the effect") return true;
  const input: DrillInput = { drill: "", kind: "steps", paceMs: 0, keyed: "", unkeyed: "" };
  return getCalls(step, input).some((call) => call.path !== null);
}

/** Selects this many of them at even intervals. */
function sampleEvenly(plan: readonly PlannedKill[], count: number): PlannedKill[] {
  if (count >= plan.length) return [...plan];
  return plan.filter(
    (_, index) => Math.floor(((index + 1) * count) / plan.length) > Math.floor((index * count) / plan.length),
  );
}
