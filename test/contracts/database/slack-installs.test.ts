/** Workspaces of Slack: each is of one tenant, its token is forgotten when it is of no more use, and nobody comes back twice. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, makeTenant, slackInstall, START } from "./rows.ts";

let server: TestDatabase;
let database: Database;
let a: string;
let b: string;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
  a = (await makeTenant(database)).tenant.id;
  b = (await makeTenant(database)).tenant.id;
});
afterAll(() => server.close());

const put = async (tenant: string, team: string, at = START) => {
  const install = slackInstall(team, at);
  return await database.slackInstalls.put(tenant, install, act("slack.install", install.id, at));
};

describe("a workspace", () => {
  test("is found by its team, for the tenant that installed the app there", async () => {
    const made = await put(a, "T1");
    expect(made).toMatchObject({ ok: true, value: { team: "T1", status: "active", scopes: ["chat:write"] } });
    expect(made).not.toHaveProperty("value.sealed");
    expect(await database.slackInstalls.findTenant("T1")).toEqual({ ok: true, value: a });
    expect(await database.slackInstalls.findTenant("T2")).toEqual({ ok: true, value: null });
    expect(await database.slackInstalls.findByTeam(a, "T1")).toMatchObject({ ok: true, value: { sealed: "c2VhbGVk" } });
    expect(await database.slackInstalls.findByTeam(b, "T1")).toMatchObject({ error: { code: "not_found" } });
  });

  test("retains its id when the app is installed again", async () => {
    const [first, again] = [await put(a, "T3"), await put(a, "T3", START + 1)];
    expect(first).toMatchObject({ ok: true });
    if (first.ok) expect(again).toMatchObject({ ok: true, value: { id: first.value.id, updatedAt: START + 1 } });
  });

  test("is refused to a second tenant, until the first has uninstalled the app", async () => {
    const made = await put(a, "T4");
    expect(await put(b, "T4")).toMatchObject({ error: { code: "conflict", message: /another tenant/ } });
    if (made.ok) await database.slackInstalls.remove(a, made.value.id, act("slack.uninstall", made.value.id));
    expect(await put(b, "T4")).toMatchObject({ ok: true });
    expect(await database.slackInstalls.findTenant("T4")).toEqual({ ok: true, value: b });
  });

  test("that took its token back stays in the list without it, and is free for others", async () => {
    await put(a, "T5");
    await database.slackInstalls.revoke(a, "T5", START);
    expect(await database.slackInstalls.findByTeam(a, "T5"), "what is as new as the word stands").toMatchObject({
      ok: true,
    });
    await database.slackInstalls.revoke(a, "T5", START + 1);
    expect(await database.slackInstalls.findByTeam(a, "T5")).toMatchObject({ error: { code: "not_found" } });
    const page = await database.slackInstalls.page(a, { after: null, limit: 100 });
    expect(page.ok && page.value.items.find(({ team }) => team === "T5")).toMatchObject({ status: "revoked" });
    expect(await database.slackInstalls.active(a)).not.toMatchObject({ value: [{ team: "T5" }] });
    expect(await put(b, "T5")).toMatchObject({ ok: true });
  });
});

describe("an authorization", () => {
  const started = {
    mark: "m1",
    key: "key_1",
    redirect: "https://otto.example/slack/oauth",
    expiresAt: Date.now() + 60_000,
  };

  test("ends once, for the tenant that began it", async () => {
    await database.slackInstalls.begin(a, started);
    expect(await database.slackInstalls.end(b, "m1", Date.now())).toEqual({ ok: true, value: null });
    expect(await database.slackInstalls.end(a, "m1", Date.now())).toEqual({ ok: true, value: started });
    expect(await database.slackInstalls.end(a, "m1", Date.now())).toEqual({ ok: true, value: null });
  });

  test("that expired ends nothing", async () => {
    await database.slackInstalls.begin(a, { ...started, mark: "m2" });
    expect(await database.slackInstalls.end(a, "m2", started.expiresAt + 1)).toEqual({ ok: true, value: null });
  });
});
