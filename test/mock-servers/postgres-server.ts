/** A real Postgres on loopback, of Debian's package, with a folder of its own that is removed at the end. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { LOOPBACK_CERTIFICATE } from "./certificates.ts";
import { findUnusedPort } from "./listen.ts";

const INSTALLED = "/usr/lib/postgresql";
const START_MS = 30_000;

export interface PostgresServer {
  readonly port: number;
  /** The server's own folder, which its user can write to. */
  readonly folder: string;
  /** A client of the superuser, which stays open. */
  readonly admin: pg.Client;
  /** The URL of a role with this password in the database. */
  urlOf(user: string, password: string, database?: string): string;
  close(): Promise<void>;
}

/** Starts a server with password logins over TLS and without, whose superuser is `postgres`. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "otto-postgres-"));
  const [data, passwordFile] = [join(folder, "data"), join(folder, "password")];
  const password = "canary-superuser";
  writeFileSync(passwordFile, password);
  const user = findUser();
  for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const programs = findPrograms();
  const options = ["-U", "postgres", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync"];
  execFileSync(join(programs, "initdb"), ["-D", data, `--pwfile=${passwordFile}`, ...options], {
    ...user,
    cwd: folder,
  });
  for (const [name, text] of [
    ["server.crt", LOOPBACK_CERTIFICATE.cert],
    ["server.key", LOOPBACK_CERTIFICATE.key],
  ] as const) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    chownSync(join(data, name), user.uid, user.gid);
  }
  const port = await findUnusedPort();
  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: folder, fsync: "off", ssl: "on" };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(programs, "postgres"), ["-D", data, "-p", String(port), ...flags], {
    ...user,
    cwd: folder,
    stdio: "ignore",
  });
  const urlOf = (role: string, word: string, database = "postgres") =>
    `postgres://${role}:${encodeURIComponent(word)}@127.0.0.1:${port}/${database}`;
  const admin = await connect(urlOf("postgres", password), server);
  return {
    port,
    folder,
    admin,
    urlOf,
    async close() {
      await admin.end();
      await stop(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Postgres refuses to run as root, so it then runs as the package's user. */
function findUser(): { readonly uid: number; readonly gid: number } {
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  if (own.uid !== 0) return own;
  const read = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: read("-u"), gid: read("-g") };
}

function findPrograms(): string {
  const [newest] = existsSync(INSTALLED) ? readdirSync(INSTALLED).toSorted((a, b) => Number(b) - Number(a)) : [];
  if (newest === undefined) throw new Error("Postgres is missing: install the packages of test/packages.txt");
  return join(INSTALLED, newest, "bin");
}

async function connect(url: string, server: ChildProcess): Promise<pg.Client> {
  const endsAt = Date.now() + START_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (Date.now() > endsAt || server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** SIGQUIT ends it at once (https://www.postgresql.org/docs/current/server-shutdown.html). */
async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGQUIT");
  await ended;
}
