/** What a Worker says and does when its settings are wrong: it names all of them, and answers nothing else. */
import { env } from "cloudflare:workers";
import { describe, expect, inject, test, vi } from "vitest";
import type { Env } from "../../../adapters/env/bindings.ts";
import { findSettingProblems } from "../../../adapters/env/problems.ts";
import { SECRET_NAMES, SECRETS } from "../../../adapters/env/worker-secrets.ts";
import { createApp } from "../../../workers/app.ts";

const DATABASE = "postgres://otto_app:canary-password@db.example/otto";
const OPERATOR_HASH = "0123456789abcdef".repeat(4);

/** A production Worker's environment, as it is deployed. */
const production = (variables: Partial<Env> = {}): Env => ({
  ...env,
  OTTO_MODE: "production",
  OTTO_EGRESS_ALLOW: "",
  OTTO_DATABASE_ENDPOINT: "",
  DATABASE_URL: DATABASE,
  OTTO_OPERATOR_KEY_HASH: OPERATOR_HASH,
  ...variables,
});

const required = SECRET_NAMES.filter((name) => SECRETS[name].required);
const optional = SECRET_NAMES.filter((name) => !SECRETS[name].required);

describe("the problems of the settings", () => {
  test("are empty when every required secret is valid, whichever optional ones are set", () => {
    expect(required).toEqual(["DATABASE_URL", "OTTO_SECRET_KEY", "OTTO_OPERATOR_KEY_HASH"]);
    expect(findSettingProblems(production())).toEqual([]);
    const bare = Object.fromEntries(optional.map((name) => [name, ""]));
    expect(findSettingProblems(production({ ...bare, SIDECAR_URL: "", SLACK_CLIENT_ID: "" }))).toEqual([]);
  });

  test.each(required)("name the secret that is missing: %s", (name) => {
    expect(findSettingProblems(production({ [name]: "" }))).toEqual([expect.stringContaining(`${name} is not set`)]);
  });

  test.each([
    ["DATABASE_URL", { DATABASE_URL: "canary-password" }],
    ["DATABASE_URL", { DATABASE_URL: "https://otto_app:canary-password@db.example/otto" }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://otto_app:canary-password@db.example" }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://otto_app:canary-password@db.example/" }],
    ["OTTO_SECRET_KEY", { OTTO_SECRET_KEY: "canary-password" }],
    ["OTTO_OPERATOR_KEY_HASH", { OTTO_OPERATOR_KEY_HASH: "otto_operator_canary-password" }],
    ["SIDECAR_SECRET", { SIDECAR_SECRET: "canary-password" }],
    ["SIDECAR_SECRET", { SIDECAR_URL: "https://sidecar.example", SIDECAR_SECRET: "" }],
    ["SIDECAR_URL", { SIDECAR_URL: "canary-password is no address" }],
    ["SIDECAR_URL", { SIDECAR_URL: "https://u:canary-password@sidecar.example" }],
    ["OPENAI_BASE_URL", { OPENAI_BASE_URL: "canary-password" }],
    ["OPENAI_BASE_URL", { OPENAI_BASE_URL: "ftp://canary-password.example" }],
    ["OPENAI_API_KEY", { OPENAI_API_KEY: "canary-password\n" }],
    ["ANTHROPIC_BASE_URL", { ANTHROPIC_BASE_URL: "canary-password" }],
    ["ANTHROPIC_API_KEY", { ANTHROPIC_API_KEY: "canary-password\n" }],
    ["ANTHROPIC_API_KEY", { OPENAI_API_KEY: "", OPENAI_BASE_URL: "", OTTO_MODEL: "anthropic/canary-password" }],
    ["OTTO_EGRESS_ALLOW", { OTTO_MODE: "local", OTTO_EGRESS_ALLOW: "localhost:1, canary-password" }],
    ["OTTO_MODE", { OTTO_MODE: "staging" }],
    ["OTTO_EGRESS_ALLOW", { OTTO_EGRESS_ALLOW: "localhost:9000" }],
    ["OTTO_DATABASE_ENDPOINT", { OTTO_DATABASE_ENDPOINT: "http://bridge.example/sql" }],
    ["SEARCH_API_KEY", { SEARCH_API_KEY: "canary-password\n" }],
    ["SEARCH_API_KEY", { SEARCH_PROVIDER: "tavily" }],
    ["COMPOSIO_API_KEY", { COMPOSIO_API_KEY: "canary-password\n" }],
    ["COMPOSIO_BASE_URL", { COMPOSIO_BASE_URL: "canary-password" }],
    ["OTTO_DEMO_APPS", { OTTO_DEMO_APPS: "yes" }],
    ["OTTO_DEMO_APPS", { OTTO_MODE: "local", OTTO_DEMO_APPS: "canary-password" }],
    ["COMPOSIO_BASE_URL", { OTTO_MODE: "local", OTTO_DEMO_APPS: "yes", COMPOSIO_API_KEY: "k" }],
    ["OTTO_MAIL_FROM", { OTTO_MAIL_FROM: "canary-password" }],
    ["OTTO_MAIL_DOMAIN", { OTTO_MAIL_DOMAIN: "https://canary-password.example" }],
    ["SMTP_URL", { SMTP_URL: "http://otto:canary-password@mail.example" }],
    ["SMTP_URL", { SMTP_URL: "smtp://otto:canary-password%@mail.example", OTTO_MAIL_FROM: "otto@mail.example" }],
    ["SEARCH_BASE_URL", { SEARCH_PROVIDER: "searxng" }],
    ["SEARCH_BASE_URL", { SEARCH_PROVIDER: "searxng", SEARCH_BASE_URL: "canary-password" }],
    ["SEARCH_PROVIDER", { SEARCH_PROVIDER: "canary-password" }],
    ["OTTO_SCRIPT_ISOLATION", { OTTO_SCRIPT_ISOLATION: "canary-password" }],
    ["OTTO_MODEL_API", { OTTO_MODEL_API: "grpc" }],
    ["OTTO_EMBEDDING_MODEL", { OTTO_EMBEDDING_MODEL: "canary-password x" }],
    ["OTTO_EMBEDDING_MODEL", { OTTO_EMBEDDING_MODEL: "hashing" }],
    ["OTTO_EMBEDDING_MODEL", { OTTO_EMBEDDING_MODEL: "canary-password", OPENAI_API_KEY: "", OPENAI_BASE_URL: "" }],
    ["MAX_PARALLEL_TOOL_CALLS", { MAX_PARALLEL_TOOL_CALLS: "many" }],
  ])("name the setting that is wrong, without its value: %s", (name, variables) => {
    const problems = findSettingProblems(production(variables));
    expect(problems).toEqual([expect.stringContaining(name)]);
    expect(problems.join()).not.toContain("canary-password");
  });

  test("are all listed at once", () => {
    const problems = findSettingProblems(production({ OTTO_SECRET_KEY: "", DATABASE_URL: "", OTTO_MODEL_API: "grpc" }));
    expect(problems.map((problem) => problem.split(" ")[0])).toEqual([
      "DATABASE_URL",
      "OTTO_SECRET_KEY",
      "OTTO_MODEL_API",
    ]);
  });
});

describe("a Worker whose settings are wrong", () => {
  test("answers no request to the API, logs why once, and says at /health what is missing, and no value", async () => {
    const wrong = production({ OTTO_SECRET_KEY: "" });
    const app = createApp();
    const logged = vi.spyOn(console, "error");
    for (let times = 0; times < 3; times += 1) {
      const refused = await app.request("/v1/tasks", { headers: { authorization: "Bearer otto_x" } }, wrong);
      expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining({ code: "internal" })]);
    }
    expect(logged.mock.calls.filter(([line]) => line === "the settings are wrong")).toHaveLength(1);
    logged.mockRestore();
    const health = await app.request("/health", {}, wrong);
    const text = await health.text();
    expect([health.status, JSON.parse(text)]).toEqual([
      503,
      expect.objectContaining({
        status: "failed",
        problems: [expect.stringContaining("OTTO_SECRET_KEY is not set")],
      }),
    ]);
    expect(Number(health.headers.get("retry-after"))).toBeGreaterThan(0);
    for (const value of ["canary-password", OPERATOR_HASH]) expect(text).not.toContain(value);
  });
});

