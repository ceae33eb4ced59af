/**
 * The sidecar is killed in the middle of each kind of its work: the task continues as the effect class of its call says, the
 * sidecar is started again and takes the next work of that kind, and nothing of the killed one is left.
 */
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { kill, until } from "../drill/started-system.ts";
import {
  type DeadSidecar,
  jobFolders,
  killSidecar,
  makeTemporary,
  running,
  type SidecarTarget,
  untilNothingIsLeft,
  untilUp,
} from "../setup/killed-sidecar.ts";
import { calling, scriptedInput, startTestSystem, untilTask, type TestSystem } from "../setup/start-system.ts";
import { makeZip } from "../mock-servers/make-zip.ts";
import type { ScriptedReply } from "../mock-servers/model-server.ts";
import { type RecordedRequest, type Recorder, startRecorder } from "../mock-servers/recorder.ts";
import { type SshMockServer, startSshServer } from "../mock-servers/ssh-server.ts";
import { startStdioServer, type StdioMockServer } from "../mock-servers/stdio-server.ts";

/** A row of a task's ledger, as far as it is asked here. */
interface Row {
  readonly tool: string;
  readonly state: string;
  readonly result?: { readonly ok: boolean; readonly result?: unknown };
}

/** Where the processes of MCP servers see the folder of their mock server. */
const SHARED = "/opt/shared";

let folder: string;
let keyed: Recorder;
let unkeyed: Recorder;
let ssh: SshMockServer;
let stdioServer: StdioMockServer;
let otto: TestSystem;
let place: SidecarTarget;
let agent: string;
/** The calls of the MCP server's tools, by their arguments. */
const stdioCalls: unknown[] = [];
/** Done once, when the next effect has happened outside and before it is answered. */
let onEffect: (() => Promise<void>) | null = null;

const afterEffect = async (): Promise<void> => {
  const once = onEffect;
  onEffect = null;
  await once?.();
};

