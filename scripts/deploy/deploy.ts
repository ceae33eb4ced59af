/**
 * The deployment, step by step: what can be checked is checked before anything is changed. The database goes first, because
 * a Worker may meet a newer database, and never an older one.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DRAIN_KEY, DRAIN_MS } from "../../core/steps/drain.ts";
import { awaitDeployment, type Waiting } from "./await-deployment.ts";
import { checkSecrets, listSecrets } from "./check-secrets.ts";
import { DeployRefused, refuseAny } from "./deploy-refused.ts";
import { bucketOf, type DeployConfig, hasWorkersDev, judgeConfig } from "./judge-config.ts";
import { judgeSize } from "./judge-size.ts";
import { type Wrangler, type WranglerEnd, wordsOf } from "./wrangler-command.ts";

export interface DeployOptions {
  /** Checks, bundles, and touches nothing outside. Needs no account. */
  readonly isDryRun: boolean;
  /** False: the sidecar runs elsewhere, or nowhere; no image is built. */
  readonly withContainer: boolean;
  /** JSON of secrets that are uploaded with the Worker. Needed for the first upload. */
  readonly secretsFile: string | null;
  /** Where the Worker will answer; null: where wrangler says. */
  readonly origin: string | null;
  /** The connection string of the database's owner, for the migrations. */
  readonly ownerUrl: string | null;
}

export interface DeployOutside extends Waiting {
  /** The compressed size of what a new isolate loads, after a bundling. */
  readonly readStartBytes: () => number;
  readonly wrangler: Wrangler;
  /** Throws `DeployRefused` when wrangler cannot read it. */
  readonly readConfig: () => DeployConfig;
  readonly hasDocker: () => Promise<boolean>;
  /** Builds the console where its sources changed: its files go up with the Worker. */
  readonly buildConsole: () => Promise<void>;
  /** Gives the names of the files that it applied. */
  readonly migrate: (ownerUrl: string) => Promise<readonly string[]>;
  readonly say: (line: string) => void;
}

const STEPS = 7;
/** How long the model calls under way may take to end before the upload resets their objects. */
const DRAIN_WAIT_MS = 20_000;

/** Throws `DeployRefused` at the first step that fails; nothing outside was changed before the fourth. */
export async function deploy(options: DeployOptions, outside: DeployOutside): Promise<void> {
  const step = (number: number, text: string) => outside.say(`[${number}/${STEPS}] ${text}`);
  step(1, "the configuration");
  const config = checkConfig(outside);
  const found = options.isDryRun ? null : await checkOutside(config, options, outside);
  step(2, "the secrets");
  const { secretsFile } = options;
  const secrets = {
    there: found?.secrets ?? null,
    secretsFile,
    vars: Object.keys(config.vars),
    owner: found?.owner ?? null,
  };
  for (const line of checkSecrets(secrets)) outside.say(line);
  step(3, "the bundle");
  await checkBundle(options, outside);
  if (options.isDryRun) return outside.say("The dry run passed. Nothing was changed.");
  step(4, "the database");
  await migrateDatabase(options.ownerUrl, outside);
  step(5, "model calls under way");
  const bucket = bucketOf(config) ?? "";
  const isDrained = found !== null && found.secrets.length > 0 && (await drain(bucket, outside));
  step(6, "the Worker");
  const uploading = upload(options, outside);
  await uploading.catch(() => undefined);
  if (isDrained) await outside.wrangler(["r2", "object", "delete", `${bucket}/${DRAIN_KEY}`, "--remote"]);
  const { versionId, origin } = await uploading;
  step(7, `${origin}/health`);
  const health = await awaitDeployment(origin, versionId, outside);
  if (health.sidecar === "away") outside.say("  the sidecar does not answer: tools cannot reach the web");
  return outside.say(`Otto ${health.version} is up at ${origin} (upload ${versionId}).`);
}

function checkConfig({ readConfig, say }: DeployOutside): DeployConfig {
  const config = readConfig();
  refuseAny("wrangler.toml", judgeConfig(config));
  say("  wrangler.toml holds all that the Worker needs");
  return config;
}

/**
 * Gives the owner's role. The migrator holds a lock of its session and takes on a role, which a pooler's transactions share
 * with others.
 */
function checkOwnerUrl(ownerUrl: string | null): string {
  const wanted =
    "DATABASE_URL: in this program's environment it has to be the connection string of the database's owner";
  const url = URL.parse(ownerUrl ?? "");
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || url.username === "" || url.hostname === "")
    throw new DeployRefused(
      `${wanted},\npostgres://owner:password@host/database. It is not shown while you paste it:\n` +
        "    read -rs DATABASE_URL && export DATABASE_URL",
    );
  if (url.username === "otto_app") throw new DeployRefused(`${wanted}; otto_app, the Worker's role, may not migrate.`);
  if (url.hostname.split(".")[0]?.endsWith("-pooler"))
    throw new DeployRefused(`${wanted}, and direct: take “-pooler” out of its host.`);
  return url.username;
}

