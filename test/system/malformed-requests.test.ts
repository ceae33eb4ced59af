/** Requests that are no valid HTTP, or name no address of ours: the client is at fault, so the answer is 400 and never 500. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Caller, joinSharedSystem } from "../setup/start-system.ts";
import { sendText } from "../mock-servers/raw-client.ts";

const system = joinSharedSystem();
let caller: Caller;
let task: string;

beforeAll(async () => {
  caller = await system.makeTenant("malformed requests");
  task = (await caller.send("POST", "/v1/tasks", { input: "x", hold: true })).json.id;
});

/** One request: its first line, and the lines of its head and body. */
const send = async (first: string, ...lines: readonly string[]) =>
  await sendText(system.url, [`${first} HTTP/1.1`, ...lines].join("\r\n"));

const expectRefused = ({ statuses, body }: Awaited<ReturnType<typeof send>>, field: string) => {
  expect(statuses).toEqual([400]);
  const problem = JSON.parse(body);
  expect(problem).toMatchObject({ status: 400, code: "invalid_input", errors: [{ field }] });
  expect(problem.request_id).toMatch(/^req_/);
};

describe("a malformed chunk", () => {
  const own = () => [`authorization: Bearer ${caller.key}`];

  test.each<readonly [where: string, first: () => string, head: () => string[]]>([
    ["of JSON", () => "POST /v1/tasks", () => [...own(), "content-type: application/json"]],
    ["under an Idempotency-Key", () => "POST /v1/tasks", () => [...own(), "idempotency-key: chunked"]],
    ["of a file", () => `PUT /v1/tasks/${task}/files/a.txt`, own],
    ["of a skill", () => "POST /v1/skills", () => [...own(), "content-type: text/markdown"]],
    ["from Slack", () => "POST /slack/events", () => []],
    ["of a command from Slack", () => "POST /slack/commands", () => []],
    ["of a mail", () => "POST /cdn-cgi/local/email?from=ana@example.com&to=otto@example.com", own],
  ])("%s is 400", async (_where, first, head) => {
    for (const chunks of [
      ["zz", "abc"],
      ["3", "abc", "zz"],
    ]) {
      const fields = ["host: localhost", "connection: close", "transfer-encoding: chunked", ...head()];
      expectRefused(await send(first(), ...fields, "", ...chunks, "0", "", ""), "body");
    }
  });
});

describe("a request without a valid address", () => {
  test.each([
    ["OPTIONS *", ["host: localhost"]],
    ["GET health", ["host: localhost"]],
    ["GET http://evil.example/health", ["host: localhost"]],
    ["GET /health", []],
    ["GET /health", ["host:"]],
    ["GET /health", ["host: two words"]],
    ["GET /health", ["host: local<host"]],
    ["GET /health", ["host: localhost:99999"]],
    ["GET /health", ["host: user@localhost"]],
    ["GET /health", ["host: localhost/x"]],
    ["GET /health", ["host: localhost", "host: localhost"]],
    ["GET /health", ["host: localhost", "host: evil.example"]],
  ])("%s with %j is 400", async (first, lines) => {
    expectRefused(await send(first, ...lines, "connection: close", "", ""), "host");
  });
});

test("an absolute target that names the host of the header is read by its path", async () => {
  const { statuses } = await send("GET http://localhost/health", "host: localhost", "connection: close", "", "");
  expect(statuses).toEqual([200]);
});

test("a body of a GET is ignored, a malformed one too", async () => {
  for (const lines of [
    ["content-length: 3", "", "abc"],
    ["transfer-encoding: chunked", "", "zz", "abc"],
  ]) {
    const { statuses } = await send("GET /health", "host: localhost", "connection: close", ...lines);
    expect(statuses).toEqual([200]);
  }
});

test.each(["TRACE", "PATCH", "PROPFIND"])("%s is a method that the path does not have", async (method) => {
  const { statuses } = await send(`${method} /health`, "host: localhost", "connection: close", "", "");
  expect(statuses).toEqual([405]);
});

// The runtime refuses CONNECT before a Worker can: docs/decisions/0090-entry-point-on-one-machine.md.
test("CONNECT opens no tunnel", async () => {
  const { statuses } = await send("CONNECT evil.example:443", "host: evil.example:443", "connection: close", "", "");
  expect(statuses).toEqual([500]);
});

test.each([
  ["mf-original-url", "x"],
  ["mf-original-url", "http://localhost/v1/tasks"],
  ["mf-cf-blob", "x"],
  ["mf-route-override", "console"],
  ["mf-proxy-shared-secret", "x"],
])("Miniflare's header field %s: %s changes nothing", async (name, value) => {
  const field = `${name}: ${value}`;
  const { statuses, body } = await send("GET /health", "host: localhost", field, "connection: close", "", "");
  expect([statuses, JSON.parse(body).status]).toEqual([[200], "ok"]);
});

test("what a proxy in front was reached by is the scheme of the address", async () => {
  const policyFor = async (headers: Readonly<Record<string, string>>) =>
    (await system.anonymous.send("GET", "/health", undefined, headers)).headers.get("strict-transport-security");
  expect(await policyFor({})).toBeNull();
  expect(await policyFor({ "x-forwarded-proto": "https, http" })).not.toBeNull();
});
