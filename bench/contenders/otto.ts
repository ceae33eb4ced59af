/** The whole system, as a user starts it. */
import { join } from "node:path";
import { readStartBytes } from "../../scripts/deploy/judge-size.ts";
import { killRuntime, startSystem } from "../../test/drill/started-system.ts";
import type { TaskBody } from "../../test/drill/api-client.ts";
import { inputOf } from "../job.ts";
import type { BenchModel } from "../model/model.ts";
import { parentOf, processTree } from "../processes.ts";
import { send } from "../send.ts";
import { setMaxSteps } from "../step-limits.ts";
import { openStreams } from "../watch.ts";
import type { Contender } from "./contender.ts";

const MAX_STEPS = 100;
/** What the jobs call, as the floors have it: every tool that a model is shown goes along with every request. */
const JOB_TOOLS = ["ask_human", "dispatch_subagent", "evaluate_expression", "get_current_datetime", "http_request"];
/** What the files are written and searched with. */
const FILE_TOOLS = ["fs.write", "grep"];
const LOOK_EVERY_MS = 5;

/** Otto, whose state may be changed. */
export interface OttoContender extends Contender {
  /** Stops the system in order, changes its state, and starts it again. */
  whileStopped(change: (stateFolder: string) => Promise<void> | void): Promise<void>;
  /** Whether the list of tasks has a completed one whose input contains the text. */
  hasCompleted(text: string): Promise<boolean>;
}

export async function startOtto(model: BenchModel): Promise<OttoContender> {
  const system = await startSystem({
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: "bench",
    OTTO_MODEL: "bench",
    OTTO_EGRESS_ALLOW: model.toolHost,
    // 200 tasks at once have a place each, and the bench's own rate is not what is measured.
    OTTO_MAX_RUNNING_TASKS: "256",
    OTTO_REQUESTS_PER_MINUTE: "1000000",
  });
  try {
    const headers = { authorization: `Bearer ${system.key}` };
    const api = async <T>(method: string, path: string, body?: unknown): Promise<T> =>
      JSON.parse(await send(method, system.url + path, body, headers)) as T;
    const makeAgent = async (name: string, tools: readonly string[]) =>
      await api<{ id: string }>("POST", "/v1/agents", {
        name,
        instructions: "Follow the script.",
        tools,
        permissions: ["read", "write", "network"],
        allowed_domains: ["*"],
        budget: { max_steps: MAX_STEPS },
      });
    const agent = await makeAgent("bench", JOB_TOOLS);
    const searcher = await makeAgent("searcher", FILE_TOOLS);
    const call = async <T>(tool: string, given: Record<string, unknown>): Promise<T> => {
      const answer = await api<{ ok: boolean; result: T }>("POST", `/v1/tools/${tool}/call`, given);
      if (!answer.ok) throw new Error(`${tool}: ${JSON.stringify(answer)}`);
      return answer.result;
    };
    const ids = new Map<string, string>();
    const drafts = new Map<string, string>();
    const objectsFolder = join(system.stateFolder, "runtime/do/otto-TaskObject");
    const whileStopped: OttoContender["whileStopped"] = async (change) => {
      await system.end();
      await change(system.stateFolder);
      await system.startAgain();
      await system.up();
    };
    /** The task whose sandbox is searched. */
    let searched: Promise<TaskBody> | undefined;
    const searchedTask = async () => {
      searched ??= api<TaskBody>("POST", "/v1/tasks", { input: "files", agent: searcher.id, hold: true });
      return (await searched).id;
    };
    return {
      name: "Otto",
      isPeer: false,
      async start(task, job) {
        const draft = drafts.get(task);
        if (draft !== undefined) {
          await api<TaskBody>("POST", `/v1/tasks/${draft}/start`, {});
          return;
        }
        const made = await api<TaskBody>("POST", "/v1/tasks", { input: inputOf(task, job), agent: agent.id });
        ids.set(task, made.id);
      },
      async openWatched(task, job, watchers) {
        const body = { input: inputOf(task, job), agent: agent.id, hold: true };
        const { id } = await api<TaskBody>("POST", "/v1/tasks", body);
        await openStreams(watchers, `${system.url}/v1/tasks/${id}/events`, headers);
        return async () => {
          await api<TaskBody>("POST", `/v1/tasks/${id}/start`, {});
        };
      },
      async question(task) {
        const path = `/v1/tasks/${ids.get(task) ?? ""}`;
        for (;;) {
          const { pending } = await api<TaskBody>("GET", path);
          const question = pending.find(({ kind }) => kind === "question");
          if (question !== undefined)
            return async () => {
              await api("POST", `${path}/questions/${question.id}/answer`, { text: "Yes." });
            };
          await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
        }
      },
      async call(_, expression) {
        return JSON.stringify(await call("evaluate_expression", { arguments: { expression }, agent: agent.id }));
      },
      async createLong(tasks, job) {
        // The file system's clock is coarse.
        const since = Date.now() - 1_000;
        for (const task of tasks) {
          const body = { input: inputOf(task, job), agent: agent.id, hold: true };
          drafts.set(task, (await api<TaskBody>("POST", "/v1/tasks", body)).id);
        }
        const created = new Set(tasks.map((task) => drafts.get(task) ?? ""));
        await whileStopped(() => setMaxSteps(objectsFolder, { tasks: created, maxSteps: job.steps + 1, since }));
      },
      pids: () => processTree(parentOf(need(system.pidOf("runtime")))),
      runtimePid: () => need(system.workerdPid()),
      bundleKib: () => readStartBytes() / 1024,
      files: {
        async put(path, text) {
          const given = { path, content: text, backup: false };
          await call("fs.write", { arguments: given, task_id: await searchedTask() });
        },
        async search(pattern) {
          const given = { arguments: { pattern }, task_id: await searchedTask() };
          return (await call<{ total_matches: number }>("grep", given)).total_matches;
        },
      },
      objectsFolder: () => objectsFolder,
      async restart() {
        await killRuntime(system, "workerd");
        await system.up();
      },
      whileStopped,
      async hasCompleted(text) {
        const query = new URLSearchParams({ status: "completed", query: text, limit: "1" });
        return (await api<{ data: readonly unknown[] }>("GET", `/v1/tasks?${query.toString()}`)).data.length > 0;
      },
      close: () => system.stop(),
    };
  } catch (error) {
    await system.stop();
    throw error;
  }
}

function need(pid: number | null): number {
  if (pid === null) throw new Error("a process of the system is not there");
  return pid;
}
