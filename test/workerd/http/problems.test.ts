import { describe, expect, test } from "vitest";
import { type Answer, expectProblem, knock, makeCaller } from "./entry.ts";

describe("the front door", () => {
  test("gives every answer an id and headers that prevent misinterpretation", async () => {
    const answer = await knock("GET", "/");
    expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{26}$/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(answer.headers.get("x-frame-options")).toBe("DENY");
  });

  test("answers 401 without a key, whatever else is wrong", async () => {
    const answers = await Promise.all([
      knock("GET", "/v1/tasks"),
      knock("GET", "/v1/nothing"),
      knock("POST", "/v1/tasks", { body: "{", headers: { "content-type": "application/json" } }),
      knock("GET", "/v1/tasks", { headers: { authorization: "Bearer otto_nobody" } }),
    ]);
    for (const answer of answers) {
      expectProblem(answer, 401);
      expect(answer.headers.get("www-authenticate")).toContain("Bearer");
    }
  });

  test("answers 404 for a path that there is not", async () => {
    const caller = await makeCaller();
    expectProblem(await knock("GET", "/slack/nothing"), 404);
    expectProblem(await caller.send("GET", "/v1/nothing"), 404);
    expectProblem(await caller.send("GET", "/v1/tasks/"), 404);
  });

  test("answers 405 for a method that a path does not take, and says which it takes", async () => {
    const caller = await makeCaller();
    const wrong = await caller.send("PATCH", "/v1/tasks");
    expectProblem(wrong, 405);
    expect(wrong.json.code).toBe("method_not_allowed");
    expect(wrong.headers.get("allow")).toBe("GET, HEAD, OPTIONS, POST");
    const file = await caller.send("PATCH", "/v1/tasks/x/files/a/b.txt");
    expect(file.headers.get("allow")).toBe("DELETE, GET, HEAD, OPTIONS, PUT");
    const health = await knock("POST", "/health", { body: "{}" });
    expectProblem(health, 405);
  });

  test("takes a request of a path that is spelled as a pattern once", async () => {
    const caller = await makeCaller();
    const left = ({ headers }: Answer) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    const before = left(await caller.send("POST", "/v1/nothing", { input: "x" }));
    for (const [at, path] of ["/v1/*", "/v1/%2A"].entries()) {
      const answer = await caller.send("POST", path, { input: "x" });
      expectProblem(answer, 404);
      expect(left(answer)).toBe(before - 1 - 2 * at);
      // The reply to a repeat is stored once: taken twice, the request waits for itself.
      expectProblem(await caller.send("POST", path, { input: "x" }, { "idempotency-key": path }), 404);
    }
    for (const path of ["/webhook/*", "/slack/*"]) {
      const answer = await knock("POST", path, { body: "{}", headers: { "content-type": "application/json" } });
      expectProblem(answer, path === "/slack/*" ? 404 : 401);
    }
  });

  test("answers OPTIONS with what a path takes, and HEAD without a body", async () => {
    const caller = await makeCaller();
    const options = await caller.send("OPTIONS", "/v1/tasks/x/cancel");
    expect([options.status, options.headers.get("allow")]).toEqual([204, "OPTIONS, POST"]);
    const head = await caller.send("HEAD", "/v1/tasks");
    expect([head.status, head.text]).toEqual([200, ""]);
  });
});

