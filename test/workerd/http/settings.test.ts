import { env } from "cloudflare:workers";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { appProviderFromEnv, appsStatusFromEnv, readAppsSettings } from "../../../adapters/env/apps.ts";
import { openDatabase } from "../../../adapters/database/database.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { healthFromEnv } from "../../../adapters/env/health.ts";
import { memoryFromEnv } from "../../../adapters/env/memory.ts";
import { modelFromEnv } from "../../../adapters/env/model.ts";
import { sealingFromEnv } from "../../../adapters/env/secrets.ts";
import { searchFromEnv } from "../../../adapters/env/search.ts";
import { settingsFromEnv } from "../../../adapters/env/settings.ts";
import { userAgentFromEnv } from "../../../adapters/env/egress.ts";
import { webFromEnv } from "../../../adapters/env/web.ts";
import { makeId } from "../../../core/base/ids.ts";
import { VERSION } from "../../../core/base/version.ts";
import { SETUP } from "../../../core/secrets/secret-use.ts";
import { lastOf, modelRequest } from "../../contracts/model/suite.ts";
import { makeCaller } from "./entry.ts";
import { TENANT } from "../../../core/provenance/label.ts";
import { makeMockVectorize } from "../../mock-servers/vectorize.ts";

/** An environment of variables only. */
const envOf = (variables: Partial<Env>): Env => ({ OTTO_MODE: "local", ...variables }) as Env;

