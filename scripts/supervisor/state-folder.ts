/** The folder that holds everything that persists. */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

export interface StateFolder {
  readonly root: string;
  /** The id of the local tenant. */
  readonly tenantFile: string;
  /** The key of the local tenant. */
  readonly devKeyFile: string;
  /** The key that may make tenants. */
  readonly operatorKeyFile: string;
  readonly secretsFile: string;
  readonly supervisorFile: string;
  /** Consents and accounts of the demo apps. */
  readonly demoAppsFile: string;
  readonly lockFile: string;
  readonly databaseFolder: string;
  readonly databaseLockFile: string;
  /** Objects and files of the runtime. */
  readonly runtimeFolder: string;
  /** Folders of the sidecar's jobs. It empties it when it starts. */
  readonly sidecarFolder: string;
  readonly buildFolder: string;
  readonly logFolder: string;
  readonly cacheFolder: string;
}

/** Makes the folder, readable by its owner alone, where it is missing. */
export function openStateFolder(root: string): StateFolder {
  const at = (name: string) => join(root, name);
  const state: StateFolder = {
    root,
    tenantFile: at("dev-tenant"),
    devKeyFile: at("dev-key"),
    operatorKeyFile: at("operator-key"),
    secretsFile: at("secrets.json"),
    supervisorFile: at("supervisor.json"),
    demoAppsFile: at("demo-apps.json"),
    lockFile: at("supervisor.lock"),
    databaseFolder: at("database"),
    databaseLockFile: at("database.lock"),
    runtimeFolder: at("runtime"),
    sidecarFolder: at("sidecar"),
    buildFolder: at("build"),
    logFolder: at("logs"),
    cacheFolder: at("cache"),
  };
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const { runtimeFolder, sidecarFolder, buildFolder, logFolder, cacheFolder } = state;
  for (const folder of [runtimeFolder, sidecarFolder, buildFolder, logFolder, cacheFolder]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  return state;
}

/** The text of a file without its final newline; null without a file. */
export function readKept(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim() || null;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** Writes a file that only its owner may read, whole or not at all, and returns the text. */
export function keep(path: string, text: string): string {
  const draft = `${path}.${process.pid}`;
  try {
    writeWhole(draft, `${text}\n`);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return text;
}

function writeWhole(path: string, text: string): void {
  const file = openSync(path, "w", 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  chmodSync(path, 0o600);
}
