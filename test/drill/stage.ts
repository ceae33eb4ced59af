/** The setup of every drill: the scripted model, two recorders, the system, and agents that may use them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ModelFault,
  type ModelRecord,
  type ModelServer,
  startModelServer,
  type WireBody,
} from "../mock-servers/model-server.ts";
import { type ArrivingRequest, type RecordedRequest, type Recorder, startRecorder } from "../mock-servers/recorder.ts";
import { type AccountInput, accountScript } from "./accounts/account-script.ts";
import { type ActionInput, actionScript } from "./apps/app-script.ts";
import { ApiClient } from "./api-client.ts";
import { burstScript } from "./channels/burst-script.ts";
import { type DrillInput, drillScript, STEPS } from "./crashes/script.ts";
import { type EngineInput, engineScript, largeReply } from "./engine/engine-script.ts";
import { type LoadInput, loadScript } from "./load/load-script.ts";
import { type OutageInput, outageScript } from "./outages/outage-script.ts";
import { type StartedSystem, startSystem } from "./started-system.ts";
import { type TimerInput, timerScript } from "./timers/timer-script.ts";

/** The JSON in the first message of a task. Its `kind` selects the script. */
export type StageInput = AccountInput | ActionInput | DrillInput | EngineInput | LoadInput | OutageInput | TimerInput;

/** Hooks that the mock servers call and await. */
export interface StageHooks {
  readonly onModelRequest?: (record: ModelRecord, body: WireBody) => Promise<void> | void;
  readonly onModelReplied?: (record: ModelRecord) => void;
  /** The current fault of the model server, or null. */
  readonly modelFault?: () => ModelFault | null;
  readonly beforeEffect?: (arriving: ArrivingRequest) => Promise<"drop" | void> | "drop" | void;
  readonly afterEffect?: (record: RecordedRequest) => Promise<void> | void;
}

/** Lifetime of a key at the keyed recorder: longer than any outage, shorter than the longest drill. */
const KEYED_FOR_S = 300;

const SCRIPTS = [
  engineScript,
  loadScript,
  timerScript,
  outageScript,
  burstScript,
  accountScript,
  actionScript,
] as const;

export interface StageOptions {
  /** Variables of the system in addition to the drills' own. */
  readonly env?: Readonly<Record<string, string>>;
  /** False if the model server would store too many bodies. */
  readonly keepBodies?: boolean;
  /** The state of a stopped system, see `startSystem`. */
  readonly from?: string;
  /** Hosts on loopback that tools and connections may reach in addition to the recorders'. */
  readonly hosts?: readonly string[];
}

/** A tenant with its own agent, which may use the recorders. */
export interface DrillTenant {
  readonly id: string;
  readonly key: string;
  readonly api: ApiClient;
  /** The id of its agent. */
  readonly agent: string;
  /** Makes a task of its agent; gives its id. `more`: other fields of the request. */
  createTask(input: StageInput, more?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** A running system and its mock servers. Each drill may replace `hooks`. */
export interface Stage {
  readonly model: ModelServer;
  readonly keyed: Recorder;
  readonly unkeyed: Recorder;
  readonly system: StartedSystem;
  readonly api: ApiClient;
  readonly operator: ApiClient;
  hooks: StageHooks;
  /** Makes a task of the drills' agent; gives its id. */
  createTask(drill: string, kind: DrillInput["kind"], paceMs?: number): Promise<string>;
  /** `agent`: fields of its agent that differ. */
  makeTenant(name: string, agent?: Readonly<Record<string, unknown>>): Promise<DrillTenant>;
  close(): Promise<void>;
}

/** Starts the system and the mock servers. */
export async function openStage({ env = {}, keepBodies = true, from, hosts = [] }: StageOptions = {}): Promise<Stage> {
  const stage: { hooks: StageHooks } = { hooks: {} };
  const model = await startModelServer({
    keepBodies,
    script(messages, body) {
      const fault = stage.hooks.modelFault?.() ?? null;
      if (fault !== null) return { fault };
      for (const script of SCRIPTS) {
        const reply = script(messages, body);
        if (reply !== null) return reply;
      }
      return drillScript(messages, body);
    },
    beforeReply: (record, body) => stage.hooks.onModelRequest?.(record, body),
    onReplied: (record) => stage.hooks.onModelReplied?.(record),
  });
  const effects = {
    beforeEffect: (arriving: ArrivingRequest) => stage.hooks.beforeEffect?.(arriving),
    afterEffect: (record: RecordedRequest) => stage.hooks.afterEffect?.(record),
  };
  const keys = { lifetimeMs: KEYED_FOR_S * 1000 };
  const keyed = await startRecorder({ ...effects, keys, reply: ({ path }) => largeReply(path) });
  const unkeyed = await startRecorder(effects);
  const closeServers = async (): Promise<void> => {
    await Promise.all([model.close(), keyed.close(), unkeyed.close()]);
  };
  try {
    const ofDrills = {
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: "drill",
      OTTO_MODEL: "scripted",
      OTTO_EGRESS_ALLOW: [keyed.host, unkeyed.host, ...hosts].join(","),
    };
    const system = await startSystem({ ...ofDrills, ...env }, from);
    const api = new ApiClient(system.url, system.key);
    const operator = new ApiClient(system.url, readFileSync(join(system.stateFolder, "operator-key"), "utf8").trim());
    const makeAgent = async (by: ApiClient, differs: Readonly<Record<string, unknown>>): Promise<string> => {
      const config = {
        name: "drill",
        instructions: "Follow the script.",
        tools: ["*"],
        permissions: ["read", "write", "network"],
        allowed_domains: ["*"],
        approval: { dangerous: "allow" },
        idempotent_hosts: [{ host: keyed.host, keyed_for_s: KEYED_FOR_S }],
        ...differs,
      };
      return (await by.must<{ id: string }>("POST", "/v1/agents", config)).id;
    };
    try {
      const agent = await makeAgent(api, { budget: { max_steps: STEPS + 5 } });
      const createTask = async (drill: string, kind: DrillInput["kind"], paceMs = 0): Promise<string> => {
        const input: DrillInput = { drill, kind, paceMs, keyed: keyed.url, unkeyed: unkeyed.url };
        return (await api.must<{ id: string }>("POST", "/v1/tasks", { input: JSON.stringify(input), agent })).id;
      };
      const makeTenant = async (
        name: string,
        differs: Readonly<Record<string, unknown>> = {},
      ): Promise<DrillTenant> => {
        const made = await operator.must<{ tenant: { id: string }; key: string }>("POST", "/v1/tenants", { name });
        const by = new ApiClient(system.url, made.key);
        const its = await makeAgent(by, differs);
        return {
          id: made.tenant.id,
          key: made.key,
          api: by,
          agent: its,
          async createTask(input, more = {}) {
            const body = { input: JSON.stringify(input), agent: its, ...more };
            return (await by.must<{ id: string }>("POST", "/v1/tasks", body)).id;
          },
        };
      };
      const close = async (): Promise<void> => {
        await system.stop();
        await closeServers();
      };
      return Object.assign(stage, { model, keyed, unkeyed, system, api, operator, createTask, makeTenant, close });
    } catch (error) {
      await system.stop();
      throw error;
    }
  } catch (error) {
    await closeServers();
    throw error;
  }
}