describe("the settings", () => {
  test("have the documented figures when nothing is set, and take an empty variable for one that is not", () => {
    const expected = {
      mode: "local",
      model: "demo",
      isDemo: true,
      requestsPerMinute: 6000,
      maxRunningTasks: 256,
      sharedRunningTasks: 64,
      tenantFileBytes: 107_374_182_400,
      mediumResultThreshold: 4000,
      largeResultThreshold: 12_000,
      maxParallelToolCalls: 5,
      scriptTimeoutMs: 120_000,
      modelPhase: "object",
      operatorKeyHash: null,
      catalogueTtlMs: 86_400_000,
    };
    expect(settingsFromEnv(envOf({}))).toEqual(expected);
    expect(settingsFromEnv(envOf({ OPENAI_API_KEY: "", MAX_PARALLEL_TOOL_CALLS: "" }))).toEqual(expected);
  });

  test("are those of production when no mode is set", () => {
    expect(settingsFromEnv({} as Env).mode).toBe("production");
  });

  test.each([
    ["OTTO_MODE", { OTTO_MODE: "staging" }],
    ["MAX_PARALLEL_TOOL_CALLS", { MAX_PARALLEL_TOOL_CALLS: "many" }],
    ["MAX_PARALLEL_TOOL_CALLS", { MAX_PARALLEL_TOOL_CALLS: "0" }],
    ["OTTO_SCRIPT_TIMEOUT", { OTTO_SCRIPT_TIMEOUT: "541" }],
    ["LARGE_RESULT_THRESHOLD", { LARGE_RESULT_THRESHOLD: "1.5" }],
    ["OTTO_REQUESTS_PER_MINUTE", { OTTO_REQUESTS_PER_MINUTE: "-1" }],
    ["OTTO_CATALOGUE_TTL", { OTTO_CATALOGUE_TTL: "8761" }],
    ["OTTO_MAX_RUNNING_TASKS", { OTTO_MAX_RUNNING_TASKS: "10001" }],
    ["OTTO_SHARED_RUNNING_TASKS", { OTTO_SHARED_RUNNING_TASKS: "0" }],
    ["OTTO_EGRESS_ALLOW", { OTTO_MODE: "production", OTTO_EGRESS_ALLOW: "localhost:9000" }],
    ["OTTO_DEMO_APPS", { OTTO_MODE: "production", OTTO_DEMO_APPS: "yes" }],
  ])("refuse by name what cannot be right: %s", (name, variables) => {
    expect(() => settingsFromEnv(envOf(variables))).toThrow(name);
  });

  test("open no way out in production for what is for development", () => {
    const env = envOf({
      OTTO_MODE: "production",
      OTTO_EGRESS_ALLOW: "localhost:9000",
      SIDECAR_URL: "https://s.example",
      SIDECAR_SECRET: "x",
    });
    expect(() => webFromEnv(env, { tenant: "t1" }, SETUP)).toThrow("OTTO_EGRESS_ALLOW");
  });

  test("give apps by Composio with a key, demo apps only outside production, and none without a key", () => {
    const key = { COMPOSIO_API_KEY: "k" };
    const demo = { ...key, COMPOSIO_BASE_URL: "http://127.0.0.1:1/", OTTO_DEMO_APPS: "yes" };
    expect(appProviderFromEnv(envOf({}))).toBeNull();
    expect([{}, key, demo].map((variables) => appsStatusFromEnv(envOf(variables)))).toEqual(["off", "on", "demo"]);
    expect(readAppsSettings(envOf(key))?.baseUrl).toBe("https://backend.composio.dev");
    expect(readAppsSettings(envOf(demo))?.baseUrl).toBe("http://127.0.0.1:1");
    expect(() => appProviderFromEnv(envOf({ ...demo, OTTO_MODE: "production" }))).toThrow("OTTO_DEMO_APPS");
  });

  test("reach Composio at the address that is set", async () => {
    const base = `/${crypto.randomUUID()}`;
    const { recorderUrl } = inject("servers");
    const variables = { COMPOSIO_API_KEY: "canary-key", COMPOSIO_BASE_URL: `${recorderUrl}${base}/` };
    expect(await appProviderFromEnv(envOf(variables))?.source.apps(null)).toMatchObject({ ok: false });
    const records = await (await fetch(`${recorderUrl}/records`)).json<{ method: string; path: string }[]>();
    const requests = records.filter((one) => one.path.startsWith(base));
    expect(requests.map(({ path }) => path.split("?")[0])).toEqual([`${base}/api/v3.1/toolkits`]);
  });

  test("name Otto in requests, with the address of this deployment if it has one", () => {
    expect(userAgentFromEnv(envOf({}))).toBe(`Otto/${VERSION}`);
    expect(userAgentFromEnv(envOf({ OTTO_PUBLIC_URL: "https://otto.example/" }))).toBe(
      `Otto/${VERSION} (+https://otto.example)`,
    );
  });

  test("let production send statements to this machine and to Neon, and nowhere else in the clear", () => {
    const production = (endpoint: string) =>
      envOf({ OTTO_MODE: "production", DATABASE_URL: "postgres://a:b@db.example/x", OTTO_DATABASE_ENDPOINT: endpoint });
    const { databaseUrl, databaseEndpoint } = inject("servers");
    // All connections of an isolate share one endpoint, which the tests after this one need.
    onTestFinished(() => void openDatabase(databaseUrl, databaseEndpoint));
    expect(() => databaseFromEnv(production("http://bridge.example/sql"))).toThrow("OTTO_DATABASE_ENDPOINT");
    expect(() => databaseFromEnv(production("http://127.0.0.1.example/sql"))).toThrow("OTTO_DATABASE_ENDPOINT");
    expect(() => databaseFromEnv(production("http://127.0.0.1:5433/sql"))).not.toThrow();
    expect(() => databaseFromEnv(production(""))).not.toThrow();
  });

  test("name what is missing", () => {
    expect(() => databaseFromEnv(envOf({}))).toThrow("DATABASE_URL is not set");
    expect(() => sealingFromEnv(envOf({}))).toThrow("OTTO_SECRET_KEY is not set");
    expect(() => webFromEnv(envOf({ SIDECAR_URL: "http://localhost:1" }), { tenant: "t1" }, SETUP)).toThrow(
      "SIDECAR_SECRET is not set",
    );
    expect(() => modelFromEnv(envOf({ OPENAI_API_KEY: "k", OTTO_MODEL_API: "grpc" }))).toThrow("OTTO_MODEL_API");
  });
});