describe("a body", () => {
  test.each([
    ["broken JSON", "{", "body"],
    ["no JSON at all", "input=x", "body"],
    ["a list", "[]", "body"],
    ["null", "null", "body"],
    ["a lone surrogate in a value", String.raw`{"input":"\ud800"}`, "input"],
    ["a lone surrogate deep inside", String.raw`{"input":"x","metadata":{"a":["b","\udc00x"]}}`, "metadata.a.1"],
    ["a NUL in a value", String.raw`{"input":"a\u0000b"}`, "input"],
    [
      "a name that JavaScript treats as its own",
      '{"input":"x","metadata":{"__proto__":{"a":1}}}',
      "metadata.__proto__",
    ],
    ["a number out of range", '{"input":"x","metadata":{"a":1e999}}', "metadata"],
  ])("with %s is refused by the field's name", async (_what, body, field) => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", "/v1/tasks", body);
    expectProblem(answer, 422);
    expect(answer.json.errors.some((error: { field: string }) => error.field.startsWith(field))).toBe(true);
  });

  test("that is not UTF-8 is refused", async () => {
    const caller = await makeCaller();
    const bytes = new Uint8Array([
      ...new TextEncoder().encode('{"input":"'),
      0xff,
      0xfe,
      ...new TextEncoder().encode('"}'),
    ]);
    expectProblem(await caller.send("POST", "/v1/tasks", bytes), 422, "body");
  });

  test("nested ten thousand levels deep is refused and breaks nothing", async () => {
    const caller = await makeCaller();
    const deep = `{"input":"x","metadata":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`;
    expectProblem(await caller.send("POST", "/v1/tasks", deep), 422);
    expectProblem(await caller.send("POST", "/v1/tasks", `${"[".repeat(100_000)}${"]".repeat(100_000)}`), 422);
  });

  test("over a megabyte is rejected, with or without a stated length", async () => {
    const caller = await makeCaller();
    const big = JSON.stringify({ input: "x".repeat(10 * 1024 * 1024) });
    expectProblem(await caller.send("POST", "/v1/tasks", big), 413);
    const chunks = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < 3; i += 1) controller.enqueue(new TextEncoder().encode("x".repeat(500_000)));
        controller.close();
      },
    });
    const counted = await knock("POST", "/v1/tasks", {
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: chunks,
    });
    expectProblem(counted, 413);
  });

  test("of another type than JSON is refused", async () => {
    const caller = await makeCaller();
    expectProblem(
      await caller.send("POST", "/v1/tasks", "input=x", { "content-type": "application/x-www-form-urlencoded" }),
      415,
    );
    expectProblem(await caller.send("POST", "/v1/tasks", '{"input":"x"}', { "content-type": "text/plain" }), 415);
    expectProblem(await caller.send("POST", "/v1/tasks", '{"input":"x"}', { "content-type": "" }), 415);
  });

  test("that is missing names the fields that are needed", async () => {
    const caller = await makeCaller();
    expectProblem(await caller.send("POST", "/v1/tasks"), 422, "input");
    expectProblem(await caller.send("POST", "/v1/tasks", ""), 422, "input");
  });

  test("must be empty on a route without one", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([], { hold: true });
    expectProblem(await caller.send("POST", `/v1/tasks/${task.id}/start`, { now: true }), 422, "now");
    expect((await caller.send("POST", `/v1/tasks/${task.id}/start`, "")).status).toBe(200);
  });

  test("with fields that there are not is refused by their names, all of them", async () => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", "/v1/tasks", { input: "x", foo: 1, budget: { bar: 2, max_steps: 0 } });
    expectProblem(answer, 422, "foo", "budget.bar", "budget.max_steps");
  });
});

describe("a query", () => {
  test.each([
    ["/v1/tasks?limit=0", "limit"],
    ["/v1/tasks?limit=x", "limit"],
    ["/v1/tasks?status=lost", "status"],
    ["/v1/tasks?project=%00", "project"],
    ["/v1/tasks?project=%ff", "project"],
    ["/v1/tasks?project=%zz", "project"],
    ["/v1/tasks?limit=1&limit=2", "limit"],
    ["/v1/tasks?cursor=nonsense", "cursor"],
    ["/v1/tasks?colour=red", "colour"],
    ["/v1/tools?toolboxes=x", "toolboxes"],
  ])("of %s is refused by the parameter's name", async (path, field) => {
    const caller = await makeCaller();
    expectProblem(await caller.send("GET", path), 422, field);
  });

  test("whose parameters are empty asks for nothing special", async () => {
    const caller = await makeCaller();
    const answer = await caller.send("GET", "/v1/tasks?status=&project=&limit=&cursor=");
    expect([answer.status, answer.json]).toEqual([200, { data: [], next_cursor: null }]);
  });
});

test("a key without the scope is rejected by name of the scope", async () => {
  const caller = await makeCaller(["tasks:read"]);
  expectProblem(await caller.send("POST", "/v1/tasks", { input: "x" }), 403);
  expectProblem(await caller.send("POST", "/v1/tools/get_current_datetime/call", {}), 403);
  expect((await caller.send("GET", "/v1/tasks")).status).toBe(200);
});
