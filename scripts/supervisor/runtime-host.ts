/**
 * A child of the supervisor: hosts workerd by Miniflare's API, with objects and files kept on disk, and ticks the cron.
 * Miniflare restarts a workerd that died, at the same port; when that does not help, this process ends and
 * the supervisor restarts it. Settings come as JSON in OTTO_RUNTIME, which workerd does not inherit.
 */
import { connect } from "node:net";
import { Log, LogLevel, Miniflare, type V4MiniflareOptions, convertV4MiniflareOptions } from "miniflare";
import { MALLOC_ENV, followSupervisor, report, reportFatal } from "./child-channel.ts";
import { describeDamage, isDamage } from "./damaged-objects.ts";
import { readBuild } from "./worker-build.ts";
import { listModules } from "./worker-modules.ts";

/** What OTTO_RUNTIME holds. */
export interface RuntimeSettings {
  readonly port: number;
  readonly buildFolder: string;
  /** The console's files. */
  readonly consoleFolder: string;
  readonly persistFolder: string;
  readonly vars: Readonly<Record<string, string>>;
}

/** The Worker that has the console's files. */
const CONSOLE = "console";
const NO_FILE = "export default { fetch: () => new Response(null, { status: 404 }) };";
const TICK_EVERY_MS = 60_000;
const LOOK_EVERY_MS = 1_000;
/** Looks in a row that found nobody at the port. */
const MAX_MISSING = 5;
/** The files of all objects are looked at for one that is damaged. */
const NAME_DAMAGE_EVERY_MS = 60_000;

/** Miniflare starts a workerd that died again, once. When that one dies too it says so here, and no more comes of it. */
class RuntimeLog extends Log {
  override error(error: Error): void {
    super.error(error);
    if ("code" in error && error.code === "ERR_RUNTIME_FAILURE") process.exit(1);
  }
}

const settings = JSON.parse(process.env["OTTO_RUNTIME"] ?? "") as RuntimeSettings;
delete process.env["OTTO_RUNTIME"];
// They are for Node's processes: workerd has threads that allocate at the same time.
for (const name of Object.keys(MALLOC_ENV)) Reflect.deleteProperty(process.env, name);

const miniflare = new Miniflare(convertV4MiniflareOptions(miniflareOptions(settings)));
followSupervisor(() => miniflare.dispose());
try {
  await miniflare.ready;
  report({ type: "ready" });
  setInterval(tick, TICK_EVERY_MS);
  watchPort();
} catch (error) {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_ADDRESS_IN_USE") reportFatal(`port ${settings.port} is taken by another program`);
  else throw error;
}

function miniflareOptions({
  port,
  buildFolder,
  consoleFolder,
  persistFolder,
  vars,
}: RuntimeSettings): V4MiniflareOptions {
  const { options, entry, folder } = readBuild(buildFolder);
  const { assets, ...worker } = options;
  return {
    host: "127.0.0.1",
    // Miniflare's own entry point, which this process calls.
    port: 0,
    // Without this, Miniflare fetches a description of the edge from the internet.
    cf: false,
    telemetry: { enabled: false },
    log: new RuntimeLog(LogLevel.WARN),
    logRequests: false,
    handleStructuredLogs: ({ level, message }) => {
      if (isDamage(message)) nameDamage(message);
      else if (level === "error" || level === "warn") console.error(message);
      else console.log(message);
    },
    resourcePersistencePath: persistFolder,
    workers: [
      {
        ...worker,
        name: "otto",
        modulesRoot: folder,
        modules: listModules(folder, entry),
        bindings: vars,
        serviceBindings: Object.assign({}, worker.serviceBindings, { ASSETS: CONSOLE }),
        // docs/decisions/0090-entry-point-on-one-machine.md. `proxy`: workerd passes requests on as they came.
        unsafeDirectSockets: [{ host: "127.0.0.1", port, entrypoint: "LocalEntry", proxy: true }],
      },
      // Miniflare has what routes files stand before all of the Worker that they belong to, and each request of the API would pay for
      // it with milliseconds. So they belong to another one here.
      {
        name: CONSOLE,
        modules: [{ type: "ESModule", path: "console.js", contents: NO_FILE }],
        // The build knows where the project was when it was made.
        assets: Object.assign({}, assets, {
          directory: consoleFolder,
          run_worker_first: false,
          routerConfig: { has_user_worker: false },
        }),
      },
    ],
  };
}

let nextNaming = 0;

/** A sentence for each kind of object for the person at the console, and the runtime's words for the log. */
function nameDamage(message: string): void {
  console.log(message);
  if (Date.now() < nextNaming) return;
  nextNaming = Date.now() + NAME_DAMAGE_EVERY_MS;
  describeDamage(settings.persistFolder).then(
    (sentences) => sentences.forEach((message) => report({ type: "problem", message })),
    (error: unknown) => console.log(`the damaged file could not be named: ${String(error)}`),
  );
}

/**
 * Cron triggers do not fire by themselves locally. Miniflare's own routes for triggers stay off: one of them accepts mail
 * from any program of this machine.
 */
function tick(): void {
  miniflare
    .getWorker("otto")
    .then((worker) => worker.scheduled())
    .catch((error: unknown) => console.log(`the tick found no runtime: ${String(error)}`));
}

function watchPort(): void {
  let missing = 0;
  setInterval(() => {
    const socket = connect(settings.port, "127.0.0.1");
    socket.once("connect", () => {
      missing = 0;
      socket.destroy();
    });
    socket.once("error", () => {
      missing += 1;
      if (missing < MAX_MISSING) return;
      console.error("the runtime does not come back");
      process.exit(1);
    });
  }, LOOK_EVERY_MS);
}
