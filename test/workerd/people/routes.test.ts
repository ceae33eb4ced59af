import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { findCaller } from "../../../workers/people/find-caller.ts";
import { linkSlackPerson, findPersonByMail } from "../../../workers/people/link.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";

const ANA = {
  name: "Ana Lima",
  aliases: ["Boss"],
  addresses: [
    { kind: "email", address: "ana@acme.example" },
    { kind: "slack", team: "T1", user: "U1" },
  ],
  preferred: "slack",
  time_zone: "Europe/Lisbon",
  working_hours: { days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" },
  may_answer: true,
  may_approve: true,
};

async function make(caller: Caller, body: object) {
  const answer = await caller.send("POST", "/v1/people", body);
  expect(answer.status, answer.text).toBe(201);
  return answer.json;
}

describe("people over the API", () => {
  test("are created, read, listed, changed at the version that was read, and deleted", async () => {
    const caller = await makeCaller();
    const made = await caller.send("POST", "/v1/people", ANA);
    expect([made.status, made.headers.get("etag")]).toEqual([201, '"1"']);
    const path = `/v1/people/${made.json.id}`;
    expect(made.headers.get("location")).toBe(path);
    expect(made.json).toMatchObject({ ...ANA, id: expect.stringMatching(/^per_/), version: 1 });
    expect((await caller.send("GET", path)).json).toEqual(made.json);
    expect((await caller.send("GET", "/v1/people")).json).toEqual({ data: [made.json], next_cursor: null });

    expectProblem(await caller.send("PUT", path, { name: "Ana Costa" }, { "if-match": '"2"' }), 409);
    const set = await caller.send("PUT", path, { name: "Ana Costa" }, { "if-match": '"1"' });
    expect([set.status, set.headers.get("etag")]).toEqual([200, '"2"']);
    expect(set.json).toMatchObject({ name: "Ana Costa", addresses: [], time_zone: "UTC", may_approve: false });

    expect((await caller.send("DELETE", path)).json).toEqual(set.json);
    expectProblem(await caller.send("GET", path), 404);
    expectProblem(await caller.send("DELETE", path), 404);
    const acts = (await caller.send("GET", "/v1/audit")).json.data;
    expect(acts.map(({ action }: { action: string }) => action)).toEqual([
      "person.delete",
      "person.update",
      "person.create",
    ]);
  });

  test("are made once by a request that is repeated, and listed page by page", async () => {
    const caller = await makeCaller();
    const key = { "idempotency-key": "one" };
    const [first, again] = [
      await caller.send("POST", "/v1/people", { name: "A" }, key),
      await caller.send("POST", "/v1/people", { name: "A" }, key),
    ];
    expect(again.text).toBe(first.text);
    await make(caller, { name: "B" });
    await make(caller, { name: "C" });
    const one = (await caller.send("GET", "/v1/people?limit=2")).json;
    const two = (await caller.send("GET", `/v1/people?limit=2&cursor=${one.next_cursor}`)).json;
    expect(new Set([...one.data, ...two.data].map(({ name }) => name))).toEqual(new Set(["A", "B", "C"]));
    expect(two.next_cursor).toBeNull();
  });

  test.each<[string, object, string]>([
    ["no name", {}, "name"],
    ["a name of two lines", { name: "A\nB" }, "name"],
    ["half of a pair", { name: "A\ud800" }, "name"],
    ["an unknown zone", { name: "A", time_zone: "Mars/Olympus" }, "time_zone"],
    ["an offset for a zone", { name: "A", time_zone: "+01:00" }, "time_zone"],
    ["an invalid address", { name: "A", addresses: [{ kind: "email", address: "a@" }] }, "addresses"],
    ["an invalid workspace", { name: "A", addresses: [{ kind: "slack", team: "t/1", user: "U1" }] }, "addresses"],
    [
      "one address twice",
      { name: "A", addresses: ["a@acme.example", "A@acme.example"].map((address) => ({ kind: "email", address })) },
      "addresses",
    ],
    ["a preference for nothing", { name: "A", preferred: "slack" }, "preferred"],
    ["no working day", { name: "A", working_hours: { days: [], from: "09:00", to: "17:00" } }, "working_hours.days"],
    ["day 8", { name: "A", working_hours: { days: [8], from: "09:00", to: "17:00" } }, "working_hours.days.0"],
    ["25 o'clock", { name: "A", working_hours: { days: [1], from: "25:00", to: "17:00" } }, "working_hours.from"],
    ["no hours at all", { name: "A", working_hours: { days: [1], from: "09:00", to: "09:00" } }, "working_hours.to"],
    ["an unknown field", { name: "A", role: "boss" }, "role"],
  ])("refuse %s", async (_, body, field) => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", "/v1/people", body);
    expectProblem(answer, 422);
    expect(answer.json.errors.map((error: { field: string }) => error.field).join()).toContain(field);
  });

  test("are read with tasks:read, and changed with admin only", async () => {
    const [reader, other] = [await makeCaller(["tasks:read"]), await makeCaller(["tasks:write", "tools:call"])];
    expect((await reader.send("GET", "/v1/people")).status).toBe(200);
    expectProblem(await reader.send("POST", "/v1/people", { name: "A" }), 403);
    expectProblem(await other.send("GET", "/v1/people"), 403);
  });
});

