/** `npm start`: everything on this machine, the Worker in workerd. See docs/decisions/0002-supervisor-and-bridge.md. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole, CONSOLE_FOLDER } from "./supervisor/console-build.ts";
import { runInConsole } from "./supervisor/console.ts";
import type { RuntimeSettings } from "./supervisor/runtime-host.ts";
import { buildWorker } from "./supervisor/worker-build.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const port = Number(process.env["PORT"] || 8787);

await runInConsole({
  root,
  defaultState: ".otto",
  async makeRuntime(state, vars) {
    const onProgress = (message: string) => console.log(`  ${message}`);
    // Wrangler bundles no Worker whose files are not there.
    await buildConsole(root, onProgress);
    const build = await buildWorker(root, state.buildFolder, onProgress);
    const settings: RuntimeSettings = {
      port,
      buildFolder: build.folder,
      consoleFolder: join(root, CONSOLE_FOLDER),
      persistFolder: state.runtimeFolder,
      vars,
    };
    return {
      script: fileURLToPath(new URL("./supervisor/runtime-host.ts", import.meta.url)),
      env: { OTTO_RUNTIME: JSON.stringify(settings) },
    };
  },
});
