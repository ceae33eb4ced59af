/** Which state an app is in for a new task: whether its agent may use it, and its caller has or can connect an account. */
import type { AgentConfig } from "../../agents/agent.ts";
import { configureApp } from "../../agents/app-config.ts";
import type { ToolApp } from "../../connections/account.ts";
import { chooseAccount, findConnection } from "../../connections/choose-account.ts";
import type { Connection } from "../../connections/connection.ts";

/** `unusable`: there is no account, and nobody is known who could connect one. */
export type AppUse = "usable" | "unconnected" | "unusable";

/** The caller of a task, and the connections that count for it. */
export interface AppCaller {
  readonly config: Pick<AgentConfig, "app_config">;
  /** The person for whom the task acts, if any. */
  readonly person: string | null;
  /** True for a task that no person started. */
  readonly isUnattended: boolean;
  /** That person's and the shared ones, of any app. */
  readonly connections: readonly Connection[];
}

/** Judges an app. `needs` null: it works without an account. The account of each call is chosen later, by its own stage. */
export function judgeAppUse(needs: ToolApp | null, { config, person, isUnattended, connections }: AppCaller): AppUse {
  if (needs === null) return "usable";
  const { app, configured } = configureApp(config, needs);
  const choice = { app, caller: person, isUnattended, configured, connections };
  // Whether the settings of the app changed since the consent is asked at the call.
  const settingsHash = findConnection({ ...choice, settingsHash: "" })?.settingsHash ?? "";
  switch (chooseAccount({ ...choice, settingsHash }).kind) {
    case "account":
      return "usable";
    case "needed":
      return "unconnected";
    case "none":
      return "unusable";
  }
}
