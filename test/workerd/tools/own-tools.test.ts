import { env } from "cloudflare:workers";
import { RE2JS } from "re2js";
import { describe, expect, test, vi } from "vitest";
import { toolSourcesFromEnv } from "../../../adapters/env/tool-sources.ts";
import { shippedTools } from "../../../core/tool/shipped-skills.ts";
import { getSourceKey } from "../../../core/tool/source.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { outsideToolOf } from "../../contracts/tool/tool-sources-suite.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { callTool, definition, namesOf, register } from "./client.ts";
import { arrivedAt, recordsOf, somewhere } from "../outside.ts";
import { watchDatabase } from "../tenant/client.ts";

const BUILT_IN = catalogue.map(({ name }) => name);
const SHIPPED_TOOLS = shippedTools.map(({ name }) => name);

/** A request that reads. */
const READS = { method: "GET", headers: {}, places: {}, contentType: "application/json", resultAt: null } as const;

describe("a tool of the tenant's own", () => {
  test("is a tool like any other: listed, read, exported and called over the API", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    const made = await register(caller, definition("weather.now", url));
    expect(made).toMatchObject({
      name: "weather.now",
      model_name: "weather_now",
      toolbox: "custom",
      source: "custom",
      permissions: ["network"],
      security: "safe",
      effect: "none",
      input_schema: { required: ["city"] },
    });
    expect(await namesOf(caller, "?toolbox=custom")).toEqual(["weather.now"]);
    expect(await namesOf(caller)).toEqual([...BUILT_IN, "weather.now", ...SHIPPED_TOOLS]);
    expect((await caller.send("GET", "/v1/tools/weather_now")).json).toEqual(made);
    const functions = (await caller.send("GET", "/v1/tools.json?toolbox=custom")).json;
    expect(functions).toMatchObject([{ type: "function", function: { name: "weather_now" } }]);
    expect((await caller.send("GET", "/v1/tools.md?toolbox=custom")).text).toContain("### weather.now");
    expect((await callTool(caller, "weather_now", { city: "São Paulo/x" })).json).toEqual({
      ok: true,
      result: { ok: true, path: `${new URL(url).pathname}/S%C3%A3o%20Paulo%2Fx` },
    });
    expectProblem(await callTool(caller, "weather.now", {}), 422, "arguments.city");
    expectProblem(await callTool(caller, "weather.now", { city: "Oslo", day: 1 }), 422, "arguments.day");
    expect((await callTool(caller, "weather.now", { city: ".." })).json.error.code).toBe("invalid_input");
  });

  test("is called by a model, and not without what its calls need", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    await register(caller, definition("weather.now", url));
    const calls = [{ name: "weather_now", arguments: { city: "Oslo" } }];
    const task = await caller.makeTask([{ calls }, { text: "Cold." }]);
    await caller.until(task.id, ({ status }) => status === "completed");
    expect(await arrivedAt(`${url}/Oslo`)).toEqual(["GET "]);
    const agent = { name: "offline", instructions: "", tools: ["*"], permissions: ["read"] };
    await caller.send("POST", "/v1/agents", agent);
    expect((await callTool(caller, "weather.now", { city: "Oslo" }, { agent: "offline" })).json.error).toMatchObject({
      code: "permission_denied",
      message: "Tool requires :network permission but agent only has [:read]",
    });
  });

  test("needs an approval before it writes, unless it states its security level", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    const { security: _, ...plain } = definition("order", url, {
      request: { method: "POST", url },
      input: { type: "object", properties: { item: { type: "string" } } },
    });
    const made = await register(caller, plain);
    expect(made).toMatchObject({ security: "dangerous", effect: "once" });
    expect((await callTool(caller, "order", { item: "tea" })).json.error.code).toBe("needs_approval");
    expect(await arrivedAt(url)).toEqual([]);
    await caller.send("PUT", "/v1/tools/order", { ...plain, security: "cautious", effect: "keyed" });
    expect((await callTool(caller, "order", { item: "tea" })).json.ok).toBe(true);
    expect(await arrivedAt(url)).toEqual(['POST {"item":"tea"}']);
  });

  test.each([
    ["nothing at all", {}, ["name", "summary", "input", "request"], "is not a valid tool"],
    ["a name in another form", { name: "Weather Now" }, ["name"], "is not a valid tool: name:"],
    ["arguments that are no object", { input: { type: "string" } }, ["input.type"], "weather is not a valid tool"],
    ["an invalid schema", { input: { type: "object", required: "city" } }, ["input"], "weather is not a valid tool"],
    ["a field that there is not", { colour: "red" }, ["colour"], "weather is not a valid tool: colour"],
    ["a lifetime of no key", { keyed_for_s: 3600 }, ["keyed_for_s"], "whose effect is keyed"],
    ["a lifetime of a key that is too short", { effect: "keyed", keyed_for_s: 1 }, ["keyed_for_s"], "keyed_for_s"],
    ["an argument in the host", { request: { url: "https://{city}.example/" } }, ["request.url"], "host"],
    ["a secret in the host", { request: { url: "https://{{secret.A}}.example/{city}" } }, ["request.url"], "host"],
    ["an invalid host", { request: { url: "ftp://x.example/{city}" } }, ["request.url"], "https://"],
    ["a name and password", { request: { url: "https://a:b@x.example/{city}" } }, ["request.url"], "password"],
    ["a way up", { request: { url: "https://x.example/a/../{city}" } }, ["request.url"], "segment"],
    ["a place without its argument", { request: { url: "https://x.example/{town}" } }, ["request.url"], "town"],
    ["an argument in the query's text", { request: { url: "https://x.example/?q={city}" } }, ["request.url"], "places"],
    [
      "a header of two lines",
      { request: { url: "https://x.example/", headers: { a: "b\r\nc: d" } } },
      ["request.headers.a"],
      "characters",
    ],
    [
      "the host as a header",
      { request: { url: "https://x.example/", headers: { Host: "y" } } },
      ["request.headers.host"],
      "cannot be set",
    ],
    [
      "credentials as an argument",
      { request: { url: "https://x.example/", places: { city: { in: "header", name: "Authorization" } } } },
      ["request.places.city"],
      "no argument",
    ],
    [
      "an argument for a parameter that its address has",
      { request: { url: "https://x.example/?town=Oslo", places: { city: { in: "query", name: "town" } } } },
      ["request.places.city"],
      "already",
    ],
    [
      "a body that a GET has not",
      { request: { url: "https://x.example/", places: { city: "body" } } },
      ["request.places.city"],
      "no body",
    ],
  ])("is refused with its reason for %s", async (_what, change, fields, said) => {
    const caller = await makeCaller();
    const full = Object.keys(change).length === 0 ? {} : { ...definition("weather", "https://x.example"), ...change };
    const refused = await caller.send("POST", "/v1/tools", full);
    expectProblem(refused, 422, ...fields);
    expect(refused.json.detail).toContain(said);
    expect(await namesOf(caller, "?toolbox=custom")).toEqual([]);
  });

  test("sends a secret where its definition says, and none that an argument names", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    const value = "canary-5d1f07";
    const hosts = ["127.0.0.1", new URL(url).host];
    const made = await caller.send("POST", "/v1/secrets", { name: "API_KEY", value, hosts });
    expect(made.status, made.text).toBe(201);
    const headers = { "X-Key": "{{secret.API_KEY}}" };
    await register(caller, definition("weather", `${url}/echo`, { request: { url: `${url}/{city}/echo`, headers } }));
    const answer = await callTool(caller, "weather", { city: "Oslo" });
    expect(answer.json.ok, answer.text).toBe(true);
    expect(answer.text).not.toContain(value);
    const [sent] = await recordsOf(`${url}/Oslo/echo`);
    expect(sent?.headers["x-key"]).toBe(value);
    for (const city of ["{{secret.API_KEY}}", "%7B%7Bsecret.API_KEY%7D%7D"]) {
      const refused = await callTool(caller, "weather", { city });
      expect(refused.json.error).toMatchObject({ code: "blocked_by_policy", field: "city" });
    }
  });

  test("is compiled once when it changes, and the tenant's other tools are not", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    const withPattern = (pattern: string) => ({
      input: { type: "object", properties: { city: { type: "string", pattern } }, required: ["city"] },
    });
    for (const name of ["one", "two", "three"]) await register(caller, definition(name, url, withPattern(`^${name}$`)));
    const compiled = vi.spyOn(RE2JS, "compile");
    const changed = { ...definition("two", url), ...withPattern("^second$") };
    expect((await caller.send("PUT", "/v1/tools/two", changed)).status).toBe(200);
    expect(compiled.mock.calls.map(([pattern]) => pattern)).toEqual(["^second$"]);
    compiled.mockClear();
    expect((await caller.send("POST", "/v1/tools/one/reload")).status).toBe(200);
    expect(compiled.mock.calls.map(([pattern]) => pattern).sort()).toEqual(["^one$", "^second$", "^three$"]);
    compiled.mockRestore();
    expect(await namesOf(caller, "?toolbox=custom")).toEqual(["one", "three", "two"]);
  });

  test("retains the tools that a reload has no budget for", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    const names = ["a", "b", "c", "d"];
    for (const name of names) {
      const properties = Object.fromEntries(
        [0, 1, 2, 3].map((at) => [
          `p${at}`,
          { type: "string", pattern: `^(?:${"\\p{L}".repeat(190)}){1}${name}{${700 + at}}$` },
        ]),
      );
      await register(
        caller,
        definition(name, url, {
          input: { type: "object", properties: { ...properties, city: {} }, required: ["city"] },
        }),
      );
    }
    expect((await caller.send("POST", "/v1/tools/a/reload")).status).toBe(200);
    expect(await namesOf(caller, "?toolbox=custom")).toEqual(names);
  });

  test("is registered once, under a name that no built-in tool has", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    await register(caller, definition("weather.now", url));
    for (const name of ["weather.now", "weather_now", "read_file", "read.file"]) {
      const refused = await caller.send("POST", "/v1/tools", definition(name, url));
      expectProblem(refused, 409);
      expect(refused.json.detail).toContain(`${name} is registered twice`);
    }
    expectProblem(await caller.send("PUT", "/v1/tools/read_file", definition("read_file", url)), 409);
    expectProblem(await caller.send("DELETE", "/v1/tools/read_file"), 409);
    expectProblem(await caller.send("PUT", "/v1/tools/none", definition("none", url)), 404);
    expectProblem(await caller.send("PUT", "/v1/tools/weather.now", definition("other", url)), 422, "name");
  });

  test("is made once by a request that is sent again, and by requests at once", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    const key = { "idempotency-key": "once" };
    const first = await caller.send("POST", "/v1/tools", definition("weather", url), key);
    const again = await caller.send("POST", "/v1/tools", definition("weather", url), key);
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    const names = Array.from({ length: 6 }, (_, index) => `tool_${index}`);
    const made = await Promise.all(names.map((name) => caller.send("POST", "/v1/tools", definition(name, url))));
    expect(made.map(({ status }) => status)).toEqual(names.map(() => 201));
    expect(await namesOf(caller, "?toolbox=custom")).toEqual([...names, "weather"]);
  });

  test("has versions, and disappears when it is removed", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    await register(caller, definition("weather", url));
    const changed = await caller.send("PUT", "/v1/tools/weather", definition("weather", url, { summary: "Other." }));
    expect([changed.status, changed.json.summary]).toEqual([200, "Other."]);
    expect((await caller.send("DELETE", "/v1/tools/weather")).json.summary).toBe("Other.");
    expectProblem(await caller.send("GET", "/v1/tools/weather"), 404);
    expectProblem(await callTool(caller, "weather", { city: "Oslo" }), 404);
    const { data } = (await caller.send("GET", "/v1/tools/weather/versions")).json;
    expect(
      data.map((one: { version: number; definition: { summary: string } | null }) => [
        one.version,
        one.definition?.summary ?? null,
      ]),
    ).toEqual([
      [3, null],
      [2, "Other."],
      [1, "Read weather."],
    ]);
    await register(caller, definition("weather", url));
    expectProblem(await caller.send("GET", "/v1/tools/read_file/versions"), 404);
    const acts = (await caller.send("GET", "/v1/audit")).json.data.map(
      ({ action, target }: { action: string; target: string }) => [action, target],
    );
    expect(acts).toEqual([
      ["tool.create", "weather"],
      ["tool.delete", "weather"],
      ["tool.update", "weather"],
      ["tool.create", "weather"],
    ]);
  });
});

