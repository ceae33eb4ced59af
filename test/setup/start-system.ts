/**
 * Starts the complete system for the tests of `test/system`, as `npm start` does: on its own state, with a scripted model server and HTTP
 * clients.
 */
import type { TaskView } from "../../core/task/view.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { startSystem as start, type StartedSystem, type SystemEnv } from "../drill/started-system.ts";
import { followInputScript } from "../mock-servers/model-script.ts";
import { type ModelScript, type ScriptedReply, startModelServer, toModelEnv } from "../mock-servers/model-server.ts";
import { fetchApi } from "./fetch-api.ts";
import "./provided-context.ts";

/** A reply. `json` is the parsed body, or null if it is not JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any field of a reply
  readonly json: any;
}

/** A client that sends requests with or without a key. */
export interface Caller {
  readonly key: string;
  readonly url: string;
  /** Sends an object as JSON, and text and bytes unchanged. */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Returns the unread reply, for streams. */
  open(path: string, headers?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response>;
}

/** A running system and its HTTP clients. */
interface SharedSystem {
  readonly url: string;
  readonly operator: Caller;
  readonly anonymous: Caller;
  /** Creates a client with this key. */
  withKey(key: string): Caller;
  /** Creates a tenant and a client with its first key. */
  makeTenant(name: string): Promise<Caller & { readonly tenant: string }>;
}

/** The system of one test file, which may kill and restart it. */
export interface TestSystem extends SharedSystem {
  readonly system: StartedSystem;
  stop(): Promise<void>;
}

/** Connects to the system of all test files that neither kill nor configure theirs. Each file creates its own tenants. */
export function joinSharedSystem(): SharedSystem {
  return connectTo(inject("sharedSystem"));
}

/**
 * Starts the system. The model answers by the task's input (`scriptedInput`) or by `script`. `env` adds to the model's variables.
 */
export async function startTestSystem(
  env: Readonly<Record<string, string>> = {},
  script: ModelScript = followInputScript,
): Promise<TestSystem> {
  return await startWithModel(env, script, inject("endedState"));
}

/** Starts the system in an empty folder, as a user's first `npm start` does. The model answers by the task's input. */
export async function startFirstTime(env: SystemEnv): Promise<TestSystem> {
  return await startWithModel(env, followInputScript);
}

async function startWithModel(env: SystemEnv, script: ModelScript, from?: string): Promise<TestSystem> {
  const model = await startModelServer({ script });
  const toEnv = (url: string) => ({ ...toModelEnv(model), ...(typeof env === "function" ? env(url) : env) });
  try {
    const system = await start(toEnv, from);
    return {
      ...connectTo(system),
      system,
      async stop() {
        await system.stop();
        await model.close();
      },
    };
  } catch (error) {
    await model.close();
    throw error;
  }
}

function connectTo({ url, stateFolder }: Pick<StartedSystem, "url" | "stateFolder">): SharedSystem {
  const operator = makeCaller(url, readFileSync(join(stateFolder, "operator-key"), "utf8").trim());
  return {
    url,
    operator,
    anonymous: makeCaller(url, ""),
    withKey: (key) => makeCaller(url, key),
    async makeTenant(name) {
      const made = await operator.send("POST", "/v1/tenants", { name });
      if (made.status !== 201) throw new Error(`no tenant: ${made.text}`);
      return { ...makeCaller(url, made.json.key), tenant: made.json.tenant.id };
    },
  };
}

/** Creates a task's input that scripts the model: one reply per step. */
export function scriptedInput(...replies: readonly ScriptedReply[]): string {
  return JSON.stringify({ replies });
}

/** Creates a reply of the model with one tool call. */
export function calling(name: string, given: unknown): ScriptedReply {
  return { calls: [{ name, arguments: given }] };
}

/** Polls a task until the condition holds. */
export async function untilTask(caller: Caller, id: string, wanted: (task: TaskView) => boolean): Promise<TaskView> {
  for (const end = Date.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 25))) {
    const { json, text } = await caller.send("GET", `/v1/tasks/${id}`);
    if (wanted(json)) return json;
    if (Date.now() > end) throw new Error(`the task did not reach the expected state: ${text}`);
  }
}

function makeCaller(url: string, key: string): Caller {
  const authorization: Record<string, string> = key === "" ? {} : { authorization: `Bearer ${key}` };
  return {
    key,
    url,
    async send(method, path, body, headers = {}) {
      const isRaw = typeof body === "string" || body instanceof Uint8Array;
      const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
      const response = await fetchApi(`${url}${path}`, {
        method,
        headers: { ...authorization, ...type, ...headers },
        signal: AbortSignal.timeout(90_000),
        ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "") && text !== "";
      return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null };
    },
    async open(path, headers = {}, signal) {
      return await fetchApi(`${url}${path}`, {
        headers: { ...authorization, ...headers },
        ...(signal ? { signal } : {}),
      });
    },
  };
}
