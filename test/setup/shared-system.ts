/**
 * Starts the system that test files of `test/system` share if they neither kill nor configure theirs. Also prepares the state that the
 * other files start their own systems with.
 */
import type { TestProject } from "vitest/node";
import { startSystem } from "../drill/started-system.ts";
import { followInputScript } from "../mock-servers/model-script.ts";
import { startModelServer, toModelEnv } from "../mock-servers/model-server.ts";
import { prepareEndedState } from "./ended-state.ts";
import "./provided-context.ts";

export default async function startSharedSystem(project: TestProject): Promise<() => Promise<void>> {
  const ended = await prepareEndedState();
  const model = await startModelServer({ script: followInputScript });
  const closeAll = async (): Promise<void> => {
    await Promise.all([model.close(), ended.remove()]);
  };
  try {
    const env = { ...toModelEnv(model), OTTO_MAIL_DOMAIN: "mail.test" };
    const system = await startSystem(env, ended.stateFolder);
    project.provide("endedState", ended.stateFolder);
    project.provide("sharedSystem", { url: system.url, stateFolder: system.stateFolder });
    return async () => {
      await system.stop();
      await closeAll();
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