describe("models", () => {
  const anthropic = { ANTHROPIC_API_KEY: "k", OTTO_MODEL: "anthropic/claude-x" };

  test("are those of the provider that OTTO_MODEL names, else the demo model's", () => {
    const chosen = (variables: Partial<Env>) => settingsFromEnv(envOf(variables)).model;
    expect(chosen({ OPENAI_API_KEY: "k" })).toBe("gpt-5-mini");
    expect(chosen(anthropic)).toBe("anthropic/claude-x");
    expect(chosen({ ...anthropic, OPENAI_BASE_URL: "http://localhost:1" })).toBe("anthropic/claude-x");
    // A gateway at OPENAI_BASE_URL may have a model of that name.
    expect(chosen({ OPENAI_API_KEY: "k", OTTO_MODEL: "anthropic/claude-x" })).toBe("anthropic/claude-x");
    expect(chosen({ ANTHROPIC_API_KEY: "k" })).toBe("demo");
    expect(chosen({ OTTO_MODEL: "gpt-5" })).toBe("demo");
  });

  test("go to their provider under their name there", async () => {
    const requests: string[] = [];
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
      requests.push(`${url} ${(JSON.parse(init.body as string) as { model: string }).model}`);
      return new Response("{}", { status: 401 });
    });
    const both = { ...anthropic, OPENAI_BASE_URL: "http://openai.example/v1/", ANTHROPIC_BASE_URL: "http://a.example" };
    const gateway = { OPENAI_BASE_URL: "http://gateway.example/v1" };
    await lastOf(modelFromEnv(envOf(both)), modelRequest({ model: "anthropic/claude-x" }));
    await lastOf(modelFromEnv(envOf(both)), modelRequest({ model: "gpt-5" }));
    await lastOf(modelFromEnv(envOf(gateway)), modelRequest({ model: "anthropic/claude-x" }));
    expect(requests).toEqual([
      "http://a.example/v1/messages claude-x",
      "http://openai.example/v1/chat/completions gpt-5",
      "http://gateway.example/v1/chat/completions anthropic/claude-x",
    ]);
  });

  test("without a provider are refused by the variable that is missing, or answered by the demo model", async () => {
    const unknown = await lastOf(modelFromEnv(envOf(anthropic)), modelRequest({ model: "gpt-5" }));
    expect(unknown).toMatchObject({
      failure: { kind: "not_configured", retryable: false, message: expect.stringContaining("OPENAI_API_KEY") },
    });
    expect(await lastOf(modelFromEnv(envOf({})), modelRequest({ model: "gpt-5" }))).toMatchObject({ type: "done" });
  });
});

describe("memory", () => {
  const open = (more: Partial<Env>) =>
    envOf({ DATABASE_URL: "postgres://a:b@db.example/x", OPENAI_API_KEY: "k", ...more });

  test("is found by hashing and pgvector, or by the model and the index that are set", async () => {
    expect(memoryFromEnv(open({})).embedder).toBe("hashing");
    expect(memoryFromEnv(open({ OTTO_EMBEDDING_MODEL: "embed-1" })).embedder).toBe("embed-1");
    const index = makeMockVectorize(384);
    const bound = { ...env, VECTORS: index as unknown as Vectorize };
    expect(await healthFromEnv(bound)).toMatchObject({ embeddings: "hashing", vectors: "vectorize" });
    const caller = await makeCaller();
    const made = { id: makeId("memory", 1, new Uint8Array(10)), project: null, kind: "note", content: "a" } as const;
    const memory = { ...made, label: TENANT, tags: [], sourceTask: null, author: "x", createdAt: 1 } as const;
    const { signal } = new AbortController();
    expect(await memoryFromEnv(bound).save(caller.tenant, [memory], null, signal)).toMatchObject({ ok: true });
    expect((await index.describe()).vectorCount).toBe(1);
  });

  test("needs a server for its model", () => {
    expect(() => memoryFromEnv(open({ OPENAI_API_KEY: "", OTTO_EMBEDDING_MODEL: "m" }))).toThrow(
      "OTTO_EMBEDDING_MODEL",
    );
  });
});

