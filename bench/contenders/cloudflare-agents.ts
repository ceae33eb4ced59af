/** Cloudflare Agents, started: an optional peer, because its package is no dependency of Otto. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readAgentsCounts } from "../cost/counts.ts";
import { readAgentsVersion } from "../floors/bundle-agent.ts";
import { inputOf } from "../job.ts";
import type { BenchModel } from "../model/model.ts";
import { childNamed, processTree } from "../processes.ts";
import { send } from "../send.ts";
import type { Contender } from "./contender.ts";
import { startFloor } from "./floor-process.ts";

const HOST = new URL("../floors/agents-host.ts", import.meta.url);
const LOOK_EVERY_MS = 5;

/** Throws unless the version that `bench/cost/agents-counts.json` counts is installed in the folder. */
export function checkAgents(packages: string): void {
  const installed = `agents@${readAgentsVersion(packages)}`;
  const { package: counted } = readAgentsCounts();
  if (installed !== counted)
    throw new Error(
      `${packages} has ${installed}. Install the counted version: npm install --prefix ${packages} --ignore-scripts --legacy-peer-deps ${counted}`,
    );
}

/** `packages` is the folder that `agents` is installed in. */
export async function startCloudflareAgents(model: BenchModel, packages: string): Promise<Contender> {
  const persistFolder = mkdtempSync(join(tmpdir(), "bench-agents-"));
  const host = await startFloor(HOST, [model.url, persistFolder, packages], persistFolder);
  return {
    name: "Cloudflare Agents",
    isPeer: true,
    async start(task, job) {
      await send("POST", `${host.url}/${task}`, { input: inputOf(task, job) });
    },
    openWatched: null,
    async question(task) {
      while ((await send("GET", `${host.url}/${task}`)) !== "true") await sleep(LOOK_EVERY_MS);
      return async () => {
        await send("POST", `${host.url}/${task}/answer`, { text: "Yes." });
      };
    },
    call: null,
    createLong: null,
    pids: () => processTree(host.pid),
    runtimePid: () => childNamed(host.pid, "workerd"),
    objectsFolder: () => join(persistFolder, "do/agents-TaskAgent"),
    bundleKib: () => null,
    files: null,
    restart: () => host.restart(),
    close: () => host.close(),
  };
}
