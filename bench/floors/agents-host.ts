/** Hosts an Agent of the npm package `agents`: `agents-host.ts MODEL_URL FOLDER PACKAGES`. */
import { fileURLToPath } from "node:url";
import { bundleAgent } from "./bundle-agent.ts";
import { hostWorker } from "./workerd-host.ts";

const [modelUrl = "", persistFolder = "", packages = ""] = process.argv.slice(2);
const entry = fileURLToPath(new URL("./agents-task.mjs", import.meta.url));

await hostWorker(persistFolder, {
  name: "agents",
  modules: true,
  script: await bundleAgent(entry, packages),
  durableObjects: { TASKS: { className: "TaskAgent", useSQLite: true } },
  bindings: { MODEL_URL: modelUrl },
});
