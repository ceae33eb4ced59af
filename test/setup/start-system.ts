/**
 * The whole system for the tests of `test/system`: started as a person starts it, on a state of its own, with a scripted
 * model server beside it, and callers that speak HTTP to it.
 */
import type { TaskView } from "../../core/task/view.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { startSystem as start, type StartedSystem } from "../drill/started-system.ts";
import { scriptOfTheInput } from "../mock-servers/model-script.ts";
import { type ModelScript, type ScriptedReply, startModelServer, variablesFor } from "../mock-servers/model-server.ts";
import { fetchApi } from "./fetch-api.ts";
import "./provided-context.ts";

/** An answer, read. `json` is what the body says when it is JSON, else null. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the answer holds
  readonly json: any;
}

/** Somebody who holds a key (or none) and sends requests. */
export interface Caller {
  readonly key: string;
  readonly url: string;
  /** An object becomes a JSON body; text and bytes are sent as they are. */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The answer unread, for streams. */
  open(path: string, headers?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response>;
}

/** A system that answers, and who speaks to it. */
interface SharedSystem {
  readonly url: string;
  readonly operator: Caller;
  readonly nobody: Caller;
  /** The holder of this key. */
  withKey(key: string): Caller;
  /** Makes a tenant and gives the holder of its first key. */
  makeTenant(name: string): Promise<Caller & { readonly tenant: string }>;
}

/** A system of the test file's own, which it may kill and start again. */
export interface WholeSystem extends SharedSystem {
  readonly system: StartedSystem;
  stop(): Promise<void>;
}

/** The system that files share which neither kill nor configure theirs. Each makes tenants of its own. */
export function joinSharedSystem(): SharedSystem {
  return speakTo(inject("sharedSystem"));
}

/**
 * Starts it. The model answers by the task's input, see `scriptedInput`, or by `script`. `env`: variables of the system beside
 * the model's.
 */
export async function startWholeSystem(
  env: Readonly<Record<string, string>> = {},
  script: ModelScript = scriptOfTheInput,
): Promise<WholeSystem> {
  const model = await startModelServer({ script });
  try {
    const system = await start({ ...variablesFor(model), ...env }, inject("endedState"));
    return {
      ...speakTo(system),
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

function speakTo({ url, stateFolder }: Pick<StartedSystem, "url" | "stateFolder">): SharedSystem {
  const operator = callerOf(url, readFileSync(join(stateFolder, "operator-key"), "utf8").trim());
  return {
    url,
    operator,
    nobody: callerOf(url, ""),
    withKey: (key) => callerOf(url, key),
    async makeTenant(name) {
      const made = await operator.send("POST", "/v1/tenants", { name });
      if (made.status !== 201) throw new Error(`no tenant: ${made.text}`);
      return { ...callerOf(url, made.json.key), tenant: made.json.tenant.id };
    },
  };
}

/** A task's input that says what the model does: one reply a step. */
export function scriptedInput(...replies: readonly ScriptedReply[]): string {
  return JSON.stringify({ replies });
}

/** One call of a tool, as a reply of the model. */
export function calling(name: string, given: unknown): ScriptedReply {
  return { calls: [{ name, arguments: given }] };
}

/** Reads a task until it is as wanted. */
export async function untilTask(caller: Caller, id: string, wanted: (task: TaskView) => boolean): Promise<TaskView> {
  for (const end = Date.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 25))) {
    const { json, text } = await caller.send("GET", `/v1/tasks/${id}`);
    if (wanted(json)) return json;
    if (Date.now() > end) throw new Error(`the task did not get there: ${text}`);
  }
}

function callerOf(url: string, key: string): Caller {
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