describe("sealing", () => {
  const key = btoa("k".repeat(32));
  const bytes = new TextEncoder().encode("a secret");

  test("opens what it sealed, and never seals the same way twice", async () => {
    const sealing = sealingFromEnv(envOf({ OTTO_SECRET_KEY: key }));
    const [one, two] = [await sealing.seal(bytes, "here"), await sealing.seal(bytes, "here")];
    expect(await sealing.open(one, "here")).toEqual(bytes);
    expect(one).not.toEqual(two);
  });

  test("opens nothing that was moved, changed, cut off, or sealed with another key", async () => {
    const sealing = sealingFromEnv(envOf({ OTTO_SECRET_KEY: key }));
    const sealed = await sealing.seal(bytes, "here");
    const other = sealingFromEnv(envOf({ OTTO_SECRET_KEY: btoa("l".repeat(32)) }));
    await expect(sealing.open(sealed, "elsewhere")).rejects.toThrow(/does not open/);
    await expect(sealing.open(sealed.with(20, (sealed[20] ?? 0) ^ 1), "here")).rejects.toThrow(/does not open/);
    await expect(sealing.open(sealed.subarray(0, 5), "here")).rejects.toThrow(/does not open/);
    await expect(other.open(sealed, "here")).rejects.toThrow(/does not open/);
  });

  test("derives the same bytes for the same seed and purpose only, and only with the same key", async () => {
    const derive = (secret: string, seed: number, purpose: string) =>
      sealingFromEnv(envOf({ OTTO_SECRET_KEY: secret })).derive(new Uint8Array(32).fill(seed), purpose, 96);
    const first = await derive(key, 1, "a");
    expect(first).toHaveLength(96);
    expect(await derive(key, 1, "a")).toEqual(first);
    for (const other of [derive(key, 2, "a"), derive(key, 1, "b"), derive(btoa("l".repeat(32)), 1, "a")]) {
      expect(await other).not.toEqual(first);
    }
  });

  test.each(["", "not base64!", btoa("short"), btoa("k".repeat(33))])(
    "wants a key of 32 bytes in base64, and not %j",
    (secret) => {
      expect(() => sealingFromEnv(envOf({ OTTO_SECRET_KEY: secret }))).toThrow(/OTTO_SECRET_KEY/);
    },
  );
});

describe("the search engine", () => {
  const search = async (variables: Partial<Env>) =>
    await searchFromEnv(envOf(variables)).search({
      query: "otters",
      maxResults: 5,
      timeoutMs: 5_000,
      signal: new AbortController().signal,
    });

  test.each([
    ["tavily", "POST", "/search"],
    ["BRAVE", "GET", "/res/v1/web/search"],
    ["searxng", "GET", "/search"],
  ])("is %s, at the address that is set", async (provider, method, path) => {
    const base = `/${crypto.randomUUID()}`;
    const { recorderUrl } = inject("servers");
    const variables = { SEARCH_PROVIDER: provider, SEARCH_API_KEY: "k", SEARCH_BASE_URL: `${recorderUrl}${base}/` };
    expect(await search(variables)).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
    const records = await (await fetch(`${recorderUrl}/records`)).json<{ method: string; path: string }[]>();
    const requests = records.filter((one) => one.path.startsWith(base));
    expect(requests.map((one) => `${one.method} ${one.path.split("?")[0]}`)).toEqual([`${method} ${base}${path}`]);
  });

  test("is absent if no setting names one, and the answer says what to set", async () => {
    expect(await search({})).toMatchObject({ ok: false, error: { code: "not_available" } });
  });
});
