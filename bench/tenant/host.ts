/** Hosts Otto's Worker with a driver next to it, which calls objects without an entry point between. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { buildWorker } from "../../scripts/supervisor/worker-build.ts";
import { listModules } from "../../scripts/supervisor/worker-modules.ts";
import { LOOPBACK, readCompatibilityDate } from "../floors/miniflare-options.ts";
import { send } from "../send.ts";
import type { DriverOrder, DriverResult } from "./driver.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface DriverHost {
  drive(order: DriverOrder): Promise<DriverResult>;
  close(): Promise<void>;
}

/** Starts it. `vars` are the Worker's variables. */
export async function startDriver(vars: Readonly<Record<string, string>>): Promise<DriverHost> {
  const folder = mkdtempSync(join(tmpdir(), "bench-tenant-"));
  const worker = await makeBuild(folder);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...LOOPBACK,
      log: new Log(LogLevel.ERROR),
      resourcePersistencePath: join(folder, "state"),
      workers: [
        {
          name: "driver",
          compatibilityDate: readCompatibilityDate(),
          compatibilityFlags: ["nodejs_compat"],
          modules: true,
          script: await bundleDriver(),
          durableObjects: { TENANTS: { className: "TenantObject", scriptName: "otto", useSQLite: true } },
        },
        { ...worker, name: "otto", bindings: vars },
      ],
    }),
  );
  const close = async () => {
    await miniflare.dispose();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const url = (await miniflare.ready).href;
    return { drive: async (order) => JSON.parse(await send("POST", url, order)) as DriverResult, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The Worker as `npm start` hosts it, without the console. */
async function makeBuild(folder: string) {
  const buildFolder = join(folder, "build");
  mkdirSync(buildFolder);
  const { options, entry, folder: built } = await buildWorker(ROOT, buildFolder, () => undefined);
  const { assets: _, ...worker } = options;
  return { ...worker, modulesRoot: built, modules: listModules(built, entry) };
}

async function bundleDriver(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("./driver.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    external: ["node:*", "cloudflare:*"],
    mainFields: ["module", "main"],
    logLevel: "warning",
  });
  return outputFiles[0]?.text ?? "";
}
