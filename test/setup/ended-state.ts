/**
 * The state of a system that was started as a person starts it and ended in order: its Worker is bundled, its database made.
 * The systems of `test/system` go on with copies of it, each on ports of its own. It is made once for the suite.
 */
import type { TestProject } from "vitest/node";
import { startSystem } from "../drill/started-system.ts";
import "./provided-context.ts";

export default async function makeEndedState(project: TestProject): Promise<() => Promise<void>> {
  const system = await startSystem({});
  await system.end();
  project.provide("endedState", system.stateFolder);
  return system.stop;
}
