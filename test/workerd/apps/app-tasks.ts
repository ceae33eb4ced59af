/** An office with the app `crm`: its actions are published, and people have accounts of it or do not. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { forgetAppRightsFromEnv, workspaceAppsFromEnv } from "../../../adapters/env/app-rights.ts";
import { forgetConnectionsFromEnv } from "../../../adapters/env/connections.ts";
import { toolSourcesFromEnv } from "../../../adapters/env/tool-sources.ts";
import type { AppAssignment } from "../../../core/apps/workspace/access.ts";
import type { AgentConfig } from "../../../core/agents/agent.ts";
import type { LedgerRow } from "../../../core/task/decision.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { type OutsideTool, type PinnedSource, toAppSource } from "../../../core/tool/source.ts";
import { act } from "../../contracts/database/rows.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { addApp, connect } from "../connections/app-of-tests.ts";
import { type Caller, callerOf, makeCaller } from "../http/entry.ts";
import { ledgerOf, taskOf } from "../tasks/client.ts";

export const APP = "crm";

/** An action of the app as a tool. Its security alone would let every call run. */
export function crmTool(
  action: string,
  origin: { readonly capabilities: readonly string[]; readonly isDestructive?: boolean },
  change: Partial<OutsideTool> = {},
): OutsideTool {
  const { capabilities, isDestructive = false } = origin;
  return {
    name: `composio_${action}`,
    summary: `${action.replaceAll("_", " ").toLowerCase()}.`,
    toolbox: toAppSource(APP),
    category: "api",
    permissions: ["network"],
    security: "cautious",
    effect: "once",
    timeoutMs: 5_000,
    input: { type: "object", properties: { title: { type: "string" }, query: { type: "string" } } },
    output: null,
    origin: { kind: "app", provider: "composio", app: APP, action, version: "1", capabilities, isDestructive },
    app: { app: APP, provider: "composio", owner: "either", scopes: [] },
    ...change,
  };
}

export const ACTIONS: readonly OutsideTool[] = [
  crmTool("CRM_LIST_ISSUES", { capabilities: ["issue.list"] }, { effect: "none" }),
  crmTool("CRM_CREATE_ISSUE", { capabilities: ["issue.create"] }),
  crmTool("CRM_DELETE_ISSUE", { capabilities: ["issue.delete"], isDestructive: true }),
];

/** A tenant that added the app, and a person of it with a key. */
export interface AppOffice extends Caller {
  readonly admin: Caller;
  readonly person: string;
  connectPerson(): Promise<void>;
  assign(
    agent: string,
    assignments: readonly AppAssignment[],
    permissions?: ReadonlyMap<string, boolean>,
  ): Promise<void>;
  createAgent(config?: Partial<AgentConfig>): Promise<string>;
  /** Creates a task for the person whose model makes these calls, each in a step of its own. */
  ask(words: string, calls: readonly object[], more?: object): Promise<TaskView>;
}

export async function openAppOffice(tools: readonly OutsideTool[] = ACTIONS): Promise<AppOffice> {
  const admin = await makeCaller();
  const { tenant } = admin;
  await addApp(tenant);
  await addAppToWorkspace(tenant, APP, tools);
  const person: string = (await admin.send("POST", "/v1/people", { name: "Ana" })).json.id;
  const key = await admin.send("POST", "/v1/keys", {
    name: "Ana",
    scopes: ["tasks:read", "tasks:write", "tools:call", "admin"],
    person,
  });
  const caller = callerOf(tenant, key.json.key);
  return {
    ...caller,
    admin,
    person,
    async connectPerson() {
      await connect(tenant, person, { label: "ana@acme.example" });
      forgetConnectionsFromEnv(env, tenant);
    },
    async assign(agent, assignments, permissions = new Map()) {
      const settings = { assignments, permissions };
      valueOf(await workspaceAppsFromEnv(env).setAgent(tenant, agent, settings, act("agent.set_apps", agent)));
      forgetAppRightsFromEnv(env, tenant);
    },
    async createAgent(config = {}) {
      const body = { name: "clerk", instructions: "Work.", tools: ["*"], permissions: ["read", "write", "network"] };
      const made = await admin.send("POST", "/v1/agents", { ...body, ...config });
      expect(made.status, made.text).toBe(201);
      return made.json.id;
    },
    async ask(words, calls, more = {}) {
      const replies = [...calls.map((call) => ({ calls: [call] })), { text: "Done." }];
      const body = { input: `${words}\n${JSON.stringify({ replies })}`, ...more };
      const made = await caller.send("POST", "/v1/tasks", body);
      expect(made.status, made.text).toBe(201);
      return made.json;
    },
  };
}

/** Publishes actions of an app, and enables all of them. */
export async function addAppToWorkspace(
  tenant: string,
  app: string,
  tools: readonly OutsideTool[],
): Promise<PinnedSource> {
  const { name, hash } = valueOf(
    await toolSourcesFromEnv(env).publish(tenant, { name: toAppSource(app), tools }, null),
  );
  const actions = tools.flatMap(({ origin }) => (origin.kind === "app" ? [origin.action] : []));
  const after = { enabledActions: [...new Set(actions)], overrides: {}, approved: {} };
  valueOf(await workspaceAppsFromEnv(env).put(tenant, { app, before: null, after }, act("app.add", app)));
  forgetAppRightsFromEnv(env, tenant);
  return { name, hash: hash ?? "" };
}

/** The calls of a task as the ledger has them, with the code and the details of each failure. */
export async function readCalls(office: Caller, task: Pick<TaskView, "id">) {
  return (await ledgerOf({ tenant: office.tenant, id: task.id })).map(toCall);
}

function toCall({ tool, state, result, arguments: given }: LedgerRow) {
  const error = result !== null && result !== undefined && !result.ok ? result.error : null;
  return { tool, state, given, code: error?.code ?? null, message: error?.message ?? "", details: error?.details };
}

/** The facts that a task was created with. */
export async function factsOf({ tenant }: AppOffice, { id }: TaskView): Promise<TaskFacts> {
  const facts = await taskOf({ tenant, id }).facts();
  if (!facts.ok) throw new Error(facts.error.message);
  return facts.value;
}
