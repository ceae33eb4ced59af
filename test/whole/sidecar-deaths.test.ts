/**
 * The sidecar is killed in the middle of each kind of its work: the task goes on as the effect class of its call says, and the
 * sidecar is started again.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { kill, until } from "../drill/started-system.ts";
import {
  calling,
  scriptedInput,
  startWholeSystem,
  untilTask,
  type Caller,
  type WholeSystem,
} from "../setup/start-system.ts";
import { type RecordedRequest, type Recorder, startRecorder } from "../stand-ins/recorder.ts";

/** A row of a task's ledger, as far as it is asked here. */
interface Row {
  readonly tool: string;
  readonly state: string;
  readonly result?: { readonly ok: boolean };
}

let keyed: Recorder;
let unkeyed: Recorder;
let whole: WholeSystem;
let caller: Caller;
let agent: string;
/** Done once, when the next request has had its effect and before it is answered. */
let onEffect: (() => Promise<void>) | null = null;

const afterEffect = async (): Promise<void> => {
  const once = onEffect;
  onEffect = null;
  await once?.();
};

beforeAll(async () => {
  [keyed, unkeyed] = await Promise.all([startRecorder({ afterEffect }), startRecorder({ afterEffect })]);
  whole = await startWholeSystem({ OTTO_EGRESS_ALLOW: `${keyed.host},${unkeyed.host}` });
  caller = await whole.makeTenant("deaths");
  const config = {
    name: "worker",
    instructions: "Do what is said.",
    tools: ["*"],
    permissions: ["read", "write", "network"],
    allowed_domains: ["*"],
    approval: { dangerous: "allow" },
    idempotent_hosts: [keyed.host],
  };
  agent = (await caller.send("POST", "/v1/agents", config)).json.id;
});

afterAll(async () => {
  await whole?.stop();
  await Promise.all([keyed?.close(), unkeyed?.close()]);
});

beforeEach(async () => {
  onEffect = null;
  await untilUp();
});

async function untilUp(): Promise<void> {
  const isUp = async () => (await caller.send("GET", "/health")).json.sidecar === "ok";
  await until(isUp, 30_000, () => `the sidecar is not there:\n${whole.system.output()}`);
}

/** Kills the sidecar, and waits until it is dead. Gives its process id. */
async function killSidecar(): Promise<number> {
  const pid = whole.system.pidOf("sidecar");
  if (pid === null || !kill(pid)) throw new Error("there was no sidecar to kill");
  await until(
    () => whole.system.pidOf("sidecar") !== pid,
    10_000,
    () => "the sidecar does not die",
    1,
  );
  return pid;
}

/** A task that makes one call and ends; gives the call's row in the ledger. */
async function runCall(tool: string, given: unknown): Promise<Row> {
  const input = scriptedInput(calling(tool, given), { text: "Done." });
  const { id } = (await caller.send("POST", "/v1/tasks", { input, agent })).json;
  const task = await untilTask(caller, id, ({ status }) => ["completed", "failed", "cancelled"].includes(status));
  expect(task, whole.system.output()).toMatchObject({ status: "completed", output: { text: "Done." } });
  const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json as { data: Row[] };
  expect(data).toHaveLength(1);
  return data[0] as Row;
}

describe("killed while it makes a request that has had its effect,", () => {
  test.each([
    ["a GET is made again", "GET", () => unkeyed, "confirmed", 2],
    ["a POST to a host that knows its key is made again, with that key", "POST", () => keyed, "confirmed", 2],
    ["a POST to any other host is unknown, and not made again", "POST", () => unkeyed, "unknown", 1],
  ] as const)("%s", async (name, method, recorderOf, state, times) => {
    const recorder = recorderOf();
    let killed = 0;
    onEffect = async () => {
      killed = await killSidecar();
    };
    const path = `/${encodeURIComponent(name)}`;
    const row = await runCall("http_request", { url: recorder.url + path, method });
    const seen = recorder.requests.filter((request: RecordedRequest) => request.path === path);
    expect([row.state, seen.length], JSON.stringify(row)).toEqual([state, times]);
    expect(new Set(seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    await untilUp();
    expect(whole.system.pidOf("sidecar")).not.toBe(killed);
  });
});
