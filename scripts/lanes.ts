/** The order in which suites run: which wait for each other, and which run beside each other. */
import { SUITES } from "./suites.ts";

/** Names of suites: those of a lane run one after another, and the two lanes beside each other. */
export interface Lanes {
  /** Shown while they run. */
  readonly shown: readonly string[];
  /** Shown when they have ended. */
  readonly beside: readonly string[];
}

/** How a suite ended. */
export interface Ended {
  readonly name: string;
  /** What it printed and was not shown while it ran. */
  readonly output: string;
}

/** The lanes of the suites that are to run. One that waits more than it works leaves most of a machine to the others. */
export function lanesOf(names: readonly string[]): Lanes {
  const isBeside = (name: string): boolean => SUITES.some((suite) => suite.name === name && suite.beside);
  const working = names.filter((name) => !isBeside(name));
  return working.length === 0 ? { shown: names, beside: [] } : { shown: working, beside: names.filter(isBeside) };
}

/**
 * Runs both lanes to their ends and gives how each suite ended, in no order. What those beside printed is said whole, between
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
  const runBeside = async (): Promise<void> => {
    for (const name of beside) {
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
  await Promise.all([runBeside(), runShown()]);
  sayEnded();
  return ended;
}