describe("a tool that changes in the middle of a task", () => {
  const ask = { calls: [{ name: "ask_human", arguments: { query: "Go on?" } }] };
  const look = { calls: [{ name: "weather", arguments: { city: "Oslo" } }] };

  /** Lets a task that asked go on, and waits for its end. */
  async function goOn(caller: Caller, id: string): Promise<void> {
    const { pending } = await caller.until(id, ({ status }) => status === "waiting_input");
    const [question] = pending;
    await caller.send("POST", `/v1/tasks/${id}/questions/${question?.kind === "question" ? question.id : ""}/answer`, {
      text: "yes",
    });
    await caller.until(id, ({ status }) => status === "completed");
  }

  test("stays what it was for that task, and is the new one for the next", async () => {
    const [caller, before, after] = [await makeCaller(), somewhere(), somewhere()];
    await register(caller, definition("weather", before));
    const running = await caller.makeTask([ask, look, { text: "Done." }]);
    await caller.until(running.id, ({ status }) => status === "waiting_input");
    expect((await caller.send("PUT", "/v1/tools/weather", definition("weather", after))).status).toBe(200);
    expect((await caller.send("POST", "/v1/tools/weather/reload")).status).toBe(200);
    await goOn(caller, running.id);
    expect([await arrivedAt(`${before}/Oslo`), await arrivedAt(`${after}/Oslo`)]).toEqual([["GET "], []]);
    const next = await caller.makeTask([look, { text: "Done." }]);
    await caller.until(next.id, ({ status }) => status === "completed");
    expect([await arrivedAt(`${before}/Oslo`), await arrivedAt(`${after}/Oslo`)]).toEqual([["GET "], ["GET "]]);
  });

  test("stays available to that task after it was removed, also for its subtasks and for calls on its behalf", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    await register(caller, definition("weather", url));
    const part = {
      calls: [
        {
          name: "dispatch_subagent",
          arguments: { task_description: JSON.stringify({ replies: [look, { text: "Cold." }] }) },
        },
      ],
    };
    const agent = { name: "weather", instructions: "", tools: ["*"], permissions: ["network"] };
    const allowed = { ...agent, allowed_domains: [new URL(url).host] };
    expect((await caller.send("POST", "/v1/agents", allowed)).status).toBe(201);
    const running = await caller.makeTask([ask, part, { text: "Done." }], { agent: "weather" });
    await caller.until(running.id, ({ status }) => status === "waiting_input");
    await caller.send("DELETE", "/v1/tools/weather");
    expectProblem(await callTool(caller, "weather", { city: "Bergen" }), 404);
    expect((await callTool(caller, "weather", { city: "Bergen" }, { task_id: running.id })).json.ok).toBe(true);
    await goOn(caller, running.id);
    expect([await arrivedAt(`${url}/Oslo`), await arrivedAt(`${url}/Bergen`)]).toEqual([["GET "], ["GET "]]);
  });
});

