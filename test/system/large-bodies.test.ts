/** Bodies that are too large or not authorized: a client that is still sending receives the answer, not a reset. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Caller, joinSharedSystem } from "../setup/start-system.ts";
import { type RawRequest, sendRaw } from "../mock-servers/raw-client.ts";
import { fetchApi } from "../setup/fetch-api.ts";

const TEN_MB = 10 * 1024 * 1024;
const FILE = "/v1/tasks/task_00000000000000000000000000/files/large.bin";

const system = joinSharedSystem();
let caller: Caller;

beforeAll(async () => {
  caller = await system.makeTenant("large-bodies");
});

const json = { "content-type": "application/json" };
const withKey = () => ({ ...json, authorization: `Bearer ${caller.key}` });
/** A key of the right form that no tenant has. */
const withBadKey = () => ({ ...json, authorization: `Bearer ${caller.key.slice(0, -8)}AAAAAAAA` });
const send = async (request: RawRequest) => await sendRaw(system.url, request);

describe.each([
  ["with its length in front", false],
  ["in chunks", true],
])("a body of 10 MB %s", (_how, isChunked) => {
  test.each<readonly [what: string, status: number, request: () => Omit<RawRequest, "size">]>([
    ["with a key", 413, () => ({ path: "/v1/tasks", headers: withKey() })],
    ["under an Idempotency-Key", 413, () => ({ path: "/v1/tasks", headers: { ...withKey(), "idempotency-key": "a" } })],
    ["as a file of no task", 404, () => ({ method: "PUT", path: FILE, headers: withKey() })],
    ["with a key that is not valid", 401, () => ({ path: "/v1/tasks", headers: withBadKey() })],
    ["without a key", 401, () => ({ path: "/v1/tasks", headers: json })],
    ["to a hook that is unknown", 404, () => ({ path: "/webhook/generic?hook=hook_x", headers: json })],
    ["to a path that takes no POST", 405, () => ({ path: "/nothing", headers: withKey() })],
    ["to sign in", 413, () => ({ path: "/v1/session", headers: json })],
    ["from Slack", 413, () => ({ path: "/slack/events", headers: json })],
  ])("%s is answered %i, and taken to its end", async (_what, status, request) => {
    const answer = await send({ ...request(), size: TEN_MB, isChunked });
    expect(answer).toMatchObject({ statuses: [status], sent: TEN_MB, error: null });
    expect(JSON.parse(answer.body)).toMatchObject({ status });
  });

  test("is refused before any of it is sent, when the key is not valid", async () => {
    for (const headers of [withBadKey(), json, { ...withBadKey(), "idempotency-key": "b" }]) {
      const answer = await send({ path: "/v1/tasks", headers, size: TEN_MB, isChunked, isPatient: true });
      expect(answer).toMatchObject({ statuses: [401], sentBefore: 0, sent: TEN_MB, error: null });
    }
  });

  test("is not requested from a client that waits for `100 Continue`", async () => {
    const expecting = { expect: "100-continue" };
    const refused = await send({ path: "/v1/tasks", headers: { ...json, ...expecting }, size: 0, isChunked });
    expect(refused).toMatchObject({ statuses: [401], error: null });
    const headers = { ...withKey(), ...expecting };
    const answer = await send({ path: "/v1/tasks", headers, size: TEN_MB, isChunked, isPatient: true });
    expect(answer.statuses.at(-1)).toBe(413);
    // Without a length, its size is not known before it arrives.
    expect(answer.statuses[0]).toBe(isChunked ? 100 : 413);
  });
});

test("ten clients that send 15 MB at once all receive their answer", async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const headers = index % 2 === 0 ? withKey() : withBadKey();
      const body = new Uint8Array(15 * 1024 * 1024);
      const response = await fetchApi(`${system.url}/v1/tasks`, { method: "POST", headers, body });
      return [response.status, ((await response.json()) as { code: string }).code];
    }),
  );
  const expected = (index: number) => (index % 2 === 0 ? [413, "too_large"] : [401, "unauthenticated"]);
  expect(answers).toEqual(answers.map((_, index) => expected(index)));
});

test("a body under an Idempotency-Key is read after the key was checked, and its repeat is answered with the first reply", async () => {
  const body = { input: "x", hold: true, metadata: {}, tools: [] };
  const headers = { "idempotency-key": "once" };
  const first = await caller.send("POST", "/v1/tasks", body, headers);
  const second = await caller.send("POST", "/v1/tasks", body, headers);
  expect([first.status, second.status, second.json.id]).toEqual([201, 201, first.json.id]);
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  const other = await caller.send("POST", "/v1/tasks", { ...body, input: "y" }, headers);
  expect([other.status, other.json.code]).toEqual([422, "invalid_input"]);
  // Each request counts once against the limit of its key, although a repeatable one is asked about twice.
  const left = (answer: typeof first) => Number(/r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);
  expect(left(first) - left(second)).toBe(1);
});