/** What is outside already. */
interface Found {
  /** The names of the Worker's secrets. */
  readonly secrets: readonly string[];
  /** The role that owns the database. */
  readonly owner: string;
}

/** What the steps that change something would stumble over half-way. */
async function checkOutside(config: DeployConfig, options: DeployOptions, outside: DeployOutside): Promise<Found> {
  if (options.origin === null && !hasWorkersDev(config))
    throw new DeployRefused(
      "--url: without an address on workers.dev wrangler cannot tell where the Worker answers. Pass --url https://…",
    );
  const owner = checkOwnerUrl(options.ownerUrl);
  if (options.withContainer && !(await outside.hasDocker())) {
    throw new DeployRefused(
      "Docker is not running, and the sidecar's image is built with it. Start it; or run the sidecar elsewhere and\n" +
        "pass --without-container (docs/deploy.md, “The sidecar”).",
    );
  }
  // First what fails when nobody is logged in, so that it does not pass for a bucket that is not there.
  const secrets = await listSecrets(outside.wrangler, config.name ?? "");
  const bucket = bucketOf(config) ?? "";
  const found = await outside.wrangler(["r2", "bucket", "info", bucket]);
  if (found.exitCode !== 0) {
    throw new DeployRefused(
      `r2_buckets: there is no bucket ${bucket} that this account may use\n    npx wrangler r2 bucket create ${bucket}\n${wordsOf(found)}`,
    );
  }
  return { secrets, owner };
}

/** The size is the Worker's: a browser loads the console's files, and no isolate does. */
async function checkBundle(
  { isDryRun }: DeployOptions,
  { buildConsole, wrangler, readStartBytes, say }: DeployOutside,
): Promise<void> {
  await buildConsole();
  const built = await wrangler(["deploy", "--dry-run", "--containers-rollout=none"]);
  if (built.exitCode !== 0) throw new DeployRefused(`The Worker cannot be bundled.\n${wordsOf(built)}`);
  const size = readReport(built)["bundle_size"] as { readonly gzip_bytes?: number } | undefined;
  if (size?.gzip_bytes === undefined) throw new DeployRefused("wrangler did not tell the size of the bundle.");
  const verdict = judgeSize({ total: size.gzip_bytes, start: readStartBytes() });
  if (!verdict.fits) throw new DeployRefused(`The bundle is too large for Cloudflare: ${verdict.line}.`);
  if (verdict.isOverTarget && isDryRun) throw new DeployRefused(`The bundle is over our target: ${verdict.line}.`);
  say(`  ${verdict.line}${verdict.isOverTarget ? " — OVER OUR TARGET" : ""}`);
}

async function migrateDatabase(ownerUrl: string | null, { migrate, say }: DeployOutside): Promise<void> {
  const applied = await migrate(ownerUrl ?? "");
  say(applied.length === 0 ? "  is up to date" : `  applied ${applied.join(", ")}`);
}

/**
 * Has no model phase begin for `DRAIN_MS` and waits for those under way. A deployment that cannot have that continues: what it
 * cuts off is made again. True: it has to be taken back.
 */
async function drain(bucket: string, { wrangler, say, sleep }: DeployOutside): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "otto-drain-"));
  try {
    const file = join(folder, DRAIN_KEY);
    writeFileSync(file, "A deployment is under way.\n");
    const put = await wrangler(["r2", "object", "put", `${bucket}/${DRAIN_KEY}`, "--remote", "--file", file]);
    if (put.exitCode !== 0) {
      say("  could not be drained: those that the upload cuts off are made again");
      return false;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  say(`  none begins for ${DRAIN_MS / 1000} s; those under way have ${DRAIN_WAIT_MS / 1000} s to end`);
  await sleep(DRAIN_WAIT_MS);
  return true;
}

async function upload(
  { withContainer, secretsFile, origin }: DeployOptions,
  { wrangler }: DeployOutside,
): Promise<{ versionId: string; origin: string }> {
  const secrets = secretsFile === null ? [] : ["--secrets-file", secretsFile];
  const containers = withContainer ? [] : ["--containers-rollout=none"];
  const end = await wrangler(["deploy", ...secrets, ...containers], { show: true });
  if (end.exitCode !== 0) {
    throw new DeployRefused(
      "wrangler failed; its words are above. It uploads the Worker before it builds the sidecar's image, so the new Worker\n" +
        "may be live already: npx wrangler deployments list shows it, npx wrangler rollback takes it back.",
    );
  }
  const { version_id: versionId, targets } = readReport(end);
  const target = origin ?? (Array.isArray(targets) ? targets.find(isOrigin) : undefined);
  if (typeof versionId !== "string" || target === undefined)
    throw new DeployRefused(
      "The Worker is out, but wrangler did not say where. Pass --url https://… to have it checked.",
    );
  return { versionId, origin: target.replace(/\/+$/, "") };
}

/** A route with a pattern is no address. */
function isOrigin(target: unknown): target is string {
  return typeof target === "string" && /^https:\/\/[^*]+$/.test(target);
}

function readReport(end: WranglerEnd): Readonly<Record<string, unknown>> {
  return end.reports.find(({ type }) => type === "deploy") ?? {};
}