describe("two tenants", () => {
  test("neither see nor call each other's tools, also by the same name", async () => {
    const [a, b, url, other] = [await makeCaller(), await makeCaller(), somewhere(), somewhere()];
    await register(a, definition("weather", url));
    expect(await namesOf(b, "?toolbox=custom")).toEqual([]);
    for (const [method, path] of [
      ["GET", "/v1/tools/weather"],
      ["GET", "/v1/tools/weather/versions"],
      ["DELETE", "/v1/tools/weather"],
      ["POST", "/v1/tools/weather/reload"],
    ] as const)
      expectProblem(await b.send(method, path), 404);
    expectProblem(await callTool(b, "weather", { city: "Oslo" }), 404);
    const look = { calls: [{ name: "weather", arguments: { city: "Oslo" } }] };
    const task = await b.makeTask([look, { text: "Done." }]);
    await b.until(task.id, ({ status }) => status === "completed");
    expect((await b.send("GET", `/v1/tasks/${task.id}/ledger`)).json.data).toMatchObject([
      { state: "refused", result: { error: { code: "not_found" } } },
    ]);
    await register(b, definition("weather", other));
    expect((await callTool(b, "weather", { city: "Oslo" })).json.ok).toBe(true);
    expect([await arrivedAt(`${url}/Oslo`), await arrivedAt(`${other}/Oslo`)]).toEqual([[], ["GET "]]);
    expect((await b.send("GET", "/v1/tool-sources")).json.data).toMatchObject([
      { name: "custom", version: 1, tools: 1 },
    ]);
  });
});

