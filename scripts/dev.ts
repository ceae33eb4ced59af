/**
 * `npm run dev`: the same system with wrangler's watch mode as the runtime, so that the Worker is bundled again when its
 * code changes. It keeps a state of its own.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "./supervisor/console-build.ts";
import { runInConsole } from "./supervisor/console.ts";
import type { WatchSettings } from "./supervisor/runtime-watch.ts";
import { keep } from "./supervisor/state-folder.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const port = Number(process.env["PORT"] || 8787);

await runInConsole({
  root,
  defaultState: ".otto/dev",
  async makeRuntime(state, vars) {
    await buildConsole(root, (message) => console.log(`  ${message}`));
    const varsFile = join(state.root, "dev.vars");
    keep(
      varsFile,
      Object.entries(vars)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join("\n"),
    );
    const settings: WatchSettings = { root, port, varsFile, persistFolder: state.runtimeFolder };
    return {
      script: fileURLToPath(new URL("./supervisor/runtime-watch.ts", import.meta.url)),
      env: { OTTO_RUNTIME: JSON.stringify(settings) },
    };
  },
});
