/** Bad input at every route of the OpenAPI document: a clear problem that names the field, and never a 500. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Caller, joinSharedSystem } from "../setup/start-system.ts";
import { scheduleNamed } from "./schedule-cases.ts";

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly hasJsonBody: boolean;
  readonly query: readonly string[];
}

/** What the document says of a route, as far as it is asked here. */
interface Documented {
  readonly parameters: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

const system = joinSharedSystem();
let caller: Caller;
let patient: Caller;
let operations: Operation[];
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  caller = await system.makeTenant("bad input");
  patient = makePatient(caller);
  const { paths } = (await caller.send("GET", "/openapi.json")).json;
  operations = Object.entries(paths as Record<string, Record<string, Documented>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      hasJsonBody: operation.requestBody?.content["application/json"] !== undefined,
      query: operation.parameters.filter((one) => one.in === "query").map(({ name }) => name),
    })),
  );
  const task = (await caller.send("POST", "/v1/tasks", { input: "x", hold: true })).json.id;
  const agent = await caller.send("POST", "/v1/agents", { name: "a", instructions: "", tools: [], permissions: [] });
  await caller.send("POST", "/v1/secrets", { name: "KEY", value: "value", hosts: ["example.com"] });
  const dsn = "postgres://a:b@db.example.com/c";
  await caller.send("POST", "/v1/databases", { name: "sales", kind: "postgres", dsn, projects: [] });
  const memory = await caller.send("POST", "/v1/memory", { content: "x", project: "read_file" });
  const person = await caller.send("POST", "/v1/people", { name: "Ana" });
  const setting = { url: "https://receiver.example/", events: ["*"], enabled: false };
  const webhook = await caller.send("POST", "/v1/webhooks", setting);
  const schedule = await caller.send("POST", "/v1/schedules", scheduleNamed("leap"));
  const hook = await caller.send("POST", "/v1/incoming-webhooks", {
    name: "deploys",
    type: "generic",
    once_per_body: true,
  });
  const skill = "---\nname: read\ndescription: Read.\n---\nRead.\n";
  await caller.send("POST", "/v1/skills", skill, { "content-type": "text/markdown" });
  ids = {
    task,
    secret: "KEY",
    database: "sales",
    memory: memory.json.id,
    people: person.json.id,
    webhook: webhook.json.id,
    "incoming-webhook": hook.json.id,
    schedule: schedule.json.id,
    agent: agent.json.id,
    name: "read_file",
    path: "x.txt",
    question: "qst_x",
    approval: "apr_x",
    call_id: "call_x",
    account: "tenant",
  };
  for (const [what, id] of Object.entries(ids)) if (typeof id !== "string") throw new TypeError(`there is no ${what}`);
});

/** The path with things that exist in it. */
function filled({ path }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === "name" && path.startsWith("/v1/skills/")) return "read";
    if (name !== "id") return ids[name] ?? "x";
    const [, kind = ""] =
      /^\/v1\/(agent|task|memory|people|schedule|incoming-webhook|webhook|connection)/.exec(path) ?? [];
    return ids[kind] ?? "x";
  });
}

/** What is meant for Slack's servers and for a person's browser on the way back from Slack. */
function isForSlack({ path }: Operation): boolean {
  return path.startsWith("/slack/");
}

/** What is meant for a person's browser, which gets a page. */
function isForBrowser({ path }: Operation): boolean {
  return path.startsWith("/connect/") || path === "/api/composio/callback";
}

/** The key that gets past the door of a route. */
function holder({ path }: Operation): Caller {
  return path.startsWith("/v1/tenants") || path === "/v1/integrations/composio/rotate" ? system.operator : patient;
}

/** Sends again what came too fast: a tenant that floods is paced (docs/decisions/0066-what-tenants-cost-a-process.md). */
function makePatient(by: Caller): Caller {
  return {
    ...by,
    async send(...request) {
      for (let tries = 1; ; tries += 1) {
        const answer = await by.send(...request);
        if (answer.status !== 429 || tries === 10) return answer;
        await new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get("retry-after")) * 1000));
      }
    },
  };
}

