/** Floor (b), started: hosted as Otto's Worker is, with its objects kept on disk. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { inputOf } from "../job.ts";
import type { BenchModel } from "../model/model.ts";
import { childNamed } from "../processes.ts";
import { send } from "../send.ts";
import { gzipKib } from "./bundle-size.ts";
import type { Contender } from "./contender.ts";

const SCRIPT = fileURLToPath(new URL("../floors/bare-object.mjs", import.meta.url));

export async function startBareObject(model: BenchModel): Promise<Contender> {
  const persistFolder = mkdtempSync(join(tmpdir(), "bench-bare-"));
  let host = await startHost(model, persistFolder);
  return {
    name: "bare object",
    async start(task, job) {
      await send("POST", host.url + task, { input: inputOf(task, job) });
    },
    question(task) {
      return Promise.resolve(async () => {
        await send("POST", `${host.url}${task}/answer`, { text: "Yes." });
      });
    },
    pids: () => [host.workerd],
    runtimePid: () => host.workerd,
    objectsFolder: () => join(persistFolder, "do/bare-BareTask"),
    bundleKib: () => gzipKib([SCRIPT]),
    async restart() {
      await host.miniflare.dispose();
      host = await startHost(model, persistFolder);
    },
    async close() {
      await host.miniflare.dispose();
      rmSync(persistFolder, { recursive: true, force: true });
    },
  };
}

async function startHost(
  model: BenchModel,
  persistFolder: string,
): Promise<{ miniflare: Miniflare; url: string; workerd: number }> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      telemetry: { enabled: false },
      resourcePersistencePath: persistFolder,
      workers: [
        {
          name: "bare",
          compatibilityDate: compatibilityDate(),
          compatibilityFlags: ["nodejs_compat"],
          modules: [{ type: "ESModule", path: SCRIPT }],
          modulesRoot: fileURLToPath(new URL("../floors", import.meta.url)),
          durableObjects: { TASKS: { className: "BareTask", useSQLite: true } },
          bindings: { MODEL_URL: model.url },
        },
      ],
    }),
  );
  const url = (await miniflare.ready).href;
  return { miniflare, url, workerd: childNamed(process.pid, "workerd") };
}

/** Otto's own, so that both run by the same rules of the runtime. */
function compatibilityDate(): string {
  const text = readFileSync(new URL("../../wrangler.toml", import.meta.url), "utf8");
  const date = /^compatibility_date = "([\d-]+)"$/m.exec(text)?.[1];
  if (date === undefined) throw new Error("wrangler.toml has no compatibility_date");
  return date;
}
