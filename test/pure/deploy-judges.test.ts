/** What a deployment is judged by: the configuration, the names of the secrets, the size of the bundle. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { SECRET_NAMES, SECRETS } from "../../core/secrets.ts";
import { type DeployConfig, judgeConfig } from "../../scripts/deploy/judge-config.ts";
import { judgeSecrets } from "../../scripts/deploy/judge-secrets.ts";
import { judgeSize } from "../../scripts/deploy/judge-size.ts";

const config: DeployConfig = unstable_readConfig({
  config: fileURLToPath(new URL("../../wrangler.toml", import.meta.url)),
});

describe("the configuration", () => {
  it("of this repository holds all that the Worker needs", () => {
    expect(judgeConfig(config)).toEqual([]);
  });

  const bindings = config.durable_objects.bindings;
  const without = (name: string) => bindings.filter((binding) => binding.name !== name);
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
    ["a class that no migration makes", "SidecarObject", { migrations: config.migrations.slice(0, 1) }],
    ["no container", "containers", { containers: [] }],
    ["no bucket", "r2_buckets", { r2_buckets: [] }],
    ["no step runner", "STEPS", { services: [] }],
    [
      "another Worker's step runner",
      "STEPS",
      { services: [{ binding: "STEPS", service: "other", entrypoint: "StepRunner" }] },
    ],
    ["no way to tell uploads apart", "version_metadata", { version_metadata: undefined }],
    ["no sweep", "triggers.crons", { triggers: { ...config.triggers, crons: ["0 * * * *"] } }],
    ["no limit of time", "limits.cpu_ms", { limits: undefined }],
    ["no logs", "observability", { observability: { enabled: false } }],
    ["no Node modules", "nodejs_compat", { compatibility_flags: [] }],
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

describe("the secrets", () => {
  const required = SECRET_NAMES.filter((name) => SECRETS[name].required);

  it("are enough when the required ones are there; what is left out is told with what that means", () => {
    const verdict = judgeSecrets(required, ["OTTO_MODE"]);
    expect(verdict.problems).toEqual([]);
    expect(verdict.leftOut.map((line) => line.split(":")[0])).toEqual(["SIDECAR_SECRET", "OPENAI_API_KEY"]);
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

describe("the size of the bundle", () => {
  it.each([
    [700 * 1024, { fits: true, isOverTarget: false }],
    [700 * 1024 + 1, { fits: true, isOverTarget: true }],
    [10_000_000, { fits: true, isOverTarget: true }],
    [10_000_001, { fits: false, isOverTarget: true }],
  ])("is judged by our target and by the platform's limit: %i bytes", (bytes, verdict) => {
    expect(judgeSize(bytes)).toMatchObject(verdict);
  });
});