function whatIsWrong(answer: Answer, statuses: readonly number[]): string | null {
  if (!statuses.includes(answer.status)) return `${answer.status} ${answer.text.slice(0, 200)}`;
  if (answer.headers.get("content-type") !== "application/problem+json")
    return `no problem: ${answer.headers.get("content-type")}`;
  const { json } = answer;
  const isWhole = [json.type, json.title, json.detail, json.code, json.request_id].every(
    (member) => typeof member === "string" && member !== "",
  );
  if (!isWhole || json.status !== answer.status) return `an incomplete problem: ${answer.text}`;
  if (answer.status === 422 && !(json.errors?.length > 0)) return `no field is named: ${answer.text}`;
  return null;
}

/** Sends one request for each operation and lists every answer that is not as it should be. */
async function wrongAnswers(
  some: readonly Operation[],
  send: (operation: Operation) => Promise<Answer>,
  statuses: readonly number[],
): Promise<string[]> {
  expect(some.length).toBeGreaterThan(0);
  const wrong: string[] = [];
  for (const operation of some) {
    const reason = whatIsWrong(await send(operation), statuses);
    if (reason !== null) wrong.push(`${operation.method} ${operation.path}: ${reason}`);
  }
  return wrong;
}

const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;

describe("a JSON body", () => {
  test.each<[string, string | Uint8Array, readonly number[]]>([
    ["broken", '{"a": ', [422]],
    ["empty text", " ", [422]],
    ["a list", "[]", [422]],
    ["a number", "7", [422]],
    ["null", "null", [422]],
    ["an unknown field", '{"no_such_field": 1}', [422]],
    ["an unknown field with NUL in its value", String.raw`{"no_such_field": "\u0000"}`, [422]],
    ["a lone surrogate", String.raw`{"text": "\ud800", "input": "\ud800"}`, [422]],
    ["a lone surrogate in a name", String.raw`{"\udfff": 1}`, [422]],
    ["NUL in text", String.raw`{"text": "a\u0000", "input": "a\u0000", "name": "\u0000"}`, [422]],
    ["__proto__", '{"__proto__": {"admin": true}}', [422]],
    ["ten thousand levels", deep, [422]],
    ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), [422]],
    [
      "every type wrong",
      '{"text":1,"input":1,"name":1,"decision":1,"arguments":1,"instructions":1,"scopes":1,"tools":1}',
      [422],
    ],
    ["a huge string", JSON.stringify({ input: "x".repeat(900_000), text: "x".repeat(100_000) }), [422]],
    ["ten megabytes", JSON.stringify({ input: "x".repeat(10_000_000) }), [413]],
  ])("that is %s is refused at every route that takes one", async (_what, body, statuses) => {
    const taking = operations.filter(({ hasJsonBody }) => hasJsonBody);
    const send = async (one: (typeof taking)[number]) => await holder(one).send(one.method, filled(one), body);
    // A route may say 404 or 409 about the thing in its path before it looks at the body.
    const allowed = [...statuses, 404, 409];
    // The body of a sign-in has at most 4 KB.
    const isSignIn = ({ method, path }: (typeof taking)[number]) => method === "POST" && path === "/v1/session";
    const others = taking.filter((one) => !isSignIn(one));
    expect(await wrongAnswers(others, send, allowed)).toEqual([]);
    expect(others).toHaveLength(taking.length - 1);
    expect(await wrongAnswers(taking.filter(isSignIn), send, [...allowed, 413])).toEqual([]);
  });

  test("of another content type is refused at every route that takes one", async () => {
    const taking = operations.filter(({ hasJsonBody }) => hasJsonBody);
    const forms = taking.filter(({ path }) => path.startsWith("/v1/knowledge/documents"));
    expect(forms.map(({ method }) => method).toSorted()).toEqual(["POST", "PUT"]);
    for (const type of ["text/plain", "application/xml", "multipart/form-data; boundary=x", "application/jsonp"]) {
      const send = async (one: Operation) =>
        await holder(one).send(one.method, filled(one), "{}", { "content-type": type });
      const isForm = type.startsWith("multipart/");
      const others = isForm ? taking.filter((one) => !forms.includes(one)) : taking;
      expect(await wrongAnswers(others, send, [415])).toEqual([]);
      if (isForm) expect(await wrongAnswers(forms, send, [404, 422])).toEqual([]);
    }
  });
});

