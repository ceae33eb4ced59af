/** Hosts the bare object: `bare-host.ts MODEL_URL FOLDER`. */
import { fileURLToPath } from "node:url";
import { hostWorker } from "./workerd-host.ts";

const [modelUrl = "", persistFolder = ""] = process.argv.slice(2);
const at = (name: string) => fileURLToPath(new URL(name, import.meta.url));

await hostWorker(persistFolder, {
  name: "bare",
  modules: ["./bare-object.mjs", "./model-calls.mjs"].map((name) => ({ type: "ESModule", path: at(name) })),
  modulesRoot: at("."),
  durableObjects: { TASKS: { className: "BareTask", useSQLite: true } },
  r2Buckets: ["FILES"],
  bindings: { MODEL_URL: modelUrl },
});
