/**
 * The surroundings of a tenant that is attacked by text: the started system with a model that obeys every text, the
 * attacker's host, the tenant's own services, a web with pages and a search engine. All of them write down what arrives.
 */
import { createHmac } from "node:crypto";
import { expect, vi } from "vitest";
import { hasEnded } from "../../core/task/status.ts";
import type { PendingView, TaskView } from "../../core/task/view.ts";
import { type Caller, untilTask, startTestSystem, type TestSystem } from "../setup/start-system.ts";
import { startMcpServer, type McpMockServer } from "../mock-servers/mcp-server.ts";
import type { ScriptedReply } from "../mock-servers/model-server.ts";
import { type Recorder, startRecorder } from "../mock-servers/recorder.ts";
import { fetchApi } from "../setup/fetch-api.ts";
import { followTaskScript } from "../mock-servers/model-script.ts";

export const SOON = { timeout: 40_000, interval: 100 };
const HOOKS = "/v1/incoming-webhooks";

export interface HostileWorld {
  readonly system: TestSystem;
  /** The attacker's host. */
  readonly evil: Recorder;
  /** The host of the tenant's own HTTP and OpenAPI tools. */
  readonly own: Recorder;
  /** Pages that somebody may name, and the search engine, whose path is `/search`. */
  readonly web: Recorder;
  /** The tenants' MCP servers: each has a path of its own. */
  readonly mcp: McpMockServer;
  /** Puts a text on the web; gives its address. */
  publish(text: string): string;
  /** What the search engine finds for every query that has this word. */
  index(
    word: string,
    pages: readonly { readonly title: string; readonly url: string; readonly content: string }[],
  ): void;
  /** Everything that arrived anywhere outside, as one text. */
  arrived(): string;
  stop(): Promise<void>;
}

/** Starts everything. */
export async function openHostileWorld(): Promise<HostileWorld> {
  const pages = new Map<string, string>();
  const found = new Map<string, readonly object[]>();
  const web = await startRecorder({
    reply({ path }) {
      const { pathname, searchParams } = new URL(path, "http://web");
      const word = [...found.keys()].find((one) => searchParams.get("q")?.includes(one) === true);
      if (pathname === "/search")
        return { status: 200, body: JSON.stringify({ results: found.get(word ?? "") ?? [] }) };
      const page = pages.get(pathname);
      return page === undefined ? undefined : { status: 200, contentType: "text/plain", body: page };
    },
  });
  const [evil, own] = await Promise.all([startRecorder(), startRecorder()]);
  const echo = { name: "echo", description: "Echoes a text.", annotations: { readOnlyHint: true } };
  const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  const mcp = await startMcpServer({
    tools: () => [{ ...echo, inputSchema }],
    answer: () => ({ resultType: "complete", content: [{ type: "text", text: "heard" }] }),
  });
  const closeServers = async () => {
    await Promise.all([evil.close(), own.close(), web.close(), mcp.close()]);
  };
  try {
    const env = {
      OTTO_EGRESS_ALLOW: [evil, own, web, mcp].map(({ host }) => host).join(","),
      OTTO_MAIL_DOMAIN: "mail.test",
      SEARCH_PROVIDER: "searxng",
      SEARCH_BASE_URL: web.url,
    };
    const system = await startTestSystem(env, followTaskScript);
    return {
      system: system,
      evil,
      own,
      web,
      mcp,
      publish(text) {
        const path = `/${crypto.randomUUID()}`;
        pages.set(path, text);
        return `${web.url}${path}`;
      },
      index: (word, results) => void found.set(word, results),
      arrived: () => JSON.stringify([evil.requests, own.requests, web.requests, mcp.received]),
      async stop() {
        await system.stop();
        await closeServers();
      },
    };
  } catch (error) {
    await closeServers();
    throw error;
  }
}

