/** What every drill needs: the scripted model, two recorders, the system started with them, and an agent that may use them. */
import { type ModelRecord, type ModelServer, startModelServer } from "../stand-ins/model-server.ts";
import { type ArrivingRequest, type RecordedRequest, type Recorder, startRecorder } from "../stand-ins/recorder.ts";
import { ApiClient } from "./api-client.ts";
import { type DrillInput, drillScript, STEPS } from "./script.ts";
import { type StartedSystem, startSystem } from "./started-system.ts";

/** Called as things happen at the stand-ins, and awaited by them. */
export interface StageHooks {
  readonly onModelRequest?: (record: ModelRecord) => Promise<void> | void;
  readonly onModelReplied?: (record: ModelRecord) => void;
  readonly beforeEffect?: (arriving: ArrivingRequest) => Promise<"drop" | void> | "drop" | void;
  readonly afterEffect?: (record: RecordedRequest) => Promise<void> | void;
}

/** A started system and its surroundings. `hooks` may be exchanged from drill to drill. */
export interface Stage {
  readonly model: ModelServer;
  readonly keyed: Recorder;
  readonly unkeyed: Recorder;
  readonly system: StartedSystem;
  readonly api: ApiClient;
  hooks: StageHooks;
  /** Makes a task of the drills' agent; gives its id. */
  createTask(drill: string, kind: DrillInput["kind"], paceMs?: number): Promise<string>;
  close(): Promise<void>;
}

/** Starts everything. */
export async function openStage(): Promise<Stage> {
  const stage: { hooks: StageHooks } = { hooks: {} };
  const model = await startModelServer({
    script: drillScript,
    beforeReply: (record) => stage.hooks.onModelRequest?.(record),
    onReplied: (record) => stage.hooks.onModelReplied?.(record),
  });
  const effects = {
    beforeEffect: (arriving: ArrivingRequest) => stage.hooks.beforeEffect?.(arriving),
    afterEffect: (record: RecordedRequest) => stage.hooks.afterEffect?.(record),
  };
  const keyed = await startRecorder(effects);
  const unkeyed = await startRecorder(effects);
  const closeServers = async (): Promise<void> => {
    await Promise.all([model.close(), keyed.close(), unkeyed.close()]);
  };
  try {
    const system = await startSystem({
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: "drill",
      OTTO_MODEL: "scripted",
      OTTO_EGRESS_ALLOW: `${keyed.host},${unkeyed.host}`,
    });
    const api = new ApiClient(system.url, system.key);
    try {
      const agent = await api.must<{ id: string }>("POST", "/v1/agents", {
        name: "drill",
        instructions: "Follow the script.",
        tools: ["*"],
        permissions: ["read", "write", "network"],
        approval: { dangerous: "allow" },
        idempotent_hosts: [keyed.host],
        budget: { max_steps: STEPS + 5 },
      });
      const createTask = async (drill: string, kind: DrillInput["kind"], paceMs = 0): Promise<string> => {
        const input: DrillInput = { drill, kind, paceMs, keyed: keyed.url, unkeyed: unkeyed.url };
        return (await api.must<{ id: string }>("POST", "/v1/tasks", { input: JSON.stringify(input), agent: agent.id }))
          .id;
      };
      const close = async (): Promise<void> => {
        await system.stop();
        await closeServers();
      };
      return Object.assign(stage, { model, keyed, unkeyed, system, api, createTask, close });
    } catch (error) {
      await system.stop();
      throw error;
    }
  } catch (error) {
    await closeServers();
    throw error;
  }
}
