/**
 * The state of a system that was started as a person starts it and ended in order: its Worker is bundled, its database made.
 * The systems of `test/system`, and those of `test/startup` whose first start is not what is tested, use copies of it, each
 * on ports of its own. It is made once for the suite.
 */
import type { TestProject } from "vitest/node";
import { startSystem } from "../drill/started-system.ts";
import "./provided-context.ts";

export default async function makeEndedState(project: TestProject): Promise<() => Promise<void>> {
  const { stateFolder, remove } = await prepareEndedState();
  project.provide("endedState", stateFolder);
  return remove;
}

/** Creates the state before the suite, and removes it after it. */
export async function prepareEndedState(): Promise<{ readonly stateFolder: string; remove(): Promise<void> }> {
  const system = await startSystem({});
  await system.end();
  return { stateFolder: system.stateFolder, remove: system.stop };
}