/** A reply as a hostile text orders it from the model (`test/mock-servers/model-script.ts`). */
export function orderReply(reply: ScriptedReply): string {
  return `OBEY:${btoa(JSON.stringify(reply))}:`;
}

export interface MadeHook {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}

/** Makes a hook of the default agent. */
export async function makeHook(caller: Caller, rule: Readonly<Record<string, unknown>>): Promise<MadeHook> {
  const made = await caller.send("POST", HOOKS, { name: "hook", ...rule });
  expect(made.status, made.text).toBe(201);
  return made.json;
}

/** Calls a hook as GitHub or a generic sender does, and gives the id of the call's task. */
export async function callHook(caller: Caller, hook: MadeHook, payload: unknown): Promise<string> {
  const body = JSON.stringify(payload);
  const signature = `sha256=${createHmac("sha256", hook.secret).update(body).digest("hex")}`;
  const answer = await fetchApi(hook.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-otto-signature": signature,
      "x-hub-signature-256": signature,
      "x-github-event": "issues",
      "x-github-delivery": crypto.randomUUID(),
    },
    body,
  });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  const { message_id: message } = JSON.parse(text) as { message_id: string };
  return await vi.waitFor(async () => {
    const { data } = (await caller.send("GET", `${HOOKS}/${hook.id}/received`)).json;
    const item = data.find((one: { message_id: string }) => one.message_id === message);
    expect(item).toMatchObject({ state: "done" });
    return item.task_id;
  }, SOON);
}

/** Makes a task of the default agent, waits until it has ended, and gives it. Fails when it asks a person. */
export async function runUnasked(caller: Caller, body: Readonly<Record<string, unknown>>): Promise<TaskView> {
  const made = await caller.send("POST", "/v1/tasks", body);
  expect(made.status, made.text).toBe(201);
  return await endUnasked(caller, made.json.id);
}

/** Waits until a task has ended. Fails when it asks a person. */
export async function endUnasked(caller: Caller, id: string): Promise<TaskView> {
  const task = await untilTask(caller, id, ({ status, pending }) => hasEnded(status) || pending.length > 0);
  expect([task.status, task.pending], JSON.stringify(task.error)).toEqual(["completed", []]);
  return task;
}

export type Approval = Extract<PendingView, { kind: "approval" }>;

/** Waits until a task has ended, and decides each approval that it and its subtasks ask for. Gives them in their order. */
export async function decideAll(
  caller: Caller,
  id: string,
  decide: (approval: Approval) => "approve" | "refuse",
): Promise<Approval[]> {
  const approvals: Approval[] = [];
  await untilTask(caller, id, ({ status, pending }) => hasEnded(status) || pending.length > 0);
  for (const end = Date.now() + SOON.timeout; Date.now() < end; await new Promise((next) => setTimeout(next, 50))) {
    const task: TaskView = (await caller.send("GET", `/v1/tasks/${id}`)).json;
    if (hasEnded(task.status)) {
      expect(task.status, JSON.stringify(task.error)).toBe("completed");
      return approvals;
    }
    for (const approval of task.pending) {
      if (approval.kind !== "approval" || approvals.some((one) => one.id === approval.id)) continue;
      approvals.push(approval);
      const path = `/v1/tasks/${approval.task_id ?? id}/approvals/${approval.id}`;
      const answer = await caller.send("POST", path, { decision: decide(approval) });
      expect(answer.status, answer.text).toBe(200);
    }
  }
  throw new Error("the task did not end");
}

/** A row of a task's ledger as these tests read it. */
export interface LedgerRow {
  readonly tool: string;
  readonly state: string;
  readonly label: string | null;
  readonly result: { readonly ok: boolean; readonly result?: unknown; readonly error?: { readonly code: string } };
}

export async function readLedger(caller: Caller, id: string): Promise<readonly LedgerRow[]> {
  const answer = await caller.send("GET", `/v1/tasks/${id}/ledger?limit=100`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}
