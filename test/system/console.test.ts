/** The console as `npm start` serves it: the link that it prints, the page, its files, and who is signed in. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Answer, type Caller, startTestSystem, type TestSystem } from "../setup/start-system.ts";

let system: TestSystem;
let anonymous: Caller;

beforeAll(async () => {
  system = await startTestSystem();
  ({ anonymous } = system);
});

afterAll(async () => {
  await system?.stop();
});

const ours = { "sec-fetch-site": "same-origin" };

async function signIn(body: { readonly key: string } | { readonly link: string }): Promise<Answer> {
  return await anonymous.send("POST", "/v1/session", body, ours);
}

/** The system answers a little before it prints. */
async function printedLink(): Promise<{ address: string; link: string }> {
  return await vi.waitFor(
    () => {
      const found = /^ {2}console {2}(\S+)\/sign-in#(\S+)$/m.exec(system.system.output());
      if (found?.[1] === undefined || found[2] === undefined) throw new Error("no link is printed");
      return { address: found[1], link: found[2] };
    },
    { timeout: 40_000, interval: 50 },
  );
}

/** What a browser sends once it was answered so. */
function browserOf(answer: Answer): Record<string, string> {
  expect(answer.status, answer.text).toBe(201);
  return { ...ours, cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" };
}

test("the link that the start prints signs in once", async () => {
  const { address, link } = await printedLink();
  expect(new URL(address).port).toBe(new URL(system.system.url).port);
  const answer = await signIn({ link });
  const cookie = answer.headers.get("set-cookie") ?? "";
  expect(cookie).toContain("HttpOnly");
  expect(cookie).toContain("SameSite=Strict");
  // There is no https on this machine.
  expect(cookie).not.toContain("Secure");
  const session = await anonymous.send("GET", "/v1/session", undefined, browserOf(answer));
  expect(session.json).toMatchObject({ tenant: { name: "local" }, key: { name: "first key" } });
  expect((await signIn({ link })).status).toBe(410);
});

test("the page is served with its policy, and its files are cached permanently", async () => {
  const page = await anonymous.send("GET", "/tasks/task_01m7");
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(page.headers.get("content-security-policy")).toContain("script-src 'self';");
  expect(page.headers.get("content-security-policy")).toContain("require-trusted-types-for 'script'");
  expect(page.headers.get("cache-control")).toBe("no-cache");
  const [, script = ""] = /src="(\/assets\/[^"]+\.js)"/.exec(page.text) ?? [];
  const file = await anonymous.send("GET", script);
  expect([file.status, file.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
  const etag = page.headers.get("etag") ?? "";
  const again = await anonymous.send("GET", "/", undefined, { "if-none-match": etag });
  expect([again.status, again.text]).toEqual([304, ""]);
});

test("two tenants that are signed in side by side see their own, and a revoked key's session nothing", async () => {
  const [one, two] = await Promise.all([system.makeTenant("One"), system.makeTenant("Two")]);
  const made = await one.send("POST", "/v1/tasks", { input: "secret of One", hold: true });
  const key = await two.send("POST", "/v1/keys", { name: "short", scopes: ["tasks:read"] });
  const [first, second] = [browserOf(await signIn({ key: one.key })), browserOf(await signIn({ key: key.json.key }))];
  const path = `/v1/tasks/${made.json.id}`;
  expect((await anonymous.send("GET", path, undefined, first)).status).toBe(200);
  expect((await anonymous.send("GET", path, undefined, second)).status).toBe(404);
  expect((await anonymous.send("GET", "/v1/tasks", undefined, second)).json.data).toEqual([]);
  await two.send("DELETE", `/v1/keys/${key.json.id}`);
  expect((await anonymous.send("GET", "/v1/tasks", undefined, second)).status).toBe(401);
  expect((await anonymous.send("GET", "/v1/tasks", undefined, first)).status).toBe(200);
});

test("a session survives a crash of everything", async () => {
  const tenant = await system.makeTenant("Crash");
  const browser = browserOf(await signIn({ key: tenant.key }));
  await system.system.crash();
  await system.system.up();
  expect((await anonymous.send("GET", "/v1/session", undefined, browser)).json).toMatchObject({
    tenant: { name: "Crash" },
  });
});
