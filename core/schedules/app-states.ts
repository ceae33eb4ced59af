/** The apps that the agent of a schedule may use, and whether a run could use them now. */
import type { AgentConfig } from "../agents/agent.ts";
import { configureApp } from "../agents/app-config.ts";
import type { ConnectReason, OwnerRule, ToolApp } from "../connections/account.ts";
import { chooseAccount, type Choice, findConnection } from "../connections/choose-account.ts";
import type { Connection } from "../connections/connection.ts";

/** `active`: a run can use the app. Otherwise why not. */
export type AppStatus = "active" | ConnectReason;

export interface AppState {
  readonly app: string;
  readonly status: AppStatus;
  /** The connection that decides; null if there is no account. */
  readonly connection: string | null;
  /** Whose account it is, or has to be. */
  readonly owner: "person" | "shared";
  /** True if runs may use it while its owner is away. */
  readonly unattended: boolean;
  /** Why it is in its state, for people. */
  readonly why: string | null;
}

export interface AppFacts {
  /** The agent's own words on its apps. */
  readonly config: Pick<AgentConfig, "app_config">;
  /** The person for whom the tasks act; null: nobody. */
  readonly caller: string | null;
  /** The hashes of the present settings, by app. */
  readonly settings: ReadonlyMap<string, string>;
  /** The caller's and the shared connections. */
  readonly connections: readonly Connection[];
}

/** Lists the apps of these tools by name, each once. */
export function listAppStates(tools: readonly ToolApp[], facts: AppFacts): AppState[] {
  const apps = new Map<string, ToolApp>();
  for (const tool of tools) {
    const { scopes = [] } = apps.get(tool.app) ?? {};
    apps.set(tool.app, { ...tool, scopes: [...new Set([...scopes, ...tool.scopes])] });
  }
  const sorted = [...apps.values()].toSorted((one, other) => (one.app < other.app ? -1 : 1));
  return sorted.map((app) => toAppState(app, facts));
}

/** The state of an app as a run would find it: no person started it. */
function toAppState(tool: ToolApp, { config, caller, settings, connections }: AppFacts): AppState {
  const { app, configured } = configureApp(config, tool);
  const settingsHash = settings.get(app.app) ?? "";
  const choice: Choice = { app, caller, isUnattended: true, configured, settingsHash, connections };
  const connection = findConnection(choice);
  return {
    app: app.app,
    status: findStatus(choice),
    connection: connection?.id ?? null,
    owner: connection?.owner.kind ?? findOwner(app.owner, caller),
    unattended: connection !== null && (connection.owner.kind === "shared" || connection.unattended),
    why: connection?.why ?? null,
  };
}

function findStatus(choice: Choice): AppStatus {
  const chosen = chooseAccount(choice);
  if (chosen.kind === "account") return "active";
  return chosen.kind === "needed" ? chosen.need.reason : "missing";
}

/** Whose account is missing: a task that acts for nobody can only use a shared one. */
function findOwner(rule: OwnerRule, caller: string | null): AppState["owner"] {
  return rule === "person" || (rule === "either" && caller !== null) ? "person" : "shared";
}
