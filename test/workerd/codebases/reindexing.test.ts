/** Codebases that are indexed again without a request of an administrator: by a push that a hook received, and by the sweep. */
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { makeId } from "../../../core/base/ids.ts";
import { NO_LISTS } from "../../../core/base/user-lists.ts";
import { sweepCodebases } from "../../../workers/codebases/sweep.ts";
import { act } from "../../contracts/database/rows.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { call, github, type Made, makeHook, worked } from "../channels/webhooks/hooks-client.ts";
import { type Caller, callerOf, makeCaller } from "../http/entry.ts";

const LONG = { timeout: 60_000 } as const;
const HOUR_MS = 3_600_000;
const table = () => databaseFromEnv(env).codebases;

/** Adds a codebase whose source the sidecar refuses without a connection. */
async function addCodebase({ tenant }: Caller, name: string): Promise<string> {
  const id = makeId("codebase", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
  const source = { git: `https://10.0.0.1/ana/${name}.git` };
  const given = { id, name, source, ...NO_LISTS, projects: [], every: null, dueAt: null };
  valueOf(await table().create(tenant, given, act("codebase.create", id)));
  return id;
}

const read = async ({ tenant }: Caller, id: string) => valueOf(await table().get(tenant, id));

async function untilAttempts(caller: Caller, id: string, count: number): Promise<void> {
  await vi.waitFor(async () => expect(await read(caller, id)).toMatchObject({ status: "failed", builds: count }), {
    timeout: 20_000,
    interval: 50,
  });
}

const SHOP = { clone_url: "https://10.0.0.1/Ana/shop.git", default_branch: "main" };
const PUSH = { ref: "refs/heads/main", repository: SHOP };

async function send(hook: Made, payload: unknown, event = "push"): Promise<void> {
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  const sent = await call(hook, body, await github(body, event, crypto.randomUUID()));
  expect(sent.status, sent.text).toBe(200);
}

test("calls that are no push of a codebase's repository and ref index nothing, and say why", LONG, async () => {
  const caller = await makeCaller();
  const id = await addCodebase(caller, "shop");
  const hook = await makeHook(caller, { type: "github", reindex: true });
  const long = "x".repeat(200_000);
  const calls: readonly (readonly [unknown, string, string])[] = [
    ["ref=refs/heads/main&rubbish", "push", "this is push"],
    ["null", "push", "this is push"],
    [[PUSH], "push", "this is push"],
    [{ zen: "Keep it simple.", repository: SHOP }, "ping", "this is ping"],
    [{ ref: "main", ref_type: "branch", repository: SHOP }, "create", "this is create"],
    [{ ...PUSH, repository: { ...SHOP, clone_url: long } }, "push", "this is push"],
    [{ ...PUSH, ref: `refs/heads/${long}` }, "push", "this is push"],
    [{ ...PUSH, deleted: true }, "push", "The push deleted refs/heads/main."],
    [{ ...PUSH, ref: "refs/heads/other" }, "push", "No codebase is read from refs/heads/other"],
    [{ ...PUSH, ref: "refs/tags/main" }, "push", "No codebase is read from refs/tags/main"],
    [{ ref: PUSH.ref, repository: {} }, "push", "No codebase is read from refs/heads/main"],
  ];
  for (const [payload, event] of calls) await send(hook, payload, event);
  const items = await worked(caller, hook, calls.length);
  for (const [, , why] of calls) expect(items.map(({ note }) => note)).toContainEqual(expect.stringContaining(why));
  for (const { state, task_id: task, note } of items) {
    expect([state, task]).toEqual(["refused", null]);
    expect(note?.length).toBeLessThan(500);
  }
  expect(await read(caller, id)).toMatchObject({ status: "queued", builds: 0 });
});

test("a push indexes its codebases, whose names a key that reads hooks does not see", LONG, async () => {
  const caller = await makeCaller();
  const [first, second, other] = [
    await addCodebase(caller, "shop"),
    await addCodebase(caller, "secret-project"),
    await addCodebase(caller, "unrelated"),
  ];
  const hook = await makeHook(caller, { type: "github", reindex: true });
  const commits = Array.from({ length: 2_000 }, (_, at) => ({ id: `${at}`, message: "m".repeat(80) }));
  await send(hook, { ...PUSH, commits });
  await send(hook, {
    ...PUSH,
    repository: { html_url: "https://10.0.0.1/ana/secret-project", default_branch: "main" },
  });
  await untilAttempts(caller, first, 1);
  await untilAttempts(caller, second, 1);
  expect(await read(caller, other)).toMatchObject({ builds: 0 });
  const key = await caller.send("POST", "/v1/keys", { name: "reader", scopes: ["tasks:read"] });
  const reader = callerOf(caller.tenant, key.json.key);
  const items = await worked(reader, hook, 2);
  expect(new Set(items.map(({ note }) => note))).toEqual(new Set([first, second].map((id) => `Indexes ${id} again.`)));
  expect(JSON.stringify(items)).not.toContain("secret-project");
});

test("the sweep indexes what is due, once for all missed times, and sets when it is due next", LONG, async () => {
  const caller = await makeCaller();
  const { tenant } = caller;
  const [due, later, broken] = [
    await addCodebase(caller, "due"),
    await addCodebase(caller, "later"),
    await addCodebase(caller, "broken"),
  ];
  const now = Date.now();
  const set = async (id: string, every: string, dueAt: number) =>
    valueOf(await table().setEvery(tenant, id, { every, dueAt }, act("codebase.schedule", id)));
  await set(due, "1h", now - 5 * HOUR_MS);
  await set(later, "1h", now + HOUR_MS);
  // A rule that no release reads.
  await set(broken, "every full moon", now - HOUR_MS);
  await Promise.all([sweepCodebases(env, now), sweepCodebases(env, now)]);
  await untilAttempts(caller, due, 1);
  await untilAttempts(caller, broken, 1);
  await sweepCodebases(env, now);
  const dueAt = async (at: number) =>
    valueOf(await table().due(at, 1_000)).flatMap((one) =>
      one.tenant === tenant ? [[one.id, one.dueAt] as const] : [],
    );
  expect(await dueAt(now)).toEqual([]);
  expect(new Map(await dueAt(now + 2 * HOUR_MS))).toEqual(
    new Map([
      [due, now + HOUR_MS],
      [later, now + HOUR_MS],
    ]),
  );
  expect(await read(caller, due)).toMatchObject({ builds: 1 });
  expect(await read(caller, later)).toMatchObject({ builds: 0, status: "queued" });
  // A run that stopped before it set the time again repeats its request.
  await set(due, "1h", now);
  await sweepCodebases(env, now);
  await untilAttempts(caller, due, 2);
});
