/**
 * `npm run deploy`: from this folder to Cloudflare. `--dry-run` checks and bundles, and touches nothing outside.
 * docs/deploy.md goes through it from an empty account on.
 */
import { spawn } from "node:child_process";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { unstable_readConfig } from "wrangler";
import { MigrationRefused, migrate } from "./database/migrate.ts";
import { openPostgres } from "./database/postgres-backend.ts";
import { DatabaseUnavailable, PostgresFailure } from "./database/sql-backend.ts";
import { deploy } from "./deploy/deploy.ts";
import { DeployRefused } from "./deploy/deploy-refused.ts";
import type { DeployConfig } from "./deploy/judge-config.ts";
import { readStartBytes } from "./deploy/judge-size.ts";
import { makeSecrets } from "./deploy/make-secrets.ts";
import { type DeployFlags, readFlags } from "./deploy/read-flags.ts";
import { wranglerAt } from "./deploy/wrangler-command.ts";
import { projectRoot } from "./project-command.ts";
import { CannotRun } from "./supervisor/cannot-run.ts";
import { buildConsole } from "./supervisor/console-build.ts";
import { wranglerScript } from "./supervisor/wrangler.ts";

try {
  const flags = readFlags(process.argv.slice(2), process.env);
  if (flags.makesSecrets) sayWhatWasMade();
  else await deployThis(flags);
  // Wrangler keeps handles open that nobody closes.
  process.exit(0);
} catch (error) {
  console.error(error instanceof DeployRefused ? `\nNot deployed. ${error.message}` : error);
  process.exit(1);
}

async function deployThis(flags: DeployFlags): Promise<void> {
  await deploy(
    { ...flags, ownerUrl: process.env["DATABASE_URL"] || null },
    {
      wrangler: wranglerAt(wranglerScript(), projectRoot),
      readConfig,
      hasDocker,
      buildConsole: makeConsole,
      readStartBytes,
      migrate: migrateAsOwner,
      say: (line) => console.log(line),
      now: Date.now,
      sleep,
    },
  );
}

function sayWhatWasMade(): void {
  const { secretsFile, operatorKeyFile } = makeSecrets(join(projectRoot, ".otto/deploy"));
  const [secrets, key] = [secretsFile, operatorKeyFile].map((file) => relative(projectRoot, file));
  console.log(`Made ${secrets}: fill in DATABASE_URL, the connection of the role otto_app.`);
  console.log(`Made ${key}: the key that makes tenants. Keep both where your passwords are, and delete them here.`);
}

function readConfig(): DeployConfig {
  try {
    const config: unknown = unstable_readConfig({ config: join(projectRoot, "wrangler.toml") });
    // Wrangler has checked it by its own schema; the type that it names for it is not in what it publishes.
    return config as DeployConfig;
  } catch (error) {
    throw new DeployRefused(error instanceof Error ? error.message : String(error));
  }
}

async function makeConsole(): Promise<void> {
  try {
    await buildConsole(projectRoot, (message) => console.log(`  ${message}`));
  } catch (error) {
    throw error instanceof CannotRun ? new DeployRefused(error.message) : error;
  }
}

async function hasDocker(): Promise<boolean> {
  const docker = spawn(process.env["WRANGLER_DOCKER_BIN"] || "docker", ["info"], { stdio: "ignore" });
  return await new Promise((resolve) => {
    docker.once("error", () => resolve(false));
    docker.once("close", (code) => resolve(code === 0));
  });
}

async function migrateAsOwner(ownerUrl: string): Promise<string[]> {
  const backend = openPostgres(ownerUrl);
  try {
    return await migrate(backend, {
      folder: join(projectRoot, "migrations"),
      // It is made by hand, with a password that this program never sees.
      appPassword: null,
      onProgress: (message) => console.log(`  ${message}`),
    });
  } catch (error) {
    if (error instanceof MigrationRefused) throw new DeployRefused(error.message);
    if (error instanceof PostgresFailure)
      throw new DeployRefused(`A migration failed and was undone: ${error.message}`);
    if (error instanceof DatabaseUnavailable)
      throw new DeployRefused(`The database cannot be reached: ${error.message}`);
    throw error;
  } finally {
    await backend.close();
  }
}