describe("a member of a workspace", () => {
  const speaker = { team: "T1", user: "U7", name: "Bo\u0000 Li", email: "bo@acme.example", tz: "Asia/Tokyo" };

  test("gets a record of their own, once, however often and whenever they speak", async () => {
    const { tenant } = await makeCaller();
    const linked = await Promise.all(Array.from({ length: 5 }, () => linkSlackPerson(env, tenant, speaker)));
    const people = linked.map(valueOf);
    expect(new Set(people.map(({ id }) => id)).size).toBe(1);
    expect(people[0]).toMatchObject({
      name: "Bo Li",
      addresses: [
        { kind: "slack", team: "T1", user: "U7" },
        { kind: "email", address: "bo@acme.example" },
      ],
      timeZone: "Asia/Tokyo",
      mayAnswer: true,
      mayApprove: false,
    });
    expect(valueOf(await findPersonByMail(env, tenant, "BO@acme.example"))?.id).toBe(people[0]?.id);
  });

  test("is the person whose mail address the workspace vouches for, with that person's rights", async () => {
    const caller = await makeCaller();
    const made = await make(caller, {
      ...ANA,
      addresses: [{ kind: "email", address: "bo@acme.example" }],
      preferred: null,
    });
    const linked = valueOf(await linkSlackPerson(env, caller.tenant, speaker));
    expect(linked).toMatchObject({ id: made.id, name: "Ana Lima", version: 2, mayApprove: true });
    expect(linked.addresses.at(-1)).toEqual({ kind: "slack", team: "T1", user: "U7" });
    const acts = (await caller.send("GET", "/v1/audit")).json.data;
    expect(acts[0]).toMatchObject({ action: "person.link", actor: "slack/T1/U7", target: made.id });
  });

  test("is no person without that address, even under the same name", async () => {
    const caller = await makeCaller();
    const made = await make(caller, { ...ANA, name: "Bo Li" });
    const linked = valueOf(await linkSlackPerson(env, caller.tenant, { ...speaker, email: null, tz: "Nowhere" }));
    expect(linked.id).not.toBe(made.id);
    expect(linked).toMatchObject({ name: "Bo Li (2)", timeZone: "UTC", mayApprove: false });
    const other = valueOf(await linkSlackPerson(env, caller.tenant, { ...speaker, team: "T2", email: null }));
    expect([made.id, linked.id]).not.toContain(other.id);
  });
});

test("the caller of a task is the person whose address its channel knows, and nobody else", async () => {
  const caller = await makeCaller();
  await make(caller, ANA);
  const find = async (channel: string, id: string | null, metadata?: Record<string, unknown>) =>
    await findCaller(env, caller.tenant, { via: { channel, id }, metadata });
  const ana = { name: "Ana Lima", timeZone: "Europe/Lisbon" };
  expect(await find("slack", "T1/C1/1.2", { slack_user: "T1/U1" })).toEqual(ana);
  expect(await find("email", "Ana@acme.example")).toEqual(ana);
  expect(await find("slack", "T1/C1/1.2", { slack_user: "T1/U2" })).toBeNull();
  // A caller of the API chooses its metadata.
  expect(await find("api", null, { slack_user: "T1/U1" })).toBeNull();
  expect(await find("email", "eve@evil.example")).toBeNull();
});
