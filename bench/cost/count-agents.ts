/**
 * Counts what Cloudflare Agents takes for the job of `docs/counts.md`, and writes `bench/cost/agents-counts.json`. The package
 * is no dependency of Otto; the first argument is a folder that it is installed in:
 *
 *     npm install --prefix FOLDER --ignore-scripts --legacy-peer-deps agents@0.32.0
 *     node bench/cost/count-agents.ts FOLDER
 */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { closeServer, listenOnLoopback } from "../../test/mock-servers/listen.ts";
import { bundleAgent, readAgentsVersion } from "../floors/bundle-agent.ts";
import { LOOPBACK, readCompatibilityDate } from "../floors/miniflare-options.ts";
import { type AgentsFile, formatAgentsFile } from "./counts.ts";

const AGENT = fileURLToPath(new URL("../floors/cloudflare-agent.mjs", import.meta.url));
const MODEL_MS = 7_000;
const QUICK_MODEL_MS = 50;
/** What a task leaves to do is done within this time. */
const AFTER_MS = 3_000;
const LOOK_EVERY_MS = 50;
/** What a task may take beyond its model calls. */
const MAX_MS = 30_000;

type Counts = Readonly<Record<string, number>>;

interface AgentCounts {
  readonly isDone: boolean;
  readonly alarmsSet: number;
  readonly alarmRuns: number;
  readonly calls: number;
  readonly modelRequests: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly bytesStored: number;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the absolute folder that `agents` is installed in");
const version = readAgentsVersion(folder);
const script = await bundleAgent(AGENT, folder);
const file: AgentsFile = {
  package: `agents@${version}`,
  countedOn: new Date().toISOString().slice(0, 10),
  scenarios: {
    "`none` step": await countStep(MODEL_MS),
    "`none` step, model of 50 ms": await countStep(QUICK_MODEL_MS),
    "task of 5 `none` steps": await countTask(5, MODEL_MS),
  },
};
const { path, text } = formatAgentsFile(file);
writeFileSync(path, text);
console.log(text);

/** A step is the difference between a task with two of it and one with one, as in `docs/counts.md`. */
async function countStep(modelMs: number): Promise<Counts> {
  const [one, two] = [await countTask(1, modelMs), await countTask(2, modelMs)];
  return Object.fromEntries(Object.entries(two).map(([name, count]) => [name, count - (one[name] ?? 0)]));
}

/** Counts a task of `steps` steps with a tool and one that replies, in an object of its own. */
async function countTask(steps: number, modelMs: number): Promise<Counts> {
  let replies = 0;
  const model = createServer((request, response) => {
    request.resume().once("end", () =>
      setTimeout(() => {
        replies += 1;
        response.end("A reply.");
      }, modelMs),
    );
  });
  const modelUrl = `http://127.0.0.1:${await listenOnLoopback(model, 0)}`;
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...LOOPBACK,
      workers: [
        {
          name: "agents",
          compatibilityDate: readCompatibilityDate(),
          compatibilityFlags: ["nodejs_compat"],
          modules: true,
          script,
          durableObjects: { AGENTS: { className: "TaskAgent", useSQLite: true } },
          bindings: { MODEL_URL: modelUrl },
        },
      ],
    }),
  );
  try {
    const url = await miniflare.ready;
    await fetch(url, { method: "POST", body: JSON.stringify({ text: "A task that is counted.", steps }) });
    // Nothing else calls the object: a call might be counted.
    const until = Date.now() + (steps + 1) * modelMs + MAX_MS;
    while (replies <= steps && Date.now() < until) await sleep(LOOK_EVERY_MS);
    await sleep(AFTER_MS);
    const counts = (await (await fetch(url)).json()) as AgentCounts;
    if (!counts.isDone) throw new Error("the task did not end");
    return toCounts(counts);
  } finally {
    await miniflare.dispose();
    await closeServer(model);
  }
}

/** The counts under the names of `docs/counts.md`. All rows are the task's: there is no other object. */
function toCounts(agent: AgentCounts): Counts {
  return {
    "object rows written, alarms included": agent.rowsWritten + agent.alarmsSet,
    "task bytes stored": agent.bytesStored,
    "task rows read": agent.rowsRead,
    "tenant rows read": 0,
    "sandbox rows read": 0,
    "alarm runs": agent.alarmRuns,
    "object calls": agent.calls,
    "model requests": agent.modelRequests,
    "R2 operations": 0,
    "Postgres bytes": 0,
  };
}