beforeAll(async () => {
  folder = makeTemporary();
  copyFileSync(new URL("../mock-servers/stdio-relay.mjs", import.meta.url), join(folder, "stdio-relay.mjs"));
  [keyed, unkeyed, ssh, stdioServer] = await Promise.all([
    startRecorder({ afterEffect }),
    startRecorder({ afterEffect }),
    startSshServer({
      run: (_command, channel) =>
        void afterEffect().then(() => {
          channel.exit(0);
          channel.end();
        }),
    }),
    startStdioServer(folder, SHARED, {
      isModern: false,
      tools: [
        { name: "act", inputSchema: { type: "object" } },
        { name: "look", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
        { name: "put", inputSchema: { type: "object" }, annotations: { idempotentHint: true } },
      ],
      answer: async (params) => {
        stdioCalls.push(params["arguments"]);
        await afterEffect();
        return { content: [{ type: "text", text: "so it is" }] };
      },
    }),
  ]);
  otto = await startTestSystem({
    OTTO_EGRESS_ALLOW: [keyed.host, unkeyed.host, `127.0.0.1:${ssh.port}`].join(),
    SIDECAR_MCP_PATHS: `${folder}=${SHARED}`,
    TMPDIR: folder,
  });
  const caller = await otto.makeTenant("deaths");
  place = { system: otto.system, folder, caller };
  agent = await madeWith("/v1/agents", agentConfig());
  await madeWith("/v1/mcp-servers", { name: "desk", command: "node", args: stdioServer.args, trusted: true });
  await madeWith("/v1/skills", await makeZip(skillFiles()), { "content-type": "application/zip" });
});

afterAll(async () => {
  await otto?.stop();
  await Promise.all([keyed?.close(), unkeyed?.close(), ssh?.close(), stdioServer?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  onEffect = null;
  await untilUp(place);
});

function agentConfig() {
  const sshAddress = `127.0.0.1:${ssh.port}`;
  return {
    name: "worker",
    instructions: "Do what is said.",
    tools: ["*"],
    permissions: ["read", "write", "exec", "network"],
    tool_config: { shell: { allow_shell: true }, ssh_execute: { known_hosts: { [sshAddress]: [ssh.fingerprint] } } },
    allowed_domains: ["*", sshAddress],
    approval: { dangerous: "allow", critical: "allow" },
    idempotent_hosts: [keyed.host],
  };
}

/** A skill with two scripts that sleep for as long as they are told, one of which only reads. */
function skillFiles() {
  const script = '#!/bin/sh\nsleep "$1"\necho awake\n';
  const head = [
    "name: sleeper",
    "description: Sleeps. Use when sleep is wanted.",
    "scripts:",
    "  - name: act.sh",
    "  - name: look.sh",
    "    read_only: true",
  ];
  return [
    { path: "sleeper/SKILL.md", bytes: `---\n${head.join("\n")}\n---\n\nSleep well.\n` },
    { path: "sleeper/scripts/act.sh", bytes: script },
    { path: "sleeper/scripts/look.sh", bytes: script },
  ];
}

/** Makes something by the API and gives its id. */
async function madeWith(path: string, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const made = await place.caller.send("POST", path, body, headers);
  if (made.status !== 201) throw new Error(`${path} made nothing: ${made.text}`);
  return made.json.id;
}

/** A task that makes calls, one a step, and ends; gives the calls' rows in the ledger. */
async function runCalls(calls: readonly ScriptedReply[]): Promise<readonly Row[]> {
  const { caller, system } = place;
  const id = await madeWith("/v1/tasks", { input: scriptedInput(...calls, { text: "Done." }), agent });
  const task = await untilTask(caller, id, ({ status }) => ["completed", "failed", "cancelled"].includes(status));
  expect(task, system.output()).toMatchObject({ status: "completed", output: { text: "Done." } });
  const { data } = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json as { data: Row[] };
  expect(data).toHaveLength(calls.length);
  return data;
}

interface Dying {
  /** Calls before. */
  readonly before?: readonly ScriptedReply[];
  /** The call in whose middle it dies. */
  readonly call: ScriptedReply;
  /** A call of the same kind afterwards. */
  readonly next: ScriptedReply;
  /** Kills it in that middle. */
  readonly killing: () => Promise<DeadSidecar>;
}

/** Gives the row of the call in whose middle the sidecar died. The next one works, and nothing is left of the killed one. */
async function rowAcrossDeath({ before = [], call, next, killing }: Dying): Promise<Row | undefined> {
  const [dead, rows] = await Promise.all([killing(), runCalls([...before, call, next])]);
  expect(rows.at(-1), JSON.stringify(rows)).toMatchObject({ state: "confirmed", result: { ok: true } });
  await untilUp(place, dead);
  await untilNothingIsLeft(place, dead);
  return rows.at(-2);
}

/** Kills it when the next effect has happened outside. */
async function killAfterEffect(): Promise<DeadSidecar> {
  return await new Promise((resolve, reject) => {
    onEffect = async () => await killSidecar(place).then(resolve, reject);
  });
}

/** Kills it while a program runs in it. `again`: the program is run again, and then ended from here. */
async function killDuring(command: string, again: boolean): Promise<DeadSidecar> {
  const first = await untilRunning(command, []);
  const dead = await killSidecar(place);
  if (again) for (const pid of await untilRunning(command, first)) kill(pid, "SIGTERM");
  return dead;
}

async function untilRunning(command: string, but: readonly number[]): Promise<readonly number[]> {
  const found = () => running(command).filter((pid) => !but.includes(pid));
  const silence = () => `${command} does not run:\n${place.system.output()}`;
  await until(() => found().length > 0, 30_000, silence, 5);
  return found();
}

/** Kills it while it has a job before it. */
async function killDuringJob(): Promise<DeadSidecar> {
  const hasJob = () => jobFolders(place.system).length > 0;
  await until(hasJob, 60_000, () => `no job began:\n${place.system.output()}`, 1);
  return await killSidecar(place);
}

/** Counts the jobs from now on. One that ends at once may be missed. */
function watchJobs(): Disposable & { readonly seen: () => number } {
  const names = new Set<string>();
  const timer = setInterval(() => jobFolders(place.system).forEach((name) => names.add(name)), 2);
  return { seen: () => names.size, [Symbol.dispose]: () => clearInterval(timer) };
}

describe("killed when a request that it makes has had its effect,", () => {
  test.each([
    ["a GET is made again", "GET", () => unkeyed, "confirmed", 2],
    ["a POST to a host that knows its key is made again, with that key", "POST", () => keyed, "confirmed", 2],
    ["a POST to any other host is unknown, and not made again", "POST", () => unkeyed, "unknown", 1],
  ] as const)("%s", async (name, method, recorderOf, state, times) => {
    const recorder = recorderOf();
    const path = `/${encodeURIComponent(name)}`;
    const request = (to: string) => calling("http_request", { url: recorder.url + to, method });
    const row = await rowAcrossDeath({ call: request(path), next: request(`${path}/next`), killing: killAfterEffect });
    const seen = recorder.requests.filter((one: RecordedRequest) => one.path === path);
    expect([row?.state, seen.length], JSON.stringify(row)).toEqual([state, times]);
    expect(new Set(seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  test("a command over SSH is unknown, and not run again", async () => {
    const run = (command: string) =>
      calling("ssh_execute", { host: "127.0.0.1", port: ssh.port, username: "ana", password: "right", command });
    const row = await rowAcrossDeath({ call: run("act"), next: run("next"), killing: killAfterEffect });
    expect(row?.state, JSON.stringify(row)).toBe("unknown");
    expect(ssh.commands).toEqual(["act", "next"]);
  });

  test.each([
    ["of which nothing is known is unknown, and not called again", "act", "unknown", 1],
    ["that only reads is called again", "look", "confirmed", 2],
    ["that may be repeated is called again", "put", "confirmed", 2],
  ] as const)("a tool of an MCP server that is a process %s", async (_name, tool, state, times) => {
    const call = (word: string) => calling(`desk_${tool}`, { word: `${tool} ${word}` });
    const row = await rowAcrossDeath({ call: call("first"), next: call("next"), killing: killAfterEffect });
    expect(row?.state, JSON.stringify(row)).toBe(state);
    const seen = stdioCalls.filter((given) => JSON.stringify(given).includes(tool));
    expect(seen).toEqual([...Array(times).fill({ word: `${tool} first` }), { word: `${tool} next` }]);
  });
});

test("killed when a webhook has arrived, it is sent again under its id, and the receiver loses no try", async () => {
  const { caller } = place;
  const id = await madeWith("/v1/webhooks", { url: `${keyed.url}/webhook`, events: ["*"] });
  const killing = killAfterEffect();
  expect((await caller.send("POST", `/v1/webhooks/${id}/test`, {})).status).toBe(202);
  const dead = await killing;
  await untilUp(place, dead);
  const find = async () => (await caller.send("GET", `/v1/webhooks/${id}/deliveries`)).json.data[0];
  let delivery = await find();
  await until(
    async () => (delivery = await find())?.state === "sent",
    30_000,
    () => `the webhook is not sent: ${JSON.stringify(delivery)}`,
  );
  const { json } = await caller.send("GET", `/v1/deliveries/${delivery.id}`);
  expect(json.tries.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["cut_off", "sent"]);
  expect(keyed.requests.filter(({ path }) => path === "/webhook")).toHaveLength(2);
});

describe("killed during a job,", () => {
  const content = `# Much\n\n${"A paragraph with *some* words.\n\n".repeat(100)}`;
  test.each([
    ["read", calling("read_document", { filename: "much.html" })],
    ["made", calling("create_docx", { filename: "much.docx", content })],
  ] as const)("a document is %s again", async (_done, call) => {
    using jobs = watchJobs();
    const before = [calling("fs.write", { path: "much.html", content })];
    const row = await rowAcrossDeath({ before, call, next: call, killing: killDuringJob });
    expect(row, JSON.stringify(row)).toMatchObject({ state: "confirmed", result: { ok: true } });
    expect(jobs.seen()).toBeGreaterThanOrEqual(2);
  });

  test("a command is unknown, and not run again", async () => {
    const row = await rowAcrossDeath({
      call: calling("run_command", { command: "sleep 86409" }),
      next: calling("run_command", { command: "sleep 0" }),
      killing: () => killDuring("sleep 86409", false),
    });
    expect([row?.state, running("sleep 86409")], JSON.stringify(row)).toEqual(["unknown", []]);
  });

  test.each([
    ["is unknown, and not run again", "act.sh", "sleep 86410", false],
    ["that only reads is run again", "look.sh", "sleep 86411", true],
  ] as const)("a script of a skill %s", async (_name, script_name, command, again) => {
    const run = (seconds: string) =>
      calling("run_skill_script", { skill_name: "sleeper", script_name, args: [seconds] });
    const row = await rowAcrossDeath({
      before: [calling("load_skill", { name: "sleeper" })],
      call: run(command.replace("sleep ", "")),
      next: run("0"),
      killing: () => killDuring(command, again),
    });
    const done = { state: "confirmed", result: { ok: true, result: { success: true, stdout: "awake\n" } } };
    expect(row).toMatchObject(again ? done : { state: "unknown" });
    expect(running(command)).toEqual([]);
  });

  test("tests are run again", async () => {
    const row = await rowAcrossDeath({
      before: [
        calling("fs.write", { path: "package.json", content: '{"devDependencies":{"vitest":"5"}}' }),
        calling("fs.write", { path: "node_modules/vitest/vitest.mjs", content: TEST_RUNNER }),
      ],
      call: calling("test.run", { env: { SECONDS: "86412" } }),
      next: calling("test.run", { env: { SECONDS: "0" } }),
      killing: () => killDuring("sleep 86412", true),
    });
    expect(row).toMatchObject({ state: "confirmed", result: { ok: true, result: { passed: 1, failed: 0 } } });
    expect(running("sleep 86412")).toEqual([]);
  });
});

/** A test runner as a project brings it. */
const TEST_RUNNER = `
  import { spawnSync } from "node:child_process";
  import { writeFileSync } from "node:fs";
  spawnSync("sleep", [process.env.SECONDS]);
  const report = process.argv.find((one) => one.startsWith("--outputFile=")).slice("--outputFile=".length);
  const assertionResults = [{ fullName: "sleeps", status: "passed", failureMessages: [] }];
  const testResults = [{ name: process.cwd() + "/a.test.js", status: "passed", assertionResults }];
  writeFileSync(report, JSON.stringify({ numPassedTests: 1, numFailedTests: 0, numPendingTests: 0, testResults }));
`;
