import { describe, expect, test } from "vitest";
import { envReadings, impurities, strayFetches } from "./rules/purity.ts";
import { show } from "./rules/source-tree.ts";
import { tree } from "./tree.ts";

describe("core", () => {
  test("has no clock, no chance and no network of its own", () => {
    expect(tree.filter(({ path }) => path.startsWith("core/")).length).toBeGreaterThan(0);
    expect(show(impurities(tree))).toEqual([]);
  });

  test.each([
    "const now = Date.now();",
    'const now = Date["now"]();',
    "const clock = { now: Date.now };",
    "const now = new Date();",
    "const now = Date();",
    'await fetch("https://example.com");',
    "const ask = fetch;",
    "const shorthand = { fetch };",
    "const die = Math.random();",
    "const id = crypto.randomUUID();",
    'const home = process.env["HOME"];',
    "const key = env.OPENAI_API_KEY;",
    "const startedMs = performance.now();",
  ])("may not say %s", (text) => {
    expect(impurities([{ path: "core/a.ts", text }]).length).toBeGreaterThan(0);
  });

  test.each([
    "const then = new Date(nowMs);",
    "const ports = { fetch: fetcher };",
    "await ports.fetch(url);",
    "interface Clock { fetch(url: string): void; process: string }",
    "const hash = await crypto.subtle.digest(name, bytes);",
    'const text = "Date.now() and fetch(url)"; // fetch()',
  ])("may say %s", (text) => {
    expect(show(impurities([{ path: "core/a.ts", text }]))).toEqual([]);
  });
});

describe("fetch", () => {
  test("is used where an operator's address is asked, and nowhere else", () => {
    expect(show(strayFetches(tree))).toEqual([]);
  });

  test.each([
    ["adapters/search/brave.ts", "const reply = await fetch(url);"],
    ["workers/tasks/routes.ts", "const reply = await globalThis.fetch(url);"],
    ["tools/web/http-request.ts", "const ask = fetch;"],
    ["durable-objects/task/object.ts", "const ports = { fetch };"],
  ])("may not be used in %s: %s", (path, text) => {
    expect(strayFetches([{ path, text }]).length).toBeGreaterThan(0);
  });

  test.each([
    ["workers/index.ts", "export default { fetch: (request, env) => app.fetch(request, env) };"],
    ["adapters/egress/web.ts", "const reply = await sidecar.fetch(path, init);"],
    ["adapters/model/openai/chat.ts", "const wire = (send: typeof fetch) => send;"],
    ["adapters/search/engine.ts", "const reply = await fetch(url);"],
  ])("may be a method's name, a type, or in its places: %s: %s", (path, text) => {
    expect(show(strayFetches([{ path, text }]))).toEqual([]);
  });
});

describe("bindings and variables", () => {
  test("are read in adapters/env alone", () => {
    expect(show(envReadings(tree))).toEqual([]);
  });

  test.each([
    ["workers/tasks/routes.ts", "const object = c.env.TASKS.get(id);"],
    ["workers/app.ts", "const { FILES } = c.env;"],
    ["workers/app.ts", 'const url = env["SIDECAR_URL"];'],
    ["durable-objects/task/object.ts", "const files = this.env.FILES;"],
    ["adapters/files/r2.ts", 'import { env } from "cloudflare:workers";'],
    ["tools/time/wait.ts", "const zone = process.env.TZ;"],
  ])("may not be read in %s: %s", (path, text) => {
    expect(envReadings([{ path, text }]).length).toBeGreaterThan(0);
  });

  test.each([
    ["workers/tasks/routes.ts", "const objects = objectsFrom(c.env);"],
    ["durable-objects/task/object.ts", "super(ctx, env); this.ports = portsFrom(env);"],
    ["adapters/env/tasks.ts", "const object = env.TASKS.get(id);"],
    ["adapters/env/settings.ts", "const url = env.SIDECAR_URL;"],
    ["scripts/start.ts", "const port = process.env.PORT;"],
  ])("may be handed on whole, or belong to another program: %s: %s", (path, text) => {
    expect(show(envReadings([{ path, text }]))).toEqual([]);
  });
});
