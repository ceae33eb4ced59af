/**
 * Hosts the bare object as Otto's Worker is hosted, with its objects kept on disk: `bare-host.ts MODEL_URL FOLDER` writes where
 * it listens, and ends when its input does. A process of its own: Miniflare ends the one that it is in on a signal.
 */
import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { LOOPBACK, readCompatibilityDate } from "./miniflare-options.ts";

const [modelUrl = "", persistFolder = ""] = process.argv.slice(2);

const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    ...LOOPBACK,
    resourcePersistencePath: persistFolder,
    workers: [
      {
        name: "bare",
        compatibilityDate: readCompatibilityDate(),
        compatibilityFlags: ["nodejs_compat"],
        modules: [{ type: "ESModule", path: fileURLToPath(new URL("./bare-object.mjs", import.meta.url)) }],
        modulesRoot: fileURLToPath(new URL(".", import.meta.url)),
        durableObjects: { TASKS: { className: "BareTask", useSQLite: true } },
        r2Buckets: ["FILES"],
        bindings: { MODEL_URL: modelUrl },
      },
    ],
  }),
);
process.stdin.once("end", () => void miniflare.dispose().then(() => process.exit(0))).resume();
console.log((await miniflare.ready).href);