test.each([
  ["nothing like an id", "x"],
  ["an id of another kind", "agent_01jd0000000000000000000000"],
  ["an id that nobody has", "task_01jd0000000000000000000000"],
  ["NUL", "%00"],
  ["half a character", "%ff"],
  ["a broken escape", "%zz"],
  ["dots", "%2e%2e"],
  ["an encoded slash", "a%2fb"],
  ["a line break", "%0d%0aSet-Cookie:%20a=b"],
  ["a name that JavaScript knows", "__proto__"],
  ["SQL", "'%3b%20drop%20table%20tasks%3b--"],
  ["three thousand characters", "x".repeat(3000)],
  ["emoji", "%F0%9F%98%80"],
])("an id that is %s is not found at any route", async (_what, id) => {
  // A step up from a task's events are those of all tasks, which never end.
  const leadsToFeed = (path: string) => id === "%2e%2e" && path === "/v1/tasks/{id}/events";
  const naming = operations.filter(
    ({ path }) => /\{(id|name|question|approval|call_id|account)\}/.test(path) && !leadsToFeed(path),
  );
  const send = async (one: Operation) => {
    const path = one.path.replace(/\{(id|name|question|approval|call_id|account)\}/g, id).replace("{path}", "x.txt");
    return await holder(one).send(one.method, path, one.hasJsonBody ? {} : undefined);
  };
  // `%2e%2e` is a step up in any URL, so it leads to another route, which may refuse its method or its body.
  const allowed = id === "%2e%2e" ? [400, 403, 404, 405, 409, 422] : [404, 409, 422];
  const wrong = await wrongAnswers(naming, send, allowed);
  expect(wrong.filter((line) => id !== "%2e%2e" || line.includes(": 500"))).toEqual([]);
});

test.each(["%00", "%ff", "%zz", "-1", "x".repeat(3000), "%F0%9F%98%80", "1e9", "NaN"])(
  "a parameter of the query that is %s breaks no route",
  async (value) => {
    const asking = operations.filter(({ query }) => query.length > 0);
    const wrong: string[] = [];
    for (const one of asking) {
      for (const name of one.query) {
        const answer = await holder(one).send(
          one.method,
          `${filled(one)}?${name}=${value}`,
          one.hasJsonBody ? {} : undefined,
          { accept: "application/json" },
        );
        // A search for something odd is a search that finds nothing.
        if (answer.status < 300) continue;
        // It is a person in a browser who reads what that comes to.
        const isForPerson = isForSlack(one) || isForBrowser(one);
        if (isForPerson && answer.status === 400 && answer.headers.get("content-type")?.startsWith("text/html"))
          continue;
        const reason = whatIsWrong(answer, [404, 413, 422]);
        if (reason !== null) wrong.push(`${one.method} ${one.path} ${name}: ${reason}`);
      }
    }
    expect(wrong).toEqual([]);
  },
);

test("a parameter that there is not is refused where there are any", async () => {
  const asking = operations.filter(({ query }) => query.length > 0);
  const send = async (one: Operation) =>
    await holder(one).send(one.method, `${filled(one)}?no_such=1`, one.hasJsonBody ? {} : undefined);
  expect(await wrongAnswers(asking, send, [422])).toEqual([]);
});

/** True when a path, as the document writes it, is one that another stands for. */
function isOf(path: string, other: string): boolean {
  const pattern = other.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "[^/{}]+");
  return new RegExp(`^${pattern}$`).test(path);
}

test("a method that a path does not support is rejected with the list of supported ones", async () => {
  for (const path of new Set(operations.map((one) => one.path))) {
    const taken = operations.filter((one) => one.path === path).map(({ method }) => method);
    const [one] = operations.filter((candidate) => candidate.path === path);
    if (one === undefined) throw new Error("no operation");
    // A word in a path can stand where another path has a name: /v1/tools/import is also the tool of that name.
    const others = operations.filter((other) => isOf(path, other.path)).map(({ method }) => method);
    const left = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((name) => ![...taken, ...others].includes(name));
    for (const method of left) {
      const answer = await holder(one).send(method, filled(one), method === "GET" ? undefined : "{}");
      expect(whatIsWrong(answer, [405]), `${method} ${path}`).toBeNull();
      for (const name of taken) expect(answer.headers.get("allow")).toContain(name);
    }
  }
});

