/** Floor (a), started: a process of its own. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { inputOf } from "../job.ts";
import type { BenchModel } from "../model/model.ts";
import { processTree } from "../processes.ts";
import { send } from "../send.ts";
import type { Contender } from "./contender.ts";

export async function startSdkLoop(model: BenchModel): Promise<Contender> {
  let loop = await startLoop(model);
  return {
    name: "AI SDK loop",
    async start(task, job) {
      await send("POST", `${loop.url}/${task}`, { input: inputOf(task, job) });
    },
    async question(task) {
      await send("GET", `${loop.url}/${task}`);
      return async () => {
        await send("POST", `${loop.url}/${task}/answer`, { text: "Yes." });
      };
    },
    pids: () => processTree(loop.pid),
    runtimePid: () => loop.pid,
    objectsFolder: () => null,
    bundleKib: () => null,
    async restart() {
      loop.end();
      loop = await startLoop(model);
    },
    close() {
      loop.end();
      return Promise.resolve();
    },
  };
}

async function startLoop(model: BenchModel): Promise<{ url: string; pid: number; end: () => void }> {
  const script = fileURLToPath(new URL("../floors/sdk-loop.ts", import.meta.url));
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, model.url], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const url = String(line.value);
  const pid = child.pid;
  if (pid === undefined || !url.startsWith("http")) throw new Error("the AI SDK loop did not start");
  return {
    url,
    pid,
    end() {
      child.kill();
    },
  };
}
