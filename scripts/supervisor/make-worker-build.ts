/**
 * Makes a build of the Worker: `make-worker-build.ts ROOT FOLDER`. A process of its own, as wrangler takes 200 MB that the
 * supervisor would keep.
 */
import { execFileSync } from "node:child_process";
import { basename, join } from "node:path";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { completeBuild } from "./worker-build.ts";
import { wranglerScript } from "./wrangler.ts";

const [root = "", folder = ""] = process.argv.slice(2);

// No container is built here: the sidecar is a process of its own.
const args = [wranglerScript(), "deploy", "--dry-run", "--containers-rollout=none", "--outdir", folder];
execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
const { workerOptions, main } = unstable_getMiniflareWorkerOptions(join(root, "wrangler.toml"));
if (main === undefined) throw new Error("wrangler.toml names no main file");
completeBuild(folder, { options: workerOptions, entry: basename(main) });
// Wrangler keeps handles open that nobody closes.
process.exit(0);
