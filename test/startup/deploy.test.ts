/** The deployment: its dry run as it is typed, and all its steps with wrangler and the deployed Worker played by mock servers. */
import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { unstable_readConfig } from "wrangler";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hashKey, findKeyOwner, OPERATOR } from "../../core/tenant/keys.ts";
import { deploy, type DeployOptions, type DeployOutside } from "../../scripts/deploy/deploy.ts";
import { makeSecrets } from "../../scripts/deploy/make-secrets.ts";
import { wranglerAt } from "../../scripts/deploy/wrangler-command.ts";
import { closeServer, listenOnLoopback } from "../mock-servers/listen.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MOCK_PROGRAM = fileURLToPath(new URL("../mock-servers/wrangler.mjs", import.meta.url));
const OWNER_URL = "postgres://owner:canary-owner@db.example/otto";
const SECRETS = {
  DATABASE_URL: "postgres://otto_app:canary-worker@db.example/otto",
  OTTO_SECRET_KEY: `canary${"A".repeat(37)}=`,
  OTTO_OPERATOR_KEY_HASH: "c".repeat(64),
};

/** Wrangler 4.164's own words. */
const NO_WORKER =
  'Worker "otto" not found.\n\nIf this is a new Worker, run `wrangler deploy` first to create it.\n' +
  "Otherwise, check that the Worker name is correct and you're logged into the right account.";

let folder: string;
let server: Server;
let origin: string;
/** What the deployed Worker's /health answers, one after another; the last one stays. */
let answers: unknown[];
let said: string[];
let migrated: string[];
let startBytes: number;

beforeEach(async () => {
  startBytes = 600_000;
  folder = mkdtempSync(join(tmpdir(), "otto-deploy-"));
  vi.stubEnv("WRANGLER_MOCK_FOLDER", folder);
  vi.stubEnv("DATABASE_URL", OWNER_URL);
  server = createServer((_request, response) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  origin = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
  answers = [healthOf("new")];
  said = [];
  migrated = [];
});

afterEach(async () => {
  await closeServer(server);
  rmSync(folder, { recursive: true });
});

function healthOf(deployment: string, more: object = {}): object {
  return { status: "ok", database: "ok", sidecar: "asleep", version: "0.1.0", deployment, problems: [], ...more };
}

const names = (secrets: object) => JSON.stringify(Object.keys(secrets).map((name) => ({ name, type: "secret_text" })));

/** Wrangler's ends where all goes well; `more` changes some. */
function plan(more: object = {}): void {
  const ends = {
    "r2 bucket info otto-files": {},
    "r2 object": {},
    "secret list": { stdout: names(SECRETS) },
    "deploy --dry-run": { report: { type: "deploy", bundle_size: { gzip_bytes: 600_000 } } },
    deploy: { report: { type: "deploy", version_id: "new", targets: ["schedule: * * * * *", "https://otto.example"] } },
    ...more,
  };
  writeFileSync(join(folder, "plan.json"), JSON.stringify(ends));
}

async function run(options: Partial<DeployOptions> = {}, outside: Partial<DeployOutside> = {}): Promise<void> {
  let nowMs = 0;
  await deploy(
    { isDryRun: false, withContainer: true, secretsFile: null, origin, ownerUrl: OWNER_URL, ...options },
    {
      wrangler: wranglerAt(MOCK_PROGRAM, ROOT),
      readConfig: () => unstable_readConfig({ config: join(ROOT, "wrangler.toml") }),
      hasDocker: async () => true,
      buildConsole: async () => {},
      readStartBytes: () => startBytes,
      migrate: async (url) => {
        migrated.push(url);
        return ["0002_more.sql"];
      },
      say: (line) => said.push(line),
      now: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms;
      },
      ...outside,
    },
  );
}

function fileOf(secrets: object): string {
  const file = join(folder, "secrets.json");
  writeFileSync(file, JSON.stringify(secrets));
  return file;
}

