/**
 * The sidecar is killed in the middle of each kind of its work: the task goes on as the effect class of its call says, and the
 * sidecar is started again.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
import type { ScriptedReply } from "../stand-ins/model-server.ts";
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
    permissions: ["read", "write", "exec", "network"],
    tool_config: { shell: { allow_shell: true } },
    allowed_domains: ["*"],
    approval: { dangerous: "allow" },
    idempotent_hosts: [keyed.host],
  };
  const made = await caller.send("POST", "/v1/agents", config);
  if (made.status !== 201) throw new Error(`no agent: ${made.text}`);
  agent = made.json.id;
});

afterAll(async () => {
  await whole?.stop();
  await Promise.all([keyed?.close(), unkeyed?.close()]);
});

beforeEach(async () => {
  onEffect = null;
  await untilUp();
});

/** Waits until a sidecar answers that is another one than that process. */
async function untilUp(dead: number | null = null): Promise<void> {
  const { system } = whole;
  await until(
    () => ![dead, null].includes(system.pidOf("sidecar")),
    30_000,
    () => `the sidecar is not started again:\n${system.output()}`,
  );
  // The Worker's own word is good for a second.
  const isUp = async () => (await caller.send("GET", "/health")).json.sidecar === "ok";
  await until(isUp, 30_000, () => `the sidecar is not there:\n${system.output()}`);
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

/** The folders of the sidecar's jobs under way. */
function jobFolders(): string[] {
  try {
    return readdirSync(join(whole.system.stateFolder, "sidecar/jobs"));
  } catch {
    return [];
  }
}

/** Counts the jobs from now on. One that ends at once may be missed. */
function watchJobs(): Disposable & { readonly seen: () => number } {
  const names = new Set<string>();
  const timer = setInterval(() => jobFolders().forEach((name) => names.add(name)), 2);
  return { seen: () => names.size, [Symbol.dispose]: () => clearInterval(timer) };
}

/** Kills the sidecar while it has a job before it and `isUnderWay` holds. */
async function killDuringJob(isUnderWay: () => boolean = () => true): Promise<number> {
  await until(
    () => jobFolders().length > 0 && isUnderWay(),
    20_000,
    () => `no job began:\n${whole.system.output()}`,
    1,
  );
  return await killSidecar();
}

/** Processes of this machine that have these words in their command. */
function processesWith(words: string): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").includes(words);
    } catch {
      return false;
    }
  });
}

/** A task that makes calls, one a step, and ends; gives the calls' rows in the ledger. */
async function runCalls(...calls: readonly ScriptedReply[]): Promise<readonly Row[]> {
  const input = scriptedInput(...calls, { text: "Done." });
  const made = await caller.send("POST", "/v1/tasks", { input, agent });
  expect(made.status, made.text).toBe(201);
  const { id } = made.json;
  const task = await untilTask(caller, id, ({ status }) => ["completed", "failed", "cancelled"].includes(status));
  expect(task, whole.system.output()).toMatchObject({ status: "completed", output: { text: "Done." } });
  const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json as { data: Row[] };
  expect(data).toHaveLength(calls.length);
  return data;
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
    const [row] = await runCalls(calling("http_request", { url: recorder.url + path, method }));
    const seen = recorder.requests.filter((request: RecordedRequest) => request.path === path);
    expect([row?.state, seen.length], JSON.stringify(row)).toEqual([state, times]);
    expect(new Set(seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    await untilUp(killed);
  });
});

describe("killed during a job,", () => {
  const content = `# Much\n\n${"A paragraph with *some* words.\n\n".repeat(1_000)}`;
  test.each([
    ["read", calling("read_document", { filename: "much.html" }), ["confirmed", "failed"]],
    ["made", calling("create_docx", { filename: "much.docx", content }), ["confirmed", "failed", "unknown"]],
  ] as const)("a document is %s again, at the latest when it is asked for again", async (_done, call, first) => {
    using jobs = watchJobs();
    const [rows, killed] = await Promise.all([
      // A machine with much to do may not have the next sidecar up before the first call gives up.
      runCalls(calling("fs.write", { path: "much.html", content }), call, { ...call, delayMs: 6_000 }),
      killDuringJob(),
    ]);
    expect(first).toContain(rows[1]?.state);
    expect(rows[2]).toMatchObject({ state: "confirmed", result: { ok: true } });
    expect(jobs.seen()).toBeGreaterThanOrEqual(2);
    await untilUp(killed);
    expect(jobFolders()).toEqual([]);
  });

  test("a command is unknown, not run again, and nothing of it stays", async () => {
    const running = () => processesWith("sleep 86409").length > 0;
    const [[row], killed] = await Promise.all([
      runCalls(calling("run_command", { command: "sleep 86409" })),
      killDuringJob(running),
    ]);
    expect(row?.state, JSON.stringify(row)).toBe("unknown");
    await untilUp(killed);
    await until(
      () => !running() && jobFolders().length === 0,
      10_000,
      () => `there are still ${processesWith("sleep 86409").join()} and ${jobFolders().join()}`,
    );
  });
});
