/** `npm start`: everything on this machine, the Worker in workerd. See docs/decisions/0002-supervisor-and-bridge.md. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runInConsole } from "./supervisor/console.ts";
import type { RuntimeSettings } from "./supervisor/runtime-host.ts";
import { buildWorker } from "./supervisor/worker-build.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const port = Number(process.env["PORT"] || 8787);

await runInConsole({
  root,
  defaultState: ".otto",
  hasConsole: existsSync(new URL("../web/", import.meta.url)),
  async makeRuntime(state, vars) {
    const build = await buildWorker(root, state.buildFolder, (message) => console.log(`  ${message}`));
    const settings: RuntimeSettings = {
      port,
      buildFolder: build.folder,
      persistFolder: state.runtimeFolder,
      vars,
    };
    return {
      script: fileURLToPath(new URL("./supervisor/runtime-host.ts", import.meta.url)),
      env: { OTTO_RUNTIME: JSON.stringify(settings) },
    };
  },
});