function calls(): { words: string; databaseUrl: string | null }[] {
  try {
    return readFileSync(join(folder, "calls.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { words: string; databaseUrl: string | null });
  } catch {
    return [];
  }
}

/** Runs into a refusal, gives its message, and sees that nothing outside was changed. */
async function refusal(options: Partial<DeployOptions> = {}, outside: Partial<DeployOutside> = {}): Promise<string> {
  const thrown: unknown = await run(options, outside).then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toMatchObject({ name: "DeployRefused" });
  expect(migrated).toEqual([]);
  expect(calls().filter(({ words }) => words.startsWith("deploy") && !words.includes("--dry-run"))).toEqual([]);
  const { message } = thrown as Error;
  expect(message + said.join()).not.toContain("canary");
  return message;
}

describe("npm run deploy -- --dry-run", () => {
  it("passes without an account, on the Worker as it is", async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["scripts/run.mjs", "scripts/deploy.ts", "--dry-run"],
      { cwd: ROOT, env: { PATH: process.env["PATH"] ?? "", HOME: folder } },
    );
    expect(stdout).toContain("required  OTTO_SECRET_KEY");
    expect(stdout).toMatch(/\d+ KiB in gzip at the start; our target is 810/);
    expect(stdout).toContain("The dry run passed. Nothing was changed.");
  });

  it("fails over our target of what an isolate loads, and asks wrangler for nothing else", async () => {
    plan();
    startBytes = 920_000;
    expect(await refusal({ isDryRun: true, ownerUrl: null })).toContain("over our target: 899 KiB");
    expect(calls().map(({ words }) => words)).toEqual(["deploy --dry-run --containers-rollout=none"]);
  });

  it("judges a file of secrets by its names and its values", async () => {
    plan();
    const judge = (secrets: object) => refusal({ isDryRun: true, secretsFile: fileOf(secrets) });
    expect(await judge({ ...SECRETS, OTTO_SECRET_KEY: "" })).toContain("wrangler secret put OTTO_SECRET_KEY");
    expect(await judge({ ...SECRETS, OTTO_SECRET_KEY: "canary" })).toContain("OTTO_SECRET_KEY has to be 32 bytes");
    await run({ isDryRun: true, secretsFile: fileOf(SECRETS) });
  });

  it.each(["--dry-run", "--without-container", "--secrets-file", "--url", "--make-secrets"])(
    "does nothing, not even that, when npm has taken %s for itself",
    async (flag) => {
      const variable = `npm_config_${flag.slice(2).replaceAll("-", "_")}`;
      const run = promisify(execFile)(process.execPath, ["scripts/deploy.ts"], {
        cwd: ROOT,
        env: { PATH: process.env["PATH"] ?? "", HOME: folder, [variable]: "true" },
      });
      await expect(run).rejects.toMatchObject({
        stdout: "",
        stderr: expect.stringContaining(`Not deployed. npm took ${flag} for itself`),
      });
    },
  );

  it("lists the flags when it gets an unknown one, without a stack", async () => {
    const run = promisify(execFile)(process.execPath, ["scripts/deploy.ts", "--dry"], {
      cwd: ROOT,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder },
    });
    await expect(run).rejects.toMatchObject({
      stderr: expect.stringMatching(/^\nNot deployed\. .*\nThe flags are: .*\n$/),
    });
  });
});

