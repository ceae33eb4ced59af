/** Floor (b), started. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inputOf } from "../job.ts";
import type { BenchModel } from "../model/model.ts";
import { childNamed, processTree } from "../processes.ts";
import { send } from "../send.ts";
import { gzipKib } from "./bundle-size.ts";
import type { Contender } from "./contender.ts";
import { startFloor } from "./floor-process.ts";

const HOST = new URL("../floors/bare-host.ts", import.meta.url);
const MODULES = ["bare-object.mjs", "model-calls.mjs"].map((name) =>
  fileURLToPath(new URL(`../floors/${name}`, import.meta.url)),
);

export async function startBareObject(model: BenchModel): Promise<Contender> {
  const persistFolder = mkdtempSync(join(tmpdir(), "bench-bare-"));
  const host = await startFloor(HOST, [model.url, persistFolder], persistFolder);
  return {
    name: "bare object",
    isPeer: false,
    async start(task, job) {
      await send("POST", `${host.url}/${task}`, { input: inputOf(task, job) });
    },
    openWatched: null,
    question(task) {
      return Promise.resolve(async () => {
        await send("POST", `${host.url}/${task}/answer`, { text: "Yes." });
      });
    },
    call: (name, expression) => send("POST", `${host.url}/${name}/call`, { expression }),
    createLong: null,
    pids: () => processTree(host.pid),
    runtimePid: () => childNamed(host.pid, "workerd"),
    objectsFolder: () => join(persistFolder, "do/bare-BareTask"),
    bundleKib: () => gzipKib(MODULES),
    files: {
      async put(path, text) {
        await send("POST", `${host.url}/files/put`, { path, text });
      },
      search: async () => Number(await send("POST", `${host.url}/files/read`, {})),
    },
    restart: () => host.restart(),
    close: () => host.close(),
  };
}
