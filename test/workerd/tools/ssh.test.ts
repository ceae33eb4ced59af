/** `ssh_execute` through the gateway: a person is asked each time, a secret goes to its host only, and nobody reads it. */
import { beforeEach, expect, inject, it } from "vitest";
import type { TaskView } from "../../../core/task/view.ts";
import { type Caller, makeCaller } from "../http/entry.ts";

const CANARY = "canary-password-61";
const asks = ({ status }: TaskView) => status === "waiting_approval";
const ended = ({ status }: TaskView) => status === "completed";

let caller: Caller;
beforeEach(async () => {
  caller = await makeCaller();
});

/** An agent that may run commands on the mock server, whose approval policy is as open as one can be. */
async function makeAgent(more: Record<string, unknown> = {}): Promise<string> {
  const { port, fingerprint } = inject("servers").ssh;
  const made = await caller.send("POST", "/v1/agents", {
    name: "operator",
    instructions: "",
    tools: ["*"],
    permissions: ["exec", "network"],
    allowed_domains: [`127.0.0.1:${port}`],
    approval: { safe: "allow", cautious: "allow", dangerous: "allow" },
    tool_config: { ssh_execute: { known_hosts: { [`127.0.0.1:${port}`]: [fingerprint] } } },
    ...more,
  });
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

/** A task whose model runs one command. */
async function runs(agent: string, given: Record<string, unknown> = {}) {
  const { port } = inject("servers").ssh;
  const shared = { host: "127.0.0.1", port, username: "ana", command: "uptime", password: "right" };
  const calls = [{ name: "ssh_execute", arguments: { ...shared, ...given } }];
  const { id } = await caller.makeTask([{ calls }, { text: "Done." }], { agent });
  const waiting = await caller.until(id, asks);
  const [approval] = waiting.pending as readonly { id: string }[];
  const decide = async (decision: string) =>
    await caller.send("POST", `/v1/tasks/${id}/approvals/${approval?.id}`, { decision });
  const row = async () => (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json.data[0];
  return { id, decide, row };
}

it("waits for a person whatever the agent allows, and then runs once", async () => {
  const { id, decide, row } = await runs(await makeAgent());
  expect(await row()).toMatchObject({ tool: "ssh_execute", state: "intended", attempts: 0 });
  expect((await decide("approve")).status).toBe(200);
  await caller.until(id, ended);
  expect(await row()).toMatchObject({
    state: "confirmed",
    attempts: 1,
    result: { ok: true, result: { exit_code: 0, stdout: "ran uptime\n", stderr: "", truncated: false } },
  });
});

it("takes a password from a secret, which no record of the task contains", async () => {
  const { port } = inject("servers").ssh;
  const hosts = [`127.0.0.1:${port}`];
  await caller.send("POST", "/v1/secrets", { name: "DEPLOY", value: CANARY, hosts });
  const { id, decide, row } = await runs(await makeAgent(), {
    password: undefined,
    credential_id: "DEPLOY",
    command: `echo ${CANARY.slice(0, 3)}`,
  });
  await decide("approve");
  await caller.until(id, ended);
  expect(await row()).toMatchObject({ state: "failed", result: { error: { code: "permission_denied" } } });
  for (const what of ["", "/ledger", "/log", "/messages"])
    expect((await caller.send("GET", `/v1/tasks/${id}${what}`)).text).not.toContain(CANARY);
});

it("reports the key of an unknown host, and runs nothing", async () => {
  const { decide, row, id } = await runs(await makeAgent({ tool_config: {} }));
  await decide("approve");
  await caller.until(id, ended);
  const { fingerprint } = inject("servers").ssh;
  expect(await row()).toMatchObject({
    state: "failed",
    result: { error: { code: "blocked_by_policy", message: expect.stringContaining(fingerprint) } },
  });
});

it("is refused to an agent without the permission, before any approval is requested", async () => {
  const agent = await makeAgent({ permissions: ["network"] });
  const calls = [
    { name: "ssh_execute", arguments: { host: "a.example.com", command: "id", username: "ana", password: "x" } },
  ];
  const { id } = await caller.makeTask([{ calls }, { text: "Done." }], { agent });
  await caller.until(id, ended);
  const [row] = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json.data;
  expect(row).toMatchObject({ tool: "ssh_execute", state: "refused", attempts: 0 });
});

it.each([
  [{ known_hosts: { "a.example.com": ["aa:bb:cc"] } }, "tool_config.ssh_execute.known_hosts"],
  [{ hosts: {} }, "tool_config.ssh_execute.hosts"],
])("is not configured by %j", async (ssh_execute, field) => {
  const made = await caller.send("POST", "/v1/agents", {
    name: "operator",
    instructions: "",
    tools: ["*"],
    permissions: ["exec", "network"],
    tool_config: { ssh_execute },
  });
  expect(made.status).toBe(422);
  expect(made.text).toContain(field);
});