describe("a Worker whose database is not safe to use", () => {
  test("says so at /health, and which setting leads there", async () => {
    const owned = { ...env, DATABASE_URL: inject("servers").databaseOwnerUrl };
    const health = await createApp().request("/health", {}, owned);
    expect(Number(health.headers.get("retry-after"))).toBeGreaterThan(0);
    expect([health.status, await health.json()]).toEqual([
      503,
      expect.objectContaining({
        status: "failed",
        database: "refused",
        problems: [expect.stringMatching(/^The database of DATABASE_URL is not safe/)],
      }),
    ]);
  });
});

describe("the object of the sidecar's container", () => {
  test("rejects requests while it has no container, like a sidecar without capacity", async () => {
    const object = env.SIDECARS.get(env.SIDECARS.idFromName("sidecar"));
    const response = await object.fetch("http://sidecar/health");
    expect([response.status, await response.json()]).toEqual([503, expect.objectContaining({ sent: false })]);
  });

  test("is not missed by a Worker without a secret, which has no sidecar", async () => {
    const without = { ...env, SIDECAR_URL: "", SIDECAR_SECRET: "" };
    const health = await createApp().request("/health", {}, without);
    expect(await health.json()).toEqual(expect.objectContaining({ status: "ok", sidecar: "off" }));
  });

  test("is the sidecar of a Worker that has the secret and no address of another", async () => {
    const app = createApp();
    const inContainer = { ...env, SIDECAR_URL: "" };
    const health = await app.request("/health", {}, inContainer);
    expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ sidecar: "away" })]);
  });
});
