/** Requests whose `Host` is not ours: a page whose name resolves to this machine gets nothing of it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSystem, type TestSystem } from "../setup/start-system.ts";
import { sendRaw } from "../mock-servers/raw-client.ts";

let system: TestSystem;

beforeAll(async () => {
  system = await startTestSystem({ OTTO_PUBLIC_URL: "https://otto.example.com" });
});
afterAll(async () => await system.stop());

const statusFor = async (host: string, path: string, more: Readonly<Record<string, string>> = {}) => {
  const answer = await sendRaw(system.system.url, { method: "GET", path, headers: { host, ...more }, size: 0 });
  return { status: answer.statuses.at(-1), body: answer.body };
};

test.each(["/health", "/v1/tasks", "/openapi.json", "/"])("another host gets 400 for %s", async (path) => {
  const { status, body } = await statusFor("evil.example", path);
  expect(status).toBe(400);
  expect(JSON.parse(body)).toMatchObject({ code: "invalid_input", errors: [{ field: "host" }] });
});

test("another host gets 400 also with the header in which Miniflare takes an address", async () => {
  const { status } = await statusFor("evil.example", "/v1/tasks", { "mf-original-url": "http://localhost/v1/tasks" });
  expect(status).toBe(400);
});

test.each(["localhost", "127.0.0.1:1", "otto.example.com"])("the host %s is ours", async (host) => {
  expect((await statusFor(host, "/v1/tasks")).status).toBe(401);
});
