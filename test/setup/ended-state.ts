/**
 * Prepares, once per suite, the state of a system that `npm start` ran and stopped: its Worker is bundled, its database created. The systems
 * of `test/system`, and those of `test/startup` that do not test the first start, start with copies of it, each on its own ports.
 */
import type { TestProject } from "vitest/node";
import { startSystem } from "../drill/started-system.ts";
import "./provided-context.ts";

export default async function makeEndedState(project: TestProject): Promise<() => Promise<void>> {
  const { stateFolder, remove } = await prepareEndedState();
  project.provide("endedState", stateFolder);
  return remove;
}

/** Creates the state. `remove` deletes it after the suite. */
export async function prepareEndedState(): Promise<{ readonly stateFolder: string; remove(): Promise<void> }> {
  const system = await startSystem({});
  await system.end();
  return { stateFolder: system.stateFolder, remove: system.stop };
}
