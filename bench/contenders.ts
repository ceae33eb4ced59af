/** What the bench compares: Otto as a user starts it, and the two floors. Each runs scripted tasks against a model server. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { ApiClient, eachAtOnce } from "../test/drill/api-client.ts";
import { startSystem } from "../test/drill/started-system.ts";
import { CLOCK_TOOL, MAX_STEPS, scriptedInput } from "./scripted-task.ts";

/** One of the compared. `run` starts `count` tasks of `steps` steps at once; the model server sees when they are over. */
export interface Contender {
  readonly name: string;
  run(count: number, steps: number): Promise<void>;
  close(): Promise<void>;
}

/** The whole system. */
export async function startOtto(baseUrl: string): Promise<Contender> {
  const system = await startSystem({ OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: "bench", OTTO_MODEL: "bench" });
  try {
    const api = new ApiClient(system.url, system.key);
    const agent = await api.must<{ id: string }>("POST", "/v1/agents", {
      name: "bench",
      instructions: "Follow the script.",
      tools: ["*"],
      permissions: ["read", "write", "network"],
      budget: { max_steps: MAX_STEPS },
    });
    return {
      name: "Otto",
      run: async (count, steps) => {
        const body = { input: scriptedInput(steps), agent: agent.id };
        await eachAtOnce(Array.from({ length: count }), count, () => api.must("POST", "/v1/tasks", body));
      },
      close: () => system.stop(),
    };
  } catch (error) {
    await system.stop();
    throw error;
  }
}

/** Floor (a). */
export function startSdkLoop(baseUrl: string): Contender {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./floors/sdk-loop.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    name: "AI SDK loop",
    run: async (count, steps) => {
      child.stdin.write(`${JSON.stringify({ baseUrl, input: scriptedInput(steps), count })}\n`);
      const line = await lines.next();
      if (line.value !== "done") throw new Error("the AI SDK loop ended");
    },
    close: () => {
      child.kill();
      return Promise.resolve();
    },
  };
}

/** Floor (b). */
export async function startBareObject(baseUrl: string): Promise<Contender> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      telemetry: { enabled: false },
      workers: [
        {
          name: "bare",
          compatibilityDate: "2026-11-01",
          modules: [{ type: "ESModule", path: fileURLToPath(new URL("./floors/bare-object.mjs", import.meta.url)) }],
          modulesRoot: fileURLToPath(new URL("./floors", import.meta.url)),
          durableObjects: { TASKS: { className: "BareTask", useSQLite: true } },
        },
      ],
    }),
  );
  const url = await miniflare.ready;
  let next = 0;
  return {
    name: "bare object",
    run: async (count, steps) => {
      const body = JSON.stringify({ baseUrl, input: scriptedInput(steps), tool: CLOCK_TOOL });
      await Promise.all(
        Array.from({ length: count }, async () => {
          next += 1;
          const response = await fetch(new URL(`/task${next}`, url), { method: "POST", body });
          if ((await response.text()) !== "done") throw new Error(`the bare object answered ${response.status}`);
        }),
      );
    },
    close: () => miniflare.dispose(),
  };
}
