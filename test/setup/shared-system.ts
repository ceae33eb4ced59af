/**
 * What the files of `test/system` share: the state that their own systems start from, and one system that runs, for those that
 * neither kill nor configure theirs.
 */
import type { TestProject } from "vitest/node";
import { startSystem } from "../drill/started-system.ts";
import { scriptOfTheInput } from "../mock-servers/model-script.ts";
import { startModelServer, variablesFor } from "../mock-servers/model-server.ts";
import { prepareEndedState } from "./ended-state.ts";
import "./provided-context.ts";

export default async function startSharedSystem(project: TestProject): Promise<() => Promise<void>> {
  const ended = await prepareEndedState();
  const model = await startModelServer({ script: scriptOfTheInput });
  const closeAll = async (): Promise<void> => {
    await Promise.all([model.close(), ended.remove()]);
  };
  try {
    const env = { ...variablesFor(model), OTTO_MAIL_DOMAIN: "mail.test" };
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