test("a task whose tools cannot be read waits for them, and asks no model before", async () => {
  const [caller, url] = [await makeCaller(), somewhere()];
  const request = { ...READS, url: `${url}/{city}` };
  const tool = outsideToolOf("weather", { origin: { kind: "http", request } });
  const published = await toolSourcesFromEnv(env).publish(caller.tenant, { name: "custom", tools: [tool] }, null);
  if (!published.ok) throw new Error(published.error.message);
  const key = getSourceKey(caller.tenant, published.value.hash ?? "");
  const text = await (await env.FILES.get(key))?.text();
  await env.FILES.delete(key);
  const stream = vi.spyOn(globalThis, "fetch");
  const task = await caller.makeTask([
    { calls: [{ name: "weather", arguments: { city: "Oslo" } }] },
    { text: "Done." },
  ]);
  await caller.until(task.id, ({ status }) => status === "sleeping");
  const urls = stream.mock.calls.map(([input]) => (input instanceof Request ? input.url : String(input)));
  expect(urls.filter((address) => address.includes("completions"))).toEqual([]);
  await env.FILES.put(key, text ?? "");
  const { usage } = await caller.until(task.id, ({ status }) => status === "completed");
  expect(usage).toMatchObject({ steps: 2, estimated: false });
  expect(await arrivedAt(`${url}/Oslo`)).toEqual(["GET "]);
});

test("a list of tools asks the database nothing, and a tenant without tools of its own reads nothing for a task", async () => {
  const caller = await makeCaller();
  await namesOf(caller);
  const watch = watchDatabase();
  await namesOf(caller);
  expect(watch.queries).toBe(0);
  expect((await callTool(caller, "get_current_datetime", {})).json.ok).toBe(true);
  watch.isAway = true;
  expect((await callTool(caller, "get_current_datetime", {})).json.ok).toBe(true);
});
