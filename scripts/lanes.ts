/** The order in which suites run: which wait for each other, and which run at the same time. */
import { type Suite, SUITES } from "./suites.ts";

/** Names of suites: those of a lane run one after another, and the lanes beside each other. */
export interface Lanes {
  /** Shown while they run. */
  readonly shown: readonly string[];
  /** Each lane is shown suite by suite, when one has ended. */
  readonly beside: readonly (readonly string[])[];
}

/** How a suite ended. */
export interface Ended {
  readonly name: string;
  /** What it printed and was not shown while it ran. */
  readonly output: string;
}

/** The lanes of the suites that are to run. The static checks are with those that work; with none of them, the first lane is shown. */
export function lanesOf(names: readonly string[]): Lanes {
  const laneOf = (name: string): Suite["lane"] => SUITES.find((suite) => suite.name === name)?.lane ?? "work";
  const lanes = LANES.map((lane) => names.filter((name) => laneOf(name) === lane)).filter(({ length }) => length > 0);
  const [shown = [], ...beside] = lanes;
  return { shown, beside };
}

const LANES = ["work", "services", "browser"] as const;

/**
 * Runs the lanes to their ends and gives how each suite ended, in no order. What those beside printed is said whole, between
 * two that are shown or after them. `run` never rejects.
 */
export async function runLanes<E extends Ended>(
  { shown, beside }: Lanes,
  run: (name: string, show: boolean) => Promise<E>,
  say: (text: string) => void,
): Promise<readonly E[]> {
  const ended: E[] = [];
  const unsaid: E[] = [];
  const sayEnded = (): void => {
    for (const { name, output } of unsaid.splice(0)) say(`\n── ${name}\n${output.trimEnd()}`);
  };
  const runBeside = async (lane: readonly string[]): Promise<void> => {
    for (const name of lane) {
      const end = await run(name, false);
      unsaid.push(end);
      ended.push(end);
    }
  };
  const runShown = async (): Promise<void> => {
    for (const name of shown) {
      say(`\n── ${name}`);
      const end = await run(name, true);
      if (end.output !== "") say(end.output.trimEnd());
      ended.push(end);
      sayEnded();
    }
  };
  await Promise.all([runShown(), ...beside.map(runBeside)]);
  sayEnded();
  return ended;
}
