import { describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { admitCall } from "../../../core/steps/admit.ts";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import { httpCaller } from "../../../core/steps/http-caller.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import { validateArguments, validateOutput } from "../../../core/gateway/validate.ts";
import { ok } from "../../../core/base/errors.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";
import { type Label, OUTSIDE, PRINCIPAL, TENANT } from "../../../core/provenance/label.ts";
import type { WebPort, WebRequest } from "../../../core/ports/web.ts";
import type { OutsideTool } from "../../../core/tool/source.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { freeWork } from "../../fakes/work-meter.ts";
import { outsideToolOf } from "../../contracts/tool/tool-sources-suite.ts";
import { outcomesOf } from "./play-gateway.ts";
import { factsOf } from "../task/world.ts";

const DEPS = { callers: { http: httpCaller }, patterns: linearPatterns };
const sourced = (tool: OutsideTool) => ({ source: "custom", tool });

describe("the tools of a tenant", () => {
  test("are given to the model by their own schema, without its bounds", async () => {
    const [tool] = createOutsideTools([sourced(outsideToolOf("weather.now"))], catalogue, DEPS);
    const toolset = await buildToolset([...catalogue, ...(tool === undefined ? [] : [tool])], factsOf());
    expect(toolset.specOf("weather.now")).toEqual({
      name: "weather_now",
      description: "Read weather.now.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    });
    expect(toolset.resolve("weather.now")).toBe(tool);
    expect(toolset.resolve("weather_now")).toBe(tool);
  });

  test("never replace a built-in tool, nor each other", () => {
    const found = ["read_file", "fs_read", "mine", "mine", "mine_too", "mine.too"].map((name) =>
      sourced(outsideToolOf(name)),
    );
    const names = createOutsideTools(found, [...catalogue, { name: "fs.read" }], DEPS).map(({ name }) => name);
    expect(names).toEqual(["mine", "mine_too"]);
  });

  test("of an unsupported kind fail with that reason", async () => {
    const origin = { kind: "mcp", server: "git", tool: "log" } as const;
    expect(await call(outsideToolOf("git_log", { origin }), fakeWeb(200, "{}"))).toMatchObject({
      state: "failed",
      result: { ok: false, error: { code: "not_available" } },
    });
  });

  test("take what fits their schemas, and name what does not", () => {
    const input = {
      type: "object",
      properties: { city: { type: "string" }, days: { maximum: 7 } },
      required: ["city"],
    };
    const [tool] = createOutsideTools(
      [sourced(outsideToolOf("weather", { input, output: { type: "number" } }))],
      [],
      DEPS,
    );
    if (tool === undefined) throw new Error("no tool");
    expect(validateArguments(tool, { city: "Oslo", days: 7, more: null })).toEqual({
      ok: true,
      value: { city: "Oslo", days: 7, more: null },
    });
    expect(validateArguments(tool, { city: 7, days: 8 })).toMatchObject({
      error: { code: "invalid_input", fields: [{ field: "city" }, { field: "days" }] },
    });
    expect(validateArguments(tool, {}).ok).toBe(false);
    expect(validateArguments(tool, [])).toMatchObject({ error: { field: "arguments" } });
    expect([validateOutput(tool, 7).ok, validateOutput(tool, "7").ok]).toEqual([true, false]);
  });

  test("whose schema cannot be compiled leave the check to the service", () => {
    const input = { type: "object", properties: { a: { pattern: "(?=x)" } } };
    const [tool] = createOutsideTools([sourced(outsideToolOf("odd", { input }))], [], DEPS);
    expect(tool?.input.safeParse({ a: "y" }).success).toBe(true);
  });

  test("are remembered by key for the time that their host, or Otto for its own API, documents", () => {
    const request = {
      method: "POST" as const,
      headers: {},
      places: {},
      contentType: "application/json" as const,
      resultAt: null,
    };
    const keyedFor = (url: string, ownApi: { host: string; keyedForMs: number } | null) => {
      const origin = { kind: "http" as const, request: { ...request, url } };
      const [tool] = createOutsideTools([sourced(outsideToolOf("sends", { effect: "keyed", origin }))], [], DEPS);
      if (tool === undefined) throw new Error("no tool");
      const toolset = { admits: () => ok(undefined), skills: [], ownApi };
      const config = { ...DEFAULT_AGENT.config, tools: ["*"] };
      const facts = factsOf({ agent: { ...DEFAULT_AGENT, config } });
      const admitted = admitCall(tool, { city: "Oslo" }, { facts, toolset, context: BY_PRINCIPAL });
      return admitted.ok ? admitted.value.terms.keyedForMs : admitted.error;
    };
    const ownApi = { host: "otto.example", keyedForMs: 86_400_000 };
    expect(keyedFor("https://otto.example/v1/tasks", ownApi)).toBe(86_400_000);
    expect(keyedFor("https://otto.example/v1/tasks", null)).toBe(1_800_000);
    expect(keyedFor("https://api.stripe.com/v1/charges", ownApi)).toBe(86_400_000);
  });

  test("have no outcome that can be looked up", () => {
    const [tool] = createOutsideTools([sourced(outsideToolOf("sends", { effect: "probe" }))], [], DEPS);
    expect(tool?.effect).toBe("once");
  });
});

interface FakeWeb extends WebPort {
  readonly sent: WebRequest[];
}

function fakeWeb(status: number, body: string, headers: readonly [string, string][] = []): FakeWeb {
  const sent: WebRequest[] = [];
  return {
    sent,
    async request(request) {
      sent.push(request);
      const bytes = new TextEncoder().encode(body);
      return ok({ status, headers, body: bytes, truncated: false, url: request.url, durationMs: 1 });
    },
    open: () => Promise.reject(new Error("a tool of one request opens no stream")),
  };
}

/** Makes one call of a tool as the gateway does, and gives its outcome. */
async function call(outside: OutsideTool, web: WebPort, given: unknown = { city: "Oslo" }, label: Label = PRINCIPAL) {
  const facts = factsOf();
  const toolset = await buildToolset(createOutsideTools([sourced(outside)], [], DEPS), facts);
  const argumentsHash = await hashArguments(outside.name, given);
  const calls = [
    {
      callId: "call_1",
      mode: "run" as const,
      attempt: 1,
      tool: outside.name,
      arguments: given,
      argumentsHash,
      effect: outside.effect,
      key: "key_1",
      label,
    },
  ];
  const deps = {
    toolset,
    ports: { web } as never,
    model: null,
    blobs: { put: async () => ok(undefined), get: async () => ok(new Uint8Array()) },
    limits: { mediumCharacters: 4000, largeCharacters: 12_000 },
    maxParallel: 5,
    scriptTimeoutMs: 120_000,
    retryDelaysMs: [],
    timer: globalThis,
    meterWork: () => freeWork,
    giveTurn: freeWork.giveWay,
    reportDefect: (_: string, thrown: unknown) => {
      throw thrown;
    },
    clock: { now: () => 0 },
  };
  const job = { facts, step: 1, calls, timeoutMs: 10_000 };
  const [outcome] = await outcomesOf(job, deps, new AbortController().signal);
  if (outcome !== undefined) return outcome;
  throw new Error("nothing came of the call");
}

describe("a call of an HTTP tool", () => {
  const http = (change: Partial<Extract<OutsideTool["origin"], { kind: "http" }>["request"]>, more = {}) => {
    const tool = outsideToolOf("weather", more);
    const { origin } = tool;
    if (origin.kind !== "http") throw new Error("not http");
    return { ...tool, origin: { ...origin, request: { ...origin.request, ...change } } };
  };

  test("stays on its host when its step had read text from outside", async () => {
    for (const [label, staysOnHost] of [
      [PRINCIPAL, undefined],
      [TENANT, undefined],
      [OUTSIDE, true],
    ] as const) {
      const web = fakeWeb(200, "{}");
      await call(http({}), web, { city: "Oslo" }, label);
      expect(web.sent.map((request) => request.staysOnHost)).toEqual([staysOnHost]);
    }
  });

  test("gives the reply's JSON, or the part that the tool names", async () => {
    const body = '{"data":{"items":[{"a/b":7}]}}';
    expect(await call(http({}), fakeWeb(200, body))).toMatchObject({
      state: "confirmed",
      result: { ok: true, result: { data: { items: [{ "a/b": 7 }] } } },
    });
    const part = await call(http({ resultAt: "/data/items/0/a~1b" }), fakeWeb(200, body));
    expect(part).toMatchObject({ result: { ok: true, result: 7 }, content: "7" });
    expect(await call(http({ resultAt: "/none" }), fakeWeb(200, body))).toMatchObject({ result: { result: null } });
    expect(await call(http({ resultAt: "/none" }), fakeWeb(200, "plain"))).toMatchObject({
      result: { result: "plain" },
      content: "plain",
    });
  });

  test("carries the call's key unless it reads, and never twice", async () => {
    const reads = fakeWeb(200, "{}");
    await call(http({}), reads);
    expect(reads.sent[0]).toMatchObject({ url: "https://weather.example/now?city=Oslo", headers: [], body: null });
    const writes = fakeWeb(200, "{}");
    await call(http({ method: "POST" }, { effect: "keyed" }), writes);
    expect(writes.sent[0]?.headers).toEqual([
      ["content-type", "application/json"],
      ["idempotency-key", "key_1"],
    ]);
    const own = fakeWeb(200, "{}");
    await call(http({ method: "POST", headers: { "idempotency-key": "mine" } }), own);
    expect(own.sent[0]?.headers).toEqual([
      ["idempotency-key", "mine"],
      ["content-type", "application/json"],
    ]);
  });

  test.each([
    [400, "invalid_input", "failed"],
    [401, "permission_denied", "failed"],
    [404, "not_found", "failed"],
    [409, "conflict", "failed"],
    [429, "rate_limited", "failed"],
    [500, "upstream_failed", "unknown"],
    [302, "upstream_failed", "unknown"],
  ])("reports a status of %i as %s, and knows whether it happened", async (status, code, state) => {
    const outcome = await call(http({ method: "POST" }, { effect: "once" }), fakeWeb(status, "no such city"));
    expect(outcome.state).toBe(state);
    if (state === "failed") {
      expect(outcome.result).toMatchObject({ ok: false, error: { code } });
      expect(outcome.content).toContain(`weather.example answered ${status}: no such city`);
    }
  });

  test("that returned something other than the tool's promised output has happened all the same", async () => {
    const tool = http({ method: "POST" }, { effect: "once", output: { type: "object", required: ["id"] } });
    expect(await call(tool, fakeWeb(200, '{"id":7}'))).toMatchObject({ state: "confirmed", result: { ok: true } });
    expect(await call(tool, fakeWeb(200, "<html>"))).toMatchObject({
      state: "confirmed",
      result: { ok: false, error: { code: "upstream_failed", message: "weather gave a result of the wrong form." } },
    });
  });

  test("is not sent when its arguments do not fit the URL", async () => {
    const web = fakeWeb(200, "{}");
    const places = { city: { in: "path", name: "city" } } as const;
    const outcome = await call(http({ url: "https://weather.example/{city}", places }), web, { city: ".." });
    expect(outcome).toMatchObject({ state: "failed", result: { error: { code: "invalid_input", field: "city" } } });
    expect(web.sent).toEqual([]);
  });
});