test.each([
  ["257 characters", "k".repeat(257)],
  ["a tab", "a\tb"],
  ["beyond ASCII", "\u00e9"],
])("an Idempotency-Key of %s is refused at every POST", async (_what, key) => {
  // Slack's servers send none; what they did not sign is refused before anything else is looked at.
  const posts = operations.filter((one) => one.method === "POST" && !isForSlack(one) && !isForBrowser(one));
  const send = async (one: Operation) => await holder(one).send("POST", filled(one), {}, { "idempotency-key": key });
  expect(await wrongAnswers(posts, send, [422])).toEqual([]);
});

test("an Idempotency-Key of 256 characters is taken", async () => {
  const answer = await caller.send(
    "POST",
    "/v1/tasks",
    { input: "x", hold: true },
    { "idempotency-key": "k".repeat(256) },
  );
  expect(answer.status, answer.text).toBe(201);
});

test.each([
  "",
  "Bearer",
  "Bearer x",
  "Basic dXNlcjpwYXNz",
  `Bearer otto_${"a".repeat(3000)}`,
  "Bearer otto_operator_x",
])("the key %s opens nothing", async (authorization) => {
  const answer = await system.anonymous.send(
    "GET",
    "/v1/tasks",
    undefined,
    authorization === "" ? {} : { authorization },
  );
  expect(whatIsWrong(answer, [401])).toBeNull();
});

test.each<[Record<string, unknown>, string]>([
  [{}, "decision"],
  [{ decision: "maybe" }, "decision"],
  [{ decision: "approve", arguments: [] }, "arguments"],
  [{ decision: "approve", arguments: "url" }, "arguments"],
  [{ decision: "refuse", arguments: {} }, "arguments"],
  [{ decision: "refuse", reason: "" }, "reason"],
  [{ decision: "refuse", reason: "x".repeat(2001) }, "reason"],
  [{ decision: "approve", hash: "x" }, "hash"],
])("a decision on an approval that is %j names what is wrong", async (body, field) => {
  const answer = await caller.send("POST", `/v1/tasks/${ids["task"]}/approvals/apr_x`, body);
  expect(whatIsWrong(answer, [422])).toBeNull();
  expect(answer.json.errors.map((error: { field: string }) => error.field)).toContain(field);
});

test("an id of a wait or a call of another task, or an unknown one, is not found", async () => {
  const part = "01jd0000000000000000000000";
  for (const end of [
    `${part}_1_0`,
    `${part}_1`,
    `${part}_0_999999`,
    `${part}_1_0_0`,
    "x".repeat(3000),
    "%00",
    "__proto__",
  ]) {
    const reported = [
      await caller.send("POST", `/v1/tasks/${ids["task"]}/questions/qst_${end}/answer`, { text: "x" }),
      await caller.send("POST", `/v1/tasks/${ids["task"]}/approvals/apr_${end}`, { decision: "approve" }),
      await caller.send("POST", `/v1/tasks/${ids["task"]}/ledger/call_${end}`, { decision: "done" }),
    ];
    for (const answer of reported) expect(whatIsWrong(answer, [404, 422]), answer.text).toBeNull();
  }
});

test("a path of a file that leads out or cannot be one is refused", async () => {
  const files = `/v1/tasks/${ids["task"]}/files`;
  for (const path of [
    "a%2f..%2f..%2fb",
    "%2fetc%2fpasswd",
    "a%00",
    "a%5c..%5cb",
    "a//b",
    "%ff",
    "%zz",
    "x".repeat(1025),
    "a%0ab",
  ]) {
    for (const method of ["GET", "PUT"]) {
      const answer = await caller.send(method, `${files}/${path}`, method === "PUT" ? "x" : undefined);
      expect(whatIsWrong(answer, [403, 422]), `${method} ${path}`).toBeNull();
    }
  }
});

test("the system works after all of it", async () => {
  const health = await caller.send("GET", "/health");
  expect([health.status, health.json.status]).toEqual([200, "ok"]);
  expect((await caller.send("GET", `/v1/tasks/${ids["task"]}`)).json.input).toBe("x");
});
