/** Overrides of actions in running tasks: what an administrator takes back reaches the next call. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { appCatalogueFromEnv } from "../../../adapters/env/app-catalogue.ts";
import { forgetAppRightsFromEnv, workspaceAppsFromEnv } from "../../../adapters/env/app-rights.ts";
import { ok } from "../../../core/base/errors.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { followCatalogue } from "../../../workers/sweep/apps.ts";
import { type GivenApp, makeSnapshot } from "../../fakes/catalogue-snapshot.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { waitIdOf } from "../tasks/client.ts";
import { readCalls } from "./app-tasks.ts";

const GET = { action: "MAIL_GET_PROFILE", effect: "probe", security: "dangerous", schemaHash: "get 1" } as const;
const CALL = { name: "composio_mail_get_profile", arguments: {} };
const READS = { effect: "none", security: "cautious" } as const;

const completed = ({ status }: TaskView) => status === "completed";
const waits = (kind: string) => (view: TaskView) => view.pending.some((entry) => entry.kind === kind);

let caller: Caller;
let agent: string;

/** Publishes another version of the catalogue, whose app needs no account. */
function serve(actions: GivenApp["actions"], version: string): void {
  const snapshot = makeSnapshot([{ app: "mail", title: "Mail", isOpen: true, actions: actions ?? [] }]);
  vi.spyOn(appCatalogueFromEnv(env), "snapshot").mockResolvedValue(ok({ ...snapshot, hash: version }));
}

const override = async (overrides: object) => {
  const reply = await caller.send("PUT", "/api/tools/mail/overrides", { overrides });
  expect(reply.status, reply.text).toBe(200);
};

/** Begins a task that waits for an answer before it calls the action. */
async function begin(calls: readonly object[] = [CALL]): Promise<{ readonly id: string; go(): Promise<void> }> {
  const wait = { name: "ask_human", arguments: { query: "Go?" } };
  const replies = [...[wait, ...calls].map((call) => ({ calls: [call] })), { text: "Done." }];
  const made = await caller.send("POST", "/v1/tasks", { agent, input: `Read it.\n${JSON.stringify({ replies })}` });
  expect(made.status, made.text).toBe(201);
  const { id } = made.json;
  const view = await caller.until(id, waits("question"));
  return {
    id,
    go: async () => {
      await caller.send("POST", `/v1/tasks/${id}/questions/${waitIdOf(view)}/answer`, { text: "Go." });
    },
  };
}

beforeEach(async () => {
  caller = await makeCaller();
  serve([GET], "v1");
  await caller.send("POST", "/api/tools/add-to-workspace", { app_name: "mail" });
  const config = { approval: { cautious: "allow", dangerous: "ask" }, capability_gate: "off" };
  const body = { name: "clerk", instructions: "Work.", tools: ["*"], permissions: ["read", "write", "network"] };
  const made = await caller.send("POST", "/v1/agents", { ...body, ...config });
  agent = made.json.id;
});

describe("an override that loosens", () => {
  test("counts in a running task while it is set", async () => {
    await override({ MAIL_GET_PROFILE: READS });
    const task = await begin();
    await task.go();
    await caller.until(task.id, completed);
    expect((await readCalls(caller, task))[1]).toMatchObject({ tool: "composio_MAIL_GET_PROFILE", state: "failed" });
  });

  test("is taken back from a running task: its next call asks", async () => {
    await override({ MAIL_GET_PROFILE: READS });
    const task = await begin();
    await override({});
    await task.go();
    const view = await caller.until(task.id, waits("approval"));
    expect(view.pending[0]).toMatchObject({ reason: expect.stringContaining("is dangerous") });
    await caller.send("POST", `/v1/tasks/${task.id}/approvals/${waitIdOf(view)}`, { decision: "approve" });
    await caller.until(task.id, completed);
    // The approved call is made, and there is no provider to make it.
    const [, made] = await readCalls(caller, task);
    expect(made).toMatchObject({ state: "failed" });
    expect(made?.code).not.toBe("blocked_by_policy");
  });

  test("is taken back by a change of the action that it was confirmed for", async () => {
    // The catalogue of this test is no table: which overrides count is what the table of actions would say.
    const table = workspaceAppsFromEnv(env);
    const real = table.rights.bind(table);
    let counts = new Map([[GET.action, READS]]);
    vi.spyOn(table, "rights").mockImplementation(async (tenant, of) => {
      const read = await real(tenant, of);
      return read.ok ? ok({ ...read.value, overrides: counts }) : read;
    });
    await override({ MAIL_GET_PROFILE: { ...READS, schema_hash: "get 1" } });
    const [first, second] = [await begin(), await begin()];
    await first.go();
    await caller.until(first.id, completed);
    expect((await readCalls(caller, first))[1]).toMatchObject({ state: "failed" });
    serve([{ ...GET, schemaHash: "get 2" }], "v2");
    counts = new Map();
    forgetAppRightsFromEnv(env, caller.tenant);
    await second.go();
    expect((await caller.until(second.id, waits("approval"))).pending).toHaveLength(1);
    // A task that begins now pins the class of the catalogue, before anybody approves the change.
    await followCatalogue(env);
    const later = await begin();
    await later.go();
    expect((await caller.until(later.id, waits("approval"))).pending).toHaveLength(1);
  });
});

test("an override that tightens reaches a running task", async () => {
  const task = await begin();
  await override({ MAIL_GET_PROFILE: { security: "critical" } });
  await task.go();
  const view = await caller.until(task.id, waits("approval"));
  expect(view.pending[0]).toMatchObject({ reason: expect.stringContaining("It cannot be undone.") });
});
