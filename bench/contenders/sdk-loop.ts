/** Floor (a), started. */
import { inputOf } from "../job.ts";
import type { BenchModel } from "../model/model.ts";
import { processTree } from "../processes.ts";
import { send } from "../send.ts";
import type { Contender } from "./contender.ts";
import { startFloor } from "./floor-process.ts";

const LOOP = new URL("../floors/sdk-loop.ts", import.meta.url);

export async function startSdkLoop(model: BenchModel): Promise<Contender> {
  const loop = await startFloor(LOOP, [model.url]);
  return {
    name: "AI SDK loop",
    isPeer: false,
    async start(task, job) {
      await send("POST", `${loop.url}/${task}`, { input: inputOf(task, job) });
    },
    openWatched: null,
    async question(task) {
      await send("GET", `${loop.url}/${task}`);
      return async () => {
        await send("POST", `${loop.url}/${task}/answer`, { text: "Yes." });
      };
    },
    call: null,
    createLong: null,
    pids: () => processTree(loop.pid),
    runtimePid: () => loop.pid,
    objectsFolder: () => null,
    bundleKib: () => null,
    files: null,
    restart: () => loop.restart(),
    close: () => loop.close(),
  };
}
