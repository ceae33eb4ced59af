/** What a deployment is judged by: the configuration, the names of the secrets, the size of the bundle. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { MODEL_PROVIDERS } from "../../../adapters/model/providers.ts";
import { SECRET_NAMES, SECRETS } from "../../../adapters/env/worker-secrets.ts";
import { type DeployConfig, hasWorkersDev, judgeConfig } from "../../../scripts/deploy/judge-config.ts";
import { judgeSecrets, judgeSecretValues } from "../../../scripts/deploy/judge-secrets.ts";
import { judgeSize } from "../../../scripts/deploy/judge-size.ts";
import { readFlags } from "../../../scripts/deploy/read-flags.ts";

const config: DeployConfig = unstable_readConfig({
  config: fileURLToPath(new URL("../../../wrangler.toml", import.meta.url)),
});

describe("the configuration", () => {
  it("of this repository holds all that the Worker needs", () => {
    expect(judgeConfig(config)).toEqual([]);
  });

  const bindings = config.durable_objects.bindings;
  const without = (name: string) => bindings.filter((binding) => binding.name !== name);
  const classesBut = (name: string) =>
    config.migrations
      .flatMap(({ new_sqlite_classes = [] }) => new_sqlite_classes)
      .filter((className) => className !== name);
  const servicesBut = (name: string) => (config.services ?? []).filter(({ binding }) => binding !== name);
  const cases: readonly (readonly [string, string, Partial<DeployConfig>])[] = [
    ["an object without a binding", "TENANTS", { durable_objects: { bindings: without("TENANTS") } }],
    [
      "an object that is bound to another class",
      "TASKS",
      { durable_objects: { bindings: [...without("TASKS"), { name: "TASKS", class_name: "TenantObject" }] } },
    ],
    [
      "an object of another Worker",
      "TASKS",
      {
        durable_objects: {
          bindings: [...without("TASKS"), { name: "TASKS", class_name: "TaskObject", script_name: "elsewhere" }],
        },
      },
    ],
    [
      "a class that no migration makes",
      "SidecarObject",
      { migrations: [{ tag: "v1", new_sqlite_classes: classesBut("SidecarObject") }] },
    ],
    ["no container", "containers", { containers: [] }],
    ["no bucket", "r2_buckets", { r2_buckets: [] }],
    ["no step runner", "STEPS", { services: servicesBut("STEPS") }],
    ["no runner of channels", "CHANNELS", { services: servicesBut("CHANNELS") }],
    [
      "another Worker's step runner",
      "STEPS",
      { services: [...servicesBut("STEPS"), { binding: "STEPS", service: "other", entrypoint: "StepRunner" }] },
    ],
    ["no way to tell uploads apart", "version_metadata", { version_metadata: undefined }],
    ["files of the console under another name", "assets", { assets: { ...config.assets, binding: "CONSOLE" } }],
    ["another folder of files", "assets", { assets: { ...config.assets, directory: "web" } }],
    [
      "files that go out without the Worker's headers",
      "assets.run_worker_first",
      { assets: { ...config.assets, run_worker_first: false } },
    ],
    ["no count of who signs in", "SIGN_INS", { ratelimits: [] }],
    ["no sweep", "triggers.crons", { triggers: { ...config.triggers, crons: ["0 * * * *"] } }],
    ["no limit of time", "limits.cpu_ms", { limits: undefined }],
    ["no logs", "observability", { observability: { enabled: false } }],
    ["no Node modules", "nodejs_compat", { compatibility_flags: [] }],
    ["an index under another name", "vectorize", { vectorize: [{ binding: "INDEX", index_name: "otto" }] }],
    ["a binding to no index", "vectorize", { vectorize: [{ binding: "VECTORS" }] }],
    ["another mode", "vars.OTTO_MODE", { vars: { OTTO_MODE: "test" } }],
    ["no mode", "vars.OTTO_MODE", { vars: {} }],
    ["an open egress", "OTTO_EGRESS_ALLOW", { vars: { ...config.vars, OTTO_EGRESS_ALLOW: "localhost:1" } }],
    ["a database in the clear", "OTTO_DATABASE_ENDPOINT", { vars: { ...config.vars, OTTO_DATABASE_ENDPOINT: "" } }],
    ["a secret in the open", "OPENAI_API_KEY", { vars: { ...config.vars, OPENAI_API_KEY: "canary" } }],
  ];
  it.each(cases)("is refused by the name of the field: %s", (_what, field, change) => {
    const problems = judgeConfig({ ...config, ...change });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(field);
    expect(problems[0]).not.toContain("canary");
  });
});

it("a configuration that has Vectorize passes too", () => {
  expect(judgeConfig({ ...config, vectorize: [{ binding: "VECTORS", index_name: "otto-vectors" }] })).toEqual([]);
});

describe("the address on workers.dev", () => {
  const routes = ["otto.example.com/*"];
  it.each([
    [true, {}],
    [true, { workers_dev: true, routes }],
    [false, { workers_dev: false }],
    [false, { workers_dev: undefined, routes }],
    [false, { workers_dev: undefined, route: routes[0] }],
    [true, { workers_dev: undefined, routes: [] }],
  ] as const)("is there (%s) with %j", (isThere, change) => {
    expect(hasWorkersDev({ ...config, ...change })).toBe(isThere);
  });
});

describe("the flags", () => {
  it("are read", () => {
    const given = ["--dry-run", "--without-container", "--secrets-file", "s.json", "--url", "https://otto.example/"];
    expect(readFlags(given, {})).toEqual({
      makesSecrets: false,
      isDryRun: true,
      withContainer: false,
      secretsFile: "s.json",
      origin: "https://otto.example",
    });
    expect(readFlags([], { npm_config_dry_run: "", npm_config_url: "false" })).toMatchObject({ isDryRun: false });
  });

  it.each(["otto.example", "http://otto.example", "https://otto.example/v1", "https://u:p@otto.example", ""])(
    "contain no invalid address: %j",
    (url) => expect(() => readFlags(["--url", url], {})).toThrow("--url: it has to be"),
  );

  it.each([["--dryrun"], ["true"], ["--url"]])("are refused when they are not ours: %s", (flag) => {
    expect(() => readFlags([flag], {})).toThrow("The flags are: --dry-run,");
  });

  it("are refused with the right form when npm took them", () => {
    expect(() => readFlags(["https://a.example"], { npm_config_dry_run: "true", npm_config_url: "true" })).toThrow(
      "npm run deploy -- --dry-run --url",
    );
  });
});

describe("the secrets", () => {
  it("are in docs/deploy.md, each as required as it is", () => {
    const text = readFileSync(fileURLToPath(new URL("../../../docs/deploy.md", import.meta.url)), "utf8");
    const rows = [...text.matchAll(/^\| `([A-Z_]+)` \| (required|optional) \|/gm)].map(([, name, needed]) => [
      name,
      needed,
    ]);
    expect(rows).toEqual(SECRET_NAMES.map((name) => [name, SECRETS[name].required ? "required" : "optional"]));
  });

  const required = SECRET_NAMES.filter((name) => SECRETS[name].required);

  it("are enough if the required ones are set; each omitted one is listed with its consequence", () => {
    const verdict = judgeSecrets(required, ["OTTO_MODE"]);
    expect(verdict.problems).toEqual([]);
    expect(verdict.leftOut.map((line) => line.split(":")[0])).toEqual([
      "OTTO_SECRET_KEYS_OLD",
      "SIDECAR_SECRET",
      "SEARCH_API_KEY",
      "COMPOSIO_API_KEY",
      "SLACK_SIGNING_SECRET",
      "SLACK_CLIENT_SECRET",
      "RESEND_API_KEY",
      "SMTP_URL",
      ...MODEL_PROVIDERS.map(({ secret }) => secret),
    ]);
    expect(judgeSecrets(SECRET_NAMES, [])).toEqual({ problems: [], leftOut: [] });
  });

  it.each(required)("are refused without %s, with the command that sets it", (name) => {
    const { problems } = judgeSecrets(
      required.filter((other) => other !== name),
      [],
    );
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name}: .*\n.*wrangler secret put ${name}$`))]);
  });

  it("include the one that is shared with a sidecar elsewhere", () => {
    for (const [secrets, vars] of [
      [required, ["SIDECAR_URL"]],
      [[...required, "SIDECAR_URL"], []],
    ] as const) {
      expect(judgeSecrets(secrets, vars).problems).toEqual([expect.stringContaining("SIDECAR_SECRET")]);
    }
  });

  it.each(["OTTO_EGRESS_ALLOW", "OTTO_DATABASE_ENDPOINT", "OTTO_MODE"])("may not hold the test switch %s", (name) => {
    const { problems } = judgeSecrets([...required, name], []);
    expect(problems).toEqual([expect.stringContaining(`wrangler secret delete ${name}`)]);
  });
});

describe("the values of secrets that are uploaded", () => {
  const KEY = `${"A".repeat(43)}=`;
  const good = {
    DATABASE_URL: "postgresql://otto_app:p@db.example/otto",
    OTTO_SECRET_KEY: KEY,
    OTTO_OPERATOR_KEY_HASH: "0a".repeat(32),
    SIDECAR_SECRET: "s".repeat(32),
    OPENAI_API_KEY: "sk-x",
  };
  const judge = (given: object, there: readonly string[] = [], owner: string | null = "owner") =>
    judgeSecretValues(new Map(Object.entries(given)), { there, owner });

  it("are right, or are not there", () => {
    expect(judge(good)).toEqual([]);
    expect(judge({})).toEqual([]);
    expect(judge({ SIDECAR_SECRET: good.SIDECAR_SECRET }, SECRET_NAMES)).toEqual([]);
  });

  it.each([
    ["DATABASE_URL", "canary"],
    ["DATABASE_URL", "https://otto_app:canary@db.example/otto"],
    ["DATABASE_URL", "postgres://canary@db.example/otto"],
    ["DATABASE_URL", "postgres://otto_app:canary@db.example"],
    ["DATABASE_URL", "postgres://owner:canary@db.example/otto"],
    ["OTTO_SECRET_KEY", "canary"],
    ["OTTO_SECRET_KEY", `canary${KEY}`],
    ["OTTO_SECRET_KEYS_OLD", `${KEY},canary`],
    ["OTTO_OPERATOR_KEY_HASH", "otto_operator_canary"],
    ["SIDECAR_SECRET", "canary"],
    ["OPENAI_API_KEY", "canary\n"],
  ])("are refused by name and never quoted: %s", (name, value) => {
    const problems = judge({ ...good, [name]: value });
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name}\\b`))]);
    expect(problems.join()).not.toContain("canary");
  });

  it("hold no key where the Worker has one, whatever its value", () => {
    expect(judge(good, ["OTTO_SECRET_KEY"])).toEqual([expect.stringContaining("take it out of the file")]);
    const other = `${"B".repeat(42)}A=`;
    expect(judge({ ...good, OTTO_SECRET_KEYS_OLD: `${KEY}, ${other}` }, ["OTTO_SECRET_KEY"])).toEqual([]);
  });
});

describe("the documents", () => {
  it.each(MODEL_PROVIDERS.flatMap(({ secret, url }) => [secret, url]))(
    "have the variable %s of a model provider",
    (name) => {
      for (const document of ["README.md", "docs/deploy.md"]) {
        const text = readFileSync(new URL(`../../../${document}`, import.meta.url), "utf8");
        expect(text, document).toContain(`\`${name}\``);
      }
    },
  );
});

describe("the size of the bundle", () => {
  it.each([
    [810 * 1024, 900 * 1024, { fits: true, isOverTarget: false }],
    [810 * 1024 + 1, 900 * 1024, { fits: true, isOverTarget: true }],
    [700 * 1024, 10_000_000, { fits: true, isOverTarget: false }],
    [700 * 1024, 10_000_001, { fits: false, isOverTarget: false }],
  ])("is judged by our target and by the platform's limit: %i bytes of %i", (start, total, verdict) => {
    expect(judgeSize({ start, total })).toMatchObject(verdict);
  });
});
