/**
 * The Worker as the runtime takes it: bundled by wrangler, with the bindings that `wrangler.toml` gives it. Kept by the
 * hash of what it is made of, so that it is made only when that changed.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SourcelessWorkerOptions } from "wrangler";
import { CannotRun } from "./cannot-run.ts";
import { hashFiles } from "./hash-files.ts";
import { WRANGLER_ENV } from "./wrangler.ts";

/** What a bundle is made of; folders that are not there yet count as empty. */
const SOURCES = [
  "core",
  "tools",
  "adapters",
  "durable-objects",
  "workers",
  "skills",
  "wrangler.toml",
  "scripts/bundle-worker.mjs",
  "package-lock.json",
];
const OPTIONS_FILE = "worker-options.json";

export interface WorkerBuild {
  readonly folder: string;
  readonly options: SourcelessWorkerOptions;
  /** The file of the folder that the runtime starts with. */
  readonly entry: string;
}

/** A build as its options file has it. `content`: the hash of its other files. */
interface StoredBuild extends Omit<WorkerBuild, "folder"> {
  readonly content: string;
}

/** Finds the whole build of the present sources, or creates it. Reports its creation to `onProgress`. */
export async function buildWorker(
  root: string,
  buildFolder: string,
  onProgress: (message: string) => void,
): Promise<WorkerBuild> {
  const hash = hashFiles(root, SOURCES);
  const folder = join(buildFolder, hash);
  if (!isWhole(folder)) {
    onProgress(
      existsSync(join(folder, OPTIONS_FILE))
        ? "bundling the Worker again: its files are damaged"
        : "bundling the Worker",
    );
    await make(root, folder);
  }
  for (const name of readdirSync(buildFolder)) {
    if (name !== hash) rmSync(join(buildFolder, name), { recursive: true, force: true });
  }
  return readBuild(folder);
}

/** Completes the build in `folder`. Written last: one that was cut off before is created again. */
export function completeBuild(folder: string, build: Omit<WorkerBuild, "folder">): void {
  const stored: StoredBuild = { ...build, content: hashContent(folder) };
  writeFileSync(join(folder, OPTIONS_FILE), JSON.stringify(stored));
}

/** False for a build whose files are missing, truncated or changed. */
function isWhole(folder: string): boolean {
  try {
    const { content } = JSON.parse(readFileSync(join(folder, OPTIONS_FILE), "utf8")) as Partial<StoredBuild>;
    return content === hashContent(folder);
  } catch {
    return false;
  }
}

function hashContent(folder: string): string {
  return hashFiles(
    folder,
    readdirSync(folder)
      .filter((name) => name !== OPTIONS_FILE)
      .sort(),
  );
}

/** Reads a build that `buildWorker` made. */
export function readBuild(folder: string): WorkerBuild {
  const read = JSON.parse(readFileSync(join(folder, OPTIONS_FILE), "utf8")) as Omit<WorkerBuild, "folder">;
  return { folder, ...read };
}

async function make(root: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const program = fileURLToPath(new URL("./make-worker-build.ts", import.meta.url));
  const child = spawn(process.execPath, [program, root, folder], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...WRANGLER_ENV },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new CannotRun(`the Worker could not be bundled:\n${output.trim()}`);
}