describe("a deployment", () => {
  it("checks, migrates, uploads, and is done when the new upload answers", async () => {
    plan();
    answers = ["<html>not yet</html>", healthOf("old"), healthOf("new", { database: "away" }), healthOf("new")];
    await run();
    expect(calls().map(({ words }) => words)).toEqual([
      "secret list --format json",
      "r2 bucket info otto-files",
      "deploy --dry-run --containers-rollout=none",
      expect.stringMatching(/^r2 object put otto-files\/drain --remote --file /),
      "deploy",
      "r2 object delete otto-files/drain --remote",
    ]);
    expect(migrated).toEqual([OWNER_URL]);
    expect(answers).toEqual([healthOf("new")]);
    expect(said.filter((line) => line.startsWith("["))).toHaveLength(7);
    expect(said.at(-1)).toBe(`Otto 0.1.0 is up at ${origin} (upload new).`);
    expect(said.join()).not.toContain("canary");
  });

  it("lets model calls under way end before the upload, and uploads too where it cannot", async () => {
    plan();
    const slept: number[] = [];
    await run({}, { sleep: async (ms) => void slept.push(ms) });
    expect(slept[0]).toBe(20_000);
    plan({ "r2 object": { exitCode: 1 } });
    await run();
    expect(said.join()).toContain("those that the upload cuts off are made again");
    expect(calls().filter(({ words }) => words.startsWith("r2 object delete"))).toHaveLength(1);
  });

  it("takes the drain back when the upload fails", async () => {
    plan({ deploy: { exitCode: 1 } });
    await expect(run()).rejects.toThrow("may be live already");
    expect(calls().at(-1)?.words).toBe("r2 object delete otto-files/drain --remote");
  });

  it("hides the owner's connection string from wrangler", async () => {
    plan();
    await run();
    expect(calls().every(({ databaseUrl }) => databaseUrl === null)).toBe(true);
  });

  it("asks where wrangler says that the Worker is", async () => {
    plan({ deploy: { report: { type: "deploy", version_id: "new", targets: ["https://*.example/*", 7] } } });
    await expect(run({ origin: null })).rejects.toThrow("Pass --url");
  });

  it("includes secrets in the first upload, when no such Worker exists yet", async () => {
    plan({ "secret list": { exitCode: 1, stderr: NO_WORKER } });
    expect(await refusal()).toContain("--make-secrets");
    const secretsFile = fileOf(SECRETS);
    await run({ secretsFile, withContainer: false });
    expect(calls().at(-1)?.words).toBe(`deploy --secrets-file ${secretsFile} --containers-rollout=none`);
  });

  it("never puts another key where the Worker has one that tenants sealed with", async () => {
    plan();
    expect(await refusal({ secretsFile: fileOf(SECRETS) })).toContain("take it out of the file");
    const { OTTO_SECRET_KEY: _kept, ...others } = SECRETS;
    await run({ secretsFile: fileOf(others) });
  });

  it("changes nothing when a secret in the file is wrong, or is the owner's connection", async () => {
    plan({ "secret list": { exitCode: 1, stderr: NO_WORKER } });
    const judge = (secrets: object) => refusal({ secretsFile: fileOf({ ...SECRETS, ...secrets }) });
    expect(await judge({ OTTO_OPERATOR_KEY_HASH: "canary" })).toContain("OTTO_OPERATOR_KEY_HASH has to be a SHA-256");
    expect(await judge({ DATABASE_URL: OWNER_URL })).toContain("DATABASE_URL: it has the role of the database's owner");
  });

  it("requires the address before it changes anything, if wrangler could not report it afterwards", async () => {
    plan();
    const config = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
    const routes = [{ pattern: "otto.example.com", custom_domain: true }];
    const readConfig = () => ({ ...config, workers_dev: false, routes });
    expect(await refusal({ origin: null }, { readConfig })).toContain("--url");
    await run({}, { readConfig });
  });

  const { OTTO_SECRET_KEY: _left, ...tooFew } = SECRETS;
  it.each([
    ["a secret is missing", "wrangler secret put OTTO_SECRET_KEY", { "secret list": { stdout: names(tooFew) } }],
    [
      "a test switch is among the secrets",
      "OTTO_EGRESS_ALLOW",
      { "secret list": { stdout: names({ ...SECRETS, OTTO_EGRESS_ALLOW: 1 }) } },
    ],
    [
      "nobody is logged in",
      "wrangler login",
      {
        "secret list": { exitCode: 1, stderr: "You are not logged in." },
        "r2 bucket info otto-files": { exitCode: 1 },
      },
    ],
    [
      "something else does not exist",
      "wrangler login",
      { "secret list": { exitCode: 1, stderr: "The account does not exist." } },
    ],
    ["the list of secrets is invalid", "cannot be read", { "secret list": { stdout: "<html>" } }],
    ["there is no bucket", "wrangler r2 bucket create otto-files", { "r2 bucket info otto-files": { exitCode: 1 } }],
    [
      "the Worker cannot be bundled",
      "cannot be bundled",
      { "deploy --dry-run": { exitCode: 1, stderr: "No such module" } },
    ],
    [
      "the bundle is too large for the platform",
      "too large for Cloudflare",
      { "deploy --dry-run": { report: { type: "deploy", bundle_size: { gzip_bytes: 11_000_000 } } } },
    ],
  ])("changes nothing when %s", async (_what, message, more) => {
    plan(more);
    expect(await refusal()).toContain(message);
  });

  it("changes nothing without the owner's database, with the Worker's own role, or without Docker", async () => {
    plan();
    for (const ownerUrl of [null, "https://owner:canary@db.example/otto", "postgres://db.example/otto", "canary"])
      expect(await refusal({ ownerUrl })).toContain("postgres://owner:password@host/database");
    expect(await refusal({ ownerUrl: "postgres://otto_app:canary@db.example/otto" })).toContain("otto_app");
    expect(await refusal({ ownerUrl: "postgres://owner:canary@ep-x-pooler.db.example/otto" })).toContain("-pooler");
    expect(await refusal({}, { hasDocker: async () => false })).toContain("--without-container");
    const config = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
    const readConfig = () => ({ ...config, vars: { OTTO_MODE: "local" } });
    expect(await refusal({}, { readConfig })).toContain("vars.OTTO_MODE");
  });

  it("uploads nothing when the database cannot be migrated", async () => {
    plan();
    const migrate = () => Promise.reject(new Error("no"));
    await expect(run({}, { migrate })).rejects.toThrow("no");
    expect(calls().some(({ words }) => words === "deploy")).toBe(false);
  });

  it("fails when wrangler does, and when the upload says that it cannot work or never answers", async () => {
    plan({ deploy: { exitCode: 1 } });
    await expect(run()).rejects.toThrow("may be live already");
    plan();
    const confirm = vi.fn<() => Promise<void>>(async () => undefined);
    answers = [healthOf("new", { status: "failed", problems: ["OTTO_SECRET_KEY is not base64"] })];
    await expect(run({}, { sleep: confirm })).rejects.toThrow("OTTO_SECRET_KEY is not base64");
    // It waited for the drain alone.
    expect(confirm).toHaveBeenCalledTimes(1);
    answers = [healthOf("old")];
    await expect(run()).rejects.toThrow("upload old, which is another");
  });
});

describe("npm run deploy -- --make-secrets", () => {
  it("writes files that only their owner may read, and the hash of the key that it stores", async () => {
    const { secretsFile, operatorKeyFile } = makeSecrets(join(folder, "made"));
    const secrets = JSON.parse(readFileSync(secretsFile, "utf8")) as Record<string, string>;
    const key = readFileSync(operatorKeyFile, "utf8").trim();
    expect(findKeyOwner(key)).toBe(OPERATOR);
    expect(secrets).toEqual({
      DATABASE_URL: "",
      OTTO_SECRET_KEY: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      OTTO_OPERATOR_KEY_HASH: await hashKey(key),
      SIDECAR_SECRET: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    for (const file of [secretsFile, operatorKeyFile]) expect(statSync(file).mode & 0o077).toBe(0);
  });

  it("never makes them over others", () => {
    makeSecrets(join(folder, "made"));
    expect(() => makeSecrets(join(folder, "made"))).toThrow("is there already");
  });
});
